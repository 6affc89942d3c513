"""What numbers are where no wrong call gives them, in words beside the call that is asked for."""
