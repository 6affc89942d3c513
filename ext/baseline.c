/* The kernels for what every machine of a kind has: SSE2 on x86. */
#define LEVEL 0
#define SET refpos_baseline
#define NAME_OF_SET "baseline"
#include "vectors.h"
