/* The kernels for AVX2 and FMA. */
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__)) && defined(__SSE2__)
#if defined(__clang__)
#include <immintrin.h>
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)
#else
#pragma GCC target("avx2,fma,f16c")
#endif
#define LEVEL 256
#define SET refpos_avx2
#define NAME_OF_SET "avx2"
#include "vectors.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
