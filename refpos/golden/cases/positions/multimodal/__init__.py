"""Golden cases of position ids of text, images, video and audio."""
