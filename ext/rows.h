/* The row kernels, compiled once for each instruction set from the same text, and a table of them for each.

   A row is one position: columns from tables (cos, sin or their pairs) and, for rotations, as many pairs of channels.
   Columns come with unit stride, or interleaved; rows have any stride. lanes.h has what vectors share, seeds.h what is
   not yet rounded, narrow.h the formats of 32 and 16 bits, wide.h float64, written.h sums of products. */
#ifndef REFPOS_ROWS_H
#define REFPOS_ROWS_H

#include "floatcheck.h" /* first: it switches contraction off */
#include <stddef.h>
#include <string.h>

#if defined(__GNUC__)
#define REFPOS_LANES 1
#if (defined(__x86_64__) || defined(__i386__)) && defined(__SSE2__)
#define REFPOS_X86 1
#include <cpuid.h>
#include <immintrin.h>
#endif
#else
#define REFPOS_LANES 0
#endif

enum { FLOAT64, FLOAT32, FLOAT16, BFLOAT16 };

/* Rows of a table, one anchor's: the seeds of the anchor, those of the steps to each row, and where rows go. */
typedef struct {
    const double *anchor, *steps;                  /* planes: cosine, sine, or cosine high, low, sine high, low */
    const float *anchor_singles, *step_singles;    /* the same rounded to float, for bfloat16; or NULL */
    ptrdiff_t anchor_plane, step_plane, step_row;       /* doubles from one plane, one row, to the next */
    char *cos, *sin;                               /* the first column of each */
    ptrdiff_t cos_row, sin_row;                         /* bytes from one row to the next */
    int interleaved;                               /* sine, cosine, sine, ... */
    ptrdiff_t rows, columns;
    double radius;
    long long flat, flat_row,
        *undecided;               /* index of the first column, from row to row; undecided entries */
} refpos_sums;

/* Rows of pairs of channels, and where they go, which may be the same place. */
typedef struct {
    const double *table;                           /* planes as above, of each row (or of all: table_row 0) */
    const float *singles;                          /* the same in float, for float16 in two floats; or NULL */
    ptrdiff_t table_plane, table_row;
    const char *first, *second;
    char *to_first, *to_second;
    ptrdiff_t row, to_row;                              /* bytes from one row to the next */
    int interleaved;
    ptrdiff_t rows, columns, ahead;                     /* ahead: bytes from a channel to one that comes soon */
    double radius;
    long long flat, flat_row, *undecided;
} refpos_rotations;

/* A kernel writes all its rows and returns how many indices it wrote to `undecided`, which has room for all; undecided
   pairs of channels keep their values. */
typedef struct {
    const char *name;
    ptrdiff_t width; /* columns that seeds need; fewer are left to scalar code */
    int singles;     /* whether 16-bit formats are computed in float first */
    ptrdiff_t (*sum[4])(const refpos_sums *); /* by format */
    ptrdiff_t (*rotate[4])(const refpos_rotations *);
    void (*seed_doubles)(const unsigned long long *const phases[5], unsigned long long size, int negative, double *cos,
                         double *sin, ptrdiff_t count);
    void (*seed_pairs)(const unsigned long long *const phases[5], unsigned long long size, int negative,
                       const double *const knots[4], double *const out[4], ptrdiff_t count);
    void (*add)(const double *a, ptrdiff_t a_plane, const double *b, ptrdiff_t b_plane, double sign, double *out,
                ptrdiff_t out_plane, ptrdiff_t count);
    void (*copy)(char *to, const char *from, ptrdiff_t bytes);
    ptrdiff_t (*products)(const double *a, const double *b, double *out, ptrdiff_t rows, ptrdiff_t depth,
                          ptrdiff_t columns);
} refpos_rows;

#if REFPOS_LANES

/* Sums and rotations in float32 are off by less than this times the radius of those in double, and those of two floats
   by less than 5 patterns where they are no smaller than that (docs/numbers.md). */
#define SUM_SINGLE 0x1.4p27
#define ROTATE_SINGLE 0x1p26
#define ROTATE_SPLIT 0x1p37

/* so that formats and layouts are constants in the loops */
#define ALWAYS static inline __attribute__((always_inline))

static inline void prefetch(const void *p) { __builtin_prefetch(p); }

/* Writes the indices of the lanes whose bit is set; the new count. */
static __attribute__((noinline, cold)) ptrdiff_t list_undecided(unsigned bits, long long flat, long long *undecided,
                                                            ptrdiff_t count) {
    for (int k = 0; bits >> k; k++)
        if (bits >> k & 1) undecided[count++] = flat + k;
    return count;
}

#if defined(__clang__)
#define SHUFFLE(a, b, type, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(a, b, type, ...) __builtin_shuffle(a, b, (type){__VA_ARGS__})
#endif

#define ROWS(suffix) {#suffix, W_##suffix, SINGLES_##suffix, \
                      {sum_f64_##suffix, sum_f32_##suffix, sum_f16_##suffix, sum_b16_##suffix}, \
                      {rotate_f64_##suffix, rotate_f32_##suffix, rotate_f16_##suffix, rotate_b16_##suffix}, \
                      seed_doubles_##suffix, seed_pairs_##suffix, add_##suffix, copy_##suffix, products_##suffix}

#define W 4
#define LEVEL 0
#define NAME(x) x##_baseline
#include "lanes.h"
#undef W
#undef LEVEL
#undef NAME
enum { W_baseline = 4, W_avx2 = 4, W_avx512 = 8 };
enum { SINGLES_baseline = 0, SINGLES_avx2 = 1, SINGLES_avx512 = 1 };

#if defined(REFPOS_X86)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,f16c"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,f16c")
#endif
#define W 4
#define LEVEL 256
#define NAME(x) x##_avx2
#include "lanes.h"
#undef W
#undef LEVEL
#undef NAME
#if defined(__clang__)
#pragma clang attribute pop
#pragma clang attribute push(__attribute__((target("f16c,avx512f,avx512vl,avx512dq,avx512bw"))), apply_to = function)
#else
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("f16c,avx512f,avx512vl,avx512dq,avx512bw,prefer-vector-width=512")
#endif
#define W 8
#define LEVEL 512
#define NAME(x) x##_avx512
#include "lanes.h"
#undef W
#undef LEVEL
#undef NAME
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

static const refpos_rows refpos_rows_table[] = {
    ROWS(baseline),
#if defined(REFPOS_X86)
    ROWS(avx2), ROWS(avx512),
#endif
};

/* How many of the table this machine runs: each entry includes the ones before it. */
static int refpos_rows_count(void) {
#if defined(REFPOS_X86)
    unsigned a, b, c = 0, d;
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_F16C)) return 1;
    if (!(__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")))
        return 2;
    return 3;
#else
    return 1;
#endif
}

/* Ends the streaming stores of this thread: their results are visible to others afterwards. */
static inline void refpos_fence(void) {
#if defined(REFPOS_X86)
    _mm_sfence();
#endif
}

#else /* a compiler without vectors of its own: scalar code does every row */

static const refpos_rows refpos_rows_table[] = {{"baseline", 1L << 30, 0, {0}, {0}, 0, 0, 0, 0, 0}};
static int refpos_rows_count(void) { return 1; }
static inline void refpos_fence(void) {}

#endif
#endif
