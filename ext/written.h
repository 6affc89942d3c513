/* Sums of products with the summed index ascending, each product and each sum rounded to double: no order is left to
   the compiler. Lanes are columns, so that a lane does what scalar code does. */

#if LEVEL == 0 /* vectors as wide as plain registers are: gcc keeps wider ones in memory */
#define LANES 2
#else
#define LANES W
#endif
typedef double NAME(sums) __attribute__((vector_size(8 * LANES)));
typedef double NAME(loaded_sums) __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
#define AT(p) (*(const NAME(loaded_sums) *)(p))

/* `count` rows, a constant, of out, two vectors of columns: out = 0, then out + a * b for each depth. */
ALWAYS void NAME(sum_tile)(const double *a, const double *b, double *out, ptrdiff_t depth, ptrdiff_t columns,
                           const int count) {
    NAME(sums) left[4], right[4];
    for (int r = 0; r < count; r++) left[r] = right[r] = (NAME(sums)){0};
    for (ptrdiff_t k = 0; k < depth; k++) {
        NAME(sums) b_left = AT(b + k * columns), b_right = AT(b + k * columns + LANES);
        for (int r = 0; r < count; r++) {
            double factor = a[r * depth + k];
            left[r] += factor * b_left;
            right[r] += factor * b_right;
        }
    }
    for (int r = 0; r < count; r++) {
        *(NAME(loaded_sums) *)(out + r * columns) = left[r];
        *(NAME(loaded_sums) *)(out + r * columns + LANES) = right[r];
    }
}

/* The columns that fill vectors, of all rows; how many these are. */
static ptrdiff_t NAME(products)(const double *a, const double *b, double *out, ptrdiff_t rows, ptrdiff_t depth,
                                ptrdiff_t columns) {
    ptrdiff_t j = 0;
    for (; j + 2 * LANES <= columns; j += 2 * LANES) {
        ptrdiff_t i = 0;
        for (; i + 4 <= rows; i += 4) NAME(sum_tile)(a + i * depth, b + j, out + i * columns + j, depth, columns, 4);
        for (; i < rows; i++) NAME(sum_tile)(a + i * depth, b + j, out + i * columns + j, depth, columns, 1);
    }
    return j;
}

#undef LANES
#undef AT
