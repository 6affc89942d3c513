/* The kernels for AVX-512. */
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__)) && defined(__SSE2__)
#if defined(__clang__)
#include <immintrin.h>
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c,avx512f,avx512vl,avx512dq,avx512bw"))), apply_to = function)
#else
#pragma GCC target("avx2,fma,f16c,avx512f,avx512vl,avx512dq,avx512bw,prefer-vector-width=512")
#endif
#define LEVEL 512
#define SET refpos_avx512
#define NAME_OF_SET "avx512"
#include "vectors.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
