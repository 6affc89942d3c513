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
    VQ low, high, flip; /* 32 bits each of its size; its sign */
    int large;
} multiplier;

INLINE multiplier multiplier_of(unsigned long long size, int negative) {
    return (multiplier){ALL(VQ, size & 0xFFFFFFFFull), ALL(VQ, size >> 32), ALL(VQ, negative ? 1ull << 63 : 0),
                        size >> 32 != 0};
}

#define LIMB(k) LOADQ(phases[k] + i)

/* 64 bits: carries from below are left out, 3 units of 2**-64 turns. */
INLINE VQ turns_64(const unsigned long long *const phases[5], const multiplier *by, ptrdiff_t i) {
    VQ turns = multiply(by->low, LIMB(3)) + (multiply(by->low, LIMB(4)) << 32) + (multiply(by->low, LIMB(2)) >> 32);
    if (by->large)
        turns += multiply(by->high, LIMB(2)) + (multiply(by->high, LIMB(3)) << 32) + (multiply(by->high, LIMB(1)) >> 32);
    return turns;
}

/* The same and the next 32: 3 units of 2**-96 turns. */
INLINE VQ turns_96(const unsigned long long *const phases[5], const multiplier *by, ptrdiff_t i, VQ *next) {
    const VQ lower = ALL(VQ, 0xFFFFFFFFull), f1 = LIMB(1), f2 = LIMB(2), f3 = LIMB(3), a2 = multiply(by->low, f2);
    VQ column = (multiply(by->low, f1) >> 32) + (a2 & lower);
    VQ turns = (a2 >> 32) + multiply(by->low, f3) + (multiply(by->low, LIMB(4)) << 32);
    if (by->large) {
        const VQ b1 = multiply(by->high, f1);
        column += (multiply(by->high, LIMB(0)) >> 32) + (b1 & lower);
        turns += (b1 >> 32) + multiply(by->high, f2) + (multiply(by->high, f3) << 32);
    }
    *next = column & lower;
    return turns + (column >> 32);
}

/* Of 2048 knots that nearest to an angle, and the bits below it, more by 2**52. */
#define TO_KNOT(turns) ((turns) + (1ull << 52))
#define KNOT(turns) ((turns) >> 53)
#define BELOW(turns) ((turns) & 0x1FFFFFFFFFFFFFull)

INLINE VD exact_double(VQ v, double less) { /* of lanes below 2**52, less a number */
    return (VD)(v | 0x4330000000000000ull) - (0x1p52 + less);
}

INLINE VD gather(const double *base, VQ index) {
#if LEVEL == 512
    return (VD)_mm512_i64gather_pd((__m512i)index, base, 8);
#else
    VD v;
    for (int k = 0; k < W; k++) v[k] = base[index[k]];
    return v;
#endif
}

/* Two doubles that lie side by side. */
INLINE void gather_two(const double *base, VQ index, VD *first, VD *second) {
#if LEVEL == 512 || !defined(MM)
    *first = gather(base, index << 1), *second = gather(base + 1, index << 1);
#elif LEVEL == 256
#define TWO(k) _mm_loadu_pd(base + 2 * index[k])
    const MD a = _mm256_insertf128_pd(_mm256_castpd128_pd256(TWO(0)), TWO(2), 1);
    const MD b = _mm256_insertf128_pd(_mm256_castpd128_pd256(TWO(1)), TWO(3), 1);
    *first = (VD)_mm256_unpacklo_pd(a, b), *second = (VD)_mm256_unpackhi_pd(a, b);
#else
    const MD a = _mm_loadu_pd(base + 2 * index[0]), b = _mm_loadu_pd(base + 2 * index[1]);
    *first = (VD)_mm_unpacklo_pd(a, b), *second = (VD)_mm_unpackhi_pd(a, b);
#endif
}

/* ---- cosine and sine in plain double, to 2**-51.9: a knot turned by what is left ---- */

/* `knots` are cosine and sine in turn, of every other one */
INLINE void seed(const unsigned long long *const phases[5], const double *knots, const multiplier *by, ptrdiff_t i,
                 VD *cos, VD *sin) {
    const double unit = 0x1.921fb54442d18p2 * 0x1p-62, square = unit * unit; /* 2 pi times 2**-62 turns */
    const VQ turns = turns_64(phases, by, i) + (1ull << 53), knot = turns >> 54;
    const VD x = exact_double(turns >> 2 & 0xFFFFFFFFFFFFFull, 0x1p51), y = x * x;
    const VD s = x * fma_d(y, fma_d(y, ALL(VD, unit * square * square / 120), ALL(VD, unit * square / -6)), ALL(VD, unit));
    const VD m = y * fma_d(y, ALL(VD, square * square / 24), ALL(VD, square / -2)); /* cosine less 1 */
    VD c1, s1;
    gather_two(knots, knot, &c1, &s1);
    *cos = fma_d(c1, m, fnma_d(s1, s, c1));
    *sin = (VD)((VQ)fma_d(s1, m, fma_d(c1, s, s1)) ^ by->flip);
}

static void seed_doubles(const unsigned long long *const phases[5], unsigned long long size, int negative,
                         const double *knots, double *cos, double *sin, ptrdiff_t count) {
    const multiplier by = multiplier_of(size, negative);
    for (ptrdiff_t j = 0; j < count; j += W) {
        const ptrdiff_t i = j + W <= count ? j : count - W;
        VD c, s;
        seed(phases, knots, &by, i, &c, &s);
        *(loose_d *)(cos + i) = c, *(loose_d *)(sin + i) = s;
    }
}

/* ---- cosine and sine as pairs; the scalar code says what each step is ---- */

#define GRID(v, anchor) (((v) + (anchor)) - (anchor))

/* Of turns and the next 32 bits the distance from the knot in radians: x1, a multiple of 2**-35, and x0. */
INLINE void distance(VQ turns, VQ next, VD *x1, VD *x0) {
    const VD high = exact_double(BELOW(turns) >> 27, 0x1p25);
    const VD low = exact_double((turns & 0x7FFFFFFull) << 25 | next >> 7, 0);
    const VD product = high * (52707179.0 / 8388608.0 * 0x1p-37);
    *x1 = GRID(product, 0x1.8p17);
    *x0 = (product - *x1) + fma_d(low, ALL(VD, 0x1.921fb54442d18p2 * 0x1p-89), high * (-5.5636270456668466e-08 * 0x1p-37));
}

INLINE void rotate_knot(VD a1, VD a0, VD b1, VD b0, VD x1, VD s0, VD k1, VD k0, VD k, VD c0, VQ sign,
                                     double *high,
                                     double *low) {
    VD first = b1 * x1, second = a1 * k1;
    VD first_high = GRID(first, 0x1.8p26), second_high = GRID(second, 0x1.8p26);
    VD tail = ((b1 + b0) * s0 + b0 * x1) - ((a1 * k0 + a0 * k) - (a1 + a0) * c0);
    VD fine = ((first - first_high) - (second - second_high)) + (a0 + tail);
    VD carry = GRID(fine, 0x1.8p26);
    *(loose_d *)high = (VD)((VQ)(((a1 + first_high) - second_high) + carry) ^ sign);
    *(loose_d *)low = (VD)((VQ)(fine - carry) ^ sign);
}

static void seed_pairs(const unsigned long long *const phases[5], unsigned long long size, int negative,
                             const double *const knots[4], double *const out[4], ptrdiff_t count) {
    const multiplier by = multiplier_of(size, negative);
    for (ptrdiff_t j = 0; j < count; j += W) {
        ptrdiff_t i = j + W <= count ? j : count - W;
        VQ next, turns = TO_KNOT(turns_96(phases, &by, i, &next)), knot = KNOT(turns);
        VD x1, x0;
        distance(turns, next, &x1, &x0);
        VD x = x1 + x0, square = x * x;
        VD s0 = x0 + x * square * (-1.0 / 6 + square * (1.0 / 120 - square * (1.0 / 5040)));
        VD half_square = x1 * x1 * 0.5, k1 = GRID(half_square, 0x1.8p7), k0 = half_square - k1;
        VD c0 = square * square * (1.0 / 24 - square * (1.0 / 720)) - x0 * (x1 + 0.5 * x0);
        VD cos1 = gather(knots[0], knot), cos0 = gather(knots[1], knot);
        VD sin1 = gather(knots[2], knot), sin0 = gather(knots[3], knot);
        rotate_knot(cos1, cos0, -sin1, -sin0, x1, s0, k1, k0, half_square, c0, (VQ){0}, out[0] + i, out[1] + i);
        rotate_knot(sin1, sin0, cos1, cos0, x1, s0, k1, k0, half_square, c0, by.flip, out[2] + i, out[3] + i);
    }
}

/* ---- the same as a double and what is left, to 2**-70: for results that are rounded at once ---- */

/* a + b x1 + (b s0 - a m), a and b pairs: the leading part, and the rest. */
INLINE void turn_knot(VD a1, VD a0, VD b1, VD b0, VD x1, VD s0, VD m, VD *leading, VD *rest) {
    const VD step = b1 * x1; /* exact, and smaller than a1, or a1 is 0 */
    *leading = a1 + step;
    *rest = (step - (*leading - a1)) + fnma_d(a1 + a0, m, fma_d(b1 + b0, s0, fma_d(b0, x1, a0)));
}

INLINE void seed_rest(const unsigned long long *const phases[5], const double *knots, const multiplier *by, ptrdiff_t i,
                      VD *cos, VD *cos_rest, VD *sin, VD *sin_rest) {
    VQ next, turns = TO_KNOT(turns_96(phases, by, i, &next)), knot = KNOT(turns);
    VD x1, x0;
    distance(turns, next, &x1, &x0);
    const VD x = x1 + x0, y = x * x;
    const VD s0 = fma_d(x * y, fma_d(y, ALL(VD, 1.0 / 120), ALL(VD, -1.0 / 6)), x0); /* sin x - x1 */
    const VD m = y * fma_d(y, fma_d(y, ALL(VD, 1.0 / 720), ALL(VD, -1.0 / 24)), ALL(VD, 0.5)); /* 1 - cos x */
    const VD c1 = gather(knots, knot), c0 = gather(knots + KNOTS, knot);
    const VD s1 = gather(knots + 2 * KNOTS, knot), t0 = gather(knots + 3 * KNOTS, knot);
    turn_knot(c1, c0, -s1, -t0, x1, s0, m, cos, cos_rest);
    turn_knot(s1, t0, c1, c0, x1, s0, m, sin, sin_rest);
    *sin = (VD)((VQ)*sin ^ by->flip), *sin_rest = (VD)((VQ)*sin_rest ^ by->flip);
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
