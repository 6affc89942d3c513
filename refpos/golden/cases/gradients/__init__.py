"""Golden cases of gradients: the vector-Jacobian products of functions of all families."""
