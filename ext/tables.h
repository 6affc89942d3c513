/* Tables: sums of the angles of an anchor and of the steps to its rows, rounded once.

   A group is a register of results of one kind. Its rounding test is by the bits that a rounding drops, or by a reach
   to one side (docs/numbers.md). A group that fails is looked at again before it is stored. */

#define SIZE(format) ((format) == FLOAT64 ? 8 : (format) == FLOAT32 ? 4 : 2)
#define GROUP(format) (REG / SIZE(format)) /* columns */

/* float32: a double is near a midpoint if bits 28 .. 17 of it are 0 after this is added to its lower word. */
#define AWAY_32 ALL(VI, 0xF0010000u)
#define REST_32 ALL(VI, 0x1FFE0000u)
/* float16: a midpoint has 0x1000 in the lowest 13 bits of a float; the exponent becomes that of 16 bits. */
#define AWAY_16 ALL(VI, 0x1000u - (112u << 23))

/* The pattern in float16 of floats that are near no midpoint and in its normal range, in the upper halves. */
INLINE VI upper_half(VS f) {
    VI z = (VI)f + AWAY_16;
    return (z << 3 & 0x7FFF0000u) | (z & 0x80000000u);
}

#define SIZE_OF(n) ((n) < 0 ? 0 - (unsigned long long)(n) : (unsigned long long)(n))

/* ---- one group: cosines x, sines y; apart: rows are not sums ---- */

INLINE void sum_doubles(const refpos_sums *job, int r, const double *b, ptrdiff_t i, VS least, int format, int apart,
                        VS *x, VS *y, SURE *sure) {
    const double *a = job->anchor[r] + i;
    const ptrdiff_t plane = job->anchor_plane, step_plane = job->step_plane;
    VD u[2], v[2];
    b += i;
#pragma GCC unroll 2
    for (int k = 0; k < 2; k++) {
        if (apart) {
            const double *place = job->places + i + k * W;
            seed(place, (const loose_index *)(place + job->columns), job->scaled, &u[k], &v[k]);
            continue;
        }
        VD c = LOADD(a + k * W), s = LOADD(a + plane + k * W);
        VD d = LOADD(b + k * W), t = LOADD(b + step_plane + k * W);
        u[k] = fnma_d(s, t, c * d), v[k] = fma_d(s, d, c * t);
    }
    *x = to_s(u[0], u[1]), *y = to_s(v[0], v[1]);
    if (format == FLOAT32) {
        need_bits(sure, lower_words(u[0], u[1]) + AWAY_32, REST_32);
        need_bits(sure, lower_words(v[0], v[1]) + AWAY_32, REST_32);
    } else {
        const uint32_t middle = format == FLOAT16 ? 0x1000 : 0x8000;
        need_bits(sure, (VI)*x + middle, ALL(VI, 2 * middle - 1));
        need_bits(sure, (VI)*y + middle, ALL(VI, 2 * middle - 1));
    }
    need_above(sure, smaller(*x, *y), least);
}

/* bfloat16, from floats: both ends of what the sum can be round alike; results in the upper halves. */
INLINE void sum_singles(const refpos_sums *job, int r, const float *b, ptrdiff_t i, VS reach, VI *x, VI *y,
                        SURE *sure) {
    const float *a = job->anchor_singles[r] + i;
    const VS c = LOADS(a), s = LOADS(a + job->anchor_plane), d = LOADS(b + i), t = LOADS(b + job->step_plane + i);
    const VS p = fma_s(c, d, fnma_s(s, t, reach)), q = fma_s(s, d, fma_s(c, t, reach)), twice = reach + reach;
    *x = (VI)p + 0x8000u, *y = (VI)q + 0x8000u;
    need_zero(sure, (*x ^ ((VI)(p - twice) + 0x8000u)) | (*y ^ ((VI)(q - twice) + 0x8000u)), ALL(VI, 0xFFFF0000u));
}

INLINE void sum_pairs(const refpos_sums *job, int r, const double *b, ptrdiff_t i, VD reach, VD *x, VD *y, SURE *sure) {
    const double *a = job->anchor[r] + i;
    const ptrdiff_t n = job->anchor_plane, m = job->step_plane;
    b += i;
    const VD c1 = LOADD(a), c0 = LOADD(a + n), s1 = LOADD(a + 2 * n), s0 = LOADD(a + 3 * n), twice = reach + reach;
    const VD d1 = LOADD(b), d0 = LOADD(b + m), t1 = LOADD(b + 2 * m), t0 = LOADD(b + 3 * m), d = d1 + d0, t = t1 + t0;
    const VD p = fnma_d(s1, t1, c1 * d1), q = fma_d(s1, d1, c1 * t1); /* exact */
    const VD u = fma_d(c1, d0, fma_d(c0, d, fnma_d(s1, t0, fnma_d(s0, t, reach))));
    const VD v = fma_d(s1, d0, fma_d(s0, d, fma_d(c1, t0, fma_d(c0, t, reach))));
    *x = p + u, *y = q + v;
    need_same(sure, *x, p + (u - twice));
    need_same(sure, *y, q + (v - twice));
}

/* Not sums, but seeds of the row's own. */
INLINE void own_pairs(const refpos_sums *job, ptrdiff_t i, VD reach, VD *x, VD *y, SURE *sure) {
    const double *place = job->places + i;
    VD p, u, q, v;
    seed_rest(place, job->columns, (const loose_index *)(place + 2 * job->columns), job->knots, &p, &u, &q, &v);
    *x = p + (u + reach), *y = q + (v + reach);
    need_same(sure, *x, p + (u - reach));
    need_same(sure, *y, q + (v - reach));
}

/* The group from column i on: sines p and cosines q, interleaved the lower and the upper ones of both; lanes that are
   not sure. */
INLINE uint32_t sum_group(const refpos_sums *job, int r, ptrdiff_t m, ptrdiff_t i, VS least, VS reach, VD reach_d,
                          const int format, const int interleaved, const int apart, VI *p, VI *q) {
    const double *b = job->steps + m * job->step_row;
    SURE sure = SURE_ALL, more = SURE_ALL;
    if (format == FLOAT64) {
        VD x, y;
        if (apart)
            own_pairs(job, i, reach_d, &x, &y, &sure);
        else
            sum_pairs(job, r, b, i, reach_d, &x, &y, &sure);
        *p = interleaved ? zip_low_d(y, x) : (VI)y, *q = interleaved ? zip_high_d(y, x) : (VI)x;
        return unsure_d(sure);
    }
    if (format == FLOAT32) {
        VS x, y;
        sum_doubles(job, r, b, i, least, format, apart, &x, &y, &sure);
        *p = interleaved ? zip_low((VI)y, (VI)x) : (VI)y, *q = interleaved ? zip_high((VI)y, (VI)x) : (VI)x;
        return unsure(sure);
    }
    VI u[2], v[2];
#pragma GCC unroll 2
    for (int k = 0; k < 2; k++) {
        SURE *here = k ? &more : &sure;
        if (format == BFLOAT16 && !apart) {
            sum_singles(job, r, job->step_singles + m * job->step_row, i + 2 * k * W, reach, &u[k], &v[k], here);
        } else {
            VS x, y;
            sum_doubles(job, r, b, i + 2 * k * W, least, format, apart, &x, &y, here);
            u[k] = format == FLOAT16 ? upper_half(x) : (VI)x + 0x8000u;
            v[k] = format == FLOAT16 ? upper_half(y) : (VI)y + 0x8000u;
        }
    }
    *p = interleaved ? pack(v[0], u[0]) : pack_rows(v[0], v[1]);
    *q = interleaved ? pack(v[1], u[1]) : pack_rows(u[0], u[1]);
    return unsure(sure) | unsure(more) << 2 * W;
}

/* ---- the second look ---- */

/* float32: the lanes for which value - radius and value + radius round apart. What was rounded is right elsewhere. */
static uint32_t undecided_lanes(const double *a, ptrdiff_t plane, const double *b, ptrdiff_t step_plane, double reach) {
    const VD radius = ALL(VD, reach);
    VD u[2], v[2];
    uint32_t lanes = 0, differ[2 * W];
    for (int k = 0; k < 2; k++) {
        VD c = LOADD(a + k * W), s = LOADD(a + plane + k * W);
        VD d = LOADD(b + k * W), t = LOADD(b + step_plane + k * W);
        u[k] = c * d - s * t, v[k] = s * d + c * t;
    }
    VI both = ((VI)to_s(u[0] - radius, u[1] - radius) ^ (VI)to_s(u[0] + radius, u[1] + radius)) |
              ((VI)to_s(v[0] - radius, v[1] - radius) ^ (VI)to_s(v[0] + radius, v[1] + radius));
    memcpy(differ, &both, sizeof differ);
    for (int k = 0; k < 2 * W; k++) lanes |= (uint32_t)(differ[k] != 0) << k;
    return lanes;
}

/* 16 bits: stores one of two sums if its rounding is certain. */
static int store_sum(double sum, double radius, char *to, int format) {
    const uint16_t low = refpos_narrow(sum - radius, format);
    memcpy(to, &low, 2);
    return low == refpos_narrow(sum + radius, format);
}

/* A group, whose results are in `out`, once more; the new count of undecided entries, of which the first `room` are
   listed. */
static __attribute__((noinline)) ptrdiff_t retest_group(const refpos_sums *job, int r, ptrdiff_t m, ptrdiff_t i,
                                                  uint32_t lanes, VI *out, int format, ptrdiff_t count) {
    const ptrdiff_t size = SIZE(format), each = job->interleaved ? 2 * size : size, group = GROUP(format);
    const ptrdiff_t step_plane = job->step_plane, row = m + r * job->next;
    const double *a = job->anchor[r] + i, *b = job->steps + m * job->step_row + i;
    ptrdiff_t plane = job->anchor_plane;
    double seeds[8 * W];
    if (job->multipliers && format != FLOAT64) {
        const unsigned long long *limbs[5];
        for (int j = 0; j < 5; j++) limbs[j] = job->phases[j] + i;
        seed_doubles(limbs, SIZE_OF(job->multipliers[m]), job->multipliers[m] < 0, job->knots + 4 * KNOTS, seeds,
                     seeds + group, group);
        a = seeds, plane = group;
    }
    if (format == FLOAT32) lanes = undecided_lanes(a, plane, b, step_plane, job->radius);
    for (; lanes; lanes &= lanes - 1) {
        const ptrdiff_t j = __builtin_ctz(lanes);
        if (i + j >= job->valid) break;
        char *sin = (char *)out + j * each, *cos = sin + (job->interleaved ? size : REG);
        if (size == 2) {
            const double c = a[j], s = a[plane + j], d = b[j], t = b[step_plane + j];
            if (store_sum(c * d - s * t, job->radius, cos, format) & store_sum(s * d + c * t, job->radius, sin, format))
                continue;
        }
        if (count < job->room) job->undecided[count] = job->flat + row * job->flat_row + i + j;
        count++;
    }
    return count;
}

/* ---- rows ---- */

#define APART_RADIUS 0x1p-69 /* of float64 that is rounded from a seed at once */

/* To `places`, for all columns at a position: a knot and the angle from it. */
static __attribute__((noinline)) void place_row(const refpos_sums *given, long long by, const int format) {
    const refpos_sums own = *given, *job = &own; /* which no store can change */
    const multiplier size = multiplier_of(SIZE_OF(by), by < 0);
    const ptrdiff_t n = job->columns;
    double *x = job->places;
    for (ptrdiff_t i = 0; i < n; i += W) {
        VD x1, x0;
        if (format != FLOAT64) {
            place(job->phases, &size, i, x + i, (loose_index *)(x + n + i));
            continue;
        }
        place_pair(job->phases, &size, i, &x1, &x0, (loose_index *)(x + 2 * n + i));
        *(loose_d *)(x + i) = x1, *(loose_d *)(x + n + i) = x0;
    }
}

/* Rows of R anchors in whole groups. The constants of the format and of the layout make this the code of one kernel.
   `off`, where it is not -1: by how many bytes rows begin beyond a line. */
INLINE ptrdiff_t sum_rows(const refpos_sums *given, const int R, const int past, const int off, const int format,
                          const int interleaved, const int apart) {
    const refpos_sums own = *given, *job = &own; /* which no store can change */
    const ptrdiff_t n = job->columns, half = n * SIZE(format), group = GROUP(format);
    const double limit = job->radius * (format == FLOAT32 ? 0x1.00001p37 : 0x1.00001p25);
    const double lowest = format == FLOAT32 ? 0x1p-126 : format == BFLOAT16 ? 0x1p-126
                          : job->radius > 0x1p-34 ? __builtin_inf() : 0x1p-14;
    const VS least = ALL(VS, (float)(limit > lowest ? limit : lowest));
    const VS reach = ALL(VS, (float)(job->radius * (FUSED ? SUM_FUSED : SUM_SINGLE)));
    const VD reach_d = ALL(VD, job->radius + (apart ? APART_RADIUS : 0));
    const int swap = !interleaved && job->cos < job->sin; /* the run of cosines is the first */
    char *to_p = swap ? job->cos : job->sin, *to_q = swap ? job->sin : job->cos;
    const ptrdiff_t p_row = swap ? job->cos_row : job->sin_row, q_row = swap ? job->sin_row : job->cos_row;
    course c = course_of(to_p, to_q, half, p_row, q_row, interleaved);
    if (off >= 0) c.p = c.q = (flow){off, shift_of(off)};
    const int together = TOGETHER(past, interleaved);
    trail trails[2] = {{{0}, {0}, {{0}}}, {{0}, {0}, {{0}}}};
    ptrdiff_t count = 0;
    for (ptrdiff_t m = 0; m < job->rows; m++) {
        if (apart) place_row(job, job->multipliers[m], format);
        for (ptrdiff_t i = 0; i < n; i += together * group) {
#pragma GCC unroll 2
            for (int r = 0; r < R; r++) {
                const ptrdiff_t row = r * job->next + m;
                VI p[LINE], q[LINE];
#pragma GCC unroll 4
                for (int k = 0; k < together; k++) {
                    const uint32_t lanes =
                        sum_group(job, r, m, i + k * group, least, reach, reach_d, format, interleaved, apart, &p[k],
                                  &q[k]);
                    if (__builtin_expect(lanes != 0, 0)) {
                        VI out[2] = {p[k], q[k]};
                        count = retest_group(given, r, m, i + k * group, lanes, out, format, count);
                        p[k] = out[0], q[k] = out[1];
                    }
                    if (swap) {
                        const VI sine = p[k];
                        p[k] = q[k], q[k] = sine;
                    }
                }
                put_groups(&c, &trails[r], to_p + row * p_row + (interleaved ? 2 : 1) * i * SIZE(format),
                           to_q + row * q_row + i * SIZE(format), p, q, past, interleaved, i == 0, m == 0);
            }
        }
        for (int r = 0; r < R && past; r++)
            end_row(&c, &trails[r], to_p + (r * job->next + m) * p_row, to_q + (r * job->next + m) * q_row, interleaved,
                    m + 1 == job->rows);
    }
    return count;
}

INLINE ptrdiff_t sum_groups(const refpos_sums *job, const int format, const int interleaved) {
    const int off = common_off(job->sin, interleaved ? job->sin : job->cos);
#define ROWS_OF(R, apart) \
    (!job->past  ? sum_rows(job, R, 0, -1, format, interleaved, apart) \
     : off == 0  ? sum_rows(job, R, 1, 0, format, interleaved, apart) \
     : off == -1 ? sum_rows(job, R, 1, -1, format, interleaved, apart) \
                 : sum_rows(job, R, 1, SHIFTS, format, interleaved, apart))
    if (job->multipliers) return ROWS_OF(1, 1);
    return format != FLOAT64 && job->anchors == 2 ? ROWS_OF(2, 0) : ROWS_OF(1, 0);
}

/* The columns from `start` on, which are less than a group, of all rows: by way of memory of its size. */
static __attribute__((noinline)) ptrdiff_t sum_part(const refpos_sums *job, ptrdiff_t start, int format,
                                                    ptrdiff_t (*sum)(const refpos_sums *), ptrdiff_t count) {
    const int planes = format == FLOAT64 ? 4 : 2, group = GROUP(format), left = (int)(job->columns - start);
    const size_t bytes = left * SIZE(format) * (job->interleaved ? 2 : 1);
    double a[8 * W], b[8 * W];
    float a_singles[8 * W], b_singles[8 * W];
    char sin[2 * REG], cos[REG];
    unsigned long long limbs[5][4 * W] = {{0}};
    refpos_sums part = *job;
    for (int k = 0; k < 5 && job->multipliers; k++) {
        memcpy(limbs[k], job->phases[k] + start, 8 * left);
        part.phases[k] = limbs[k];
    }
    part.steps = b, part.step_singles = b_singles, part.step_plane = part.anchor_plane = group;
    part.anchor[0] = part.places = a, part.anchor_singles[0] = a_singles;
    part.sin = sin, part.cos = job->interleaved ? sin + SIZE(format) : cos, part.past = 0;
    part.rows = part.anchors = 1, part.columns = group, part.valid = left;
    for (int k = 0; k < 8 * W; k++) a[k] = a_singles[k] = 1 + k / group, b[k] = b_singles[k] = 3 + k / group; /* sure */
    for (int r = 0; r < job->anchors; r++) {
        for (int k = 0; k < planes && !job->multipliers; k++) {
            memcpy(a + k * group, job->anchor[r] + k * job->anchor_plane + start, 8 * left);
            if (format == BFLOAT16)
                memcpy(a_singles + k * group, job->anchor_singles[r] + k * job->anchor_plane + start, 4 * left);
        }
        for (ptrdiff_t m = 0; m < job->rows; m++) {
            const ptrdiff_t row = m + r * job->next, from = m * job->step_row + start;
            for (int k = 0; k < planes; k++) {
                memcpy(b + k * group, job->steps + k * job->step_plane + from, 8 * left);
                if (format == BFLOAT16 && !job->multipliers)
                    memcpy(b_singles + k * group, job->step_singles + k * job->step_plane + from, 4 * left);
            }
            if (job->multipliers) part.multipliers = job->multipliers + m;
            part.flat = job->flat + row * job->flat_row + start;
            part.undecided = job->undecided + (count < job->room ? count : job->room), part.room = job->room - count;
            count += sum(&part);
            memcpy(job->sin + row * job->sin_row + start * SIZE(format) * (job->interleaved ? 2 : 1), sin, bytes);
            if (!job->interleaved) memcpy(job->cos + row * job->cos_row + start * SIZE(format), cos, bytes);
        }
    }
    return count;
}

#define SUM(name, format) \
    static ptrdiff_t name(const refpos_sums *job) { \
        const ptrdiff_t whole = job->columns / GROUP(format) * GROUP(format); \
        refpos_sums groups = *job; \
        groups.columns = whole; \
        if (whole < job->columns) groups.valid = whole; \
        const ptrdiff_t count = !whole            ? 0 \
                                : job->interleaved ? sum_groups(&groups, format, 1) \
                                                   : sum_groups(&groups, format, 0); \
        return whole < job->columns ? sum_part(job, whole, format, name, count) : count; \
    }
SUM(sum_f64, FLOAT64)
SUM(sum_f32, FLOAT32)
SUM(sum_f16, FLOAT16)
SUM(sum_b16, BFLOAT16)
