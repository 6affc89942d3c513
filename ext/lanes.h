/* The row kernels for one instruction set: included once for each, with W lanes of double, LEVEL (0, 256, 512) and
   NAME(x). Vectors are the compiler's own; an instruction is named only where the compiler finds no good one. All
   arithmetic is IEEE + - * and conversions, so every instruction set gives the same bits. */

typedef double NAME(vd) __attribute__((vector_size(8 * W)));
typedef double NAME(ud) __attribute__((vector_size(8 * W), aligned(8), may_alias));
typedef float NAME(vf) __attribute__((vector_size(4 * W)));
typedef unsigned long long NAME(vq) __attribute__((vector_size(8 * W)));
typedef unsigned long long NAME(uq) __attribute__((vector_size(8 * W), aligned(8), may_alias));
typedef unsigned int NAME(vi) __attribute__((vector_size(4 * W)));
typedef unsigned int NAME(ui) __attribute__((vector_size(4 * W), aligned(2), may_alias));
typedef unsigned short NAME(vh) __attribute__((vector_size(2 * W)));
typedef unsigned short NAME(uh) __attribute__((vector_size(2 * W), aligned(2), may_alias));
#define VD NAME(vd)
#define VF NAME(vf)
#define VQ NAME(vq)
#define VI NAME(vi)
#define VH NAME(vh)
#define LOAD(p) (*(const NAME(ud) *)(p))
#define LOAD_Q(p) (*(const NAME(uq) *)(p))
#define TO_F(v) __builtin_convertvector(v, VF)
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

/* ---- which lanes pass several tests ---- */

#if LEVEL == 512
typedef __mmask8 NAME(passed);
static inline __mmask8 NAME(all_pass)(void) { return 0xFF; }
static inline int NAME(fails)(__mmask8 p) { return p != 0xFF; }
static inline void NAME(pass_bits_q)(__mmask8 *p, VQ v, VQ bits) {
    *p = _mm512_mask_test_epi64_mask(*p, (__m512i)v, (__m512i)bits);
}
static inline void NAME(pass_bits)(__mmask8 *p, VI v, VI bits) {
    *p = _mm256_mask_test_epi32_mask(*p, (__m256i)v, (__m256i)bits);
}
static inline void NAME(pass_at_least)(__mmask8 *p, VI v, VI least) {
    *p = _mm256_mask_cmpge_epi32_mask(*p, (__m256i)v, (__m256i)least);
}
#else
/* Lanes that do not pass have the sign set in q or i (by subtraction, for lack of comparisons) or bits in `differ`. */
typedef struct { VQ q; VI i, differ; } NAME(passed);
static inline NAME(passed) NAME(all_pass)(void) { return (NAME(passed)){{0}, {0}, {0}}; }
static inline int NAME(fails)(NAME(passed) p) {
#if LEVEL == 256
    return _mm256_movemask_pd((__m256d)p.q) | _mm_movemask_ps((__m128)p.i) |
           !_mm_testz_si128((__m128i)p.differ, (__m128i)p.differ);
#elif defined(REFPOS_X86)
    __m128d q[2];
    memcpy(q, &p.q, sizeof q);
    return _mm_movemask_pd(_mm_or_pd(q[0], q[1])) | _mm_movemask_ps((__m128)p.i) |
           (_mm_movemask_epi8(_mm_cmpeq_epi32((__m128i)p.differ, _mm_setzero_si128())) ^ 0xFFFF);
#else
    unsigned long long all = 0, differ = 0;
    for (int k = 0; k < W; k++) all |= p.q[k] | (unsigned long long)p.i[k] << 32, differ |= p.differ[k];
    return (all >> 63 | differ) != 0;
#endif
}
static inline void NAME(pass_equal)(NAME(passed) *p, VI a, VI b) { p->differ |= a ^ b; }
static inline void NAME(pass_bits_q)(NAME(passed) *p, VQ v, VQ bits) { p->q |= (v & bits) - 1; } /* below 2**63 */
static inline void NAME(pass_bits)(NAME(passed) *p, VI v, VI bits) { p->i |= (v & bits) - 1; }   /* below 2**31 */
static inline void NAME(pass_at_least)(NAME(passed) *p, VI v, VI least) { p->i |= v - least; }   /* both below 2**31 */
#endif
#define PASSED NAME(passed)

/* Keeps a constant in a register, where compilers would make it anew for every group. */
#if LEVEL == 512
#define IN_REGISTER(v) __asm__("" : "+v"(v))
#elif LEVEL == 256
#define IN_REGISTER(v) __asm__("" : "+x"(v))
#else
#define IN_REGISTER(v)
#endif

/* ---- conversions for which gcc 12 takes halves apart and joins them ---- */

static inline VD NAME(to_d)(VF v) {
#if LEVEL == 512
    return (VD)_mm512_cvtps_pd((__m256)v);
#else
    return __builtin_convertvector(v, VD);
#endif
}

static inline VI NAME(extend)(VH h) {
#if LEVEL == 512
    return (VI)_mm256_cvtepu16_epi32((__m128i)h);
#else
    return __builtin_convertvector(h, VI);
#endif
}

static inline VH NAME(truncate)(VI v) {
#if LEVEL == 512
    return (VH)_mm256_cvtepi32_epi16((__m256i)v);
#else
    return __builtin_convertvector(v, VH);
#endif
}

#define PUT(to, v) (*(NAME(ui) *)(to) = (v))
#define PUT_16(to, v) (*(NAME(uh) *)(to) = NAME(truncate)(v)) /* the lower halves of the lanes */
#define PUT_D(to, v) (*(NAME(ud) *)(to) = (v))

#include "narrow.h"
#include "wide.h"

#undef VD
#undef VF
#undef VQ
#undef VI
#undef VH
#undef LOAD
#undef LOAD_Q
#undef TO_F
#undef PUT
#undef PUT_16
#undef PUT_D
#undef PASSED
#undef IN_REGISTER
#undef EVENS
#undef ODDS
#undef LOWER
#undef UPPER
