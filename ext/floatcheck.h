/* What the kernels' proofs need of floating point: double arithmetic rounded once, to nearest even, nothing flushed.

   Operands are read from volatile memory, so no compiler can work a check out in advance; what is done with them is
   ordinary arithmetic, so whatever the build does to the kernels it does to the checks. Both functions return what is
   wrong as a sentence, or NULL. */
#ifndef REFPOS_FLOATCHECK_H
#define REFPOS_FLOATCHECK_H

#include <float.h>
#include <stddef.h>

/* These stop the build, which then goes on without kernels; what only shows when it runs, the checks below find. */
#if (defined(__GNUC__) && (FLT_EVAL_METHOD < 0 || FLT_EVAL_METHOD == 2)) || (defined(_M_IX86_FP) && _M_IX86_FP < 2)
#error "doubles must be computed as doubles, got wider registers (x87): compile with -msse2 -mfpmath=sse or /arch:SSE2"
#endif

/* gcc has an option for this and no pragma */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(_MSC_VER)
#pragma fp_contract(off)
#endif

#if defined(_M_X64) || defined(_M_IX86) || defined(__SSE2__)
#include <xmmintrin.h>
#endif

/* What loading a module may leave behind in the calling thread (crtfastm.o, which gcc links for fast-math), undone. */
static inline void refpos_float_restore(void) {
#if defined(_M_X64) || defined(_M_IX86) || defined(__SSE2__)
    _mm_setcsr(_mm_getcsr() & ~0xE040u); /* flush-to-zero, rounding, denormals-are-zero */
#elif defined(__aarch64__) && defined(__GNUC__)
    unsigned long long state;
    __asm__ volatile("mrs %0, fpcr" : "=r"(state));
    state &= ~(15ull << 22); /* rounding, flush-to-zero, default NaNs */
    __asm__ volatile("msr fpcr, %0" : : "r"(state));
#endif
}

static volatile double refpos_one = 1.0, refpos_half = 0.5, refpos_one_and_half = 1.5;
static volatile double refpos_next = 1.0 + 0x1p-52;      /* the next double after 1 */
static volatile double refpos_tiny = 0x1p-60;          /* lost when added to 1, unless a register keeps 64 bits */
static volatile double refpos_over_half = 0x1p-53 + 0x1p-70; /* rounds 1 up, unless rounded to 64 bits first */
static volatile double refpos_smallest = 0x1p-1074, refpos_smallest_normal = 0x1p-1022, refpos_scale = 0x1p+1000;
static volatile double refpos_float_step = 0x1p-149;
static volatile float refpos_smallest_float = 0x1p-149f;

/* The state of the calling thread, which other code may change at any time. */
static inline const char *refpos_float_state(void) {
    double next = refpos_next, one_and_half = refpos_one_and_half;
    volatile double above = next * one_and_half, below = -next * one_and_half; /* ties, to even away from zero */
    if (refpos_smallest * refpos_scale != 0x1p-74 || (double)refpos_smallest_float != 0x1p-149)
        return "subnormal numbers are read as zero (denormals-are-zero)";
    if (refpos_smallest_normal * refpos_half != 0x1p-1023 || (float)refpos_float_step != 0x1p-149f)
        return "subnormal results become zero (flush-to-zero)";
    if (above != 1.5 + 0x1p-51 || below != -1.5 - 0x1p-51)
        return "rounding is not to nearest even";
    return NULL;
}

/* Whether a product and a sum become one operation. This product has no other use: a compiler contracts it wherever it
   may. Wider instruction sets that rows are compiled for have such an operation even where the plainest has none. */
static inline int refpos_contracts(void) {
    double next = refpos_next;
    return next * next - (1.0 + 0x1p-51) != 0.0;
}

#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
__attribute__((target("fma"))) static inline int refpos_contracts_wide(void) {
    double next = refpos_next;
    return next * next - (1.0 + 0x1p-51) != 0.0;
}
#define REFPOS_CONTRACTS_WIDE (__builtin_cpu_supports("fma") && refpos_contracts_wide())
#else
#define REFPOS_CONTRACTS_WIDE 0
#endif

/* That, and how this very code was compiled. */
static inline const char *refpos_float_fault(void) {
    double one = refpos_one;
    volatile double product = refpos_next * refpos_next, once = one + refpos_over_half;
    const char *state = refpos_float_state();
    if (state != NULL)
        return state;
    if (refpos_contracts() || REFPOS_CONTRACTS_WIDE)
        return "a product and a sum are contracted into one operation (fused multiply-add)";
    if ((one + refpos_tiny) - one != 0.0 || product != 1.0 + 0x1p-51 || once != 1.0 + 0x1p-52)
        return "sums keep more bits than a double has (x87) or are reordered (fast-math)";
#if defined(__FAST_MATH__) || defined(_M_FP_FAST)
    return "compiled with fast-math";
#else
    return NULL;
#endif
}

#endif
