/* Tables and rotations in float32, float16 and bfloat16 from plain doubles; included by lanes.h.

   A group is W columns. A value v in double is rounded to float f, and f to 16 bits where those are wanted. The first
   rounding test is cheap: it passes a value that is farther from the midpoints than the radius (docs/numbers.md).
   Groups it does not pass have the second rounding test, which rounds v - radius and v + radius and compares. */

/* ---- the second rounding test: double to the format in one step ---- */

#if LEVEL != 512
/* The pattern of v rounded once to 16 bits; the scalar code says what each step is. */
static inline VQ NAME(narrow_16)(VD v, int precision, int lowest) {
    const int drop = 53 - precision, smallest = 1023 + lowest + precision - 1;
    const unsigned long long infinity = (1ull << 15) - (1ull << (precision - 1));
    const VQ anchor = (VQ){0} + ((unsigned long long)(1023 + lowest + 52) << 52);
    VQ magnitude = (VQ)v & 0x7FFFFFFFFFFFFFFFull, small = (VQ)(magnitude < (unsigned long long)smallest << 52);
    VQ kept = (magnitude + ((1ull << (drop - 1)) - 1) + (magnitude >> drop & 1)) >> drop;
    kept -= (unsigned long long)(smallest - 1) << (precision - 1);
    VQ over = (VQ)(kept > infinity), nan = (VQ)(magnitude > 0x7FF0000000000000ull);
    kept = (kept & ~over) | (infinity & over);
    kept = (((VQ)((VD)magnitude + (VD)anchor) - anchor) & small) | (kept & ~small);
    kept = ((infinity | 1ull << (precision - 2)) & nan) | (kept & ~nan);
    return kept | ((VQ)v >> 48 & 0x8000);
}
#endif

static inline VI NAME(pattern)(VD v, int format) {
    if (format == FLOAT32) return (VI)TO_F(v);
#if LEVEL == 512 /* of the two floats around v the odd one, which rounds to 16 bits as v does */
    __m256i f = (__m256i)_mm512_cvt_roundpd_ps((__m512d)v, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    __mmask8 inexact = _mm512_cmp_pd_mask((__m512d)v, _mm512_cvtps_pd((__m256)f), _CMP_NEQ_OQ);
    VI odd = (VI)_mm256_mask_or_epi32(f, inexact, f, _mm256_set1_epi32(1));
    if (format == FLOAT16) return NAME(extend)((VH)_mm256_cvtps_ph((__m256)odd, _MM_FROUND_TO_NEAREST_INT));
    return (odd + 0x7FFFu + (odd >> 16 & 1)) >> 16;
#else
    return __builtin_convertvector(format == FLOAT16 ? NAME(narrow_16)(v, 11, -24) : NAME(narrow_16)(v, 8, -133), VI);
#endif
}

static inline unsigned NAME(lanes_of)(VI v) {
    unsigned bits = 0;
    for (int k = 0; k < W; k++) bits |= (unsigned)(v[k] != 0) << k;
    return bits;
}

/* The patterns of a group; lanes of `undecided` are not 0 where the rounding is not certain. */
static inline VI NAME(round_both_ends)(VD v, VD error_radius, int format, VI *undecided) {
    *undecided = NAME(pattern)(v - error_radius, format) ^ NAME(pattern)(v + error_radius, format);
    return NAME(pattern)(v + 0.0, format);
}

/* ---- the first rounding test ---- */

/* The least size at which the first rounding test may pass a value, as a multiple of the radius. */
static inline float NAME(least_size)(double radius, int format) {
    return (float)(radius * (format == FLOAT32 ? 0x1.00001p37 : 0x1.00001p25));
}

/* Below it numbers are subnormal, and have other midpoints. */
#define SMALLEST_NORMAL(format) ((format) == FLOAT16 ? 0x1p-14f : 0x1p-126f)

/* The constants of the first rounding test. */
typedef struct { VI absolute, finite, middle, below; VQ absolute_q, away, rest; } NAME(constants);

ALWAYS NAME(constants) NAME(constants_of)(int format) {
    const unsigned middle = format == FLOAT16 ? 0x1000 : 0x8000; /* of two patterns, in the bits that are dropped */
    VI absolute = (VI){0} + 0x7FFFFFFFu, finite = (VI){0} + 0x7F7FFFFFu, half = (VI){0} + middle;
    VI below = (VI){0} + (2 * middle - 1);
    VQ absolute_q = (VQ){0} + 0x7FFFFFFFFFFFFFFFull, away = (VQ){0} + 0xF0010000ull, rest = (VQ){0} + 0x1FFE0000ull;
    IN_REGISTER(absolute);
    IN_REGISTER(finite);
    if (format == FLOAT32) {
        IN_REGISTER(away);
        IN_REGISTER(rest);
    } else {
        IN_REGISTER(half);
        IN_REGISTER(below);
    }
    return (NAME(constants)){absolute, finite, half, below, absolute_q, away, rest};
}

/* Patterns of the values of a group, sure where they pass. */
ALWAYS VI NAME(first_test)(VD v, VD error_radius, VF least, NAME(constants) k, int format, PASSED *passed) {
#if LEVEL != 512 /* here two conversions and a comparison are cheaper: the second rounding test itself */
    if (format == FLOAT32) {
        VI upper = (VI)TO_F(v + error_radius);
        NAME(pass_equal)(passed, (VI)TO_F(v - error_radius), upper);
        return upper;
    }
#endif
    VF f = TO_F(v);
    VI bits = (VI)f, magnitude = bits & k.absolute;
    NAME(pass_at_least)(passed, magnitude, (VI)least);
    if (format == FLOAT32) { /* not within 2**16 units of the last place of a midpoint of two floats: bit 28 alone */
        NAME(pass_bits_q)(passed, (VQ)v + k.away, k.rest);
        return bits;
    }
    NAME(pass_bits)(passed, bits ^ k.middle, k.below); /* the float is no midpoint */
    if (format == BFLOAT16) return (bits + k.middle) >> 16;
#if LEVEL == 512
    return NAME(extend)((VH)_mm256_cvtps_ph((__m256)f, _MM_FROUND_TO_NEAREST_INT));
#elif LEVEL == 256
    VI narrow = (VI)_mm_cvtps_ph((__m128)f, _MM_FROUND_TO_NEAREST_INT);
    return (VI)_mm_unpacklo_epi16((__m128i)narrow, _mm_setzero_si128());
#else
    VI kept = ((magnitude + 0x1000u) >> 13) - (112u << 10), over = (VI)(magnitude >= 0x47800000u);
    return (kept & ~over) | (0x7C00u & over) | (bits >> 16 & 0x8000u);
#endif
}

/* ---- memory ---- */

/* In memory: first, second, first, second, ... */
static inline VI NAME(both_16)(VI first, VI second) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return first << 16 | second;
#else
    return first | second << 16;
#endif
}

ALWAYS void NAME(store)(char *first, char *second, VI p, VI q, int interleaved, int format) {
    if (interleaved && format == FLOAT32) {
        PUT(first, SHUFFLE(p, q, VI, LOWER));
        PUT(first + 4 * W, SHUFFLE(p, q, VI, UPPER));
    } else if (interleaved) {
        PUT(first, NAME(both_16)(p, q));
    } else if (format == FLOAT32) {
        PUT(first, p);
        PUT(second, q);
    } else {
        PUT_16(first, p);
        PUT_16(second, q);
    }
}

ALWAYS void NAME(load)(const char *first, const char *second, VI *p, VI *q, int interleaved, int format) {
    if (format == FLOAT32) {
        VI u = *(const NAME(ui) *)first, v = *(const NAME(ui) *)(interleaved ? first + 4 * W : second);
        *p = interleaved ? SHUFFLE(u, v, VI, EVENS) : u;
        *q = interleaved ? SHUFFLE(u, v, VI, ODDS) : v;
    } else if (interleaved) {
        VI both = *(const NAME(ui) *)first;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        *p = both >> 16, *q = both & 0xFFFFu;
#else
        *p = both & 0xFFFFu, *q = both >> 16;
#endif
    } else {
        *p = NAME(extend)(*(const NAME(uh) *)first);
        *q = NAME(extend)(*(const NAME(uh) *)second);
    }
}

/* The float that a pattern stands for. */
ALWAYS VF NAME(widen)(VI pattern, int format) {
    if (format == FLOAT32) return (VF)pattern;
    if (format == BFLOAT16) return (VF)(pattern << 16);
#if LEVEL == 512
    return (VF)_mm256_cvtph_ps((__m128i)NAME(truncate)(pattern));
#elif LEVEL == 256
    return (VF)_mm_cvtph_ps(_mm_packus_epi32((__m128i)pattern, (__m128i)pattern));
#else
    VI magnitude = pattern & 0x7FFFu;
    VF value = (VF)(magnitude << 13) * 0x1p112f; /* exact, subnormals too */
    VI wild = (VI)(magnitude >= 0x7C00u);        /* infinite or NaN */
    return (VF)((VI)value | (pattern & 0x8000u) << 16 | (wild & 0x7F800000u));
#endif
}

/* ---- rotation of pairs of channels ---- */

/* The second rounding test of both channels of a group; an undecided pair sets its bit, and its channels keep their
   values. */
static __attribute__((noinline)) unsigned NAME(second_test_of_rotation)(VD x, VD y, VD p, VD q, double radius,
                                                                        int format, VI *u,
                                                                        VI *v) {
    const VQ absolute = (VQ){0} + 0x7FFFFFFFFFFFFFFFull;
    VD size = (VD)((VQ)x & absolute) + (VD)((VQ)y & absolute), error_radius = size * radius;
    VI p_undecided, q_undecided, to_u = NAME(round_both_ends)(p, error_radius, format, &p_undecided),
        to_v = NAME(round_both_ends)(q, error_radius, format, &q_undecided);
    VQ unsafe = (VQ)(size < 0x1p-900) | ~(VQ)(size <= 0x1.fffffffffffffp1023), zero = (VQ)(size == 0);
    VI undecided = p_undecided | q_undecided | __builtin_convertvector(unsafe, VI);
    undecided &= ~__builtin_convertvector(zero, VI);
    VI keep = (VI)(undecided != 0);
    *u = (*u & keep) | (to_u & ~keep);
    *v = (*v & keep) | (to_v & ~keep);
    return NAME(lanes_of)(keep);
}

/* Where a group of channels is, and where it goes. */
typedef struct { const char *first, *second; char *to_first, *to_second; } NAME(pointers);

ALWAYS unsigned NAME(rotate_group)(const double *table, ptrdiff_t plane, NAME(pointers) at, double radius, VF factor,
                                   NAME(constants) k, int interleaved, int format) {
    VI u, v;
    NAME(load)(at.first, at.second, &u, &v, interleaved, format);
    VF x = NAME(widen)(u, format), y = NAME(widen)(v, format);
    VF size = (VF)((VI)x & k.absolute) + (VF)((VI)y & k.absolute), least = size * factor + SMALLEST_NORMAL(format);
    VD a = NAME(to_d)(x), b = NAME(to_d)(y), c = LOAD(table), s = LOAD(table + plane);
    VD p = a * c - b * s, q = b * c + a * s;
    PASSED passed = NAME(all_pass)();
    NAME(pass_at_least)(&passed, k.finite, (VI)least); /* not where the channels are infinite or NaN */
    VD error_radius = ((VD)((VQ)a & k.absolute_q) + (VD)((VQ)b & k.absolute_q)) * radius; /* not every test needs it */
    VI to_u = NAME(first_test)(p, error_radius, least, k, format, &passed);
    VI to_v = NAME(first_test)(q, error_radius, least, k, format, &passed);
    unsigned undecided = 0;
    if (__builtin_expect(NAME(fails)(passed), 0)) {
        VI retested_u = u, retested_v = v;
        undecided = NAME(second_test_of_rotation)(a, b, p, q, radius, format, &retested_u, &retested_v);
        to_u = retested_u, to_v = retested_v;
    }
    NAME(store)(at.to_first, at.to_second, to_u, to_v, interleaved, format);
    return undecided;
}

/* The n pairs that are less than a group, by way of memory of its size. */
ALWAYS unsigned NAME(rotate_part)(const double *table, ptrdiff_t plane, NAME(pointers) at, double radius, VF factor,
                                  NAME(constants) k, int interleaved, int format, ptrdiff_t n) {
    double seeds[2][W];
    char first[8 * W], second[4 * W];
    const NAME(pointers) here = {first, second, first, second};
    const size_t bytes = n * (format == FLOAT32 ? 4 : 2) * (interleaved ? 2 : 1);
    for (int j = 0; j < 2 * W; j++) seeds[j / W][j % W] = 1 + j / W; /* lanes beyond the columns pass */
    memset(first, 0x3F, sizeof first);
    memset(second, 0x3C, sizeof second);
    for (int j = 0; j < 2; j++) memcpy(seeds[j], table + j * plane, 8 * n);
    memcpy(first, at.first, bytes);
    if (!interleaved) memcpy(second, at.second, bytes);
    unsigned undecided = NAME(rotate_group)(seeds[0], W, here, radius, factor, k, interleaved, format);
    memcpy(at.to_first, first, bytes);
    if (!interleaved) memcpy(at.to_second, second, bytes);
    return undecided & ((1u << n) - 1);
}

#include "single.h"

/* ---- rows ---- */

ALWAYS ptrdiff_t NAME(rotate)(const refpos_rotations *job, int interleaved, int format) {
    const VF factor = (VF){0} + NAME(least_size)(job->radius, format);
    const double radius = job->radius;
    const ptrdiff_t each = (format == FLOAT32 ? 4 : 2) * (interleaved ? 2 : 1), columns = job->columns;
    const ptrdiff_t plane = job->table_plane, ahead = job->ahead;
    const NAME(constants) k = NAME(constants_of)(format);
    ptrdiff_t count = 0;
    for (ptrdiff_t row = 0; row < job->rows; row++) {
        const double *table = job->table + row * job->table_row;
        NAME(pointers) at = {job->first + row * job->row, job->second + row * job->row,
            job->to_first + row * job->to_row,
                           job->to_second + row * job->to_row};
        const long long flat = job->flat + row * job->flat_row;
        unsigned undecided;
        ptrdiff_t i = 0;
#if LEVEL
        if (format != FLOAT32 && job->singles) {
            const float *singles = job->singles + row * job->table_row,
                        scale = (float)(radius * (format == BFLOAT16 ? ROTATE_SINGLE : ROTATE_SPLIT));
            const NAME(size_range) range = NAME(size_range_for)(radius * 0x1p48);
            char spare[8 * W];
            unsigned lanes;
            for (; i + 2 * W <= columns; i += 2 * W) {
                prefetch(at.first + ahead), prefetch(interleaved ? at.first + ahead + 64 : at.second + ahead);
                lanes = NAME(rotate_single)(singles + i, plane, at, scale, range, interleaved, format, spare);
                if (__builtin_expect(lanes != 0, 0) &&
                    (undecided = NAME(rotate_from_doubles)(table + i, plane, at, spare, radius, factor, interleaved,
                                                           format, lanes)))
                    count = list_undecided(undecided, flat + i, job->undecided, count);
                at.first += 2 * each * W, at.second += 2 * each * W;
                at.to_first += 2 * each * W, at.to_second += 2 * each * W;
            }
        }
#endif
        for (; i + W <= columns; i += W) {
            prefetch(at.first + ahead), prefetch(interleaved ? at.first + ahead + 64 : at.second + ahead);
            if ((undecided = NAME(rotate_group)(table + i, plane, at, radius, factor, k, interleaved, format)))
                count = list_undecided(undecided, flat + i, job->undecided, count);
            at.first += each * W, at.second += each * W, at.to_first += each * W, at.to_second += each * W;
        }
        if (i < columns &&
            (undecided = NAME(rotate_part)(table + i, plane, at, radius, factor, k, interleaved, format, columns - i)))
            count = list_undecided(undecided, flat + i, job->undecided, count);
    }
    return count;
}

static ptrdiff_t NAME(rotate_f32)(const refpos_rotations *job) {
    return job->interleaved ? NAME(rotate)(job, 1, FLOAT32) : NAME(rotate)(job, 0, FLOAT32);
}

static ptrdiff_t NAME(rotate_f16)(const refpos_rotations *job) {
    return job->interleaved ? NAME(rotate)(job, 1, FLOAT16) : NAME(rotate)(job, 0, FLOAT16);
}

static ptrdiff_t NAME(rotate_b16)(const refpos_rotations *job) {
    return job->interleaved ? NAME(rotate)(job, 1, BFLOAT16) : NAME(rotate)(job, 0, BFLOAT16);
}

#undef SMALLEST_NORMAL
