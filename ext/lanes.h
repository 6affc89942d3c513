/* The row kernels for one instruction set: included once for each, with W lanes of double, LEVEL (0, 256, 512) and
   NAME(x). Vectors are the compiler's own; only streaming stores name an instruction. All arithmetic is IEEE + - * and
   conversions, so every instruction set gives the same bits. */

typedef double NAME(vd) __attribute__((vector_size(8 * W)));
typedef double NAME(ud) __attribute__((vector_size(8 * W), aligned(8), may_alias));
typedef float NAME(vf) __attribute__((vector_size(4 * W)));
typedef float NAME(uf) __attribute__((vector_size(4 * W), aligned(4), may_alias));
typedef unsigned long long NAME(vq) __attribute__((vector_size(8 * W)));
typedef unsigned long long NAME(uq) __attribute__((vector_size(8 * W), aligned(8), may_alias));
typedef unsigned int NAME(vi) __attribute__((vector_size(4 * W)));
typedef int NAME(si) __attribute__((vector_size(4 * W)));
#define VD NAME(vd)
#define VF NAME(vf)
#define VQ NAME(vq)
#define VI NAME(vi)
#define LOAD(p) (*(const NAME(ud) *)(p))
#define LOAD_F(p) (*(const NAME(uf) *)(p))
#define LOAD_Q(p) (*(const NAME(uq) *)(p))
#define TO_F(v) __builtin_convertvector(v, VF)
#define TO_D(v) __builtin_convertvector(v, VD)
#if W == 8
#define EVENS 0, 2, 4, 6, 8, 10, 12, 14
#define ODDS 1, 3, 5, 7, 9, 11, 13, 15
#define LOWER 0, 8, 1, 9, 2, 10, 3, 11
#define UPPER 4, 12, 5, 13, 6, 14, 7, 15
#else
#define EVENS 0, 2, 4, 6
#define ODDS 1, 3, 5, 7
#define LOWER 0, 4, 1, 5
#define UPPER 2, 6, 3, 7
#endif

static inline void NAME(put_f)(float *p, VF v, int stream) {
#if LEVEL == 512
    if (stream) { _mm256_stream_ps(p, (__m256)v); return; }
#elif defined(REFPOS_X86)
    if (stream) { _mm_stream_ps(p, (__m128)v); return; }
#endif
    *(NAME(uf) *)p = v;
}

static inline void NAME(put_d)(double *p, VD v, int stream) {
#if LEVEL == 512
    if (stream) { _mm512_stream_pd(p, (__m512d)v); return; }
#elif LEVEL == 256
    if (stream) { _mm256_stream_pd(p, (__m256d)v); return; }
#elif defined(REFPOS_X86)
    if (stream) {
        _mm_stream_pd(p, (__m128d){v[0], v[1]});
        _mm_stream_pd(p + 2, (__m128d){v[2], v[3]});
        return;
    }
#endif
    *(NAME(ud) *)p = v;
}

static inline int NAME(any_q)(VQ v) {
    unsigned long long all = 0;
    for (int k = 0; k < W; k++) all |= v[k];
    return all != 0;
}

static inline int NAME(any_i)(VI v) {
#if LEVEL == 512
    return !_mm256_testz_si256((__m256i)v, (__m256i)v);
#elif LEVEL == 256
    return !_mm_testz_si128((__m128i)v, (__m128i)v);
#endif
    unsigned long long parts[W / 2], all = 0;
    memcpy(parts, &v, sizeof v);
    for (int k = 0; k < W / 2; k++) all |= parts[k];
    return all != 0;
}

/* ---- cosine and sine of multiplier times phases, to 2**-51.5 in plain double ---- */

static inline VQ NAME(times)(VQ a, VQ b) { /* of lanes below 2**32 */
#if LEVEL == 512
    return (VQ)_mm512_mul_epu32((__m512i)a, (__m512i)b);
#elif LEVEL == 256
    return (VQ)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#else
    return a * b;
#endif
}

static inline VD NAME(whole)(VQ v) { return (VD)(v | 0x4330000000000000ull) - 0x1p52; } /* of lanes below 2**52 */

static inline VD NAME(choose)(VQ mask, VD a, VD b) { return (VD)(((VQ)a & mask) | ((VQ)b & ~mask)); }

static void NAME(direct)(const unsigned long long *const phases[5], unsigned long long size, int negative, double *cos,
                         double *sin, long count) {
    const VQ low = (VQ){0} + (size & 0xFFFFFFFFull), high = (VQ){0} + (size >> 32);
    const VQ flip = (VQ){0} + (negative ? 1ull << 63 : 0);
    for (long j = 0; j < count; j += W) {
        long i = j + W <= count ? j : count - W;
        VQ f1 = LOAD_Q(phases[1] + i), f2 = LOAD_Q(phases[2] + i), f3 = LOAD_Q(phases[3] + i),
            f4 = LOAD_Q(phases[4] + i);
        /* the upper 64 bits of the product modulo 1: carries from below are left out, 3 units of 2**-64 turns */
        VQ turns = NAME(times)(low, f3) + (NAME(times)(low, f4) << 32) + (NAME(times)(low, f2) >> 32);
        if (size >> 32)
            turns += NAME(times)(high, f2) + (NAME(times)(high, f3) << 32) + (NAME(times)(high, f1) >> 32);
        turns += 1ull << 61;
        VQ quadrant = turns >> 62, rest = turns & 0x3FFFFFFFFFFFFFFFull;
        VD x = (NAME(whole)(rest >> 12) - 0x1p49) * 0x1.921fb54442d18p-50 +
               NAME(whole)(rest & 0xFFF) * 0x1.921fb54442d18p-62;
        VD y = x * x;
        VD s = x + x * y * (-1.0 / 6 + y * (1.0 / 120 + y * (-1.0 / 5040 + y * (1.0 / 362880 + y * (-1.0 / 39916800 +
               y * (1.0 / 6227020800.0 + y * (-1.0 / 1307674368000.0)))))));
        VD c = 1.0 - y * (0.5 - y * (1.0 / 24 - y * (1.0 / 720 - y * (1.0 / 40320 - y * (1.0 / 3628800 -
               y * (1.0 / 479001600 - y * (1.0 / 87178291200.0 - y * (1.0 / 20922789888000.0))))))));
        VQ odd = -(quadrant & 1);
        VD to_cos = NAME(choose)(odd, s, c), to_sin = NAME(choose)(odd, c, s);
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

static inline void NAME(turn)(VD a1, VD a0, VD b1, VD b0, VD x1, VD s0, VD k1, VD k0, VD k, VD c0, VQ sign,
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

static void NAME(seed)(const unsigned long long *const phases[5], unsigned long long size, int negative,
                       const double *const knots[4], double *const out[4], long count) {
    const VQ low = (VQ){0} + (size & 0xFFFFFFFFull), high = (VQ){0} + (size >> 32);
    const VQ lower = (VQ){0} + 0xFFFFFFFFull, flip = (VQ){0} + (negative ? 1ull << 63 : 0);
    for (long j = 0; j < count; j += W) {
        long i = j + W <= count ? j : count - W;
        VQ f0 = LOAD_Q(phases[0] + i), f1 = LOAD_Q(phases[1] + i), f2 = LOAD_Q(phases[2] + i),
            f3 = LOAD_Q(phases[3] + i);
        VQ a1 = NAME(times)(low, f1), a2 = NAME(times)(low, f2), b0 = NAME(times)(high, f0), b1 = NAME(times)(high, f1);
        VQ column = (NAME(times)(low, f0) >> 32) + (a1 & lower) + (b0 & lower);
        column = (column >> 32) + (a1 >> 32) + (b0 >> 32) + (a2 & lower) + (b1 & lower);
        VQ turns = (column >> 32) + (a2 >> 32) + (b1 >> 32) + NAME(times)(low, f3) + NAME(times)(high, f2) +
                   ((NAME(times)(low, LOAD_Q(phases[4] + i)) + NAME(times)(high, f3)) << 32) + (1ull << 52);
        VQ knot = turns >> 53, rest = turns & 0x1FFFFFFFFFFFFFull;
        VD near = (NAME(whole)(rest >> 27) - 0x1p25) * 0x1p-37;
        VD far = (NAME(whole)(rest & 0x7FFFFFFull) * 0x1p32 + NAME(whole)(column & lower)) * 0x1p-96;
        VD product = near * (52707179.0 / 8388608.0), x1 = GRID(product, 0x1.8p17);
        VD x0 = (product - x1) + (near * -5.5636270456668466e-08 + far * 0x1.921fb54442d18p2), x = x1 + x0,
            square = x * x;
        VD s0 = x0 + x * square * (-1.0 / 6 + square * (1.0 / 120 - square * (1.0 / 5040)));
        VD half_square = x1 * x1 * 0.5, k1 = GRID(half_square, 0x1.8p7), k0 = half_square - k1;
        VD c0 = square * square * (1.0 / 24 - square * (1.0 / 720)) - x0 * (x1 + 0.5 * x0);
        VD cos1 = NAME(gather)(knots[0], knot), cos0 = NAME(gather)(knots[1], knot);
        VD sin1 = NAME(gather)(knots[2], knot), sin0 = NAME(gather)(knots[3], knot);
        NAME(turn)(cos1, cos0, -sin1, -sin0, x1, s0, k1, k0, half_square, c0, (VQ){0}, out[0] + i, out[1] + i);
        NAME(turn)(sin1, sin0, cos1, cos0, x1, s0, k1, k0, half_square, c0, flip, out[2] + i, out[3] + i);
    }
}

/* ---- sums of angles in plain double, not yet rounded to a format ---- */

static void NAME(add)(planes_2 a, planes_2 b, double sign, double *cos, double *sin, long count) {
    for (long j = 0; j < count; j += W) {
        long i = j + W <= count ? j : count - W;
        VD c = LOAD(a.cos + i), s = LOAD(a.sin + i), d = LOAD(b.cos + i), t = LOAD(b.sin + i);
        *(NAME(ud) *)(cos + i) = c * d - s * t;
        *(NAME(ud) *)(sin + i) = (s * d + c * t) * sign;
    }
}

#undef GRID

/* ---- tables: cos and sin of a sum of angles, W columns at a time; where both ends differ goes to `open` ---- */

static inline void NAME(columns_f32)(planes_2 a, planes_2 b, long i, float *cos, float *sin, int interleaved,
                                     double radius, int stream, VI *open) {
    VD c = LOAD(a.cos + i), s = LOAD(a.sin + i), d = LOAD(b.cos + i), t = LOAD(b.sin + i);
    VD x = c * d - s * t, y = s * d + c * t;
    VF x_up = TO_F(x + radius), y_up = TO_F(y + radius);
    *open |= ((VI)TO_F(x - radius) ^ (VI)x_up) | ((VI)TO_F(y - radius) ^ (VI)y_up);
    if (interleaved) {
        NAME(put_f)(sin, SHUFFLE(y_up, x_up, NAME(si), LOWER), stream);
        NAME(put_f)(sin + W, SHUFFLE(y_up, x_up, NAME(si), UPPER), stream);
    } else {
        NAME(put_f)(cos, x_up, stream);
        NAME(put_f)(sin, y_up, stream);
    }
}

/* Columns `first` to `last` of those from i on, by way of memory that nothing else touches. */
static inline void NAME(part_f32)(planes_2 a, planes_2 b, long i, float *cos, float *sin, int interleaved,
                                  double radius, long first,
                                  long last, VI *open) {
    float spare_cos[W], spare_sin[2 * W];
    long each = interleaved ? 2 : 1;
    NAME(columns_f32)(a, b, i, spare_cos, spare_sin, interleaved, radius, 0, open);
    memcpy(sin + each * (i + first), spare_sin + each * first, sizeof(float) * each * (last - first));
    if (!interleaved) memcpy(cos + i + first, spare_cos + first, sizeof(float) * (last - first));
}

static int NAME(table_f32)(planes_2 a, planes_2 b, float *cos, float *sin, int interleaved, long count, double radius,
                           int stream) {
    VI open = {0};
    long i, each = interleaved ? 2 : 1, lead = 0; /* columns before streaming stores can begin */
    if (stream) {
        lead = interleaved || aligned_alike(cos, sin, 4 * W) ? columns_to_alignment(sin, 4 * W, 4 * each) : -1;
        stream = lead >= 0;
        if (lead > 0) NAME(part_f32)(a, b, 0, cos, sin, interleaved, radius, 0, lead, &open);
        else lead = 0;
    }
    for (i = lead; i + W <= count; i += W)
        NAME(columns_f32)(a, b, i, cos + i, sin + each * i, interleaved, radius, stream, &open);
    if (i < count) NAME(part_f32)(a, b, count - W, cos, sin, interleaved, radius, W - (count - i), W, &open);
    return NAME(any_i)(open);
}

static inline void NAME(columns_f64)(planes_4 a, planes_4 b, long i, double *cos, double *sin, int interleaved,
                                     double radius, int stream, VQ *open) {
    VD c1 = LOAD(a.cos1 + i), c0 = LOAD(a.cos0 + i), s1 = LOAD(a.sin1 + i), s0 = LOAD(a.sin0 + i);
    VD d1 = LOAD(b.cos1 + i), d0 = LOAD(b.cos0 + i), t1 = LOAD(b.sin1 + i), t0 = LOAD(b.sin0 + i);
    VD c = c1 + c0, s = s1 + s0;
    VD x = c1 * d1 - s1 * t1, x_rest = (c * d0 + c0 * d1) - (s * t0 + s0 * t1);
    VD y = s1 * d1 + c1 * t1, y_rest = (s * d0 + s0 * d1) + (c * t0 + c0 * t1);
    VD x_up = x + (x_rest + radius), y_up = y + (y_rest + radius);
    *open |= ((VQ)(x + (x_rest - radius)) ^ (VQ)x_up) | ((VQ)(y + (y_rest - radius)) ^ (VQ)y_up);
    if (interleaved) {
        NAME(put_d)(sin, SHUFFLE(y_up, x_up, VQ, LOWER), stream);
        NAME(put_d)(sin + W, SHUFFLE(y_up, x_up, VQ, UPPER), stream);
    } else {
        NAME(put_d)(cos, x_up, stream);
        NAME(put_d)(sin, y_up, stream);
    }
}

/* Columns `first` to `last` of those from i on, by way of memory that nothing else touches. */
static inline void NAME(part_f64)(planes_4 a, planes_4 b, long i, double *cos, double *sin, int interleaved,
                                  double radius, long first,
                                  long last, VQ *open) {
    double spare_cos[W], spare_sin[2 * W];
    long each = interleaved ? 2 : 1;
    NAME(columns_f64)(a, b, i, spare_cos, spare_sin, interleaved, radius, 0, open);
    memcpy(sin + each * (i + first), spare_sin + each * first, sizeof(double) * each * (last - first));
    if (!interleaved) memcpy(cos + i + first, spare_cos + first, sizeof(double) * (last - first));
}

static int NAME(table_f64)(planes_4 a, planes_4 b, double *cos, double *sin, int interleaved, long count,
                           double radius, int stream) {
    VQ open = {0};
    long i, each = interleaved ? 2 : 1, lead = 0; /* columns before streaming stores can begin */
    if (stream) {
        lead = interleaved || aligned_alike(cos, sin, 8 * W) ? columns_to_alignment(sin, 8 * W, 8 * each) : -1;
        stream = lead >= 0;
        if (lead > 0) NAME(part_f64)(a, b, 0, cos, sin, interleaved, radius, 0, lead, &open);
        else lead = 0;
    }
    for (i = lead; i + W <= count; i += W)
        NAME(columns_f64)(a, b, i, cos + i, sin + each * i, interleaved, radius, stream, &open);
    if (i < count) NAME(part_f64)(a, b, count - W, cos, sin, interleaved, radius, W - (count - i), W, &open);
    return NAME(any_q)(open);
}

/* ---- 16-bit results, 2 W at a time in float: the test needs a wide radius, and what it leaves open goes to scalar
   code with doubles. Entries that are subnormal in float16 do so too. ---- */

typedef float NAME(wf) __attribute__((vector_size(8 * W)));
typedef float NAME(uwf) __attribute__((vector_size(8 * W), aligned(4), may_alias));
typedef unsigned int NAME(wi) __attribute__((vector_size(8 * W)));
typedef unsigned int NAME(uwi) __attribute__((vector_size(8 * W), aligned(2), may_alias));
typedef unsigned short NAME(wh) __attribute__((vector_size(4 * W)));
typedef unsigned short NAME(uwh) __attribute__((vector_size(4 * W), aligned(2), may_alias));
#define WF NAME(wf)
#define WI NAME(wi)
#define LOAD_WF(p) (*(const NAME(uwf) *)(p))

static inline WI NAME(narrow_16)(WF w, WF reach, int half_type, WI *open) {
    const unsigned half = half_type ? 0x1000 : 0x8000, drop = half_type ? 13 : 16;
    WI bits = (WI)w, magnitude = bits & 0x7FFFFFFFu;
    *open |= (((WI)(w - reach) + half) ^ ((WI)(w + reach) + half)) >> drop;
    if (!half_type) return (bits + half) >> 16;
    *open |= (WI)(magnitude - 0x38800000u > 0x477FE000u - 0x38800000u); /* below 2**-14, above the largest float16 */
    return (((magnitude + half) >> 13) - (112u << 10)) | (bits >> 16 & 0x8000u);
}

/* The float that a 16-bit pattern stands for; float16 subnormals come out right by an exact product. */
static inline WF NAME(widen_16)(WI pattern, int half_type) {
    if (!half_type) return (WF)(pattern << 16);
    WI magnitude = pattern & 0x7FFFu;
    WF value = (WF)(magnitude << 13) * 0x1p112f;
    WI wild = (WI)(magnitude >= 0x7C00u); /* infinite or NaN */
    return (WF)((WI)value | (pattern & 0x8000u) << 16 | (wild & 0x7F800000u));
}

/* In memory: first, second, first, second, ... */
static inline WI NAME(both_16)(WI first, WI second) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return first << 16 | second;
#else
    return first | second << 16;
#endif
}

/* Lists the open ones of the columns from i on, without those before `from`, which an earlier step has listed. */
static inline long NAME(list)(WI open, long i, long from, int *again, long found) {
#if LEVEL == 512
    __mmask16 bits = _mm512_test_epi32_mask((__m512i)open, (__m512i)open);
    for (; bits; bits &= bits - 1) {
        int k = __builtin_ctz(bits);
        if (i + k >= from) again[found++] = (int)(i + k);
    }
#else
    unsigned long long parts[W], all = 0;
    memcpy(parts, &open, sizeof open);
    for (int k = 0; k < W; k++) all |= parts[k];
    if (all)
        for (int k = 0; k < 2 * W; k++)
            if (open[k] && i + k >= from) again[found++] = (int)(i + k);
#endif
    return found;
}

static long NAME(table_16)(floats_2 a, floats_2 b, unsigned short *cos, unsigned short *sin, int interleaved,
                           long count, int half_type, int *again) {
    const WF reach = (WF){0} + 0x1.4p-22f;
    long found = 0;
    for (long j = 0; j < count; j += 2 * W) {
        long i = j + 2 * W <= count ? j : count - 2 * W;
        WF c = LOAD_WF(a.cos + i), s = LOAD_WF(a.sin + i), d = LOAD_WF(b.cos + i), t = LOAD_WF(b.sin + i);
        WI open = {0};
        WI x = NAME(narrow_16)(c * d - s * t, reach, half_type, &open);
        WI y = NAME(narrow_16)(s * d + c * t, reach, half_type, &open);
        if (interleaved)
            *(NAME(uwi) *)(sin + 2 * i) = NAME(both_16)(y, x);
        else {
            *(NAME(uwh) *)(cos + i) = __builtin_convertvector(x, NAME(wh));
            *(NAME(uwh) *)(sin + i) = __builtin_convertvector(y, NAME(wh));
        }
        found = NAME(list)(open, i, j, again, found);
    }
    return found;
}

static long NAME(rotate_16)(const unsigned short *first, const unsigned short *second, unsigned short *to_first,
                            unsigned short *to_second, floats_2 table, int interleaved, long count, int half_type,
                            int *again) {
    const WI absolute = (WI){0} + 0x7FFFFFFFu;
    long found = 0;
    for (long j = 0; j < count; j += 2 * W) {
        long i = j + 2 * W <= count ? j : count - 2 * W;
        WI p, q, open = {0};
        if (interleaved) {
            WI both = *(const NAME(uwi) *)(first + 2 * i);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
            p = both >> 16, q = both & 0xFFFFu;
#else
            p = both & 0xFFFFu, q = both >> 16;
#endif
        } else {
            p = __builtin_convertvector(*(const NAME(uwh) *)(first + i), WI);
            q = __builtin_convertvector(*(const NAME(uwh) *)(second + i), WI);
        }
        WF x = NAME(widen_16)(p, half_type), y = NAME(widen_16)(q, half_type);
        WF c = LOAD_WF(table.cos + i), s = LOAD_WF(table.sin + i);
        WF size = (WF)((WI)x & absolute) + (WF)((WI)y & absolute), reach = size * 0x1p-22f;
        /* zero, so small that the radius is no longer relative, infinite or NaN */
        open |= (WI)(((WI)size & absolute) - 0x0D800000u >= 0x7F800000u - 0x0D800000u);
        p = NAME(narrow_16)(x * c - y * s, reach, half_type, &open);
        q = NAME(narrow_16)(y * c + x * s, reach, half_type, &open);
        if (interleaved)
            *(NAME(uwi) *)(to_first + 2 * i) = NAME(both_16)(p, q);
        else {
            *(NAME(uwh) *)(to_first + i) = __builtin_convertvector(p, NAME(wh));
            *(NAME(uwh) *)(to_second + i) = __builtin_convertvector(q, NAME(wh));
        }
        found = NAME(list)(open, i, j, again, found);
    }
    return found;
}

#undef WF
#undef WI
#undef LOAD_WF

/* ---- rotation of pairs of channels ---- */

static int NAME(rotate_f32)(const float *first, const float *second, float *to_first, float *to_second, planes_2 table,
                            int interleaved, long count, double radius, int stream) {
    VI open = {0};
    VD wild = {0}; /* infinite or NaN when any size is */
    const VQ absolute = (VQ){0} + 0x7FFFFFFFFFFFFFFFull;
    stream = stream && count % W == 0 && !((size_t)to_first % (4 * W)) &&
             (interleaved || !((size_t)to_second % (4 * W)));
    for (long j = 0; j < count; j += W) {
        long i = j + W <= count ? j : count - W;
        VF u, v;
        if (interleaved) {
            VF even = LOAD_F(first + 2 * i), odd = LOAD_F(first + 2 * i + W);
            u = SHUFFLE(even, odd, NAME(si), EVENS);
            v = SHUFFLE(even, odd, NAME(si), ODDS);
        } else {
            u = LOAD_F(first + i);
            v = LOAD_F(second + i);
        }
        VD x = TO_D(u), y = TO_D(v), c = LOAD(table.cos + i), s = LOAD(table.sin + i);
        VD size = (VD)((VQ)x & absolute) + (VD)((VQ)y & absolute);
        VD reach = size * radius, p = x * c - y * s, q = y * c + x * s;
        VF to_u = TO_F(p + reach), to_v = TO_F(q + reach); /* a zero of either sign differs,
            so that scalar code settles it */
        open |= ((VI)TO_F(p - reach) ^ (VI)to_u) | ((VI)TO_F(q - reach) ^ (VI)to_v);
        wild += size;
        if (interleaved) {
            NAME(put_f)(to_first + 2 * i, SHUFFLE(to_u, to_v, NAME(si), LOWER), stream);
            NAME(put_f)(to_first + 2 * i + W, SHUFFLE(to_u, to_v, NAME(si), UPPER), stream);
        } else {
            NAME(put_f)(to_first + i, to_u, stream);
            NAME(put_f)(to_second + i, to_v, stream);
        }
    }
    return NAME(any_i)(open) || NAME(any_q)((VQ)(((VQ)wild & absolute) >= 0x7FF0000000000000ull));
}

static inline VD NAME(upper)(VD v) { return (VD)((VQ)v & 0xFFFFFFFFF8000000ull); }

static inline VD NAME(combine)(VD x, VD y, VD c1, VD c0, VD s1, VD s0, VD reach, VQ *open) {
    VD x1 = NAME(upper)(x), y1 = NAME(upper)(y), p = x1 * c1, q = y1 * s1, leading = p + q, other = leading - p;
    VD error = (p - (leading - other)) + (q - other);
    VD rest = error + (((x - x1) * c1 + (y - y1) * s1) + (x * c0 + y * s0));
    *open |= (VQ)(leading + (rest - reach)) ^ (VQ)(leading + (rest + reach));
    return leading + rest;
}

static int NAME(rotate_f64)(const double *first, const double *second, double *to_first, double *to_second,
                            planes_4 table, int interleaved, long count, double radius, int stream) {
    VQ open = {0};
    const VQ absolute = (VQ){0} + 0x7FFFFFFFFFFFFFFFull;
    const unsigned long long tiny = 123ull << 52, infinity = 0x7FF0000000000000ull; /* 2**-900 */
    stream = stream && count % W == 0 && !((size_t)to_first % (8 * W)) &&
             (interleaved || !((size_t)to_second % (8 * W)));
    for (long j = 0; j < count; j += W) {
        long i = j + W <= count ? j : count - W;
        VD x, y;
        if (interleaved) {
            VD even = LOAD(first + 2 * i), odd = LOAD(first + 2 * i + W);
            x = SHUFFLE(even, odd, VQ, EVENS);
            y = SHUFFLE(even, odd, VQ, ODDS);
        } else {
            x = LOAD(first + i);
            y = LOAD(second + i);
        }
        VD c1 = LOAD(table.cos1 + i), c0 = LOAD(table.cos0 + i);
        VD s1 = LOAD(table.sin1 + i), s0 = LOAD(table.sin0 + i);
        VD size = (VD)((VQ)x & absolute) + (VD)((VQ)y & absolute), reach = size * radius;
        open |= (VQ)(((VQ)size & absolute) - tiny >= infinity - tiny); /* zero, tiny, infinite or NaN */
        VD p = NAME(combine)(x, y, c1, c0, -s1, -s0, reach, &open), q = NAME(combine)(y, x, c1, c0, s1, s0, reach,
                                                                                      &open);
        if (interleaved) {
            NAME(put_d)(to_first + 2 * i, SHUFFLE(p, q, VQ, LOWER), stream);
            NAME(put_d)(to_first + 2 * i + W, SHUFFLE(p, q, VQ, UPPER), stream);
        } else {
            NAME(put_d)(to_first + i, p, stream);
            NAME(put_d)(to_second + i, q, stream);
        }
    }
    return NAME(any_q)(open);
}

/* ---- copies past the cache, for outputs that repeat what is in the cache ---- */

static void NAME(copy)(char *to, const char *from, long bytes) {
#if defined(REFPOS_X86)
    const long size = LEVEL == 512 ? 64 : LEVEL == 256 ? 32 : 16;
    long head = (long)(-(size_t)to % size);
    if (bytes < 4 * size) {
        memcpy(to, from, bytes);
        return;
    }
    memcpy(to, from, head);
    to += head, from += head, bytes -= head;
    for (; bytes >= size; to += size, from += size, bytes -= size) {
#if LEVEL == 512
        _mm512_stream_si512((void *)to, _mm512_loadu_si512(from));
#elif LEVEL == 256
        _mm256_stream_si256((__m256i *)to, _mm256_loadu_si256((const __m256i *)from));
#else
        _mm_stream_si128((__m128i *)to, _mm_loadu_si128((const __m128i *)from));
#endif
    }
#endif
    memcpy(to, from, bytes);
}

#undef VD
#undef VF
#undef VQ
#undef VI
#undef LOAD
#undef LOAD_F
#undef LOAD_Q
#undef TO_F
#undef TO_D
#undef EVENS
#undef ODDS
#undef LOWER
#undef UPPER
