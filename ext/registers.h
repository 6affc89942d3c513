/* What the kernels need of an instruction set, which LEVEL (0, 256 or 512 bits) names: registers of W doubles (VD), of
   2 W floats (VS) or words (VI), and operations that take one instruction or a few. All is IEEE + - * and conversions;
   multiply-add is one rounding where the set has it, which only tightens errors. So every set gives the same bits. */
#ifndef REFPOS_REGISTERS_H
#define REFPOS_REGISTERS_H

#include <stdint.h>
#include <stdlib.h>
#include "rows.h"

#if LEVEL == 512
#define W 8
#elif LEVEL == 256
#define W 4
#else
#define W 2
#endif
#define REG (8 * W) /* bytes of a register */
#define INLINE static inline __attribute__((always_inline))
typedef double VD __attribute__((vector_size(REG)));
typedef float VS __attribute__((vector_size(REG)));
typedef uint32_t VI __attribute__((vector_size(REG)));
typedef int32_t VJ __attribute__((vector_size(REG)));
typedef uint64_t VQ __attribute__((vector_size(REG)));
typedef double loose_d __attribute__((vector_size(REG), aligned(8), may_alias));
typedef float loose_s __attribute__((vector_size(REG), aligned(4), may_alias));
typedef uint64_t loose_q __attribute__((vector_size(REG), aligned(8), may_alias));
typedef uint32_t loose_i __attribute__((vector_size(REG), aligned(1), may_alias));
typedef uint64_t loose_index __attribute__((may_alias)); /* an integer in memory of doubles */
#define LOADD(p) (*(const loose_d *)(p))
#define LOADS(p) (*(const loose_s *)(p))
#define LOADQ(p) (*(const loose_q *)(p))
#define LOADI(p) ((VI) * (const loose_i *)(p))
#define PUT(p, v) (*(loose_i *)(p) = (v))
#define ALL(type, x) ((type){0} + (x))

#if defined(__clang__)
#define SHUFFLE(a, b, type, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(a, b, type, ...) __builtin_shuffle(a, b, (type){__VA_ARGS__})
#endif

#if LEVEL == 512
#define MM(op) _mm512_##op
#define STREAM _mm512_stream_si512
typedef __m512d MD;
typedef __m512 MS;
typedef __m512i MI;
#elif LEVEL == 256
#define MM(op) _mm256_##op
#define STREAM _mm256_stream_si256
typedef __m256d MD;
typedef __m256 MS;
typedef __m256i MI;
#elif defined(REFPOS_X86)
#define MM(op) _mm_##op
#define STREAM _mm_stream_si128
typedef __m128d MD;
typedef __m128 MS;
typedef __m128i MI;
#endif

/* ---- a b + c, c - a b ---- */

#if LEVEL
#define FUSED 1
INLINE VD fma_d(VD a, VD b, VD c) { return (VD)MM(fmadd_pd)((MD)a, (MD)b, (MD)c); }
INLINE VD fnma_d(VD a, VD b, VD c) { return (VD)MM(fnmadd_pd)((MD)a, (MD)b, (MD)c); }
INLINE VS fma_s(VS a, VS b, VS c) { return (VS)MM(fmadd_ps)((MS)a, (MS)b, (MS)c); }
INLINE VS fnma_s(VS a, VS b, VS c) { return (VS)MM(fnmadd_ps)((MS)a, (MS)b, (MS)c); }
#else
#define FUSED 0
INLINE VD fma_d(VD a, VD b, VD c) { return a * b + c; }
INLINE VD fnma_d(VD a, VD b, VD c) { return c - a * b; }
INLINE VS fma_s(VS a, VS b, VS c) { return a * b + c; }
INLINE VS fnma_s(VS a, VS b, VS c) { return c - a * b; }
#endif

/* ---- the lanes of two registers in turn, and apart; neighbours changed ---- */

#if W == 8
#define LOW_S 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define HIGH_S 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define EVEN_S 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define ODD_S 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#define LOW_D 0, 8, 1, 9, 2, 10, 3, 11
#define HIGH_D 4, 12, 5, 13, 6, 14, 7, 15
#define EVEN_D 0, 8, 2, 10, 4, 12, 6, 14
#define ODD_D 1, 9, 3, 11, 5, 13, 7, 15
#elif W == 4
#define LOW_S 0, 8, 1, 9, 2, 10, 3, 11
#define HIGH_S 4, 12, 5, 13, 6, 14, 7, 15
#define EVEN_S 0, 2, 4, 6, 8, 10, 12, 14
#define ODD_S 1, 3, 5, 7, 9, 11, 13, 15
#define LOW_D 0, 4, 1, 5
#define HIGH_D 2, 6, 3, 7
#define EVEN_D 0, 4, 2, 6
#define ODD_D 1, 5, 3, 7
#else
#define LOW_S 0, 4, 1, 5
#define HIGH_S 2, 6, 3, 7
#define EVEN_S 0, 2, 4, 6
#define ODD_S 1, 3, 5, 7
#define LOW_D 0, 2
#define HIGH_D 1, 3
#define EVEN_D 0, 2
#define ODD_D 1, 3
#endif
INLINE VI even_words(VI a, VI b) { return SHUFFLE(a, b, VI, EVEN_S); }
INLINE VI odd_words(VI a, VI b) { return SHUFFLE(a, b, VI, ODD_S); }
INLINE VI zip_low(VI a, VI b) { return SHUFFLE(a, b, VI, LOW_S); }
INLINE VI zip_high(VI a, VI b) { return SHUFFLE(a, b, VI, HIGH_S); }
INLINE VI zip_low_d(VD a, VD b) { return (VI)SHUFFLE((VQ)a, (VQ)b, VQ, LOW_D); }
INLINE VI zip_high_d(VD a, VD b) { return (VI)SHUFFLE((VQ)a, (VQ)b, VQ, HIGH_D); }
/* The even and the odd lanes of two; from these the same gives the two back. */
INLINE VD evens_d(VD a, VD b) { return (VD)SHUFFLE((VQ)a, (VQ)b, VQ, EVEN_D); }
INLINE VD odds_d(VD a, VD b) { return (VD)SHUFFLE((VQ)a, (VQ)b, VQ, ODD_D); }
/* The order of the lanes is the same for all of these; from evens and odds, first and last give the two back. */
#if defined(MM)
INLINE VI first_pairs(VI a, VI b) { return (VI)MM(unpacklo_ps)((MS)a, (MS)b); }
INLINE VI last_pairs(VI a, VI b) { return (VI)MM(unpackhi_ps)((MS)a, (MS)b); }
INLINE VI evens(VI a, VI b) { return (VI)MM(shuffle_ps)((MS)a, (MS)b, 0x88); }
INLINE VI odds(VI a, VI b) { return (VI)MM(shuffle_ps)((MS)a, (MS)b, 0xDD); }
#else
#define evens even_words
#define odds odd_words
#define first_pairs zip_low
#define last_pairs zip_high
#endif
/* The place in registers a, b of doubles that is bit k of evens(a, b). */
#define PLACE(k) (((k) & 2 ? W : 0) + (k) / 4 * 2 + (k) % 2)

/* ---- two registers of doubles as one of floats; the lower words of doubles, in any order; floats as doubles ---- */

#if LEVEL == 512
INLINE VS to_s(VD a, VD b) {
    return (VS)_mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps((MD)a)), _mm512_cvtpd_ps((MD)b), 1);
}
INLINE VD to_d(const void *p) { return (VD)_mm512_cvtps_pd(_mm256_loadu_ps(p)); }
#elif LEVEL == 256
INLINE VS to_s(VD a, VD b) {
    return (VS)_mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps((MD)a)), _mm256_cvtpd_ps((MD)b), 1);
}
INLINE VD to_d(const void *p) { return (VD)_mm256_cvtps_pd(_mm_loadu_ps(p)); }
#elif defined(REFPOS_X86)
INLINE VS to_s(VD a, VD b) { return (VS)_mm_movelh_ps(_mm_cvtpd_ps((MD)a), _mm_cvtpd_ps((MD)b)); }
INLINE VD to_d(const void *p) { return (VD)_mm_cvtps_pd(_mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)p))); }
#else
INLINE VS to_s(VD a, VD b) { return (VS){(float)a[0], (float)a[1], (float)b[0], (float)b[1]}; }
INLINE VD to_d(const void *p) {
    float f[2];
    memcpy(f, p, 8);
    return (VD){f[0], f[1]};
}
#endif
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define LITTLE 0
INLINE VI lower_words(VD a, VD b) { return odds((VI)a, (VI)b); }
#else
#define LITTLE 1
INLINE VI lower_words(VD a, VD b) { return evens((VI)a, (VI)b); }
#endif

/* ---- 16 bits: results in the upper halves of words ---- */

/* The first and the second of two that share a word in memory, in upper halves. */
INLINE VI first_half(VI v) { return LITTLE ? v << 16 : v & 0xFFFF0000u; }
INLINE VI second_half(VI v) { return LITTLE ? v & 0xFFFF0000u : v << 16; }
/* In memory: first, second, first, second, ... */
INLINE VI pack(VI first, VI second) {
    return LITTLE ? first >> 16 | (second & 0xFFFF0000u) : (first & 0xFFFF0000u) | second >> 16;
}
/* In memory: all of a, then all of b. */
INLINE VI pack_rows(VI a, VI b) {
#if LEVEL == 512
    const MI odd = {0x0007000500030001, 0x000F000D000B0009, 0x0017001500130011, 0x001F001D001B0019,
                    0x0027002500230021, 0x002F002D002B0029, 0x0037003500330031, 0x003F003D003B0039};
    return (VI)_mm512_permutex2var_epi16((MI)a, odd, (MI)b);
#elif LEVEL == 256
    return (VI)_mm256_permute4x64_epi64(_mm256_packs_epi32((MI)((VJ)a >> 16), (MI)((VJ)b >> 16)), 0xD8);
#elif defined(REFPOS_X86)
    return (VI)_mm_packs_epi32((MI)((VJ)a >> 16), (MI)((VJ)b >> 16));
#else
    return pack(evens(a, b), odds(a, b));
#endif
}

/* ---- which lanes are sure; sizes of lanes ---- */

#define SIZE_S(v) ((VS)((VI)(v) & 0x7FFFFFFFu))
#define SIZE_D(v) ((VD)((VQ)(v) & 0x7FFFFFFFFFFFFFFFull))
#if LEVEL == 512
typedef __mmask16 SURE;
#define SURE_ALL 0xFFFF
INLINE VS smaller(VS a, VS b) { return (VS)_mm512_range_ps((MS)a, (MS)b, 10); }
INLINE VS larger(VS a, VS b) { return (VS)_mm512_range_ps((MS)a, (MS)b, 11); }
INLINE void need_bits(SURE *s, VI v, VI bits) { *s = _mm512_mask_test_epi32_mask(*s, (MI)v, (MI)bits); }
INLINE void need_zero(SURE *s, VI v, VI bits) { *s = _mm512_mask_testn_epi32_mask(*s, (MI)v, (MI)bits); }
INLINE void need_above(SURE *s, VS v, VS least) {
    *s = _mm512_mask_cmp_ps_mask(*s, (MS)v, (MS)least, _CMP_GT_OQ);
}
INLINE void need_above_d(SURE *s, VD v, VD least) {
    *s = _mm512_mask_cmp_pd_mask(*s, (MD)v, (MD)least, _CMP_GT_OQ);
}
INLINE void need_same(SURE *s, VD a, VD b) { *s = _mm512_mask_cmp_pd_mask(*s, (MD)a, (MD)b, _CMP_EQ_OQ); }
INLINE uint32_t unsure(SURE s) { return s ^ 0xFFFFu; }
INLINE uint32_t unsure_d(SURE s) { return (s & 0xFFu) ^ 0xFFu; }
#else
typedef VI SURE; /* lanes that are not sure have the sign set */
#define SURE_ALL ((VI){0})
#if defined(MM)
INLINE VS smaller(VS a, VS b) { return (VS)MM(min_ps)((MS)SIZE_S(a), (MS)SIZE_S(b)); }
INLINE VS larger(VS a, VS b) { return (VS)MM(max_ps)((MS)SIZE_S(a), (MS)SIZE_S(b)); }
INLINE uint32_t unsure(SURE s) { return MM(movemask_ps)((MS)s); }
INLINE uint32_t unsure_d(SURE s) { return MM(movemask_pd)((MD)s); }
#else
INLINE VS choose_s(VI mask, VS a, VS b) { return (VS)(((VI)a & mask) | ((VI)b & ~mask)); }
INLINE VS smaller(VS a, VS b) { return choose_s((VI)(SIZE_S(a) < SIZE_S(b)), SIZE_S(a), SIZE_S(b)); }
INLINE VS larger(VS a, VS b) { return choose_s((VI)(SIZE_S(a) > SIZE_S(b)), SIZE_S(a), SIZE_S(b)); }
INLINE uint32_t unsure(SURE s) {
    s >>= 31;
    return s[0] | s[1] << 1 | s[2] << 2 | s[3] << 3;
}
INLINE uint32_t unsure_d(SURE s) { return (uint32_t)(((VQ)s)[0] >> 63 | (((VQ)s)[1] >> 63) << 1); }
#endif
INLINE void need_bits(SURE *s, VI v, VI bits) { *s |= (VI)((v & bits) == 0); }
INLINE void need_zero(SURE *s, VI v, VI bits) { *s |= (VI)((v & bits) != 0); }
#if LEVEL == 256
INLINE void need_above(SURE *s, VS v, VS least) { *s |= (VI)_mm256_cmp_ps((MS)v, (MS)least, _CMP_NGT_UQ); }
INLINE void need_above_d(SURE *s, VD v, VD least) { *s |= (VI)_mm256_cmp_pd((MD)v, (MD)least, _CMP_NGT_UQ); }
INLINE void need_same(SURE *s, VD a, VD b) { *s |= (VI)_mm256_cmp_pd((MD)a, (MD)b, _CMP_NEQ_UQ); }
#elif defined(REFPOS_X86)
INLINE void need_above(SURE *s, VS v, VS least) { *s |= (VI)_mm_cmpngt_ps((MS)v, (MS)least); }
INLINE void need_above_d(SURE *s, VD v, VD least) { *s |= (VI)_mm_cmpngt_pd((MD)v, (MD)least); }
INLINE void need_same(SURE *s, VD a, VD b) { *s |= (VI)_mm_cmpneq_pd((MD)a, (MD)b); }
#else
INLINE void need_above(SURE *s, VS v, VS least) { *s |= ~(VI)(v > least); }
INLINE void need_above_d(SURE *s, VD v, VD least) { *s |= ~(VI)(v > least); }
INLINE void need_same(SURE *s, VD a, VD b) { *s |= ~(VI)(a == b); }
#endif
#endif

/* ---- registers past the cache to whole lines: each line is joined from the register before and this one ---- */

#if LEVEL == 512
typedef VI SHIFT;
INLINE SHIFT shift_of(int bytes) { /* lanes of (before, now) that make a line which begins so many bytes before `now` */
    VI lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return lane + 16 - (unsigned)bytes / 4;
}
INLINE VI join(VI before, VI now, SHIFT s) { return (VI)_mm512_permutex2var_epi32((MI)before, (MI)s, (MI)now); }
#else
typedef int SHIFT;
INLINE SHIFT shift_of(int bytes) { return bytes; }
INLINE VI join(VI before, VI now, SHIFT s) {
#if LEVEL == 256
    if (s) return (VI)_mm256_permute2x128_si256((MI)before, (MI)now, 0x21); /* by 16 bytes */
#endif
    return now;
}
#endif
#define SHIFTS (LEVEL == 512 ? 4 : 16) /* bytes of which the distance to the line before must be a multiple */

INLINE void past(char *line, VI v) {
#if defined(STREAM)
    STREAM((MI *)line, (MI)v);
#else
    PUT(line, v);
#endif
}

/* Where registers go that follow each other: by how many bytes they begin beyond a line. */
typedef struct {
    int off;
    SHIFT shift;
} flow;

INLINE flow flow_of(const char *begin) {
    const int off = LEVEL ? (int)((uintptr_t)begin % REG) : 0;
    return (flow){off, shift_of(off)};
}

/* By how many bytes two runs begin beyond a line, where kernels can have it as a constant (0 or SHIFTS); else -1. */
INLINE int common_off(const char *p, const char *q) {
    const int off = flow_of(p).off;
    return LEVEL == 256 && flow_of(q).off == off ? off : -1;
}

/* The register v to `to`, after the register before. */
INLINE void put(flow f, char *to, VI before, VI v) { past(to - f.off, join(before, v, f.shift)); }

/* The first one of a row; `starts`: nothing is before it. */
INLINE void put_first(flow f, char *to, VI before, VI v, int starts) {
    if (starts && f.off)
        memcpy(to, &v, REG - f.off);
    else
        put(f, to, before, v);
}

/* What is left of the last register, which ends at `end`. */
INLINE void put_rest(flow f, char *end, VI before) { memcpy(end - f.off, (const char *)&before + REG - f.off, f.off); }

/* ---- rows of results of two kinds, p and q: two runs of registers, or p and q in turn ---- */

#define LINE (64 / REG) /* registers to a line of the cache */
/* Groups that make whole lines. */
#define TOGETHER(past, interleaved) (!(past) ? 1 : (interleaved) ? (LINE > 1 ? LINE / 2 : 1) : LINE)

typedef struct {
    flow p, q;
    ptrdiff_t half;     /* bytes of a run */
    int joint, chained; /* q begins where p ends, in every row; a row where the one before ends */
    int late;           /* registers of q that share a line with the end of p: stored after that, as whole lines */
} course;

INLINE course course_of(const char *p, const char *q, ptrdiff_t half, ptrdiff_t p_row, ptrdiff_t q_row,
                        int interleaved) {
    const int joint = !interleaved && q - p == half && p_row == q_row;
    const int off = flow_of(q).off, into = (int)((uintptr_t)(q - off) % 64);
    const ptrdiff_t width = interleaved || joint ? 2 * half : half;
    const int late = !joint ? 0 : into ? (64 - into) / REG : off ? LINE : 0;
    return (course){flow_of(p), flow_of(q), half, joint, p_row == width && (interleaved || q_row == width), late};
}

typedef struct {
    VI p, q, late[LINE]; /* the last of each; the first of q */
} trail;

/* The next groups of a row: whole lines, p first. `begins`: its first groups; `first`: the first row of a chain. */
INLINE void put_groups(const course *c, trail *t, char *to_p, char *to_q, const VI *p, const VI *q, const int past,
                       const int interleaved, int begins, int first) {
    const int count = TOGETHER(past, interleaved), each = interleaved ? 2 * REG : REG;
    const int starts = first || !c->chained;
    if (!past) {
        PUT(to_p, p[0]);
        PUT(interleaved ? to_p + REG : to_q, q[0]);
        return;
    }
    if (begins)
        put_first(c->p, to_p, c->joint ? t->q : t->p, p[0], starts);
    else
        put(c->p, to_p, t->p, p[0]);
#pragma GCC unroll 4
    for (int k = 0; k < count; k++) {
        if (k) put(c->p, to_p + k * each, interleaved ? q[k - 1] : p[k - 1], p[k]);
        if (interleaved) put(c->p, to_p + k * each + REG, p[k], q[k]);
    }
    t->p = interleaved ? q[count - 1] : p[count - 1];
    const int runs = interleaved ? 0 : count; /* in the loop's own condition gcc ignores the unrolling of one turn */
#pragma GCC unroll 4
    for (int k = 0; k < runs; k++) {
        if (begins && k < c->late)
            t->late[k] = q[k];
        else if (begins && k == 0)
            put_first(c->q, to_q, t->q, q[0], starts && !c->joint);
        else
            put(c->q, to_q + k * REG, k ? q[k - 1] : t->q, q[k]);
    }
    t->q = q[count - 1];
}

/* The line in which p meets q, and that in which the row ends, if it is the last of a chain. */
INLINE void end_row(const course *c, const trail *t, char *to_p, char *to_q, const int interleaved, int last) {
    for (int k = 0; k < LINE && !interleaved; k++)
        if (k < c->late) put(c->q, to_q + k * REG, k ? t->late[k - 1] : t->p, t->late[k]);
    if (c->chained && !last) return;
    if (!c->joint) put_rest(c->p, to_p + (interleaved ? 2 : 1) * c->half, t->p);
    if (!interleaved) put_rest(c->q, to_q + c->half, t->q);
}

#endif
