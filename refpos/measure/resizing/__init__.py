"""Linear maps of a learned table: kernels of resized ones, biases of other windows, means of rows."""
