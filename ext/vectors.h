/* The row kernels for one instruction set: the text that baseline.c, avx2.c and avx512.c compile. */
#include "rows.h"

#if REFPOS_LANES

#include "registers.h"
#include "seeds.h"
#include "tables.h"
#include "written.h"

/* ---- copies past the cache, of what is in the cache ---- */

static void copy(char *to, const char *from, ptrdiff_t bytes) {
#if defined(REFPOS_X86)
    const ptrdiff_t size = LEVEL == 512 ? 64 : LEVEL == 256 ? 32 : 16;
    ptrdiff_t head = (ptrdiff_t)(-(size_t)to % size);
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


/* ---- rotations: lanes.h has its own types, and names that end in the instruction set ---- */

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


#if defined(REFPOS_X86)
enum { WIDTH = W, REGISTER = 64 };
#else
enum { WIDTH = W, REGISTER = 0 };
#endif
#undef W
#if LEVEL == 512
#define W 8
#else
#define W 4
#endif
#define NAME(x) x##_old
#undef PUT
#undef SHUFFLE
#if defined(__clang__)
#define SHUFFLE(a, b, type, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(a, b, type, ...) __builtin_shuffle(a, b, (type){__VA_ARGS__})
#endif
#include "lanes.h"

const refpos_rows SET = {NAME_OF_SET, WIDTH, REGISTER, SHIFTS, LEVEL != 0,
                         {sum_f64, sum_f32, sum_f16, sum_b16},
                         {rotate_f64_old, rotate_f32_old, rotate_f16_old, rotate_b16_old},
                         seed_doubles, seed_pairs, add, copy, products};

#endif
