/* Seeds and sums of angles, not yet rounded to a format; included by lanes.h for each instruction set. */

/* ---- cosine and sine of multiplier times phases, to 2**-51.5 in plain double ---- */

static inline VQ NAME(multiply)(VQ a, VQ b) { /* of lanes below 2**32 */
#if LEVEL == 512
    return (VQ)_mm512_mul_epu32((__m512i)a, (__m512i)b);
#elif LEVEL == 256
    return (VQ)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#else
    return a * b;
#endif
}

static inline VD NAME(exact_double)(VQ v) { /* of lanes below 2**52 */
    return (VD)(v | 0x4330000000000000ull) - 0x1p52;
}

static inline VD NAME(select)(VQ mask, VD a, VD b) { return (VD)(((VQ)a & mask) | ((VQ)b & ~mask)); }

static void NAME(seed_doubles)(const unsigned long long *const phases[5], unsigned long long size, int negative,
                               double *cos,
                               double *sin, ptrdiff_t count) {
    const VQ low = (VQ){0} + (size & 0xFFFFFFFFull), high = (VQ){0} + (size >> 32);
    const VQ flip = (VQ){0} + (negative ? 1ull << 63 : 0);
    for (ptrdiff_t j = 0; j < count; j += W) {
        ptrdiff_t i = j + W <= count ? j : count - W;
        VQ f1 = LOAD_Q(phases[1] + i), f2 = LOAD_Q(phases[2] + i), f3 = LOAD_Q(phases[3] + i),
            f4 = LOAD_Q(phases[4] + i);
        /* the upper 64 bits of the product modulo 1: carries from below are left out, 3 units of 2**-64 turns */
        VQ turns = NAME(multiply)(low, f3) + (NAME(multiply)(low, f4) << 32) + (NAME(multiply)(low, f2) >> 32);
        if (size >> 32)
            turns += NAME(multiply)(high, f2) + (NAME(multiply)(high, f3) << 32) + (NAME(multiply)(high, f1) >> 32);
        turns += 1ull << 61;
        VQ quadrant = turns >> 62, rest = turns & 0x3FFFFFFFFFFFFFFFull;
        VD x = (NAME(exact_double)(rest >> 12) - 0x1p49) * 0x1.921fb54442d18p-50 +
               NAME(exact_double)(rest & 0xFFF) * 0x1.921fb54442d18p-62;
        VD y = x * x;
        VD s = x + x * y * (-1.0 / 6 + y * (1.0 / 120 + y * (-1.0 / 5040 + y * (1.0 / 362880 + y * (-1.0 / 39916800 +
               y * (1.0 / 6227020800.0 + y * (-1.0 / 1307674368000.0)))))));
        VD c = 1.0 - y * (0.5 - y * (1.0 / 24 - y * (1.0 / 720 - y * (1.0 / 40320 - y * (1.0 / 3628800 -
               y * (1.0 / 479001600 - y * (1.0 / 87178291200.0 - y * (1.0 / 20922789888000.0))))))));
        VQ odd = -(quadrant & 1);
        VD to_cos = NAME(select)(odd, s, c), to_sin = NAME(select)(odd, c, s);
        *(NAME(ud) *)(cos + i) = (VD)((VQ)to_cos ^ ((quadrant + 1) >> 1 & 1) << 63);
        *(NAME(ud) *)(sin + i) = (VD)((VQ)to_sin ^ (quadrant >> 1) << 63 ^ flip);
    }
}

/* ---- cosine and sine as pairs, by 2048 knots; the scalar code says what each step is ---- */

#define GRID(v, anchor) (((v) + (anchor)) - (anchor))

static inline VD NAME(gather)(const double *base, VQ index) {
#if LEVEL == 512
    return (VD)_mm512_i64gather_pd((__m512i)index, base, 8);
#else
    VD v;
    for (int k = 0; k < W; k++) v[k] = base[index[k]];
    return v;
#endif
}

static inline void NAME(rotate_knot)(VD a1, VD a0, VD b1, VD b0, VD x1, VD s0, VD k1, VD k0, VD k, VD c0, VQ sign,
                                     double *high,
                                     double *low) {
    VD first = b1 * x1, second = a1 * k1;
    VD first_high = GRID(first, 0x1.8p26), second_high = GRID(second, 0x1.8p26);
    VD tail = ((b1 + b0) * s0 + b0 * x1) - ((a1 * k0 + a0 * k) - (a1 + a0) * c0);
    VD fine = ((first - first_high) - (second - second_high)) + (a0 + tail);
    VD carry = GRID(fine, 0x1.8p26);
    *(NAME(ud) *)high = (VD)((VQ)(((a1 + first_high) - second_high) + carry) ^ sign);
    *(NAME(ud) *)low = (VD)((VQ)(fine - carry) ^ sign);
}

static void NAME(seed_pairs)(const unsigned long long *const phases[5], unsigned long long size, int negative,
                             const double *const knots[4], double *const out[4], ptrdiff_t count) {
    const VQ low = (VQ){0} + (size & 0xFFFFFFFFull), high = (VQ){0} + (size >> 32);
    const VQ lower = (VQ){0} + 0xFFFFFFFFull, flip = (VQ){0} + (negative ? 1ull << 63 : 0);
    for (ptrdiff_t j = 0; j < count; j += W) {
        ptrdiff_t i = j + W <= count ? j : count - W;
        VQ f0 = LOAD_Q(phases[0] + i), f1 = LOAD_Q(phases[1] + i), f2 = LOAD_Q(phases[2] + i),
            f3 = LOAD_Q(phases[3] + i);
        VQ a1 = NAME(multiply)(low, f1), a2 = NAME(multiply)(low, f2), b0 = NAME(multiply)(high, f0),
            b1 = NAME(multiply)(high, f1);
        VQ column = (NAME(multiply)(low, f0) >> 32) + (a1 & lower) + (b0 & lower);
        column = (column >> 32) + (a1 >> 32) + (b0 >> 32) + (a2 & lower) + (b1 & lower);
        VQ turns = (column >> 32) + (a2 >> 32) + (b1 >> 32) + NAME(multiply)(low, f3) + NAME(multiply)(high, f2) +
                   ((NAME(multiply)(low, LOAD_Q(phases[4] + i)) + NAME(multiply)(high, f3)) << 32) + (1ull << 52);
        VQ knot = turns >> 53, rest = turns & 0x1FFFFFFFFFFFFFull;
        VD distance_high = (NAME(exact_double)(rest >> 27) - 0x1p25) * 0x1p-37;
        VD distance_low =
            (NAME(exact_double)(rest & 0x7FFFFFFull) * 0x1p32 + NAME(exact_double)(column & lower)) * 0x1p-96;
        VD product = distance_high * (52707179.0 / 8388608.0), x1 = GRID(product, 0x1.8p17);
        VD x0 = (product - x1) + (distance_high * -5.5636270456668466e-08 + distance_low * 0x1.921fb54442d18p2),
            x = x1 + x0,
            square = x * x;
        VD s0 = x0 + x * square * (-1.0 / 6 + square * (1.0 / 120 - square * (1.0 / 5040)));
        VD half_square = x1 * x1 * 0.5, k1 = GRID(half_square, 0x1.8p7), k0 = half_square - k1;
        VD c0 = square * square * (1.0 / 24 - square * (1.0 / 720)) - x0 * (x1 + 0.5 * x0);
        VD cos1 = NAME(gather)(knots[0], knot), cos0 = NAME(gather)(knots[1], knot);
        VD sin1 = NAME(gather)(knots[2], knot), sin0 = NAME(gather)(knots[3], knot);
        NAME(rotate_knot)(cos1, cos0, -sin1, -sin0, x1, s0, k1, k0, half_square, c0, (VQ){0}, out[0] + i, out[1] + i);
        NAME(rotate_knot)(sin1, sin0, cos1, cos0, x1, s0, k1, k0, half_square, c0, flip, out[2] + i, out[3] + i);
    }
}

/* ---- sums of angles in plain double, not yet rounded to a format ---- */

static void NAME(add)(const double *a, ptrdiff_t a_plane, const double *b, ptrdiff_t b_plane, double sign, double *out,
                      ptrdiff_t out_plane, ptrdiff_t count) {
    for (ptrdiff_t j = 0; j < count; j += W) {
        ptrdiff_t i = j + W <= count ? j : count - W;
        VD c = LOAD(a + i), s = LOAD(a + a_plane + i), d = LOAD(b + i), t = LOAD(b + b_plane + i);
        *(NAME(ud) *)(out + i) = c * d - s * t;
        *(NAME(ud) *)(out + out_plane + i) = (s * d + c * t) * sign;
    }
}

#undef GRID
