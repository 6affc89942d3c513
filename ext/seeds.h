/* Seeds and sums of angles, not yet rounded to a format. */

/* ---- cosine and sine of multiplier times phases, to 2**-51.5 in plain double ---- */

INLINE VQ multiply(VQ a, VQ b) { /* of lanes below 2**32 */
#if defined(MM)
    return (VQ)MM(mul_epu32)((MI)a, (MI)b);
#else
    return a * b;
#endif
}

INLINE VD exact_double(VQ v) { /* of lanes below 2**52 */
    return (VD)(v | 0x4330000000000000ull) - 0x1p52;
}

INLINE VD choose(VQ mask, VD a, VD b) { return (VD)(((VQ)a & mask) | ((VQ)b & ~mask)); }

/* the series of sin x = x + x^3 (-1/6 + ...) and of cos x, the highest term first */
static const double OF_SIN[] = {-1 / 1307674368000.0, 1 / 6227020800.0, -1 / 39916800.0, 1 / 362880.0, -1 / 5040.0,
                                1 / 120.0, -1 / 6.0};
static const double OF_COS[] = {1 / 20922789888000.0, -1 / 87178291200.0, 1 / 479001600.0, -1 / 3628800.0, 1 / 40320.0,
                                -1 / 720.0, 1 / 24.0, -0.5, 1};

static void seed_doubles(const unsigned long long *const phases[5], unsigned long long size, int negative,
                               double *cos,
                               double *sin, ptrdiff_t count) {
    const VQ low = (VQ){0} + (size & 0xFFFFFFFFull), high = (VQ){0} + (size >> 32);
    const VQ flip = (VQ){0} + (negative ? 1ull << 63 : 0);
    for (ptrdiff_t j = 0; j < count; j += W) {
        ptrdiff_t i = j + W <= count ? j : count - W;
        VQ f1 = LOADQ(phases[1] + i), f2 = LOADQ(phases[2] + i), f3 = LOADQ(phases[3] + i),
            f4 = LOADQ(phases[4] + i);
        /* the upper 64 bits of the product modulo 1: carries from below are left out, 3 units of 2**-64 turns */
        VQ turns = multiply(low, f3) + (multiply(low, f4) << 32) + (multiply(low, f2) >> 32);
        if (size >> 32)
            turns += multiply(high, f2) + (multiply(high, f3) << 32) + (multiply(high, f1) >> 32);
        turns += 1ull << 61;
        VQ quadrant = turns >> 62, rest = turns & 0x3FFFFFFFFFFFFFFFull;
        VD x = fma_d(exact_double(rest >> 12) - 0x1p49, ALL(VD, 0x1.921fb54442d18p-50),
                     exact_double(rest & 0xFFF) * 0x1.921fb54442d18p-62);
        VD y = x * x, s = ALL(VD, OF_SIN[0]), c = ALL(VD, OF_COS[0]);
        for (int k = 1; k < 7; k++) s = fma_d(y, s, ALL(VD, OF_SIN[k]));
        for (int k = 1; k < 9; k++) c = fma_d(y, c, ALL(VD, OF_COS[k]));
        s = fma_d(x * y, s, x);
        VQ odd = -(quadrant & 1);
        VD to_cos = choose(odd, s, c), to_sin = choose(odd, c, s);
        *(loose_d *)(cos + i) = (VD)((VQ)to_cos ^ ((quadrant + 1) >> 1 & 1) << 63);
        *(loose_d *)(sin + i) = (VD)((VQ)to_sin ^ (quadrant >> 1) << 63 ^ flip);
    }
}

/* ---- cosine and sine as pairs, by 2048 knots; the scalar code says what each step is ---- */

#define GRID(v, anchor) (((v) + (anchor)) - (anchor))

INLINE VD gather(const double *base, VQ index) {
#if LEVEL == 512
    return (VD)_mm512_i64gather_pd((__m512i)index, base, 8);
#else
    VD v;
    for (int k = 0; k < W; k++) v[k] = base[index[k]];
    return v;
#endif
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
    const VQ low = (VQ){0} + (size & 0xFFFFFFFFull), high = (VQ){0} + (size >> 32);
    const VQ lower = (VQ){0} + 0xFFFFFFFFull, flip = (VQ){0} + (negative ? 1ull << 63 : 0);
    for (ptrdiff_t j = 0; j < count; j += W) {
        ptrdiff_t i = j + W <= count ? j : count - W;
        VQ f0 = LOADQ(phases[0] + i), f1 = LOADQ(phases[1] + i), f2 = LOADQ(phases[2] + i),
            f3 = LOADQ(phases[3] + i);
        VQ a1 = multiply(low, f1), a2 = multiply(low, f2), b0 = multiply(high, f0),
            b1 = multiply(high, f1);
        VQ column = (multiply(low, f0) >> 32) + (a1 & lower) + (b0 & lower);
        column = (column >> 32) + (a1 >> 32) + (b0 >> 32) + (a2 & lower) + (b1 & lower);
        VQ turns = (column >> 32) + (a2 >> 32) + (b1 >> 32) + multiply(low, f3) + multiply(high, f2) +
                   ((multiply(low, LOADQ(phases[4] + i)) + multiply(high, f3)) << 32) + (1ull << 52);
        VQ knot = turns >> 53, rest = turns & 0x1FFFFFFFFFFFFFull;
        VD distance_high = (exact_double(rest >> 27) - 0x1p25) * 0x1p-37;
        VD distance_low =
            (exact_double(rest & 0x7FFFFFFull) * 0x1p32 + exact_double(column & lower)) * 0x1p-96;
        VD product = distance_high * (52707179.0 / 8388608.0), x1 = GRID(product, 0x1.8p17);
        VD x0 = (product - x1) + (distance_high * -5.5636270456668466e-08 + distance_low * 0x1.921fb54442d18p2),
            x = x1 + x0,
            square = x * x;
        VD s0 = x0 + x * square * (-1.0 / 6 + square * (1.0 / 120 - square * (1.0 / 5040)));
        VD half_square = x1 * x1 * 0.5, k1 = GRID(half_square, 0x1.8p7), k0 = half_square - k1;
        VD c0 = square * square * (1.0 / 24 - square * (1.0 / 720)) - x0 * (x1 + 0.5 * x0);
        VD cos1 = gather(knots[0], knot), cos0 = gather(knots[1], knot);
        VD sin1 = gather(knots[2], knot), sin0 = gather(knots[3], knot);
        rotate_knot(cos1, cos0, -sin1, -sin0, x1, s0, k1, k0, half_square, c0, (VQ){0}, out[0] + i, out[1] + i);
        rotate_knot(sin1, sin0, cos1, cos0, x1, s0, k1, k0, half_square, c0, flip, out[2] + i, out[3] + i);
    }
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
