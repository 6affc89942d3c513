# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
# cython: freethreading_compatible=True
"""The kernels as loops; the twin of the NumPy kernels, equal to them bit for bit.

1. Checked arrays in, filled arrays out: no options, messages or policy, and the GIL is released throughout.
2. A pair (high, low) of doubles stands for high + low; highs in tables are multiples of 2**-26, so products of two
   highs are exact without a fused multiply-add, and every sum that is called exact below fits in 53 bits.
3. A value is accepted when value - radius and value + radius round to the same bits. Others are tested again with
   seeds of their own where a radius is given for that; flat indices of what stays undecided are reported.
4. Rows with unit stride, or interleaved, are done by vector code (rows.h), many at a call; others by the scalar code
   here, which also does everything where the compiler has no vectors.
5. Only IEEE + - * and integers: nothing here may be contracted, reordered or replaced by a library call.
6. Calls share nothing that is written: what a call needs lies on its stack or is allocated by it, a `Turns` is never
   changed, and module variables are constants. Only `active` changes, by `use_cpu`, while no other thread computes.
"""

from cpython.buffer cimport (
    PyBUF_FORMAT, PyBUF_STRIDES, PyBUF_WRITABLE, PyBuffer_IsContiguous, PyBuffer_Release, PyObject_GetBuffer)
from libc.stdlib cimport free, llabs, malloc
from libc.string cimport memcpy, memset

ctypedef unsigned long long u64
ctypedef long long i64
ctypedef unsigned int u32
ctypedef unsigned short u16

cdef extern from "rows.h" nogil:
    enum: FLOAT64, FLOAT32, FLOAT16, BFLOAT16
    enum: KNOTS
    const double TWO_51, SMALLEST_ERROR_RADIUS, LARGEST_ERROR_RADIUS, SMALLEST_RADIUS, LARGEST_RADIUS
    ctypedef struct refpos_sums:
        const double *anchor[2]
        const double *steps
        const u64 *phases[5]
        const i64 *multipliers
        const double *knots
        const double *scaled
        double *places
        const float *anchor_singles[2]
        const float *step_singles
        Py_ssize_t anchor_plane, step_plane, step_row
        char *cos
        char *sin
        Py_ssize_t cos_row, sin_row
        int interleaved, past
        Py_ssize_t anchors, next, rows, columns, valid
        double radius
        i64 flat, flat_row
        i64 *undecided
        Py_ssize_t room
    ctypedef struct refpos_rotations:
        const double *table
        const void *ready
        Py_ssize_t table_plane, table_row
        const char *first
        const char *second
        char *to_first
        char *to_second
        Py_ssize_t row, to_row
        int interleaved, past
        Py_ssize_t rows, columns, ahead
        double radius, within
        i64 flat, flat_row
        i64 *undecided
    ctypedef struct refpos_rows:
        const char *name
        Py_ssize_t width, line, shifts
        Py_ssize_t (*sum[4])(const refpos_sums *) noexcept nogil
        Py_ssize_t (*rotate[4])(const refpos_rotations *) noexcept nogil
        void (*spread)(const double *, Py_ssize_t, Py_ssize_t, int, int, void *) noexcept nogil
        void (*seed_doubles)(const u64 **, u64, int, const double *, double *, double *, Py_ssize_t) noexcept nogil
        void (*seed_pairs)(const u64 **, u64, int, const double **, double **, Py_ssize_t) noexcept nogil
        void (*add)(const double *, Py_ssize_t, const double *, Py_ssize_t, double, double *, Py_ssize_t,
                    Py_ssize_t) noexcept nogil
        void (*copy)(char *, const char *, Py_ssize_t) noexcept nogil
        Py_ssize_t (*products)(const double *, const double *, double *, Py_ssize_t, Py_ssize_t,
                               Py_ssize_t) noexcept nogil
        int (*split)(const void *, int, Py_ssize_t, const double *, double, i64 *) noexcept nogil
        void (*round_sums)(const i64 *, Py_ssize_t, int, const double *, void *, int) noexcept nogil
    const refpos_rows **refpos_rows_table
    int refpos_rows_count()
    void refpos_fence()
    u16 refpos_narrow_16(double, int, int)

cdef const refpos_rows *active = refpos_rows_table[refpos_rows_count() - 1]


def cpus():
    """The instruction sets of this build that this machine runs, plainest first."""
    return [refpos_rows_table[k].name.decode("ascii") for k in range(refpos_rows_count())]


def cpu():
    """The one of `cpus()` that runs."""
    return active.name.decode("ascii")


def use_cpu(name):
    """Run the row kernels of one of `cpus()` from now on; for the choice at import, and tests, of one thread alone."""
    global active
    active = refpos_rows_table[cpus().index(name)]


ctypedef fused number:
    double
    float
    u16

BLOCK = 1 << 20  # entries that a caller hands over at a time
LONG_RUN = 256  # bytes of a run from which on `copy_runs` is as fast as it can be
TEMPLATE_BYTES = 1 << 22  # bytes of a block of a grid that is laid out in the cache before it is copied
CACHED_BYTES = 0  # bytes of output up to which what is written stays in a cache: none does, stores go past it
TILE = 64  # rows of a rotation whose cosines and sines are in memory at a time, at most
cdef Py_ssize_t TILE_ROWS = TILE
cdef Py_ssize_t TILE_SIZE = 1 << 16  # bytes of these cosines and sines
cdef Py_ssize_t APART = 64  # rows done together that are anchors each
cdef Py_ssize_t LEAST_STAGED = 512  # bytes of a run from which on it goes past the cache, by a staging buffer
cdef Py_ssize_t STEPS_SIZE = 1 << 20  # bytes: the steps to a tile of columns stay in the cache
cdef Py_ssize_t RUN = 4096  # bytes of output computed at a time; channels are prefetched that far ahead

cdef struct task:  # what all rows of a call share
    int format, precision, lowest
    const u64 *phases  # five planes of `half` limbs, the lowest first
    const double *knots  # of rows.h
    Py_ssize_t planes, half, rows_per_anchor
    const i64 *multipliers  # of the rows, of each axis in turn
    Py_ssize_t axes, rows
    const i64 *starts  # the first column of each axis, and `half`; NULL: there is one axis
    const i64 *order  # the output column of each column, which stand axis by axis; NULL: the same column
    const double *steps
    double radius, seed_radius  # seed_radius: of the test with own seeds; 0: there is none
    bint stream
    i64 *undecided
    Py_ssize_t capacity


cdef task new_task(const i64[::1] multipliers, const u64[:, ::1] phases, const double[:, ::1] knots,
                   const double[:, :, ::1] steps, fmt, double radius, double seed_radius, bint stream,
                   i64[::1] undecided):
    cdef task t
    t.precision = fmt.precision
    t.lowest = fmt.lowest
    t.format = FLOAT64 if t.precision == 53 else FLOAT32 if t.precision == 24 else (
        FLOAT16 if t.precision == 11 else BFLOAT16)
    t.phases = &phases[0, 0]
    t.knots = &knots[0, 0]
    t.planes, t.rows_per_anchor, t.half = steps.shape[0], steps.shape[1], steps.shape[2]
    t.multipliers = &multipliers[0]
    t.axes, t.rows, t.starts, t.order = 1, multipliers.shape[0], NULL, NULL
    t.steps = &steps[0, 0, 0]
    t.radius, t.seed_radius = radius, seed_radius
    t.stream = stream and active.copy != NULL
    t.undecided = &undecided[0]
    t.capacity = undecided.shape[0]
    return t


cdef struct view:  # an array of the caller: its strides are in bytes
    char *at
    Py_ssize_t[3] shape, strides


cdef view view_of(array, Py_buffer *buffer, bint writable) except *:
    """The memory of an array of at most three axes, which `buffer` keeps alive until it is released."""
    cdef view v
    cdef int k
    PyObject_GetBuffer(array, buffer, PyBUF_STRIDES | (PyBUF_WRITABLE if writable else 0))
    if buffer.ndim > 3:  # the caller releases the buffer
        raise ValueError(f"an array must have at most 3 axes, got {buffer.ndim}")
    v.at = <char *> buffer.buf
    for k in range(buffer.ndim):
        v.shape[k] = buffer.shape[k]
        v.strides[k] = buffer.strides[k]
    return v

cdef double GRID_26 = 1.5 * 67108864.0  # 1.5 * 2**(52 - 26)
cdef double GRID_35 = 1.5 * 131072.0
cdef double GRID_45 = 1.5 * 128.0

cdef double TWO_PI_HIGH = 52707179.0 / 8388608.0  # 26 bits
cdef double TWO_PI_LOW = -5.5636270456668466e-08
cdef double TWO_PI = 6.283185307179586
cdef double TWO_37 = 1.0 / 137438953472.0
cdef double TWO_96 = 1.0 / (4294967296.0 * 4294967296.0 * 4294967296.0)

cdef inline u64 bits_of(double value) noexcept nogil:
    cdef u64 pattern
    memcpy(&pattern, &value, 8)
    return pattern


cdef inline double from_bits(u64 pattern) noexcept nogil:
    cdef double value
    memcpy(&value, &pattern, 8)
    return value


cdef inline double to_grid(double value, double anchor) noexcept nogil:
    return (value + anchor) - anchor


include "selftest.pxi"

include "written.pxi"


# ---- rounding once to 16 bits, and back ----

cdef inline double widen_16(u16 pattern, int precision) noexcept nogil:
    cdef u32 magnitude = pattern & 0x7FFF
    cdef double sign = -1.0 if pattern >> 15 else 1.0
    cdef u32 wide
    cdef float value
    if precision == 8:
        wide = <u32> pattern << 16
        memcpy(&value, &wide, 4)
        return value
    if magnitude >= 0x7C00:
        return from_bits(<u64> (0x7FF0 | (pattern & 0x8000)) << 48 | <u64> (magnitude & 0x3FF) << 42)
    if magnitude < 0x400:
        return sign * magnitude / 16777216.0  # multiples of 2**-24
    return sign * from_bits((<u64> magnitude << 42) + (<u64> 1008 << 52))


cdef inline double widened(number value, int precision) noexcept nogil:
    if number is u16:
        return widen_16(value, precision)
    else:
        return value


cdef inline number narrowed(double value, number kind, int precision, int lowest) noexcept nogil:
    if number is u16:
        return refpos_narrow_16(value, precision, lowest)
    else:
        return <number> value


cdef inline bint same_bits(number a, number b) noexcept nogil:
    cdef u32 x, y
    if number is double:
        return bits_of(a) == bits_of(b)
    elif number is float:
        memcpy(&x, &a, 4)
        memcpy(&y, &b, 4)
        return x == y
    else:
        return a == b


cdef inline void exact_sum(double a, double b, double *high, double *low) noexcept nogil:
    """a + b = high + low exactly, |low| at most half the spacing of doubles at high."""
    cdef double sum_ = a + b, other = sum_ - a
    high[0] = sum_
    low[0] = (a - (sum_ - other)) + (b - other)


include "scatter.pxi"


cdef inline bint rounded_pair(double a, double b, double error_radius, number *out, int precision,
                              int lowest) noexcept nogil:
    """a + b, off by less than error_radius, rounded into out; whether that is certain. If not, out keeps its value."""
    cdef double high, low, half_width
    cdef number lower, upper
    cdef u64 pattern
    exact_sum(a, b, &high, &low)
    if number is double:
        lower, upper = high + (low - error_radius), high + (low + error_radius)
        if not same_bits(lower, upper):
            return False
        out[0] = lower
    elif low > error_radius or low < -error_radius:
        # of the two doubles around the value the odd one: no midpoint of a narrower format, on the value's side of each
        pattern = bits_of(high)
        if not pattern & 1:
            pattern += 1 if (low > 0) == (high > 0) else -1
        out[0] = narrowed(from_bits(pattern), <number> 0, precision, lowest)
    else:
        # the side of the double on which the value lies is not known: two doubles that surely enclose it
        half_width = 3 * error_radius + (high if high >= 0 else -high) * TWO_51
        lower = narrowed(high - half_width, <number> 0, precision, lowest)
        upper = narrowed(high + half_width, <number> 0, precision, lowest)
        if not same_bits(lower, upper):
            return False
        out[0] = lower
    return True


# ---- cosine and sine of a phase, as pairs ----

cdef inline void rotate_knot(double a1, double a0, double b1, double b0, double x1, double s0, double k1, double k0,
                             double k,
                             double c0, double *high, double *low) noexcept nogil:
    """(a1 + a0) cos x + (b1 + b0) sin x, with sin x = x1 + s0 and cos x = 1 - k + c0, k = k1 + k0."""
    cdef double first = b1 * x1, second = a1 * k1  # exact: 26 by 26 bits
    cdef double first_high = to_grid(first, GRID_26), second_high = to_grid(second, GRID_26)
    cdef double tail = ((b1 + b0) * s0 + b0 * x1) - ((a1 * k0 + a0 * k) - (a1 + a0) * c0)
    cdef double fine = ((first - first_high) - (second - second_high)) + (a0 + tail)
    cdef double carry = to_grid(fine, GRID_26)
    high[0] = ((a1 + first_high) - second_high) + carry
    low[0] = fine - carry


cdef void seed_entry(const task *t, u64 size, bint negative, Py_ssize_t i, double *cos1, double *cos0, double *sin1,
                     double *sin0) noexcept nogil:
    """Cosine and sine of size (or -size) times the phase of column i, as pairs."""
    cdef const u64 *phase = t.phases + i
    cdef const double *nearest_knot
    cdef u64 low = size & 0xFFFFFFFFULL, high = size >> 32
    cdef u64 a, b, carry, carry_high = 0, total, column, next32 = 0, top = 0
    cdef i64 offset
    cdef int k, knot
    cdef double distance_high, distance_low, product, x1, x0, x, square, s0, k1, k0, half_square, c0
    # columns of 32 bits of the product; the lowest only carries, and what is above a whole turn falls away
    carry = low * phase[0] >> 32
    for k in range(1, 5):
        a = low * phase[k * t.half]
        b = high * phase[(k - 1) * t.half]
        total = carry + carry_high + (a & 0xFFFFFFFFULL) + (b & 0xFFFFFFFFULL)
        column = total & 0xFFFFFFFFULL
        carry = (total >> 32) + (a >> 32)
        carry_high = b >> 32
        if k == 2:
            next32 = column
        elif k > 2:
            top |= column << 32 * (k - 3)
    # nearest of 2048 knots, and the distance to it in units of 2**-64 turns
    top = top + (1ULL << 52)
    knot = <int> (top >> 53)
    offset = <i64> (top & 0x1FFFFFFFFFFFFFULL) - (1LL << 52)
    distance_high = <double> (offset >> 27) * TWO_37
    distance_low = <double> (<i64> (<u64> (offset & 0x7FFFFFFLL) << 32 | next32)) * TWO_96
    product = distance_high * TWO_PI_HIGH  # exact: 26 by 26 bits
    x1 = to_grid(product, GRID_35)
    x0 = (product - x1) + (distance_high * TWO_PI_LOW + distance_low * TWO_PI)
    x = x1 + x0
    square = x * x
    s0 = x0 + x * square * (-1.0 / 6.0 + square * (1.0 / 120.0 - square * (1.0 / 5040.0)))
    half_square = x1 * x1 * 0.5  # exact
    k1 = to_grid(half_square, GRID_45)
    k0 = half_square - k1
    c0 = square * square * (1.0 / 24.0 - square * (1.0 / 720.0)) - x0 * (x1 + 0.5 * x0)
    nearest_knot = t.knots + knot
    rotate_knot(nearest_knot[0], nearest_knot[KNOTS], -nearest_knot[2 * KNOTS], -nearest_knot[3 * KNOTS], x1, s0, k1,
                k0, half_square, c0,
                cos1, cos0)
    rotate_knot(nearest_knot[2 * KNOTS], nearest_knot[3 * KNOTS], nearest_knot[0], nearest_knot[KNOTS], x1, s0, k1, k0,
                half_square, c0,
                sin1, sin0)
    if negative:
        sin1[0] = -sin1[0]
        sin0[0] = -sin0[0]


cdef void seed_columns(const task *t, i64 multiplier, Py_ssize_t start, Py_ssize_t count, double *out,
                       Py_ssize_t plane) noexcept nogil:
    """Cosines and sines of columns from `start` on, as pairs (4 planes) or in plain double, to 2**-51.5 (2 planes)."""
    cdef u64 size = <u64> multiplier if multiplier >= 0 else 0 - <u64> multiplier
    cdef bint negative = multiplier < 0
    cdef const u64 *limbs[5]
    cdef const double *knots[4]
    cdef double *planes[4]
    cdef double pair[4]
    cdef Py_ssize_t i
    if count >= active.width:
        for i in range(5):
            limbs[i] = t.phases + i * t.half + start
        for i in range(t.planes):
            knots[i] = t.knots + i * KNOTS
            planes[i] = out + i * plane
        if t.planes == 2:
            active.seed_doubles(limbs, size, negative, t.knots + 4 * KNOTS, planes[0], planes[1], count)
        else:
            active.seed_pairs(limbs, size, negative, knots, planes, count)
        return
    for i in range(count):
        seed_entry(t, size, negative, start + i, &pair[0], &pair[1], &pair[2], &pair[3])
        if t.planes == 2:
            out[i] = pair[0] + pair[1]
            out[plane + i] = pair[2] + pair[3]
        else:
            out[i], out[plane + i], out[2 * plane + i], out[3 * plane + i] = pair[0], pair[1], pair[2], pair[3]


cdef void seed_row(const task *t, Py_ssize_t row, double *out, Py_ssize_t plane, double *spare) noexcept nogil:
    """Cosines and sines of the columns of all axes at one row; `spare` holds a row where t.order is set."""
    cdef Py_ssize_t a, i, k
    cdef double *to = spare if t.order != NULL else out
    cdef Py_ssize_t gap = t.half if t.order != NULL else plane
    if t.starts == NULL:
        seed_columns(t, t.multipliers[row], 0, t.half, out, plane)
        return
    for a in range(t.axes):
        seed_columns(t, t.multipliers[a * t.rows + row], t.starts[a], t.starts[a + 1] - t.starts[a],
                     to + t.starts[a], gap)
    if t.order != NULL:
        for k in range(t.planes):
            for i in range(t.half):
                out[k * plane + t.order[i]] = spare[k * t.half + i]


def seeds(const i64[::1] multipliers, const u64[:, ::1] phases, const double[:, ::1] knots, double[:, :, ::1] out):
    """Cosine and sine at multipliers (n,) times phases (5, half): out (4, n, half) pairs, (2, n, half) doubles."""
    cdef task t
    cdef Py_ssize_t row, rows = multipliers.shape[0]
    if not rows or not phases.shape[1]:
        return
    t.phases, t.knots = &phases[0, 0], &knots[0, 0]
    t.planes, t.half = out.shape[0], phases.shape[1]
    with nogil:
        for row in range(rows):
            seed_columns(&t, multipliers[row], 0, t.half, &out[0, row, 0], rows * t.half)


# ---- tables by angle addition ----

cdef inline bint sum_entry(const double *a, Py_ssize_t a_plane, const double *b, Py_ssize_t b_plane, bint sine,
                           number *out, double radius, int precision, int lowest) noexcept nogil:
    """Cosine or sine of the sum of two angles, rounded into out; whether that is certain."""
    cdef Py_ssize_t c = 2 if number is double else 1  # the first plane of the sines
    cdef const double *p = a + c * a_plane if sine else a
    cdef const double *q = a if sine else a + c * a_plane
    cdef const double *t = b + c * b_plane
    cdef double sign = 1.0 if sine else -1.0
    cdef double leading, rest
    cdef number lower
    # cos: c d - s t; sin: s d + c t
    leading = p[0] * b[0] + sign * (q[0] * t[0])
    rest = 0.0
    if number is double:  # exact so far; highs and lows of the pairs, each in its own plane
        rest = ((p[0] + p[a_plane]) * b[b_plane] + p[a_plane] * b[0]) + sign * (
            (q[0] + q[a_plane]) * t[b_plane] + q[a_plane] * t[0])
    lower = narrowed(leading + (rest - radius), <number> 0, precision, lowest)
    out[0] = narrowed(leading + (rest + radius), <number> 0, precision, lowest)
    return same_bits(lower, out[0])


cdef Py_ssize_t sum_columns(const task *t, const refpos_sums *job, Py_ssize_t cos_column, Py_ssize_t sin_column,
                            Py_ssize_t start, Py_ssize_t cosines, number kind) noexcept nogil:
    """Columns of the job from `start` on, one by one; those from `cosines` on have a sine only."""
    cdef Py_ssize_t row, i
    cdef const double *a
    cdef const double *b
    cdef bint certain
    cdef Py_ssize_t count = 0
    for row in range(job.rows):
        for i in range(start, job.columns):
            a, b = job.anchor[0] + i, job.steps + row * job.step_row + i
            certain = sum_entry[number](a, job.anchor_plane, b, job.step_plane, True,
                                        <number *> (job.sin + row * job.sin_row + i * sin_column), job.radius,
                                        t.precision, t.lowest)
            if i < cosines:
                certain &= sum_entry[number](a, job.anchor_plane, b, job.step_plane, False,
                                             <number *> (job.cos + row * job.cos_row + i * cos_column), job.radius,
                                             t.precision, t.lowest)
            if not certain:
                if count < job.room:
                    job.undecided[count] = job.flat + row * job.flat_row + i
                count += 1
    return count


cdef Py_ssize_t scalar_sum(const task *t, const refpos_sums *job, Py_ssize_t cos_column, Py_ssize_t sin_column,
                           Py_ssize_t start, Py_ssize_t cosines) noexcept nogil:
    if t.format == FLOAT64:
        return sum_columns[double](t, job, cos_column, sin_column, start, cosines, 0)
    if t.format == FLOAT32:
        return sum_columns[float](t, job, cos_column, sin_column, start, cosines, 0)
    return sum_columns[u16](t, job, cos_column, sin_column, start, cosines, 0)


cdef void to_singles(const double *values, float *singles, Py_ssize_t count) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(count):
        singles[i] = <float> values[i]


cdef void put_rows(char *to, Py_ssize_t to_row, const char *rows, Py_ssize_t size, Py_ssize_t count) noexcept nogil:
    """Copy rows of that size, which follow each other, past the cache."""
    cdef Py_ssize_t row
    if to_row == size:
        active.copy(to, rows, count * size)
        return
    for row in range(count):
        active.copy(to + row * to_row, rows + row * size, size)


cdef struct target:  # where a table goes
    view cos, sin
    bint vectorised, interleaved
    Py_ssize_t item, cosines, half, tile
    double *anchor  # room for the seeds of two anchors of a tile of columns
    float *anchor_singles  # the same, and the seeds of all steps, in float; or NULL
    float *step_singles
    char *staging  # room for two runs of rows
    const double *scaled  # cosines and sines of knots, times the factor


cdef bint in_lines(const target *to, Py_ssize_t columns, const char *cos, const char *sin) noexcept nogil:
    """Whether rows of that many columns may go past the cache from registers."""
    cdef Py_ssize_t line = active.line, shifts = active.shifts
    return line and columns * to.item % line == 0 and to.cos.strides[0] % line == to.sin.strides[0] % line == 0 and (
        <size_t> sin % shifts == 0 and (to.interleaved or <size_t> cos % shifts == 0))


cdef bint side_by_side(const target *to, Py_ssize_t columns, const char *cos, const char *sin) noexcept nogil:
    """Whether cosines and sines of that many columns are one run in every row."""
    return to.interleaved or (llabs(cos - sin) == columns * to.item and to.cos.strides[0] == to.sin.strides[0])


cdef Py_ssize_t staged_rows(const task *t, const target *to, Py_ssize_t columns, const char *cos,
                            const char *sin) noexcept nogil:
    """How many rows are computed in the cache and then copied past it; 0 where they are not."""
    cdef bint joint = side_by_side(to, columns, cos, sin)
    cdef Py_ssize_t size = columns * to.item * (2 if joint else 1)
    if not t.stream or not (size >= LEAST_STAGED or to.cos.strides[0] == to.sin.strides[0] == size):
        return 0
    return max(1, RUN // (to.item * columns * (2 if to.interleaved else 1)))


cdef Py_ssize_t sum_run(const task *t, const target *to, refpos_sums *job, Py_ssize_t start, Py_ssize_t columns,
                        bint staged) noexcept nogil:
    """The job's rows, columns from `start` on, of which `columns` have both: the number undecided."""
    cdef Py_ssize_t all_columns = job.columns, size, count = 0
    cdef char *cos = job.cos
    cdef char *sin = job.sin
    cdef char *low = min(cos, sin)
    cdef bint joint = side_by_side(to, columns, cos, sin)
    if columns > 0 and to.vectorised:
        job.columns = job.valid = columns
        if staged:
            size = columns * to.item * (2 if joint else 1)
            job.sin_row = job.cos_row = size
            job.cos = to.staging + (cos - low if joint else job.rows * size)
            job.sin = to.staging + (sin - low if joint else 0)
            count = active.sum[t.format](job)
            put_rows(low if joint else sin, to.sin.strides[0], to.staging, size, job.rows)
            if not joint:
                put_rows(cos, to.cos.strides[0], job.cos, size, job.rows)
            job.cos, job.sin, job.cos_row, job.sin_row = cos, sin, to.cos.strides[0], to.sin.strides[0]
        else:
            count = active.sum[t.format](job)
        job.columns = all_columns
    else:
        columns = 0
    if columns < job.columns:
        job.undecided += min(count, job.room)
        job.room -= count
        count += scalar_sum(t, job, to.cos.strides[1], to.sin.strides[1], columns, to.cosines - start)
    return count


cdef Py_ssize_t fill_tile(const task *t, const target *to, Py_ssize_t start, Py_ssize_t stop, Py_ssize_t first,
                          Py_ssize_t last, Py_ssize_t count) noexcept nogil:
    """Columns start .. stop of rows first .. last; the new count of undecided entries, -1 if they find no room."""
    cdef Py_ssize_t row = first, m, k, width = stop - start, columns = min(stop, to.cosines) - start, staged = 0
    cdef Py_ssize_t near = t.rows_per_anchor, seeds = t.planes * width
    cdef bint apart
    cdef char *cos = to.cos.at + start * to.cos.strides[1]
    cdef char *sin = to.sin.at + start * to.sin.strides[1]
    cdef refpos_sums job
    job.anchor_plane, job.step_plane, job.step_row = width, near * t.half, t.half
    job.interleaved, job.radius, job.flat_row = to.interleaved, t.radius, to.half
    job.columns, job.next, job.step_singles, job.multipliers = width, near, NULL, NULL
    job.knots, job.scaled, job.places = t.knots, to.scaled, to.anchor
    job.anchor[0], job.anchor[1] = to.anchor, to.anchor
    for k in range(5):
        job.phases[k] = t.phases + k * t.half + start
    job.cos_row, job.sin_row = to.cos.strides[0], to.sin.strides[0]
    job.past = t.stream and columns == width and in_lines(to, width, cos, sin)
    if columns == width and not job.past:
        staged = staged_rows(t, to, width, cos, sin)
    # a row that is its own anchor is rounded at once; a float64 that fails that test needs the one with its own seed
    apart = near == 1 and to.vectorised and columns == width and (t.format != FLOAT64 or t.seed_radius > 0)
    if apart:
        job.step_row = 0
    while row < last:
        m = row % near
        # seeds of steps to a row serve two anchors at once
        job.anchors = 2 if m == 0 and row + 2 * near <= last and to.vectorised and columns == width and (
            t.format != FLOAT64 and not staged and not apart) else 1
        if (m == 0 or row == first) and not apart:
            for k in range(job.anchors):
                job.anchor[k] = to.anchor + k * seeds
                seed_columns(t, t.multipliers[row - m + k * near], start, width, to.anchor + k * seeds, width)
                if to.anchor_singles != NULL:
                    job.anchor_singles[k] = to.anchor_singles + k * seeds
                    to_singles(job.anchor[k], to.anchor_singles + k * seeds, seeds)
        job.rows = min(last - row, APART if apart else near - m)
        if apart:
            job.multipliers = t.multipliers + row
        if staged:
            job.rows = min(job.rows, staged)
        job.steps = t.steps + m * t.half + start
        if to.step_singles != NULL:
            job.step_singles = to.step_singles + m * t.half + start
        job.cos, job.sin = cos + row * job.cos_row, sin + row * job.sin_row
        job.flat, job.undecided, job.room = row * to.half + start, t.undecided + count, t.capacity - count
        count += sum_run(t, to, &job, start, columns, staged)
        if count > t.capacity:
            return -1
        row += job.rows + (job.anchors - 1) * near
    return count


cdef Py_ssize_t fill_rows(const task *t, const target *to, Py_ssize_t *done) noexcept nogil:
    """A tile of columns at a time: the steps to them stay in the cache for all anchors."""
    cdef Py_ssize_t rows = to.sin.shape[0], row = 0, take = rows, before, start, stop, count = 0
    while row < rows:
        before, start = count, 0
        while start < to.half and count >= 0:
            stop = min(to.half, start + to.tile)
            count = fill_tile(t, to, start, stop, row, row + take, count)
            start = stop
        if count >= 0:
            row += take
            take = min(take, rows - row)
            continue
        count = before
        if take == 1:
            break
        take //= 2
    if t.stream:
        refpos_fence()
    done[0] = row
    return count


cdef void own_seed(const task *t, Py_ssize_t row, Py_ssize_t column, double *pair) noexcept nogil:
    """Cosine and sine of one row and column as pairs, from one seed."""
    cdef Py_ssize_t i = column, axis = 0
    cdef i64 multiplier
    if t.order != NULL:
        i = 0
        while t.order[i] != column:
            i += 1
    if t.starts != NULL:
        while i >= t.starts[axis + 1]:
            axis += 1
    multiplier = t.multipliers[axis * t.rows + row]
    seed_entry(t, <u64> multiplier if multiplier >= 0 else 0 - <u64> multiplier, multiplier < 0, i, &pair[0], &pair[1],
               &pair[2], &pair[3])


cdef bint retest_sum(const task *t, const target *to, Py_ssize_t row, Py_ssize_t i, number kind) noexcept nogil:
    """The rounding test of one undecided entry with its own seed; whether it passes."""
    cdef double pair[4]
    cdef number cos = 0, sin
    own_seed(t, row, i, pair)
    if not rounded_pair(pair[2], pair[3], t.seed_radius, &sin, t.precision, t.lowest) or (
            i < to.cosines and not rounded_pair(pair[0], pair[1], t.seed_radius, &cos, t.precision, t.lowest)):
        return False
    (<number *> (to.sin.at + row * to.sin.strides[0] + i * to.sin.strides[1]))[0] = sin
    if i < to.cosines:
        (<number *> (to.cos.at + row * to.cos.strides[0] + i * to.cos.strides[1]))[0] = cos
    return True


cdef Py_ssize_t retest_sums(const task *t, const target *to, Py_ssize_t count) noexcept nogil:
    """Test the undecided entries again, each with its own seed; how many stay undecided, which come first."""
    cdef Py_ssize_t k, left = 0, row, i
    cdef bint certain
    for k in range(count):
        row, i = t.undecided[k] // to.half, t.undecided[k] % to.half
        if t.format == FLOAT64:
            certain = retest_sum[double](t, to, row, i, 0)
        elif t.format == FLOAT32:
            certain = retest_sum[float](t, to, row, i, 0)
        else:
            certain = retest_sum[u16](t, to, row, i, 0)
        t.undecided[left] = t.undecided[k]
        left += not certain
    return left


cdef double *aligned(void *memory) noexcept nogil:
    return <double *> (<size_t> memory + (-(<size_t> memory) & 63))


cdef void lay_out_table(target *to, cos, sin, Py_buffer *buffers) except *:
    """Where the entries of a table go; the buffers are to be released."""
    to.cos, to.sin = view_of(cos, &buffers[0], True), view_of(sin, &buffers[1], True)
    to.item, to.cosines, to.half = buffers[1].itemsize, to.cos.shape[1], to.sin.shape[1]
    to.interleaved = to.sin.strides[1] == 2 * to.item and to.cos.at - to.sin.at == to.item and (
        to.cos.strides[0] == to.sin.strides[0])
    to.vectorised = active.sum[0] != NULL and to.cos.strides[1] == to.sin.strides[1] and (
        to.interleaved or to.sin.strides[1] == to.item)


cdef void *make_table_room(const task *t, target *to) noexcept nogil:
    """Memory for the anchors of a tile of columns, to be freed; NULL where there is none."""
    cdef Py_ssize_t staging, singles, seeds, i, knots = 0
    cdef double *scaled
    cdef void *memory
    to.tile = min(to.half, max(64, STEPS_SIZE // (8 * t.planes * t.rows_per_anchor) & ~63))
    staging = max(RUN, 2 * to.item * to.tile) if t.stream else 0  # of sines, and as much of cosines
    singles = 2 * t.rows_per_anchor * t.half if t.format == BFLOAT16 and to.vectorised else 0
    seeds = 2 * t.planes * to.tile
    if t.rows_per_anchor == 1 and t.steps[0] != 1 and t.format != FLOAT64:
        knots = KNOTS
    memory = malloc(8 * (seeds + knots) + 2 * staging + (4 * (seeds + singles) if singles else 0) + 512)
    if memory != NULL:
        to.anchor = aligned(memory)
        scaled = to.anchor + seeds
        to.scaled = t.knots + 4 * KNOTS
        for i in range(knots):
            scaled[i] = to.scaled[i] * t.steps[0]
        if knots:
            to.scaled = scaled
        to.staging = <char *> aligned(scaled + knots)
        to.anchor_singles = to.step_singles = NULL
        if singles:
            to.anchor_singles = <float *> aligned(to.staging + 2 * staging)
            to.step_singles = <float *> aligned(to.anchor_singles + seeds)
            to_singles(t.steps, to.step_singles, singles)
    return memory


def table(const i64[::1] multipliers, const u64[:, ::1] phases, const double[:, ::1] knots,
          const double[:, :, ::1] steps, cos, sin, fmt, double radius, double seed_radius, bint stream,
          i64[::1] undecided):
    """Fill rows of cos (n, <= half) and sin (n, half) by angle addition: (indices in `undecided`, rows filled)."""
    cdef task t = new_task(multipliers, phases, knots, steps, fmt, radius, seed_radius, stream, undecided)
    cdef Py_buffer buffers[2]
    cdef target to
    cdef Py_ssize_t count, done = 0
    cdef void *memory = NULL
    memset(buffers, 0, sizeof(buffers))
    try:
        lay_out_table(&to, cos, sin, buffers)
        memory = make_table_room(&t, &to)
        if memory == NULL:
            raise MemoryError
        with nogil:
            count = fill_rows(&t, &to, &done)
            if t.seed_radius > 0:
                count = retest_sums(&t, &to, count)
    finally:
        PyBuffer_Release(&buffers[0])
        PyBuffer_Release(&buffers[1])
        free(memory)
    return count, done


# ---- rotation of pairs of channels ----

cdef inline void combine_pairs(double x, double y, double c1, double c0, double s1, double s0, double *leading,
                               double *rest) noexcept nogil:
    """x cos + y sin."""
    cdef double x1 = from_bits(bits_of(x) & 0xFFFFFFFFF8000000ULL)  # 26 bits
    cdef double y1 = from_bits(bits_of(y) & 0xFFFFFFFFF8000000ULL)
    cdef double upper, middle, error, other, last
    exact_sum(x1 * c1, y1 * s1, &upper, &error)  # of exact products
    exact_sum((x - x1) * c1, (y - y1) * s1, &middle, &other)
    exact_sum(upper, middle, leading, &last)
    rest[0] = last + ((error + other) + (x * c0 + y * s0))


cdef inline bint combine(double x, double y, double c1, double c0, double s1, double s0, double error_radius,
                         number *out,
                         int precision, int lowest) noexcept nogil:
    """x cos + y sin, rounded into out; whether the rounding is certain."""
    cdef double leading, rest
    cdef number lower, upper
    if number is double:
        combine_pairs(x, y, c1, c0, s1, s0, &leading, &rest)
    else:
        leading = x * c1 + y * s1
        rest = 0.0
    lower = narrowed(leading + (rest - error_radius), <number> 0, precision, lowest)
    upper = narrowed(leading + (rest + error_radius), <number> 0, precision, lowest)
    out[0] = narrowed(leading + rest, <number> 0, precision, lowest)
    return same_bits(lower, upper)


cdef Py_ssize_t rotate_columns(const task *t, const refpos_rotations *job, Py_ssize_t column, Py_ssize_t to_column,
                               number kind) noexcept nogil:
    """The job's pairs, one by one; the number undecided."""
    cdef Py_ssize_t row, i, sine = (2 if number is double else 1) * job.table_plane
    cdef const double *table
    cdef double x, y, size, error_radius, c0 = 0.0, s0 = 0.0
    cdef number u, v, p, q
    cdef bint certain
    cdef Py_ssize_t count = 0
    for row in range(job.rows):
        for i in range(job.columns):
            u = (<const number *> (job.first + row * job.row + i * column))[0]
            v = (<const number *> (job.second + row * job.row + i * column))[0]
            x = widened(u, t.precision)
            y = widened(v, t.precision)
            table = job.table + row * job.table_row + i
            if number is double:
                c0 = table[job.table_plane]
                s0 = table[3 * job.table_plane]
            size = (x if x >= 0 else -x) + (y if y >= 0 else -y)
            error_radius = size * t.radius
            certain = combine(x, y, table[0], c0, -table[sine], -s0, error_radius, &p, t.precision, t.lowest)
            certain &= combine(y, x, table[0], c0, table[sine], s0, error_radius, &q, t.precision, t.lowest)
            certain = size == 0 or (certain and SMALLEST_ERROR_RADIUS <= error_radius <= LARGEST_ERROR_RADIUS)
            (<number *> (job.to_first + row * job.to_row + i * to_column))[0] = p if certain else u
            (<number *> (job.to_second + row * job.to_row + i * to_column))[0] = q if certain else v
            if not certain:
                job.undecided[count] = job.flat + row * job.flat_row + i
                count += 1
    return count


cdef Py_ssize_t scalar_rotate(const task *t, const refpos_rotations *job, Py_ssize_t column,
                              Py_ssize_t to_column) noexcept nogil:
    if t.format == FLOAT64:
        return rotate_columns[double](t, job, column, to_column, 0)
    if t.format == FLOAT32:
        return rotate_columns[float](t, job, column, to_column, 0)
    return rotate_columns[u16](t, job, column, to_column, 0)


cdef struct channels:  # the pairs that are rotated, and where they go: (rows, repeats, half)
    view first, second, to_first, to_second
    bint vectorised, interleaved, stream
    Py_ssize_t item, rows, repeats, half, tile  # tile: rows whose table is in memory at a time
    Py_ssize_t pitch  # columns of a row of the table: whole groups
    double *anchor  # room for one anchor and one row besides, and for the table of a tile of rows
    double *table
    void *ready  # the table as the vector code takes it; where that is another one
    Py_ssize_t anchored  # the row of the anchor, or -1
    double within  # as of refpos_rotations
    char *staging  # room for a run of rows


cdef void scale_pairs(const double *factor, Py_ssize_t factor_plane, double *pairs, Py_ssize_t plane, Py_ssize_t count,
                      double sign) noexcept nogil:
    """Cosines times the factor, and sines times sign and the factor: pairs again."""
    cdef Py_ssize_t i, k
    cdef double high, low, grid, product, upper, lower
    for i in range(count):
        high, low = factor[i], factor[factor_plane + i]
        if high != 1.0 or low != 0.0:
            # 1.5 * 2**26 times the power of two above the factor
            grid = from_bits(bits_of(high) & 0x7FF0000000000000ULL) * (2.0 * GRID_26)
            for k in range(2):
                upper, lower = pairs[2 * k * plane + i], pairs[(2 * k + 1) * plane + i]
                product = upper * high  # exact: 27 by 26 bits
                pairs[2 * k * plane + i] = to_grid(product, grid)
                pairs[(2 * k + 1) * plane + i] = (product - pairs[2 * k * plane + i]) + (
                    upper * low + lower * high + lower * low)
    for i in range(count if sign < 0 else 0):
        pairs[2 * plane + i] = -pairs[2 * plane + i]
        pairs[3 * plane + i] = -pairs[3 * plane + i]


cdef void table_rows(const task *t, channels *x, Py_ssize_t start, Py_ssize_t rows, double sign) noexcept nogil:
    """Cosines and sign times sines of rows from `start` on, unrounded, into the table (planes, rows, pitch)."""
    cdef Py_ssize_t row, i, m, half = t.half, plane = rows * x.pitch, step_plane = t.rows_per_anchor * half
    cdef const double *a = x.anchor
    cdef const double *b
    cdef double *out
    for row in range(rows):
        out = x.table + row * x.pitch
        m = (start + row) % t.rows_per_anchor
        if t.planes == 4:  # pairs do not add up to pairs: there is one step, whose cosine is a factor
            seed_row(t, start + row, out, plane, x.anchor)
            scale_pairs(t.steps, step_plane, out, plane, half, sign)
            continue
        if x.anchored != start + row - m:
            x.anchored = start + row - m
            seed_row(t, x.anchored, x.anchor, half, x.anchor + t.planes * half)
        b = t.steps + m * half
        if half >= active.width:
            active.add(a, half, b, step_plane, sign, out, plane, half)
            continue
        for i in range(half):
            out[i] = a[i] * b[i] - a[half + i] * b[step_plane + i]
            out[plane + i] = sign * (a[half + i] * b[i] + a[i] * b[step_plane + i])
    if x.ready != NULL:
        active.spread(x.table, plane, plane, t.format, x.interleaved, x.ready)


cdef int along_of(const channels *x) noexcept nogil:
    """The axis whose rows lie closer: 0, the rows, or 1, the repeats."""
    return 0 if llabs(x.to_first.strides[0]) <= llabs(x.to_first.strides[1]) or x.repeats == 1 else 1


cdef bint past_lines(const channels *x, const refpos_rotations *job) noexcept nogil:
    """Whether the job's rows may go past the cache from registers."""
    cdef Py_ssize_t line = active.line, shifts = active.shifts
    return line and x.half * x.item % line == 0 == job.to_row % line and <size_t> job.to_first % shifts == 0 and (
        x.interleaved or <size_t> job.to_second % shifts == 0)


cdef Py_ssize_t rotate_tile(const task *t, const channels *x, Py_ssize_t start, Py_ssize_t rows,
                            Py_ssize_t count) noexcept nogil:
    """Rotate rows from `start` on with their table, run by run along rows or repeats, whichever lie closer."""
    cdef int along = along_of(x)
    cdef Py_ssize_t size = 2 * x.half * x.item, most = max(1, RUN // size)
    cdef Py_ssize_t inner = x.repeats if along else rows, outer = rows if along else x.repeats
    cdef Py_ssize_t k, i, row, repeat, offset
    cdef bint contiguous = x.interleaved or x.to_second.at - x.to_first.at == x.half * x.item  # rows have no gaps
    cdef char *to
    cdef refpos_rotations job
    job.table_plane = rows * x.pitch
    job.table_row = 0 if along else x.pitch
    job.within = x.within
    job.row, job.to_row = x.first.strides[along], x.to_first.strides[along]
    job.interleaved, job.radius, job.columns = x.interleaved, t.radius, x.half
    job.flat_row = x.half if along else x.repeats * x.half
    for k in range(outer):
        i = 0
        while i < inner:
            row, repeat = (k, i) if along else (i, k)
            job.rows = min(most, inner - i)
            job.ahead = job.rows * job.row
            if i + job.rows == inner:
                job.ahead = x.first.strides[1 - along] - i * job.row if k + 1 < outer else 0
            job.table = x.table + row * x.pitch
            job.ready = job.table
            if x.ready != NULL:
                job.ready = <char *> x.ready + row * x.pitch * (4 if x.item == 2 else 8)
            row += start
            offset = row * x.first.strides[0] + repeat * x.first.strides[1]
            job.first, job.second = x.first.at + offset, x.second.at + offset
            offset = row * x.to_first.strides[0] + repeat * x.to_first.strides[1]
            job.to_first = x.to_first.at + offset
            job.to_second = x.to_second.at + offset
            job.flat, job.undecided = (row * x.repeats + repeat) * x.half, t.undecided + count
            job.past = x.stream and past_lines(x, &job)
            if not x.vectorised:
                count += scalar_rotate(t, &job, x.first.strides[2], x.to_first.strides[2])
            elif x.stream and not job.past and contiguous and (size >= LEAST_STAGED or job.to_row == size):
                to = job.to_first
                job.to_first, job.to_second, job.to_row = x.staging, x.staging + (job.to_second - to), size
                count += active.rotate[t.format](&job)
                job.to_row = x.to_first.strides[along]
                put_rows(to, job.to_row, x.staging, size, job.rows)
            else:
                count += active.rotate[t.format](&job)
            i += job.rows
    return count


cdef Py_ssize_t rotate_rows(const task *t, channels *x, double sign, Py_ssize_t *done) noexcept nogil:
    """A tile of rows at a time: its table is made once for all repeats and stays in the cache."""
    cdef Py_ssize_t start = 0, count = 0, rows
    while start < x.rows:
        rows = min(x.rows - start, x.tile)
        if count + rows * x.repeats * x.half > t.capacity:
            break
        table_rows(t, x, start, rows, sign)
        count = rotate_tile(t, x, start, rows, count)
        start += rows
    if x.stream:
        refpos_fence()
    done[0] = start
    return count


cdef bint retest_rotation(const task *t, const channels *x, Py_ssize_t flat, double sign, number kind) noexcept nogil:
    """The rounding test of one undecided pair of channels with its own seed; whether it passes."""
    cdef Py_ssize_t i = flat % x.half, repeat = flat // x.half % x.repeats, row = flat // x.half // x.repeats
    cdef Py_ssize_t at = row * x.first.strides[0] + repeat * x.first.strides[1] + i * x.first.strides[2]
    cdef Py_ssize_t to = row * x.to_first.strides[0] + repeat * x.to_first.strides[1] + i * x.to_first.strides[2]
    cdef double u = widened((<const number *> (x.first.at + at))[0], t.precision)
    cdef double v = widened((<const number *> (x.second.at + at))[0], t.precision)
    cdef double error_radius = ((u if u >= 0 else -u) + (v if v >= 0 else -v)) * t.seed_radius, leading, rest
    cdef double pair[4]
    cdef number p, q
    if not SMALLEST_ERROR_RADIUS <= error_radius <= LARGEST_ERROR_RADIUS:
        return False
    own_seed(t, row, i, pair)
    combine_pairs(u, v, pair[0], pair[1], -sign * pair[2], -sign * pair[3], &leading, &rest)
    if not rounded_pair(leading, rest, error_radius, &p, t.precision, t.lowest):
        return False
    combine_pairs(v, u, pair[0], pair[1], sign * pair[2], sign * pair[3], &leading, &rest)
    if not rounded_pair(leading, rest, error_radius, &q, t.precision, t.lowest):
        return False
    (<number *> (x.to_first.at + to))[0] = p
    (<number *> (x.to_second.at + to))[0] = q
    return True


cdef Py_ssize_t retest_rotations(const task *t, const channels *x, double sign, Py_ssize_t count) noexcept nogil:
    """Test the undecided pairs again, each with its own seed; how many stay undecided, which come first."""
    cdef Py_ssize_t k, left = 0
    cdef bint certain
    for k in range(count):
        if t.format == FLOAT64:
            certain = retest_rotation[double](t, x, t.undecided[k], sign, 0)
        elif t.format == FLOAT32:
            certain = retest_rotation[float](t, x, t.undecided[k], sign, 0)
        else:
            certain = retest_rotation[u16](t, x, t.undecided[k], sign, 0)
        t.undecided[left] = t.undecided[k]
        left += not certain
    return left


cdef void *make_room(const task *t, channels *x) noexcept nogil:
    """Memory for the tables of a tile of rows, to be freed; NULL where there is none."""
    cdef Py_ssize_t i, tile, staging, ready = 0, group = 8 * active.width // x.item
    cdef double least = 1.0, factor
    cdef void *memory
    if t.format >= FLOAT16 and not SMALLEST_RADIUS < t.radius < LARGEST_RADIUS:
        x.vectorised = x.stream = False
    x.pitch = (x.half + group - 1) // group * group if x.vectorised else x.half
    # of rows that follow each other a run, so that its table is near when the next repeat is rotated
    x.tile = min(x.rows, TILE_ROWS, max(1, TILE_SIZE // (8 * t.planes * x.pitch)))
    if along_of(x) == 0:
        x.tile = min(x.tile, max(1, RUN // (2 * x.half * x.item)))
    tile = t.planes * x.tile * x.pitch
    staging = max(RUN, 2 * x.half * x.item) if x.stream else 0
    if x.vectorised and (x.interleaved or x.item == 2):
        ready = 8 * tile
    memory = malloc(8 * (2 * t.planes * x.half + tile) + staging + ready + 512)
    if memory != NULL:
        x.table = aligned(memory)
        x.anchor = aligned(x.table + tile)
        x.staging = <char *> aligned(x.anchor + 2 * t.planes * x.half)
        x.ready = <void *> aligned(x.staging + staging) if ready else NULL
        x.anchored = -1
        for i in range(t.half):  # the steps begin with 0, where the cosine is the factor
            factor = t.steps[i] if t.steps[i] >= 0 else -t.steps[i]
            least = factor if i == 0 else min(least, factor)
        x.within = 2 * t.radius / least
    return memory


cdef bint same_strides(const view *a, const view *b) noexcept nogil:
    return a.strides[0] == b.strides[0] and a.strides[1] == b.strides[1] and a.strides[2] == b.strides[2]


def rotate(const i64[::1] multipliers, const u64[:, ::1] phases, const double[:, ::1] knots,
           const double[:, :, ::1] steps, first, second, to_first, to_second, fmt, double radius, double seed_radius,
           bint backwards, bint stream, i64[::1] undecided, const i64[::1] starts=None, const i64[::1] order=None):
    """Rotate first and second (n, repeats, half) into the others: (indices in `undecided`, rows done)."""
    cdef task t = new_task(multipliers, phases, knots, steps, fmt, radius, seed_radius, stream, undecided)
    cdef Py_buffer buffers[4]
    cdef channels x
    cdef Py_ssize_t count, done = 0, gap, to_gap
    cdef int k
    cdef void *memory = NULL
    memset(buffers, 0, sizeof(buffers))
    try:
        x.first, x.second = view_of(first, &buffers[0], False), view_of(second, &buffers[1], False)
        x.to_first, x.to_second = view_of(to_first, &buffers[2], True), view_of(to_second, &buffers[3], True)
        x.item, x.rows, x.repeats, x.half = buffers[0].itemsize, x.first.shape[0], x.first.shape[1], x.first.shape[2]
        gap, to_gap = x.second.at - x.first.at, x.to_second.at - x.to_first.at
        x.interleaved = gap == x.item == to_gap and x.first.strides[2] == x.to_first.strides[2] == 2 * x.item
        x.vectorised = active.rotate[0] != NULL and (
            same_strides(&x.first, &x.second) and same_strides(&x.to_first, &x.to_second)) and (
            x.interleaved or x.first.strides[2] == x.to_first.strides[2] == x.item)
        # what is rotated in place is in the cache already
        x.stream = t.stream and x.vectorised and x.first.at != x.to_first.at
        if starts is not None:
            t.axes, t.starts = starts.shape[0] - 1, &starts[0]
            t.rows = multipliers.shape[0] // t.axes
        if order is not None:
            t.order = &order[0]
        memory = make_room(&t, &x)
        if memory == NULL:
            raise MemoryError
        with nogil:
            count = rotate_rows(&t, &x, -1.0 if backwards else 1.0, &done)
            if t.seed_radius > 0:
                count = retest_rotations(&t, &x, -1.0 if backwards else 1.0, count)
    finally:
        for k in range(4):
            PyBuffer_Release(&buffers[k])
        free(memory)
    return count, done


include "small.pxi"


# ---- copies ----

def copy_runs(const unsigned char[:, :, :] source, unsigned char[:, :, :] out, bint stream):
    """Copy bytes, run by run of the last axis, which is contiguous in both; the source may repeat itself."""
    cdef Py_ssize_t i, j, run = out.shape[2]
    with nogil:
        for i in range(out.shape[0]):
            for j in range(out.shape[1]):
                if stream and active.copy != NULL:
                    active.copy(<char *> &out[i, j, 0], <const char *> &source[i, j, 0], run)
                else:
                    memcpy(&out[i, j, 0], &source[i, j, 0], run)
        if stream:
            refpos_fence()
