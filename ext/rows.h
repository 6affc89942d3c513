/* The row kernels, compiled once for each instruction set from the same text, and a table of them for each.

   A row is one position: `count` columns from tables (cos, sin or their pairs) and, for rotations, that many pairs of
   channels. Rows come with unit stride, or interleaved. A row kernel stores every column; what it returns tells where
   the rounding was not certain: anywhere in the row (f32, f64), or in the columns it lists (16 bits). */
#ifndef REFPOS_ROWS_H
#define REFPOS_ROWS_H

#include <stddef.h>
#include <string.h>

#if defined(__GNUC__)
#define REFPOS_LANES 1
#if (defined(__x86_64__) || defined(__i386__)) && defined(__SSE2__)
#define REFPOS_X86 1
#include <immintrin.h>
#endif
#else
#define REFPOS_LANES 0
#endif

/* Rows of a table: cosines and sines in plain double, in float, or as pairs high + low. */
typedef struct { const double *cos, *sin; } planes_2;
typedef struct { const float *cos, *sin; } floats_2;
typedef struct { const double *cos1, *cos0, *sin1, *sin0; } planes_4;

typedef struct {
    const char *name;
    long width; /* columns at a time; shorter rows are left to scalar code */
    int (*table_f32)(planes_2 a, planes_2 b, float *cos, float *sin, int interleaved, long count, double radius,
                     int stream);
    int (*table_f64)(planes_4 a, planes_4 b, double *cos, double *sin, int interleaved, long count, double radius,
                     int stream);
    long (*table_16)(floats_2 a, floats_2 b, unsigned short *cos, unsigned short *sin, int interleaved, long count,
                     int half_type, int *again);
    int (*rotate_f32)(const float *first, const float *second, float *to_first, float *to_second, planes_2 table,
                      int interleaved, long count, double radius, int stream);
    int (*rotate_f64)(const double *first, const double *second, double *to_first, double *to_second, planes_4 table,
                      int interleaved, long count, double radius, int stream);
    long (*rotate_16)(const unsigned short *first, const unsigned short *second, unsigned short *to_first,
                      unsigned short *to_second, floats_2 table, int interleaved, long count, int half_type,
                      int *again);
    void (*direct)(const unsigned long long *const phases[5], unsigned long long size, int negative, double *cos,
                   double *sin,
                   long count);
    void (*seed)(const unsigned long long *const phases[5], unsigned long long size, int negative,
                 const double *const knots[4],
                 double *const out[4], long count);
    void (*add)(planes_2 a, planes_2 b, double sign, double *cos, double *sin, long count);
    void (*copy)(char *to, const char *from, long bytes);
} refpos_rows;

static inline void refpos_prefetch(const void *p, long bytes) {
#if REFPOS_LANES
    for (long k = 0; k < bytes; k += 64) __builtin_prefetch((const char *)p + k);
#endif
}

#if REFPOS_LANES

#if defined(__clang__)
#define SHUFFLE(a, b, type, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(a, b, type, ...) __builtin_shuffle(a, b, (type){__VA_ARGS__})
#endif

/* Columns of `gap` bytes until p is aligned to `bytes`; -1 where it never is. */
static inline long columns_to_alignment(const void *p, long bytes, long gap) {
    long missing = (long)(-(size_t)p % bytes);
    return missing % gap ? -1 : missing / gap;
}

static inline int aligned_alike(const void *p, const void *q, long bytes) {
    return ((size_t)p - (size_t)q) % bytes == 0;
}

#define ROWS(suffix) {#suffix, W_##suffix, table_f32_##suffix, table_f64_##suffix, table_16_##suffix, \
                      rotate_f32_##suffix, rotate_f64_##suffix, rotate_16_##suffix, direct_##suffix, seed_##suffix, \
                      add_##suffix, copy_##suffix}

#define W 4
#define LEVEL 0
#define NAME(x) x##_baseline
#include "lanes.h"
#undef W
#undef LEVEL
#undef NAME
enum { W_baseline = 4, W_avx2 = 4, W_avx512 = 8 };

#if defined(REFPOS_X86)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
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
#pragma clang attribute push(__attribute__((target("avx512f,avx512vl,avx512dq,avx512bw"))), apply_to = function)
#else
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx512f,avx512vl,avx512dq,avx512bw,prefer-vector-width=512")
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
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2")) return 1;
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

static const refpos_rows refpos_rows_table[] = {{"baseline", 1L << 30, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};
static int refpos_rows_count(void) { return 1; }
static inline void refpos_fence(void) {}

#endif
#endif
