/* The rival: correctly rounded tables and rotations of whole groups of columns, without what a package needs. The yardstick
 * of `python -m tests.bench`; no part of refpos. One source; compiled once for each instruction set.
 *
 * 1. Sums of angles in fused operations. A rounding is tested by the bits that it drops, not by rounding twice.
 * 2. A group whose test fails is only written down, without a branch, and looked at again when its rows are done.
 * 3. ROWS anchors at a time, so that the seeds of a step, which come from L2, serve ROWS rows.
 * 4. Results go past the cache from registers, in whole lines even where rows begin inside one: each line is joined
 *    from two registers, and what is left of a row waits for the next one.
 * 5. Two channels of 16 bits in a word are unpacked by shifts: word order in one pairing, even and odd columns (whose
 *    seeds are put in that order) in the other. So both pairings run the same code and shuffle nothing.
 */
#include "lanes.h"
#include "seeds.h"

#define ROWS 2
enum { F64, F32, F16, BF16 };
#define EACH(one) one(F64, 0) one(F64, 1) one(F32, 0) one(F32, 1) one(F16, 0) one(F16, 1) one(BF16, 0) one(BF16, 1)
#define SIZE(fmt) ((fmt) == F64 ? 8 : (fmt) == F32 ? 4 : 2)
#define GROUP(fmt) (REG / SIZE(fmt)) /* columns of which a register holds one kind */
#define TABLE_RADIUS 0x1p-49         /* of sums in double, */
#define PAIR_RADIUS 0x1p-74          /* and of pairs */
#if defined(__FMA__)
#define QUICK_RADIUS 0x1.8p-23f /* of sums in float: 2**-23.5 for four seeds, and three roundings of 2**-25 */
#else
#define QUICK_RADIUS 0x1.4p-22f
#endif

typedef struct { uint32_t r, i, lanes, large; } spot; /* a group that is not sure */
typedef struct { long row, column; } place;
typedef struct { place *list; long count, room; } opens;

static void *memory(size_t bytes) { return aligned_alloc(64, (bytes + 127) / 64 * 64); }
static void add_open(opens *o, long row, long column) {
    if (o->count < o->room) o->list[o->count] = (place){row, column};
    o->count++;
}

/* Where columns stand: in 16 bits and halves, even ones first in every block. */
INLINE long column_at(long i, int fmt, int zipped) {
    const long block = 4 * W, k = i % block;
    return SIZE(fmt) != 2 || zipped ? i : i - k + (k < block / 2 ? 2 * k : 2 * (k - block / 2) + 1);
}
static uint64_t *ordered(const uint64_t *phases, long n, int fmt, int zipped) {
    uint64_t *to = memory(40 * n);
    for (long k = 0; k < 5; k++)
        for (long i = 0; i < n; i++) to[k * n + i] = phases[k * n + column_at(i, fmt, zipped)];
    return to;
}
INLINE uint32_t bits_of(float f) { uint32_t b; memcpy(&b, &f, 4); return b; }

/* A finite double rounded once to 16 bits; what is too large or, in bfloat16, too small is no pattern. */
INLINE uint32_t narrow(double v, int fmt) {
    uint64_t b;
    memcpy(&b, &v, 8);
    const int drop = fmt == F16 ? 42 : 45;
    const uint64_t bias = fmt == F16 ? 1023 - 15 : 1023 - 127, sign = b >> 48 & 0x8000, size = b & ~(1ull << 63);
    if (fmt == F16 && size < (bias + 1) << 52) {
        const double sum = (v < 0 ? -v : v) + 0x1.8p28; /* to a multiple of 2**-24 */
        memcpy(&b, &sum, 8);
        return (uint32_t)(sign | (b & 0x7FF));
    }
    if (size < (bias + 1) << 52 || size >= (bias + (fmt == F16 ? 30 : 254)) << 52) return 0xFFFFFFFF;
    const uint64_t rounded = (size + (1ull << (drop - 1)) - 1 + (size >> drop & 1)) >> drop;
    return (uint32_t)(sign | (rounded - (bias << (52 - drop))));
}

/* ---- rounding to registers of results ---- */
/* Patterns of 16 bits in the upper halves of words: of floats near no midpoint; and two such registers as one. */
INLINE VI upper_half(VS f, VI away) {
    VI z = (VI)f + away;
    return (z << 3 & 0x7FFF0000u) | (z & 0x80000000u);
}
INLINE VI pack(VI a, VI b) { return a >> 16 | (b & 0xFFFF0000u); }

/* float32: a double is near a midpoint if bits 28 .. 17 of it are, after this, 0. */
#define AWAY_32 0xF0010000u
#define REST_32 0x1FFE0000u
/* float16: a midpoint is 0x1000 in the lowest 13 bits; the exponent becomes that of 16 bits. */
#define AWAY_16 (0x1000u - (112u << 23))

/* ---- tables ---- */
typedef struct {
    const double *anchor[ROWS], *steps; /* planes: cosine, sine; or cosine high, low, sine high, low */
    const float *anchor_s[ROWS], *steps_s;
    char *out;                          /* of this anchor's first row */
    long n, near, first;                /* columns, rows to one anchor, number of the first row */
    const double *d;                    /* the step in hand */
    const float *d_s;
    VI late[ROWS];                      /* the last results of a row, which wait for the next */
} sums;

INLINE void sum_singles(const sums *t, int r, long i, int fmt, VS *x, VS *y, SURE *sure) {
    const double *a = t->anchor[r] + i, *b = t->d + i;
    const long n = t->n, plane = t->near * n;
    VD v[2][2];
    for (int k = 0; k < 2; k++) {
        VD c = LOADD(a + k * W), s = LOADD(a + n + k * W), d = LOADD(b + k * W), e = LOADD(b + plane + k * W);
        v[0][k] = fnma_d(s, e, c * d), v[1][k] = fma_d(s, d, c * e);
    }
    *x = to_s(v[0][0], v[0][1]), *y = to_s(v[1][0], v[1][1]);
    if (fmt == F32) {
        need_bits(sure, lows(v[0][0], v[0][1]) + AWAY_32, ALL(VI, REST_32));
        need_bits(sure, lows(v[1][0], v[1][1]) + AWAY_32, ALL(VI, REST_32));
        need_above(sure, smaller(*x, *y), ALL(VS, 0x1.0001p-12f));
    } else {
        need_bits(sure, (VI)*x + 0x1000u, ALL(VI, 0x1FFF));
        need_bits(sure, (VI)*y + 0x1000u, ALL(VI, 0x1FFF));
        need_above(sure, smaller(*x, *y), ALL(VS, 0x1.0001p-14f));
    }
}

/* bfloat16: the sum in float, and more than that by the reach; in the upper halves, and what differs. */
INLINE void sum_quick(const sums *t, int r, long i, VI *x, VI *y, SURE *sure) {
    const float *a = t->anchor_s[r] + i, *b = t->d_s + i;
    const VS c = LOADS(a), s = LOADS(a + t->n), d = LOADS(b), e = LOADS(b + t->near * t->n);
    const VS reach = ALL(VS, QUICK_RADIUS), twice = reach + reach;
    VS p = fma_s(c, d, fnma_s(s, e, reach)), q = fma_s(s, d, fma_s(c, e, reach));
    *x = (VI)p + 0x8000u, *y = (VI)q + 0x8000u;
    need_zero(sure, (*x ^ ((VI)(p - twice) + 0x8000u)) | (*y ^ ((VI)(q - twice) + 0x8000u)), ALL(VI, 0xFFFF0000u));
}
INLINE void sum_pairs(const sums *t, int r, long i, VD *x, VD *y, SURE *sure) {
    const double *a = t->anchor[r] + i, *b = t->d + i;
    const long n = t->n, plane = t->near * n;
    const VD c1 = LOADD(a), c0 = LOADD(a + n), s1 = LOADD(a + 2 * n), s0 = LOADD(a + 3 * n);
    const VD reach = ALL(VD, PAIR_RADIUS);
    const VD d1 = LOADD(b), d0 = LOADD(b + plane), e1 = LOADD(b + 2 * plane), e0 = LOADD(b + 3 * plane);
    const VD d = d1 + d0, e = e1 + e0; /* the same for all rows */
    VD p = fnma_d(s1, e1, c1 * d1), q = fma_d(s1, d1, c1 * e1); /* exact */
    VD u = fma_d(c1, d0, fma_d(c0, d, fnma_d(s1, e0, fnma_d(s0, e, reach))));
    VD v = fma_d(s1, d0, fma_d(s0, d, fma_d(c1, e0, fma_d(c0, e, reach))));
    *x = p + u, *y = q + v;
    need_same(sure, *x, p + (u - 2 * PAIR_RADIUS));
    need_same(sure, *y, q + (v - 2 * PAIR_RADIUS));
}

/* Some columns once more: what is certain now is stored, the rest is listed. */
COLD void sum_again(sums *t, spot at, long m, int fmt, int zipped, int off, opens *open) {
    const long n = t->n, plane = t->near * n, row = t->first + at.r * t->near + m;
    char *out = t->out + (at.r * t->near + m) * 2 * n * SIZE(fmt);
    for (uint32_t left = fmt == F32 ? LANES_OF_LOWS(at.lanes) : at.lanes; left; left &= left - 1) {
        const long i = at.i + __builtin_ctz(left), column = column_at(i, fmt, zipped);
        const double *a = t->anchor[at.r] + i, *b = t->d + i;
        if (fmt == F64) add_open(open, row, i);
        const double v[2] = {b[0] * a[n] + b[plane] * a[0], b[0] * a[0] - b[plane] * a[n]};
        for (int k = 0; k < 2 && fmt != F64; k++) {
            if (fmt == F32) { /* what is stored is right if it is certain */
                if ((float)(v[k] - TABLE_RADIUS) != (float)(v[k] + TABLE_RADIUS)) add_open(open, row, column);
                continue;
            }
            const uint32_t low = narrow(v[k] - TABLE_RADIUS, fmt), high = narrow(v[k] + TABLE_RADIUS, fmt);
            const long to = zipped ? 2 * column + k : column + k * n;
            const long wait = 2 * to - (4 * n - off); /* bytes into what waits */
            if (low != high || low == 0xFFFFFFFF) add_open(open, row, column);
            else if (wait >= 0) memcpy((char *)&t->late[at.r] + REG - off + wait, &low, 2);
            else memcpy(out + 2 * to, &low, 2);
        }
    }
}

/* `rows` rows of each of R anchors. */
INLINE void sum_rows(sums *t, int R, long rows, int fmt, int zipped, SHIFT shift, int off, spot *spots, opens *open) {
    const long n = t->n, bytes = 2 * n * SIZE(fmt), group = GROUP(fmt);
    VI before[ROWS], mid[ROWS], first[ROWS];
    for (int r = 0; r < R; r++) before[r] = first[r] = mid[r] = ALL(VI, 0);
    for (long m = 0; m < rows; m++) {
        long found = 0;
        t->d = t->steps + m * n, t->d_s = t->steps_s ? t->steps_s + m * n : NULL;
        for (long i = 0; i < n; i += group) {
#pragma GCC unroll 4
            for (int r = 0; r < R; r++) {
                SURE sure = SURE_ALL, more = SURE_ALL;
                VI p, q; /* sines, cosines */
                if (fmt == F64) {
                    VD x, y;
                    sum_pairs(t, r, i, &x, &y, &sure);
                    p = zipped ? ZIP_D(y, x, ZIP_LOW_D) : (VI)y, q = zipped ? ZIP_D(y, x, ZIP_HIGH_D) : (VI)x;
                } else if (fmt == F32) {
                    VS x, y;
                    sum_singles(t, r, i, fmt, &x, &y, &sure);
                    p = zipped ? ZIP(y, x, ZIP_LOW) : (VI)y, q = zipped ? ZIP(y, x, ZIP_HIGH) : (VI)x;
                } else {
                    VI u[2], v[2];
                    for (int k = 0; k < 2; k++) {
                        if (fmt == BF16) {
                            sum_quick(t, r, i + 2 * k * W, &u[k], &v[k], k ? &more : &sure);
                        } else {
                            VS x, y;
                            sum_singles(t, r, i + 2 * k * W, fmt, &x, &y, k ? &more : &sure);
                            u[k] = upper_half(x, ALL(VI, AWAY_16)), v[k] = upper_half(y, ALL(VI, AWAY_16));
                        }
                    }
                    p = zipped ? pack(v[0], u[0]) : pack(v[0], v[1]), q = zipped ? pack(v[1], u[1]) : pack(u[0], u[1]);
                }
                const uint32_t lanes = fmt == F64         ? lanes_64(sure)
                                       : SIZE(fmt) == 2 ? unsure(sure) | unsure(more) << 2 * W
                                                        : unsure(sure);
                spots[found] = (spot){r, i, lanes, 0};
                found += lanes != 0;
                char *begin = t->out + r * t->near * bytes, *line = begin + m * bytes - off;
                if (zipped) {
                    line += 2 * i * SIZE(fmt);
                    put(line, join(before[r], p, shift), begin);
                    stream(line + REG, join(p, q, shift));
                    before[r] = q;
                } else {
                    line += i * SIZE(fmt);
                    put(line, join(before[r], p, shift), begin);
                    if (i) stream(line + bytes / 2, join(mid[r], q, shift));
                    else first[r] = q;
                    before[r] = p, mid[r] = q;
                }
            }
        }
        for (int r = 0; r < R && !zipped; r++) { /* the line where the halves meet */
            stream(t->out + (r * t->near + m) * bytes + bytes / 2 - off, join(before[r], first[r], shift));
            before[r] = mid[r];
        }
        for (int r = 0; r < R; r++) t->late[r] = before[r];
        for (long k = 0; k < found; k++) sum_again(t, spots[k], m, fmt, zipped, off, open);
        for (int r = 0; r < R; r++) before[r] = t->late[r];
    }
    for (int r = 0; r < R; r++) put_rest(t->out + (r * t->near + rows) * bytes - off, before[r], off);
}

/* With W = 4 the shift is 0 or 16, and known in the loop. */
#define BY_SHIFT(call) if (W == 4 && off) { call(shift_of(16)) } else { call(shift_of(W == 4 ? 0 : off)) }
INLINE void table(char *out, long total, long n, long start, const uint64_t *given, const double *knots, long near, int fmt,
                  int zipped, opens *open) {
    const long planes = fmt == F64 ? 4 : 2, all = near * n, bytes = 2 * n * SIZE(fmt);
    const int off = W == 2 ? 0 : (int)((uintptr_t)out % REG);
    uint64_t *phases = ordered(given, n, fmt, zipped);
    double *steps = memory(8 * planes * all), *anchor = memory(8 * planes * n * ROWS);
    float *steps_s = fmt == BF16 ? memory(8 * all) : NULL, *anchor_s = fmt == BF16 ? memory(8 * n * ROWS) : NULL;
    spot *spots = memory(sizeof(spot) * (ROWS * n + 1));
    sums t = {.steps = steps, .steps_s = steps_s, .n = n, .near = near};
    for (int r = 0; r < ROWS; r++) {
        t.anchor[r] = anchor + r * planes * n;
        t.anchor_s[r] = anchor_s ? anchor_s + r * 2 * n : NULL;
    }
    for (long m = 0; m < near; m++)
        if (fmt == F64) seed_pairs(phases, n, m, knots, steps + m * n, all);
        else seed_doubles(phases, n, m, steps + m * n, steps + all + m * n);
    for (long i = 0; i < 2 * all && fmt == BF16; i++) steps_s[i] = (float)steps[i];
    for (long row = 0; row < total;) {
        const long left = total - row;
        const int most = fmt == F64 ? 1 : ROWS, R = left >= most * near ? most : 1;
        for (int r = 0; r < R; r++) {
            double *a = anchor + r * planes * n;
            if (fmt == F64) seed_pairs(phases, n, start + row + r * near, knots, a, n);
            else seed_doubles(phases, n, start + row + r * near, a, a + n);
            for (long i = 0; i < 2 * n && fmt == BF16; i++) anchor_s[r * 2 * n + i] = (float)a[i];
        }
        t.out = out + row * bytes, t.first = row;
        const long rows = left < near ? left : near;
#define CALL(shift) { if (R > 1) sum_rows(&t, ROWS, near, fmt, zipped, shift, off, spots, open); \
                      else sum_rows(&t, 1, rows, fmt, zipped, shift, off, spots, open); }
        BY_SHIFT(CALL)
        row += R > 1 ? ROWS * near : rows;
    }
    _mm_sfence();
    free(phases), free(steps), free(anchor), free(steps_s), free(anchor_s), free(spots);
}

/* Fills out (rows, 2 n) from position `start` on; n is a multiple of 4 W, out of 16 bytes. How many entries are open. */
long rival_table(char *out, long rows, long n, long start, const uint64_t *phases, const double *knots, long near, int fmt,
                 int zipped, place *list, long room) {
    opens open = {list, 0, room};
    if (n % (4 * W) || (uintptr_t)out % 16) return -1;
#define EACH_TABLE(f, z) if (fmt == f && zipped == z) table(out, rows, n, start, phases, knots, near, f, z, &open);
    EACH(EACH_TABLE)
    return open.count;
}

#include "turns.h"
