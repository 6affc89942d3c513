/* Tables and rotations in float64 from pairs of doubles; included by lanes.h. A group is W columns. */

static inline unsigned NAME(lanes_of_64)(VQ v) {
    unsigned bits = 0;
    for (int k = 0; k < W; k++) bits |= (unsigned)(v[k] != 0) << k;
    return bits;
}

ALWAYS void NAME(store_64)(char *first, char *second, VD p, VD q, int interleaved) {
#if LEVEL == 0 && defined(REFPOS_X86) /* for which gcc 12 goes by way of memory */
    if (interleaved) {
        __m128d u[2], v[2];
        memcpy(u, &p, sizeof u);
        memcpy(v, &q, sizeof v);
        for (int k = 0; k < 2; k++) {
            __m128d pairs[2] = {_mm_unpacklo_pd(u[k], v[k]), _mm_unpackhi_pd(u[k], v[k])};
            for (int j = 0; j < 2; j++)
                _mm_storeu_pd((double *)first + 4 * k + 2 * j, pairs[j]);
        }
        return;
    }
#endif
    PUT_D(first, interleaved ? SHUFFLE(p, q, VQ, LOWER) : p);
    PUT_D(interleaved ? first + 8 * W : second, interleaved ? SHUFFLE(p, q, VQ, UPPER) : q);
}

static inline int NAME(any_q)(VQ v) {
#if LEVEL == 512
    return _mm512_test_epi64_mask((__m512i)v, (__m512i)v) != 0;
#elif LEVEL == 256
    return !_mm256_testz_si256((__m256i)v, (__m256i)v);
#elif defined(REFPOS_X86)
    __m128i q[2];
    memcpy(q, &v, sizeof q);
    return _mm_movemask_epi8(_mm_cmpeq_epi32(_mm_or_si128(q[0], q[1]), _mm_setzero_si128())) != 0xFFFF;
#else
    unsigned long long all = 0;
    for (int k = 0; k < W; k++) all |= v[k];
    return all != 0;
#endif
}

/* ---- rotation of pairs of channels ---- */

static inline VD NAME(upper_26)(VD v) { return (VD)((VQ)v & 0xFFFFFFFFF8000000ull); } /* to 26 bits */

static inline VD NAME(combine)(VD x, VD y, VD c1, VD c0, VD s1, VD s0, VD error_radius, VQ *undecided) {
    VD x1 = NAME(upper_26)(x), y1 = NAME(upper_26)(y), p = x1 * c1, q = y1 * s1, leading = p + q, other = leading - p;
    VD error = (p - (leading - other)) + (q - other);
    VD rest = error + (((x - x1) * c1 + (y - y1) * s1) + (x * c0 + y * s0));
    *undecided |= (VQ)(leading + (rest - error_radius)) ^ (VQ)(leading + (rest + error_radius));
    return leading + rest;
}

ALWAYS unsigned NAME(rotate_group_64)(const double *table, ptrdiff_t plane, NAME(pointers) at, double radius,
                                      int interleaved) {
    const VQ absolute = (VQ){0} + 0x7FFFFFFFFFFFFFFFull;
    const unsigned long long least = 49ull << 52,
        most = 1969ull << 52; /* SMALLEST_ERROR_RADIUS, LARGEST_ERROR_RADIUS */
    VD u = LOAD(at.first), v = LOAD(interleaved ? at.first + 8 * W : at.second);
    VD x = interleaved ? SHUFFLE(u, v, VQ, EVENS) : u, y = interleaved ? SHUFFLE(u, v, VQ, ODDS) : v;
    VD c1 = LOAD(table), c0 = LOAD(table + plane), s1 = LOAD(table + 2 * plane), s0 = LOAD(table + 3 * plane);
    VD size = (VD)((VQ)x & absolute) + (VD)((VQ)y & absolute), error_radius = size * radius;
    /* something may have over- or underflowed, or x is NaN */
    VQ undecided = (VQ)((VQ)error_radius - least > most - least);
    VD p = NAME(combine)(x, y, c1, c0, -s1, -s0, error_radius, &undecided), q = NAME(combine)(y, x, c1, c0, s1, s0,
                                                                                              error_radius, &undecided);
    unsigned lanes = 0;
    if (__builtin_expect(NAME(any_q)(undecided), 0)) {
        VQ keep = (VQ)(undecided != 0) & (VQ)(size != 0);
        p = (VD)(((VQ)x & keep) | ((VQ)p & ~keep)), q = (VD)(((VQ)y & keep) | ((VQ)q & ~keep));
        lanes = NAME(lanes_of_64)(keep);
    }
    NAME(store_64)(at.to_first, at.to_second, p, q, interleaved);
    return lanes;
}

/* The n pairs that are less than a group, by way of memory of its size. */
ALWAYS unsigned NAME(rotate_part_64)(const double *table, ptrdiff_t plane, NAME(pointers) at, double radius,
                                     int interleaved, ptrdiff_t n) {
    double seeds[4][W];
    char first[16 * W], second[8 * W];
    const NAME(pointers) here = {first, second, first, second};
    const size_t bytes = interleaved ? 16 * n : 8 * n;
    for (int k = 0; k < 4 * W; k++) seeds[k / W][k % W] = 1 + k / W; /* lanes beyond the columns pass */
    memset(first, 0x3F, sizeof first);
    memset(second, 0x3C, sizeof second);
    for (int k = 0; k < 4; k++) memcpy(seeds[k], table + k * plane, 8 * n);
    memcpy(first, at.first, bytes);
    if (!interleaved) memcpy(second, at.second, bytes);
    unsigned undecided = NAME(rotate_group_64)(seeds[0], W, here, radius, interleaved);
    memcpy(at.to_first, first, bytes);
    if (!interleaved) memcpy(at.to_second, second, bytes);
    return undecided & ((1u << n) - 1);
}

ALWAYS ptrdiff_t NAME(rotate_64)(const refpos_rotations *job, int interleaved) {
    const double radius = job->radius;
    const ptrdiff_t each = interleaved ? 16 : 8, columns = job->columns, plane = job->table_plane, ahead = job->ahead;
    ptrdiff_t count = 0;
    for (ptrdiff_t row = 0; row < job->rows; row++) {
        const double *table = job->table + row * job->table_row;
        NAME(pointers) at = {job->first + row * job->row, job->second + row * job->row,
            job->to_first + row * job->to_row,
                           job->to_second + row * job->to_row};
        const long long flat = job->flat + row * job->flat_row;
        unsigned undecided;
        ptrdiff_t i = 0;
        for (; i + W <= columns; i += W) {
            prefetch(at.first + ahead), prefetch(interleaved ? at.first + ahead + 64 : at.second + ahead);
            if ((undecided = NAME(rotate_group_64)(table + i, plane, at, radius, interleaved)))
                count = list_undecided(undecided, flat + i, job->undecided, count);
            at.first += each * W, at.second += each * W, at.to_first += each * W, at.to_second += each * W;
        }
        if (i < columns && (undecided = NAME(rotate_part_64)(table + i, plane, at, radius, interleaved, columns - i)))
            count = list_undecided(undecided, flat + i, job->undecided, count);
    }
    return count;
}

static ptrdiff_t NAME(rotate_f64)(const refpos_rotations *job) {
    return job->interleaved ? NAME(rotate_64)(job, 1) : NAME(rotate_64)(job, 0);
}
