# ---- sums of products in the fixed order ----

def products(const double[:, ::1] a, const double[:, ::1] b, double[:, ::1] out):
    """out[i, j] = 0 + a[i, 0] b[0, j] + a[i, 1] b[1, j] + ..., each product and each sum rounded, in this order."""
    cdef Py_ssize_t i, j, k, done = 0, rows = a.shape[0], depth = a.shape[1], columns = b.shape[1]
    cdef double total
    if b.shape[0] != depth or out.shape[0] != rows or out.shape[1] != columns:
        raise ValueError("shapes must be (rows, depth), (depth, columns) and (rows, columns)")
    if not rows or not columns:
        return
    with nogil:
        if depth and active.products != NULL:
            done = active.products(&a[0, 0], &b[0, 0], &out[0, 0], rows, depth, columns)
        for i in range(rows):
            for j in range(done, columns):
                total = 0
                for k in range(depth):
                    total = total + a[i, k] * b[k, j]
                out[i, j] = total
