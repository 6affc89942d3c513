"""Whether a checkpoint or a live model holds the positions that its configuration says, tensor by tensor."""
