/* Numbers cut into two integers each, whose sums are exact: h = x / unit rounded, and what is left of x in a smaller
   unit. A rounder r is 1.5 * 2**52 units, so that in x + r the last bit is one unit: the patterns of x + r and r
   differ by h. */

/* W numbers of a format as doubles; float16 infinities and NaN become numbers of 2**16 and more. */
INLINE VD numbers_at(const char *p, ptrdiff_t i, const int format) {
    uint32_t words[W];
    if (format == FLOAT64) return LOADD((const double *)p + i);
    if (format == FLOAT32) return to_d((const float *)p + i);
    for (int k = 0; k < W; k++) {
        const uint32_t half = ((const uint16_t *)p)[i + k];
        words[k] = format == BFLOAT16 ? half << 16 : (half & 0x8000u) << 16 | (half & 0x7FFFu) << 13;
    }
    return format == FLOAT16 ? to_d(words) * 0x1p112 : to_d(words);
}

INLINE int split_as(const char *values, ptrdiff_t count, const double *rounders, double limit, long long *parts,
                    const int format) {
    const VD first = ALL(VD, rounders[0]), second = ALL(VD, rounders[1]), most = ALL(VD, limit);
    VQ other = {0};
    for (ptrdiff_t i = 0; i < count; i += W) {
        const VD x = numbers_at(values, i, format), high = x + first, y = x - (high - first);
        const VD low = y + second, rest = y - (low - second);
        const VD h = (VD)((VQ)high - (VQ)first), l = (VD)((VQ)low - (VQ)second);
        other |= (VQ)(rest != (VD){0}) | ~(VQ)(SIZE_D(x) < most);
        *(loose_i *)(parts + 2 * i) = zip_low_d(h, l);
        *(loose_i *)(parts + 2 * i + W) = zip_high_d(h, l);
    }
    uint64_t any = 0;
    for (int k = 0; k < W; k++) any |= other[k];
    return !any;
}

/* parts (count, 2) of numbers, a multiple of W; whether all are smaller than the limit and nothing is left of them. */
static int split(const void *values, int format, ptrdiff_t count, const double *rounders, double limit,
                 long long *parts) {
    switch (format) {
        case FLOAT64: return split_as(values, count, rounders, limit, parts, FLOAT64);
        case FLOAT32: return split_as(values, count, rounders, limit, parts, FLOAT32);
        case FLOAT16: return split_as(values, count, rounders, limit < 0x1p16 ? limit : 0x1p16, parts, FLOAT16);
        default: return split_as(values, count, rounders, limit, parts, BFLOAT16);
    }
}

/* ---- these sums, rounded once ---- */

typedef int64_t VL __attribute__((vector_size(REG)));
#if W == 8
#define FIRST_OF_PAIRS 0, 2, 4, 6, 8, 10, 12, 14
#define SECOND_OF_PAIRS 1, 3, 5, 7, 9, 11, 13, 15
#elif W == 4
#define FIRST_OF_PAIRS 0, 2, 4, 6
#define SECOND_OF_PAIRS 1, 3, 5, 7
#else
#define FIRST_OF_PAIRS 0, 2
#define SECOND_OF_PAIRS 1, 3
#endif

/* W sums of the pairs at p: a double, and what it is off by, exactly. */
INLINE VD total_of(const long long *p, int shift, VD first, VD second, VD *rest) {
    const VQ a = LOADQ(p), b = LOADQ(p + W);
    VL high = (VL)SHUFFLE(a, b, VQ, FIRST_OF_PAIRS), low = (VL)SHUFFLE(a, b, VQ, SECOND_OF_PAIRS);
    const VL carried = (low + ((int64_t)1 << shift >> 1)) >> shift;
    high += carried;
    const VD rounded = __builtin_convertvector(high, VD);
    /* at most 10 bits are cut from the first integer: with those of the second they fit into a double */
    low += (VL)((VQ)(high - __builtin_convertvector(rounded, VL) - carried) << shift);
    const VD large = rounded * first, small = __builtin_convertvector(low, VD) * second;
    const VD total = large + small, back = total - large;
    *rest = (large - (total - back)) + (small - back);
    return total;
}

/* A double that can be rounded again: its last bit is 1 where the sum is not exact. */
INLINE VD to_odd(VD total, VD rest) {
    const VL even = (VL)((VQ)total & 1) - 1, cut = (VL)(rest != (VD){0}) & even;
    const VL away = (VL)((VQ)total ^ (VQ)rest) >> 63; /* -1: towards 0 */
    return (VD)((VL)total + (cut & (away | 1)));
}

/* refpos_narrow_16 of finite numbers, in the lower words. */
INLINE VQ narrow_16(VD x, const int precision, const int lowest) {
    const int drop = 53 - precision;
    const uint64_t smallest = 1023 + lowest + precision - 1, infinity = (1u << 15) - (1u << (precision - 1));
    const VQ size = (VQ)SIZE_D(x), anchor = ALL(VQ, (uint64_t)(1023 + lowest + 52) << 52);
    const VQ few = (VQ)((VD)size + (VD)anchor) - anchor;
    const uint64_t below_half = ((uint64_t)1 << (drop - 1)) - 1;
    VQ kept = (size + below_half + (size >> drop & 1)) >> drop;
    kept -= (smallest - 1) << (precision - 1);
    const VQ large = (VQ)((VL)kept > (VL)ALL(VQ, infinity)), small = (VQ)((VL)size < (VL)ALL(VQ, smallest << 52));
    kept = (kept & ~large) | (large & infinity);
    return (kept & ~small) | (few & small) | ((VQ)x >> 48 & 0x8000);
}

/* W sums at p as doubles that can be rounded again. */
INLINE VD odd_at(const long long *p, int shift, VD first, VD second) {
    VD rest, total = total_of(p, shift, first, second, &rest);
    return to_odd(total, rest);
}

INLINE void round_16(const long long *sums, ptrdiff_t count, int shift, VD first, VD second, uint16_t *out,
                     const int precision, const int lowest) {
    for (ptrdiff_t i = 0; i < count; i += 4 * W) {
        VI words[4];
        for (int k = 0; k < 4; k++)
            words[k] = (VI)narrow_16(odd_at(sums + 2 * (i + k * W), shift, first, second), precision, lowest);
        for (int k = 0; k < 4; k += 2)
            words[k] = LITTLE ? even_words(words[k], words[k + 1]) : odd_words(words[k], words[k + 1]);
        PUT(out + i, pack_rows(words[0] << 16, words[2] << 16));
    }
}

/* Sums of integers (count, 2), multiples of the units, which are 2**shift apart, rounded to a format; count is a
   multiple of 4 W. */
static void round_sums(const long long *sums, ptrdiff_t count, int shift, const double *units, void *out, int format) {
    const VD first = ALL(VD, units[0]), second = ALL(VD, units[1]);
    VD rest;
    if (format == FLOAT16) round_16(sums, count, shift, first, second, out, 11, -24);
    if (format == BFLOAT16) round_16(sums, count, shift, first, second, out, 8, -133);
    if (format == FLOAT64)
        for (ptrdiff_t i = 0; i < count; i += W)
            *(loose_d *)((double *)out + i) = total_of(sums + 2 * i, shift, first, second, &rest);
    if (format == FLOAT32)
        for (ptrdiff_t i = 0; i < count; i += 2 * W)
            *(loose_s *)((float *)out + i) = to_s(odd_at(sums + 2 * i, shift, first, second),
                                                  odd_at(sums + 2 * (i + W), shift, first, second));
}
