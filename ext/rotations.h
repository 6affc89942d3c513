/* Rotations: u = x cos - y sin and v = y cos + x sin of pairs (x, y) of channels, rounded once.

   A group is two registers of channels. float32 is computed in double, 16 bits in float, float64 in pairs of doubles.
   Cosines and sines come as `spread` leaves them, so that both pairings of 16 bits run one code: words hold two
   channels, those of a pair or of neighbouring columns, and registers of cosines stand in that order. A group that its
   rounding test does not pass is looked at again in double, before it is stored (docs/numbers.md). */

/* ---- cosines and sines in the order of the channels ---- */

/* float16: values cut to 13 bits, and then what is left of them; all times 2**112, as channels are times 2**-112. */
INLINE VD cut(VD v) { return (VD)((VQ)v & 0xFFFFFF0000000000ull); }
INLINE VS part_16(VD a, VD b, int rest) {
    return rest ? to_s((a - cut(a)) * 0x1p112, (b - cut(b)) * 0x1p112) : to_s(cut(a) * 0x1p112, cut(b) * 0x1p112);
}

/* Interleaved channels are taken apart by evens and odds: the pair that is then at k. */
#define PAIR_AT(k, format) ((format) == FLOAT64 ? (k) / 2 + (k) % 2 * (W / 2) : PLACE(k))

/* Rows that follow each other, `count` columns in all, from cosines and sines in as many planes: interleaved ones in
   the order of pairs that are taken apart; 16 bits as floats, in halves the even columns of a group first. */
static void spread(const double *table, ptrdiff_t plane, ptrdiff_t count, int format, int interleaved, void *out) {
    for (int k = 0; k < (format == FLOAT64 ? 4 : 2) && SIZE(format) > 2; k++)
        for (ptrdiff_t i = 0; i < count; i += GROUP(format))
            for (int j = 0; j < GROUP(format); j++)
                ((double *)out)[k * plane + i + j] = table[k * plane + i + PAIR_AT(j, format)];
    for (int k = 0; k < (format == FLOAT16 ? 4 : 2) && SIZE(format) == 2; k++)
        for (ptrdiff_t i = 0; i < count; i += 4 * W) {
            const double *from = table + k % 2 * plane + i;
            loose_s *to = (loose_s *)((float *)out + k * plane + i);
            VS v[2];
            for (int j = 0; j < 2; j++) {
                const VD a = LOADD(from + 2 * j * W), b = LOADD(from + 2 * j * W + W);
                v[j] = format == BFLOAT16 ? to_s(a, b) : part_16(a, b, k / 2);
            }
            to[0] = interleaved ? v[0] : (VS)even_words((VI)v[0], (VI)v[1]);
            to[1] = interleaved ? v[1] : (VS)odd_words((VI)v[0], (VI)v[1]);
        }
}

/* ---- one group ---- */

/* What the rounding tests compare with. */
typedef struct {
    VD radius, least_d, most_d;
    VS limit, floor, most;
} bounds;

static bounds bounds_of(const refpos_rotations *job, int format) {
    const double scale = job->radius * 0x1p48, larger = scale > 1 ? scale : 1;
    /* underflow, and what rounds the products of subnormal channels, which are multiples of no larger unit */
    const double least = 0x1p-1000 + job->radius * 0x1p-997;
    bounds k = {ALL(VD, job->radius), ALL(VD, least), ALL(VD, 0x1p946)};
    if (format == FLOAT32) /* of the larger result */
        k.limit = ALL(VS, (float)(job->within * 0x1.0001p36)), k.floor = ALL(VS, 0x1p-126f);
    if (format == FLOAT16) /* of the larger channel, which is times 2**-112 */
        k.limit = ALL(VS, (float)(job->radius * (ROTATE_SPLIT * 0x1.0001p113))), k.floor = ALL(VS, 0x1.01p-14f),
        k.most = ALL(VS, (float)(0x1p-97 / larger));
    if (format == BFLOAT16) /* of |x| + |y| */
        k.limit = ALL(VS, (float)(job->radius * (FUSED ? ROTATE_FUSED : ROTATE_SINGLE))), k.floor = ALL(VS, 0x1p-126f),
        k.most = ALL(VS, (float)(0x1p90 / larger));
    return k;
}

/* float64: x1 and y1 are multiples of the same unit, at most 2**-25 of |x| + |y|. So the sums of their products with
   leading cosines and sines are exact, and all else is small. */
INLINE uint32_t turn_64(const char *a, const char *b, const double *d, ptrdiff_t plane, const bounds *k,
                        int interleaved, VI *p, VI *q) {
    const VD l = (VD)LOADI(a), r = (VD)LOADI(b);
    const VD x = interleaved ? evens_d(l, r) : l, y = interleaved ? odds_d(l, r) : r;
    const VD c1 = LOADD(d), c0 = LOADD(d + plane), s1 = LOADD(d + 2 * plane), s0 = LOADD(d + 3 * plane);
    const VD size = SIZE_D(x) + SIZE_D(y), grid = (VD)((VQ)size & 0x7FF0000000000000ull) * 0x1.8p27;
    const VD x1 = (x + grid) - grid, y1 = (y + grid) - grid, x0 = x - x1, y0 = y - y1;
    const VD reach = fma_d(size, k->radius, k->least_d), twice = reach + reach;
    const VD u1 = fnma_d(y1, s1, x1 * c1), v1 = fma_d(x1, s1, y1 * c1);
    const VD u0 = fma_d(x0, c1, fnma_d(y0, s1, fma_d(x, c0, fnma_d(y, s0, reach))));
    const VD v0 = fma_d(y0, c1, fma_d(x0, s1, fma_d(y, c0, fma_d(x, s0, reach))));
    const VD u = u1 + u0, v = v1 + v0;
    SURE sure = SURE_ALL;
    need_same(&sure, u, u1 + (u0 - twice));
    need_same(&sure, v, v1 + (v0 - twice));
    need_above_d(&sure, k->most_d, reach);
    *p = (VI)(interleaved ? evens_d(u, v) : u), *q = (VI)(interleaved ? odds_d(u, v) : v);
    return unsure_d(sure);
}

INLINE uint32_t turn_32(const char *a, const char *b, const double *d, ptrdiff_t plane, const bounds *k,
                        int interleaved, VI *p, VI *q) {
    const VI apart[2] = {evens(LOADI(a), LOADI(b)), odds(LOADI(a), LOADI(b))};
    VD u[2], v[2];
    SURE sure = SURE_ALL;
    if (interleaved) a = (const char *)&apart[0], b = (const char *)&apart[1];
    for (int j = 0; j < 2; j++) {
        const VD x = to_d(a + 4 * j * W), y = to_d(b + 4 * j * W), c = LOADD(d + j * W), s = LOADD(d + plane + j * W);
        u[j] = fnma_d(y, s, x * c), v[j] = fma_d(x, s, y * c);
    }
    const VS to_u = to_s(u[0], u[1]), to_v = to_s(v[0], v[1]);
    need_bits(&sure, lower_words(u[0], u[1]) + AWAY_32, REST_32);
    need_bits(&sure, lower_words(v[0], v[1]) + AWAY_32, REST_32);
    need_above(&sure, smaller(to_u, to_v), fma_s(larger(to_u, to_v), k->limit, k->floor));
    *p = interleaved ? first_pairs((VI)to_u, (VI)to_v) : (VI)to_u;
    *q = interleaved ? last_pairs((VI)to_u, (VI)to_v) : (VI)to_v;
    return unsure(sure);
}

/* 16 bits: results in upper halves, of channels in upper halves; in float16 both have anything in the lower ones. */
INLINE void turn_words(VI a, VI b, const float *c, ptrdiff_t plane, const bounds *k, int format, VI *u, VI *v,
                       SURE *sure) {
    const VS cos = LOADS(c), sin = LOADS(c + plane);
    if (format == BFLOAT16) {
        const VS x = (VS)a, y = (VS)b, size = SIZE_S(x) + SIZE_S(y), reach = fma_s(size, k->limit, k->floor);
        const VS twice = reach + reach;
        const VS p = fma_s(x, cos, fnma_s(y, sin, reach)), q = fma_s(y, cos, fma_s(x, sin, reach));
        *u = (VI)p + 0x8000u, *v = (VI)q + 0x8000u;
        need_zero(sure, (*u ^ ((VI)(p - twice) + 0x8000u)) | (*v ^ ((VI)(q - twice) + 0x8000u)), ALL(VI, 0xFFFF0000u));
        need_above(sure, k->most, size);
        return;
    }
    const VS x = (VS)((VI)((VJ)a >> 3) & 0x8FFFE000u), y = (VS)((VI)((VJ)b >> 3) & 0x8FFFE000u), size = larger(x, y);
    const VS cos_rest = LOADS(c + 2 * plane), sin_rest = LOADS(c + 3 * plane); /* products without them are exact */
    const VS p = fnma_s(y, sin, x * cos) + fnma_s(y, sin_rest, x * cos_rest);
    const VS q = fma_s(x, sin, y * cos) + fma_s(x, sin_rest, y * cos_rest);
    const VI z = (VI)p + (AWAY_16 + 4), w = (VI)q + (AWAY_16 + 4); /* 4 more changes no result that passes */
    need_bits(sure, z, ALL(VI, 0x1FF8u));
    need_bits(sure, w, ALL(VI, 0x1FF8u));
    need_above(sure, smaller(p, q), fma_s(size, k->limit, k->floor));
    need_above(sure, k->most, size);
    *u = z << 3 | (z & 0x80000000u), *v = w << 3 | (w & 0x80000000u);
}

INLINE uint32_t turn_16(const char *a, const char *b, const float *c, ptrdiff_t plane, const bounds *k, int format,
                        int interleaved, VI *p, VI *q) {
    const VI x = LOADI(a), y = LOADI(b);
    const int whole = LITTLE && format == FLOAT16;
    const VI x2 = whole ? x : second_half(x), y2 = whole ? y : second_half(y);
    SURE sure = SURE_ALL, more = SURE_ALL;
    VI u[2], v[2];
    if (interleaved) {
        turn_words(first_half(x), x2, c, plane, k, format, &u[0], &v[0], &sure);
        turn_words(first_half(y), y2, c + 2 * W, plane, k, format, &u[1], &v[1], &more);
        *p = pack(u[0], v[0]), *q = pack(u[1], v[1]);
    } else {
        turn_words(first_half(x), first_half(y), c, plane, k, format, &u[0], &v[0], &sure);
        turn_words(x2, y2, c + 2 * W, plane, k, format, &u[1], &v[1], &more);
        *p = pack(u[0], u[1]), *q = pack(v[0], v[1]);
    }
    return unsure(sure) | unsure(more) << 2 * W;
}

/* ---- the second look ---- */

/* Which pairs the bits are that a group returned, and perhaps others. */
static uint32_t pairs_of(uint32_t bits, int format, int interleaved) {
    uint32_t pairs = 0;
    if (interleaved ? SIZE(format) == 2 : format == FLOAT64) return bits;
    for (; bits; bits &= bits - 1) {
        const int k = __builtin_ctz(bits), at = PLACE(k);
        if (SIZE(format) == 2)
            pairs |= 1u << (k < 2 * W ? 2 * k : 2 * (k - 2 * W) + 1);
        else if (format == FLOAT64)
            pairs |= 1u << PAIR_AT(k, FLOAT64);
        else
            pairs |= 1u << at | 1u << (interleaved ? PLACE(at) : k);
    }
    return pairs;
}

static double value_of(const char *p, int format) {
    double d;
    uint32_t bits;
    uint16_t half;
    float f;
    if (format == FLOAT64) return memcpy(&d, p, 8), d;
    if (format == FLOAT32) return memcpy(&f, p, 4), f;
    memcpy(&half, p, 2);
    bits = format == BFLOAT16 ? (uint32_t)half << 16 : (half & 0x8000u) << 16 | (half & 0x7FFFu) << 13;
    if (format == FLOAT16 && (half & 0x7C00) == 0x7C00) bits = 0x7F800000; /* infinite or NaN: of no value */
    memcpy(&f, &bits, 4);
    return format == FLOAT16 ? f * 0x1p112 : f;
}

/* The ends of v - reach .. v + reach, rounded: whether they are the same, which is then stored. */
static int store_value(double v, double reach, char *to, int format) {
    float f[2] = {(float)(v - reach), (float)(v + reach)};
    uint16_t h[2];
    if (format == FLOAT32) return memcpy(to, &f[0], 4), memcmp(&f[0], &f[1], 4) == 0;
    h[0] = refpos_narrow(v - reach, format), h[1] = refpos_narrow(v + reach, format);
    return memcpy(to, &h[0], 2), h[0] == h[1];
}

/* One pair once more; whether its results, which are stored, are certain. */
static int turn_again(const refpos_rotations *job, const double *d, double x, double y, char *u, char *v, int format) {
    const ptrdiff_t plane = job->table_plane;
    const double size = (x < 0 ? -x : x) + (y < 0 ? -y : y), reach = size * job->radius;
    if (size == 0) return memset(u, 0, SIZE(format)), memset(v, 0, SIZE(format)), 1;
    if (format == FLOAT64) return 0;
    const int certain = store_value(x * d[0] - y * d[plane], reach, u, format) &
                        store_value(y * d[0] + x * d[plane], reach, v, format);
    return certain && size < __builtin_inf();
}

/* The pairs of a group, whose results are in out, once more; the new count of the undecided ones, which keep their
   values. */
static __attribute__((noinline, cold)) ptrdiff_t look_again(const refpos_rotations *job, ptrdiff_t row, ptrdiff_t i,
                                                            uint32_t bits, const char *a, const char *b, VI *out,
                                                            int format, ptrdiff_t count) {
    const ptrdiff_t size = SIZE(format), each = job->interleaved ? 2 * size : size;
    const double *d = job->table + row * job->table_row + i;
    for (uint32_t pairs = pairs_of(bits, format, job->interleaved); pairs; pairs &= pairs - 1) {
        const ptrdiff_t j = __builtin_ctz(pairs);
        if (i + j >= job->columns) break;
        const char *x = a + j * each, *y = job->interleaved ? x + size : b + j * each;
        char *u = (char *)out + j * each, *v = u + (job->interleaved ? size : REG);
        if (turn_again(job, d + j, value_of(x, format), value_of(y, format), u, v, format)) continue;
        memcpy(u, x, size), memcpy(v, y, size);
        job->undecided[count++] = job->flat + row * job->flat_row + i + j;
    }
    return count;
}

/* ---- rows ---- */

/* The group from column i on, whose channels are at a and b; `own` is the job, which no store can change. */
INLINE ptrdiff_t turn_group(const refpos_rotations *job, const refpos_rotations *own, ptrdiff_t row, ptrdiff_t i,
                            const char *a, const char *b, const bounds *k, const int format, const int interleaved,
                            VI *p, VI *q, ptrdiff_t count) {
    const ptrdiff_t plane = own->table_plane, at = row * own->table_row + i;
    const double *d = (const double *)own->ready + at;
    const uint32_t bits = format == FLOAT64   ? turn_64(a, b, d, plane, k, interleaved, p, q)
                          : format == FLOAT32 ? turn_32(a, b, d, plane, k, interleaved, p, q)
                                              : turn_16(a, b, (const float *)own->ready + at, plane, k, format,
                                                        interleaved, p, q);
    if (__builtin_expect(bits != 0, 0)) {
        VI out[2] = {*p, *q};
        count = look_again(job, row, i, bits, a, b, out, format, count);
        *p = out[0], *q = out[1];
    }
    return count;
}

/* The columns from i on, which are less than a group, by way of memory of its size. */
INLINE ptrdiff_t turn_part(const refpos_rotations *job, ptrdiff_t row, ptrdiff_t i, const char *a, const char *b,
                           char *to_a, char *to_b, const bounds *k, const int format, const int interleaved,
                           ptrdiff_t count) {
    const size_t bytes = (job->columns - i) * SIZE(format) * (interleaved ? 2 : 1);
    char room[2 * REG] = {0};
    VI out[2];
    memcpy(room, a, bytes);
    if (!interleaved) memcpy(room + REG, b, bytes);
    count = turn_group(job, job, row, i, room, room + REG, k, format, interleaved, &out[0], &out[1], count);
    memcpy(to_a, out, bytes);
    if (!interleaved) memcpy(to_b, &out[1], bytes);
    return count;
}

/* `off`, where it is not -1: by how many bytes rows begin beyond a line, known in the loop. */
INLINE ptrdiff_t turn_rows(const refpos_rotations *given, const int past, const int off, const int format,
                           const int interleaved) {
    const refpos_rotations own = *given, *job = &own;
    const ptrdiff_t n = job->columns, half = n * SIZE(format), group = GROUP(format), ahead = job->ahead;
    const ptrdiff_t each = interleaved ? 2 * REG : REG; /* bytes of a group */
    const int together = TOGETHER(past, interleaved);
    course c = course_of(job->to_first, job->to_second, half, job->to_row, job->to_row, interleaved);
    if (off >= 0) c.p = c.q = (flow){off, shift_of(off)};
    const bounds k = bounds_of(job, format);
    trail t = {{0}, {0}, {{0}}};
    ptrdiff_t count = 0;
    for (ptrdiff_t m = 0; m < job->rows; m++) {
        const char *a = job->first + m * job->row, *b = interleaved ? a + REG : job->second + m * job->row;
        char *to_a = job->to_first + m * job->to_row, *to_b = job->to_second + m * job->to_row;
        ptrdiff_t i = 0;
        for (; i + together * group <= n; i += together * group) {
            VI p[LINE], q[LINE];
#pragma GCC unroll 4
            for (int j = 0; j < together; j++) {
                if (j * each % 64 == 0) __builtin_prefetch(a + ahead);
                if (interleaved ? REG == 64 : j == 0) __builtin_prefetch(b + ahead);
                count = turn_group(given, job, m, i + j * group, a, b, &k, format, interleaved, &p[j], &q[j],
                                   count);
                a += each, b += each;
            }
            put_groups(&c, &t, to_a, to_b, p, q, past, interleaved, i == 0, m == 0);
            to_a += together * each, to_b += together * each;
        }
        if (past)
            end_row(&c, &t, job->to_first + m * job->to_row, job->to_second + m * job->to_row, interleaved,
                    m + 1 == job->rows);
        else if (i < n)
            count = turn_part(given, m, i, a, b, to_a, to_b, &k, format, interleaved, count);
    }
    return count;
}

INLINE ptrdiff_t turn(const refpos_rotations *job, const int format, const int interleaved) {
    const int off = common_off(job->to_first, interleaved ? job->to_first : job->to_second);
    if (!job->past) return turn_rows(job, 0, -1, format, interleaved);
    if (off == 0) return turn_rows(job, 1, 0, format, interleaved);
    if (off == -1) return turn_rows(job, 1, -1, format, interleaved);
    return turn_rows(job, 1, SHIFTS, format, interleaved);
}

#define ROTATE(name, format) \
    static ptrdiff_t name(const refpos_rotations *job) { \
        return job->interleaved ? turn(job, format, 1) : turn(job, format, 0); \
    }
ROTATE(rotate_f64, FLOAT64)
ROTATE(rotate_f32, FLOAT32)
ROTATE(rotate_f16, FLOAT16)
ROTATE(rotate_b16, BFLOAT16)
