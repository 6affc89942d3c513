/* Seeds and sums of angles, not yet rounded to a format. */

INLINE VQ multiply(VQ a, VQ b) { /* of lanes below 2**32 */
#if defined(MM)
    return (VQ)MM(mul_epu32)((MI)a, (MI)b);
#else
    return a * b;
#endif
}

/* ---- multiplier times phases, in turns ---- */

typedef struct {
    VQ low, high, flip; /* 32 bits each of its size; all bits where it is negative */
    int large;
} multiplier;

INLINE multiplier multiplier_of(unsigned long long size, int negative) {
    /* of the lanes' own type, which is unsigned long on Linux: clang adds no unsigned long long to them */
    const uint64_t low = size & 0xFFFFFFFFull, high = size >> 32, flip = negative ? ~(uint64_t)0 : 0;
    return (multiplier){ALL(VQ, low), ALL(VQ, high), ALL(VQ, flip), high != 0};
}

#define LIMB(k) LOADQ(phases[k] + i)

/* 64 bits: carries from below are left out, 4 units of 2**-64 turns. */
INLINE VQ turns_64(const unsigned long long *const phases[5], const multiplier *by, ptrdiff_t i) {
    VQ turns = multiply(by->low, LIMB(3)) + (multiply(by->low, LIMB(4)) << 32) + (multiply(by->low, LIMB(2)) >> 32);
    if (by->large)
        turns += multiply(by->high, LIMB(2)) + (multiply(by->high, LIMB(3)) << 32) +
                 (multiply(by->high, LIMB(1)) >> 32);
    return turns ^ by->flip;
}

/* The same and the next 32: 4 units of 2**-96 turns. */
INLINE VQ turns_96(const unsigned long long *const phases[5], const multiplier *by, ptrdiff_t i, VQ *next) {
    const VQ lower = ALL(VQ, 0xFFFFFFFFull), f1 = LIMB(1), f2 = LIMB(2), f3 = LIMB(3), a2 = multiply(by->low, f2);
    VQ column = (multiply(by->low, f1) >> 32) + (a2 & lower);
    VQ turns = (a2 >> 32) + multiply(by->low, f3) + (multiply(by->low, LIMB(4)) << 32);
    if (by->large) {
        const VQ b1 = multiply(by->high, f1);
        column += (multiply(by->high, LIMB(0)) >> 32) + (b1 & lower);
        turns += (b1 >> 32) + multiply(by->high, f2) + (multiply(by->high, f3) << 32);
    }
    *next = (column ^ by->flip) & lower;
    return (turns + (column >> 32)) ^ by->flip;
}

INLINE VD exact_double(VQ v, double less) { /* of lanes below 2**52, less a number */
    return (VD)(v | 0x4330000000000000ull) - (0x1p52 + less);
}

/* Of doubles, or of two that lie side by side. */
INLINE VD gather(const double *base, const loose_index *index) {
#if LEVEL == 512
    return (VD)_mm512_i64gather_pd((__m512i)LOADQ(index), base, 8);
#else
    VD v;
    for (int k = 0; k < W; k++) v[k] = base[index[k]];
    return v;
#endif
}

INLINE void gather_two(const double *base, const loose_index *index, VD *first, VD *second) {
#define TWO(k) _mm_loadu_pd(base + index[k])
#if LEVEL == 256
    const MD a = _mm256_insertf128_pd(_mm256_castpd128_pd256(TWO(0)), TWO(2), 1);
    const MD b = _mm256_insertf128_pd(_mm256_castpd128_pd256(TWO(1)), TWO(3), 1);
    *first = (VD)_mm256_unpacklo_pd(a, b), *second = (VD)_mm256_unpackhi_pd(a, b);
#elif LEVEL == 0 && defined(MM)
    const MD a = TWO(0), b = TWO(1);
    *first = (VD)_mm_unpacklo_pd(a, b), *second = (VD)_mm_unpackhi_pd(a, b);
#else
    *first = gather(base, index), *second = gather(base + 1, index);
#endif
}

/* ---- cosine and sine in plain double, to 2**-51.5: a knot rotated by the remainder ---- */

/* The nearest knot of every other one, which takes two doubles, and the angle from it in 2**-62 turns. */
INLINE void place(const unsigned long long *const phases[5], const multiplier *by, ptrdiff_t i, double *x,
                  loose_index *knot) {
    const VQ turns = turns_64(phases, by, i) + (1ull << 53);
    *(loose_q *)knot = turns >> 54 << 1;
    *(loose_d *)x = exact_double(turns >> 2 & 0xFFFFFFFFFFFFFull, 0x1p51);
}

INLINE void seed(const double *x_of, const loose_index *knot, const double *knots, VD *cos, VD *sin) {
    const double unit = 0x1.921fb54442d18p2 * 0x1p-62, square = unit * unit, fourth = square * square;
    const VD x = LOADD(x_of), y = x * x;
    const VD s = x * fma_d(y, fma_d(y, ALL(VD, unit * fourth / 120), ALL(VD, unit * square / -6)), ALL(VD, unit));
    const VD m = y * fma_d(y, ALL(VD, fourth / 24), ALL(VD, square / -2)); /* cosine less 1 */
    VD c1, s1;
    gather_two(knots, knot, &c1, &s1);
    *cos = fma_d(c1, m, fnma_d(s1, s, c1));
    *sin = fma_d(s1, m, fma_d(c1, s, s1));
}

static void seed_doubles(const unsigned long long *const phases[5], unsigned long long size, int negative,
                         const double *knots, double *cos, double *sin, ptrdiff_t count) {
    const multiplier by = multiplier_of(size, negative);
    for (ptrdiff_t j = 0; j < count; j += W) {
        const ptrdiff_t i = j + W <= count ? j : count - W;
        double x[W];
        loose_index knot[W];
        VD c, s;
        place(phases, &by, i, x, knot);
        seed(x, knot, knots, &c, &s);
        *(loose_d *)(cos + i) = c, *(loose_d *)(sin + i) = s;
    }
}

/* ---- cosine and sine as pairs; the scalar code says what each step is ---- */

#define GRID(v, anchor) (((v) + (anchor)) - (anchor))

/* The nearest of 2048 knots, and the angle from it in radians: x1, a multiple of 2**-35, and x0. */
INLINE void place_pair(const unsigned long long *const phases[5], const multiplier *by, ptrdiff_t i, VD *x1, VD *x0,
                       loose_index *knot) {
    VQ next, turns = turns_96(phases, by, i, &next) + (1ull << 52);
    *(loose_q *)knot = turns >> 53;
    const VD high = exact_double(turns >> 27 & 0x3FFFFFF, 0x1p25);
    const VD low = exact_double((turns & 0x7FFFFFFull) << 25 | next >> 7, 0);
    const VD product = high * (52707179.0 / 8388608.0 * 0x1p-37);
    *x1 = GRID(product, 0x1.8p17);
    *x0 = (product - *x1) +
          fma_d(low, ALL(VD, 0x1.921fb54442d18p2 * 0x1p-89), high * (-5.5636270456668466e-08 * 0x1p-37));
}

INLINE void rotate_knot(VD a1, VD a0, VD b1, VD b0, VD x1, VD s0, VD k1, VD k0, VD k, VD c0,
                        double *high, double *low) {
    VD first = b1 * x1, second = a1 * k1;
    VD first_high = GRID(first, 0x1.8p26), second_high = GRID(second, 0x1.8p26);
    VD tail = ((b1 + b0) * s0 + b0 * x1) - ((a1 * k0 + a0 * k) - (a1 + a0) * c0);
    VD fine = ((first - first_high) - (second - second_high)) + (a0 + tail);
    VD carry = GRID(fine, 0x1.8p26);
    *(loose_d *)high = ((a1 + first_high) - second_high) + carry;
    *(loose_d *)low = fine - carry;
}

static void seed_pairs(const unsigned long long *const phases[5], unsigned long long size, int negative,
                             const double *const knots[4], double *const out[4], ptrdiff_t count) {
    const multiplier by = multiplier_of(size, negative);
    for (ptrdiff_t j = 0; j < count; j += W) {
        ptrdiff_t i = j + W <= count ? j : count - W;
        loose_index knot[W];
        VD x1, x0;
        place_pair(phases, &by, i, &x1, &x0, knot);
        VD x = x1 + x0, square = x * x;
        VD s0 = x0 + x * square * (-1.0 / 6 + square * (1.0 / 120 - square * (1.0 / 5040)));
        VD half_square = x1 * x1 * 0.5, k1 = GRID(half_square, 0x1.8p7), k0 = half_square - k1;
        VD c0 = square * square * (1.0 / 24 - square * (1.0 / 720)) - x0 * (x1 + 0.5 * x0);
        VD cos1 = gather(knots[0], knot), cos0 = gather(knots[1], knot);
        VD sin1 = gather(knots[2], knot), sin0 = gather(knots[3], knot);
        rotate_knot(cos1, cos0, -sin1, -sin0, x1, s0, k1, k0, half_square, c0, out[0] + i, out[1] + i);
        rotate_knot(sin1, sin0, cos1, cos0, x1, s0, k1, k0, half_square, c0, out[2] + i, out[3] + i);
    }
}

/* ---- the same as a double and what is left, to 2**-70: for results that are rounded at once ---- */

/* a + b x1 + (b s0 - a m), a and b pairs: the leading part, and the rest. */
INLINE void turn_knot(VD a1, VD a0, VD b1, VD b0, VD x1, VD s0, VD m, VD *leading, VD *rest) {
    const VD step = b1 * x1; /* exact, and smaller than a1, or a1 is 0 */
    *leading = a1 + step;
    *rest = (step - (*leading - a1)) + fnma_d(a1 + a0, m, fma_d(b1 + b0, s0, fma_d(b0, x1, a0)));
}

INLINE void seed_rest(const double *x_of, ptrdiff_t plane, const loose_index *knot, const double *knots, VD *cos,
                      VD *cos_rest, VD *sin, VD *sin_rest) {
    const VD x1 = LOADD(x_of), x0 = LOADD(x_of + plane), x = x1 + x0, y = x * x;
    const VD s0 = fma_d(x * y, fma_d(y, ALL(VD, 1.0 / 120), ALL(VD, -1.0 / 6)), x0); /* sin x - x1 */
    const VD m = y * fma_d(y, fma_d(y, ALL(VD, 1.0 / 720), ALL(VD, -1.0 / 24)), ALL(VD, 0.5)); /* 1 - cos x */
    const VD cos1 = gather(knots, knot), cos0 = gather(knots + KNOTS, knot);
    const VD sin1 = gather(knots + 2 * KNOTS, knot), sin0 = gather(knots + 3 * KNOTS, knot);
    turn_knot(cos1, cos0, -sin1, -sin0, x1, s0, m, cos, cos_rest);
    turn_knot(sin1, sin0, cos1, cos0, x1, s0, m, sin, sin_rest);
}

/* ---- sums of angles in plain double, not yet rounded to a format ---- */

static void add(const double *a, ptrdiff_t a_plane, const double *b, ptrdiff_t b_plane, double sign, double *out,
                      ptrdiff_t out_plane, ptrdiff_t count) {
    for (ptrdiff_t j = 0; j < count; j += W) {
        ptrdiff_t i = j + W <= count ? j : count - W;
        VD c = LOADD(a + i), s = LOADD(a + a_plane + i), d = LOADD(b + i), t = LOADD(b + b_plane + i);
        *(loose_d *)(out + i) = fnma_d(s, t, c * d);
        *(loose_d *)(out + out_plane + i) = fma_d(s, d, c * t) * sign;
    }
}
