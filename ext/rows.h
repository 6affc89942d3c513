/* What the row kernels receive, and the table of them for each instruction set.

   A row is one position: columns from tables (cos, sin or their pairs) and, for rotations, as many pairs of channels.
   Columns come with unit stride, or interleaved; rows have any stride. */
#ifndef REFPOS_ROWS_H
#define REFPOS_ROWS_H

#include "floatcheck.h" /* first: it switches contraction off */
#include <stddef.h>
#include <stdint.h>
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
enum { KNOTS = 2048 }; /* planes of pairs as above, and then cosines and sines in turn, as doubles */

/* Here and not in compiled.pyx: Cython writes a power as a call of pow. */
#define TWO_51 0x1p-51
/* Absolute error radii within which no product of channels overflows or loses bits to underflow: |x| + |y| times the
   power of two of the factor is then from 2**-900 to 2**1020 in float64. */
#define SMALLEST_ERROR_RADIUS 0x1p-974
#define LARGEST_ERROR_RADIUS 0x1p946
/* Error radii of rotations of 16 bits for factors with which floats neither overflow nor lose bits. */
#define SMALLEST_RADIUS 0x1p-88
#define LARGEST_RADIUS 0x1p-34

/* Rows of a table, those of one anchor or of two: the seeds of the anchors, of the steps to each row, and the places of
   the rows. */
typedef struct {
    const double *anchor[2], *steps;               /* planes: cosine, sine, or cosine high, low, sine high, low */
    const unsigned long long *phases[5];           /* of rows that are anchors each: the first column's limbs */
    const long long *multipliers;                  /* of these rows; NULL where rows are sums */
    const double *knots, *scaled;                  /* scaled: the last plane times the factor, which steps have */
    double *places;                                /* room for a row: an angle, in float64 two planes, and a knot */
    const float *anchor_singles[2], *step_singles; /* for bfloat16: the same rounded to float */
    ptrdiff_t anchor_plane, step_plane, step_row;  /* numbers from one plane, one row, to the next */
    char *cos, *sin;                               /* the first column of each */
    ptrdiff_t cos_row, sin_row;                    /* bytes from one row to the next */
    int interleaved;                               /* sine, cosine, sine, ... */
    int past;                                      /* past the cache: `line` and `shifts` say where that may be */
    ptrdiff_t anchors, next, rows, columns, valid; /* next: rows from anchor to anchor; valid: wanted columns */
    double radius;
    long long flat, flat_row, *undecided;          /* index of the first column, from row to row; undecided entries */
    ptrdiff_t room;                                /* of `undecided` */
} refpos_sums;

/* Rows of pairs of channels, and where they go, which may be the same place. */
typedef struct {
    const double *table; /* planes as above, of each row (or of all: table_row 0) */
    const void *ready;   /* the same as `spread` leaves it; in float64 and float32 not interleaved: the same */
    ptrdiff_t table_plane, table_row;
    const char *first, *second;
    char *to_first, *to_second;
    ptrdiff_t row, to_row;           /* bytes from one row to the next */
    int interleaved, past;           /* past: to lines past the cache, as above */
    ptrdiff_t rows, columns, ahead;  /* ahead: bytes from a channel to one that comes soon */
    double radius, within;           /* times |x| + |y|; that is at most `within` times the larger result */
    long long flat, flat_row, *undecided;
} refpos_rotations;

/* A kernel writes all its rows and returns how many entries are undecided, of which it lists those that find room;
   undecided pairs of channels keep their values. */
typedef struct {
    const char *name;
    ptrdiff_t width;        /* columns that seeds need; fewer are left to scalar code */
    ptrdiff_t line, shifts; /* bytes of a register, 0: no stores past the cache; bytes at which its results may begin */
    ptrdiff_t (*sum[4])(const refpos_sums *); /* by format */
    ptrdiff_t (*rotate[4])(const refpos_rotations *);
    void (*spread)(const double *table, ptrdiff_t plane, ptrdiff_t count, int format, int interleaved, void *out);
    void (*seed_doubles)(const unsigned long long *const phases[5], unsigned long long size, int negative,
                         const double *knots, double *cos, double *sin, ptrdiff_t count);
    void (*seed_pairs)(const unsigned long long *const phases[5], unsigned long long size, int negative,
                       const double *const knots[4], double *const out[4], ptrdiff_t count);
    void (*add)(const double *a, ptrdiff_t a_plane, const double *b, ptrdiff_t b_plane, double sign, double *out,
                ptrdiff_t out_plane, ptrdiff_t count);
    void (*copy)(char *to, const char *from, ptrdiff_t bytes);
    ptrdiff_t (*products)(const double *a, const double *b, double *out, ptrdiff_t rows, ptrdiff_t depth,
                          ptrdiff_t columns);
    int (*split)(const void *values, int format, ptrdiff_t count, const double *rounders, double limit,
                 long long *parts);
    void (*round_sums)(const long long *sums, ptrdiff_t count, int shift, const double *units, void *out, int format);
} refpos_rows;

/* The pattern of v rounded once to 16 bits, of that precision and with that exponent of the smallest subnormal. */
static inline uint16_t refpos_narrow_16(double v, int precision, int lowest) {
    uint64_t pattern, kept;
    memcpy(&pattern, &v, 8);
    const uint64_t magnitude = pattern & 0x7FFFFFFFFFFFFFFFull, sign = pattern >> 48 & 0x8000;
    const int drop = 53 - precision;
    const uint64_t smallest = 1023 + lowest + precision - 1; /* exponent of the smallest normal result, in a double */
    const uint64_t infinity = (1u << 15) - (1u << (precision - 1));
    if (magnitude > 0x7FF0000000000000ull) return (uint16_t)(infinity | 1u << (precision - 2));
    if (magnitude < smallest << 52) {
        /* the sum rounds to a multiple of the smallest subnormal, which is the last bit of the anchor */
        const uint64_t anchor = (uint64_t)(1023 + lowest + 52) << 52;
        double size, sum;
        memcpy(&size, &magnitude, 8);
        memcpy(&sum, &anchor, 8);
        sum += size;
        memcpy(&kept, &sum, 8);
        return (uint16_t)(sign | (kept - anchor));
    }
    kept = (magnitude + ((1ull << (drop - 1)) - 1) + (magnitude >> drop & 1)) >> drop;
    kept -= (smallest - 1) << (precision - 1);
    return (uint16_t)(sign | (kept < infinity ? kept : infinity));
}
#define refpos_narrow(v, format) refpos_narrow_16(v, (format) == FLOAT16 ? 11 : 8, (format) == FLOAT16 ? -24 : -133)

#if REFPOS_LANES

/* Sums and rotations in float32 are off by less than this times the radius of those in double, and those of two floats
   by less than 4 patterns where they are no smaller than that (docs/numbers.md). */
#define SUM_FUSED 0x1.8p26
#define SUM_SINGLE 0x1p27
#define ROTATE_FUSED 0x1p26
#define ROTATE_SINGLE 0x1.4p26
#define ROTATE_SPLIT 0x1p37

/* baseline.c, avx2.c and avx512.c compile the same text, vectors.h */
extern __attribute__((visibility("hidden"))) const refpos_rows refpos_baseline, refpos_avx2, refpos_avx512;
static const refpos_rows *const refpos_rows_table[] = {
    &refpos_baseline,
#if defined(REFPOS_X86)
    &refpos_avx2, &refpos_avx512,
#endif
};

/* How many of the table this machine runs: each entry includes the ones before it. */
static inline int refpos_rows_count(void) {
#if defined(REFPOS_X86)
    unsigned a, b, c = 0, d;
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__get_cpuid(1, &a, &b, &c, &d) ||
        !(c & bit_F16C))
        return 1;
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

static const refpos_rows refpos_scalar = {.name = "baseline", .width = 1L << 30};
static const refpos_rows *const refpos_rows_table[] = {&refpos_scalar};
static inline int refpos_rows_count(void) { return 1; }
static inline void refpos_fence(void) {}

#endif
#endif
