/* The row kernels for one instruction set: the text that baseline.c, avx2.c and avx512.c compile. */
#include "rows.h"

#if REFPOS_LANES

#include "registers.h"
#include "seeds.h"
#include "tables.h"
#include "rotations.h"
#include "written.h"
#include "scatter.h"

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

#if defined(REFPOS_X86)
enum { REGISTER = 64 };
#else
enum { REGISTER = 0 };
#endif

const refpos_rows SET = {NAME_OF_SET, W, REGISTER, SHIFTS,
                         {sum_f64, sum_f32, sum_f16, sum_b16},
                         {rotate_f64, rotate_f32, rotate_f16, rotate_b16},
                         spread, seed_doubles, seed_pairs, add, copy, products, split, round_sums};

#endif
