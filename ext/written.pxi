# ---- sums of products in the fixed order ----

def products(const double[:, :, ::1] a, const double[:, :, ::1] b, double[:, :, ::1] out):
    """out[h, i, j] = 0 + a[h, i, 0] b[h, 0, j] + ..., each product and each sum rounded, in this order."""
    cdef Py_ssize_t h, count = a.shape[0], rows = a.shape[1], depth = a.shape[2], columns = b.shape[2]
    if (b.shape[0] != count or b.shape[1] != depth or out.shape[0] != count or out.shape[1] != rows
            or out.shape[2] != columns):
        raise ValueError("shapes must be (n, rows, depth), (n, depth, columns) and (n, rows, columns)")
    if not rows or not columns:
        return
    with nogil:
        for h in range(count):
            product(&a[h, 0, 0] if depth else NULL, &b[h, 0, 0] if depth else NULL, &out[h, 0, 0], rows, depth, columns)


cdef void product(const double *a, const double *b, double *out, Py_ssize_t rows, Py_ssize_t depth,
                  Py_ssize_t columns) noexcept nogil:
    cdef Py_ssize_t i, j, k, done = 0
    cdef double total
    if depth and active.products != NULL:
        done = active.products(a, b, out, rows, depth, columns)
    for i in range(rows):
        for j in range(done, columns):
            total = 0
            for k in range(depth):
                total = total + a[i * depth + k] * b[k * columns + j]
            out[i * columns + j] = total
