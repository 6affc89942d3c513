"""Position ids of text, images, video and audio in one sequence, as each model counts them; one file each."""
