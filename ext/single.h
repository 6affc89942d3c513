/* Tables in bfloat16, and rotations in float16 and bfloat16, computed in float32: a rounding test before those of
   narrow.h, which includes this.

   A group is 2 W columns. Everything is computed in float32; where value - error_radius and value +
   error_radius round alike, that is the value rounded (docs/numbers.md). Other groups are computed again in double. */

#if LEVEL

typedef float NAME(wf) __attribute__((vector_size(8 * W)));
typedef float NAME(wf_at) __attribute__((vector_size(8 * W), aligned(4), may_alias));
typedef unsigned int NAME(wi) __attribute__((vector_size(8 * W)));
typedef unsigned int NAME(wi_at) __attribute__((vector_size(8 * W), aligned(2), may_alias));
typedef unsigned short NAME(wh) __attribute__((vector_size(4 * W)));
typedef unsigned short NAME(wh_at) __attribute__((vector_size(4 * W), aligned(2), may_alias));
#define WF NAME(wf)
#define WI NAME(wi)
#define WH NAME(wh)
#define LOAD_F(p) (*(const NAME(wf_at) *)(p))

static inline WI NAME(extend_wide)(WH h) {
#if LEVEL == 512
    return (WI)_mm512_cvtepu16_epi32((__m256i)h);
#else
    return (WI)_mm256_cvtepu16_epi32((__m128i)h);
#endif
}

static inline WH NAME(truncate_wide)(WI v) {
#if LEVEL == 512
    return (WH)_mm512_cvtepi32_epi16((__m512i)v);
#else
    return __builtin_convertvector(v, WH);
#endif
}

static inline WH NAME(to_half)(WF v) {
#if LEVEL == 512
    return (WH)_mm512_cvtps_ph((__m512)v, _MM_FROUND_TO_NEAREST_INT);
#else
    return (WH)_mm256_cvtps_ph((__m256)v, _MM_FROUND_TO_NEAREST_INT);
#endif
}

static inline WF NAME(of_half)(WH h) {
#if LEVEL == 512
    return (WF)_mm512_cvtph_ps((__m256i)h);
#else
    return (WF)_mm256_cvtph_ps((__m128i)h);
#endif
}

/* ---- which lanes pass: lanes of a vector that are 0, or a bit each ---- */

#if LEVEL == 512
typedef __mmask16 NAME(wide_passed);
#define ALL_WIDE 0xFFFF
static inline void NAME(pass_zero)(__mmask16 *p, WI v, WI bits) {
    *p = _mm512_mask_testn_epi32_mask(*p, (__m512i)v, (__m512i)bits);
}
static inline void NAME(pass_zero_halves)(__mmask16 *p, WH v) {
    *p = _mm256_mask_testn_epi16_mask(*p, (__m256i)v, (__m256i)v);
}
static inline void NAME(pass_at_most)(__mmask16 *p, WI v, WI most) {
    *p = _mm512_mask_cmple_epu32_mask(*p, (__m512i)v, (__m512i)most);
}
static inline WI NAME(smaller)(WI u, WI v) { return (WI)_mm512_min_epu32((__m512i)u, (__m512i)v); }
static inline unsigned NAME(failing)(__mmask16 p) { return p ^ 0xFFFFu; }
#else
typedef WI NAME(wide_passed);
#define ALL_WIDE (WI){0}
static inline WI NAME(smaller)(WI u, WI v) { return (WI)_mm256_min_epu32((__m256i)u, (__m256i)v); }
static inline void NAME(pass_zero)(WI *p, WI v, WI bits) { *p |= v & bits; }
static inline void NAME(pass_zero_halves)(WI *p, WH v) { *p |= NAME(extend_wide)(v); }
static inline void NAME(pass_at_most)(WI *p, WI v, WI most) { *p |= v ^ NAME(smaller)(v, most); }
static inline unsigned NAME(failing)(WI p) { return _mm256_movemask_ps((__m256)(p == 0)) ^ 0xFF; }
#endif

/* Two values rounded: float16 as it is, bfloat16 in the upper halves of the lanes. */
typedef struct { WH p, q; WI upper_p, upper_q; } NAME(rounded);

/* Rounds two values, of whose ends these are the patterns; lanes pass where the ends round alike. */
ALWAYS void NAME(round_wide)(WI p_above, WI p_below, WI q_above, WI q_below, int format, NAME(rounded) *to,
                             NAME(wide_passed) *passed) {
    if (format == FLOAT16) {
        to->p = NAME(to_half)((WF)p_above), to->q = NAME(to_half)((WF)q_above);
        NAME(pass_zero_halves)(passed, (to->p ^ NAME(to_half)((WF)p_below)) | (to->q ^ NAME(to_half)((WF)q_below)));
    } else {
        to->upper_p = p_above + 0x8000u, to->upper_q = q_above + 0x8000u;
        WI differ = (to->upper_p ^ (p_below + 0x8000u)) | (to->upper_q ^ (q_below + 0x8000u));
        NAME(pass_zero)(passed, differ, (WI){0} + 0xFFFF0000u);
    }
}

ALWAYS void NAME(store_wide)(char *first, char *second, const NAME(rounded) *v, int interleaved, int format) {
    if (interleaved && format == FLOAT16) {
        *(NAME(wi_at) *)first = NAME(extend_wide)(v->p) | NAME(extend_wide)(v->q) << 16;
    } else if (interleaved) {
        *(NAME(wi_at) *)first = v->upper_p >> 16 | (v->upper_q & 0xFFFF0000u);
    } else {
        *(NAME(wh_at) *)first = format == FLOAT16 ? v->p : NAME(truncate_wide)(v->upper_p >> 16);
        *(NAME(wh_at) *)second = format == FLOAT16 ? v->q : NAME(truncate_wide)(v->upper_q >> 16);
    }
}

ALWAYS void NAME(load_wide)(const char *first, const char *second, WF *x, WF *y, int interleaved, int format) {
    if (interleaved) {
        WI both = *(const NAME(wi_at) *)first;
        *x = format == BFLOAT16 ? (WF)(both << 16) : NAME(of_half)(NAME(truncate_wide)(both));
        *y = format == BFLOAT16 ? (WF)(both & 0xFFFF0000u) : NAME(of_half)(NAME(truncate_wide)(both >> 16));
    } else if (format == BFLOAT16) {
        *x = (WF)(NAME(extend_wide)(*(const NAME(wh_at) *)first) << 16);
        *y = (WF)(NAME(extend_wide)(*(const NAME(wh_at) *)second) << 16);
    } else {
        *x = NAME(of_half)(*(const NAME(wh_at) *)first);
        *y = NAME(of_half)(*(const NAME(wh_at) *)second);
    }
}

/* The range of |x| + |y| of two channels in which nothing overflows and no underflow matters. */
typedef struct { WI least, span; } NAME(size_range);

ALWAYS NAME(size_range) NAME(size_range_for)(double scale) {
    const float least = (float)(0x1p-60 / (scale < 1 ? scale : 1)), most = (float)(0x1p90 / (scale > 1 ? scale : 1));
    unsigned low, high;
    memcpy(&low, &least, 4);
    memcpy(&high, &most, 4);
    return (NAME(size_range)){(WI){0} + low, (WI){0} + (high > low ? high - low : 0)};
}

/* A group of channels, stored: a bit for each lane that is not certain; if there is one, the channels go to `spare`,
   for they may be where the results are. float16 has so few bits less than float32 that a cosine or sine is the
   sum of two floats, the first of which times a channel is exact; results smaller than `scale` times the sizes of the
   channels do not pass. */
ALWAYS unsigned NAME(rotate_single)(const float *table, ptrdiff_t plane, NAME(pointers) at, float scale,
                                    NAME(size_range) k,
                                    int interleaved, int format, char *spare) {
    const WI absolute = (WI){0} + 0x7FFFFFFFu;
    WF x, y, c = LOAD_F(table), s = LOAD_F(table + plane);
    NAME(load_wide)(at.first, at.second, &x, &y, interleaved, format);
    WF size = (WF)((WI)x & absolute) + (WF)((WI)y & absolute), error_radius = size * scale;
    WF p = x * c - y * s, q = y * c + x * s;
    NAME(rounded) v;
    NAME(wide_passed) passed = ALL_WIDE;
    NAME(pass_at_most)(&passed, (WI)size - k.least, k.span);
    if (format == BFLOAT16) {
        NAME(round_wide)((WI)(p + error_radius), (WI)(p - error_radius), (WI)(q + error_radius), (WI)(q - error_radius),
                         format, &v, &passed);
    } else {
        WF c_low = LOAD_F(table + 2 * plane), s_low = LOAD_F(table + 3 * plane);
        p += x * c_low - y * s_low, q += y * c_low + x * s_low;
        NAME(pass_at_most)(&passed, (WI)error_radius, NAME(smaller)((WI)p & absolute, (WI)q & absolute));
        NAME(round_wide)((WI)p + 5, (WI)p - 5, (WI)q + 5, (WI)q - 5, format, &v, &passed);
    }
    unsigned lanes = NAME(failing)(passed);
    if (__builtin_expect(lanes != 0, 0)) {
        memcpy(spare, at.first, interleaved ? 8 * W : 4 * W);
        if (!interleaved) memcpy(spare + 4 * W, at.second, 4 * W);
    }
    NAME(store_wide)(at.to_first, at.to_second, &v, interleaved, format);
    return lanes;
}

/* Computes the half groups with such lanes in double, from the channels in `spare`: a bit for each lane that stays
   undecided. */
static __attribute__((noinline)) unsigned NAME(rotate_from_doubles)(const double *table, ptrdiff_t plane,
                                                                    NAME(pointers) at,
                                                                    const char *spare, double radius, VF factor,
                                                                    int interleaved,
                                                                    int format, unsigned lanes) {
    const ptrdiff_t next = (interleaved ? 4 : 2) * W;
    const NAME(constants) k = NAME(constants_of)(format);
    unsigned undecided = 0;
    for (int half = 0; half < 2; half++) {
        NAME(pointers) here = {spare + half * next, spare + 4 * W + half * next, at.to_first + half * next,
                             at.to_second + half * next};
        if (lanes >> half * W & ((1u << W) - 1))
            undecided |= NAME(rotate_group)(table + half * W, plane, here, radius, factor, k, interleaved,
                                            format) << half * W;
    }
    return undecided;
}

#undef WF
#undef WI
#undef WH
#undef LOAD_F
#undef ALL_WIDE

#endif
