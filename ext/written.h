/* Sums of products with the summed index ascending, each product and each sum rounded to double: no order is left to
   the compiler. Lanes are columns, so that a lane does what scalar code does. */

/* `count` rows, a constant, of out, two vectors of columns: out = 0, then out + a * b for each depth. */
INLINE void sum_tile(const double *a, const double *b, double *out, ptrdiff_t depth, ptrdiff_t columns,
                           const int count) {
    VD left[4], right[4];
    for (int r = 0; r < count; r++) left[r] = right[r] = (VD){0};
    for (ptrdiff_t k = 0; k < depth; k++) {
        VD b_left = LOADD(b + k * columns), b_right = LOADD(b + k * columns + W);
        for (int r = 0; r < count; r++) {
            double factor = a[r * depth + k];
            left[r] += factor * b_left;
            right[r] += factor * b_right;
        }
    }
    for (int r = 0; r < count; r++) {
        *(loose_d *)(out + r * columns) = left[r];
        *(loose_d *)(out + r * columns + W) = right[r];
    }
}

/* The columns that fill vectors, of all rows; how many these are. */
static ptrdiff_t products(const double *a, const double *b, double *out, ptrdiff_t rows, ptrdiff_t depth,
                                ptrdiff_t columns) {
    ptrdiff_t j = 0;
    for (; j + 2 * W <= columns; j += 2 * W) {
        ptrdiff_t i = 0;
        for (; i + 4 <= rows; i += 4) sum_tile(a + i * depth, b + j, out + i * columns + j, depth, columns, 4);
        for (; i < rows; i++) sum_tile(a + i * depth, b + j, out + i * columns + j, depth, columns, 1);
    }
    return j;
}
