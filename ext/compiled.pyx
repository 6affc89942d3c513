# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""The kernels as loops; the twin of the NumPy kernels, equal to them bit for bit.

1. Checked arrays in, filled arrays out: no options, messages or policy, and the GIL is released throughout.
2. A pair (high, low) of doubles stands for high + low; highs in tables are multiples of 2**-26, so products of two
   highs are exact without a fused multiply-add, and every sum that is called exact below fits in 53 bits.
3. A value is accepted when value - radius and value + radius round to the same bits; flat indices of the others are
   reported.
4. Vector code (rows.h) stores rows as a whole; only where it reports open entries does the scalar code here look again.
5. Only IEEE + - * and integers: nothing here may be contracted, reordered or replaced by a library call.
"""

from array import array

from libc.string cimport memcpy

ctypedef unsigned long long u64
ctypedef long long i64
ctypedef unsigned int u32
ctypedef unsigned short u16

cdef extern from "rows.h" nogil:
    ctypedef struct planes_2:
        const double *cos
        const double *sin
    ctypedef struct floats_2:
        const float *cos
        const float *sin
    ctypedef struct planes_4:
        const double *cos1
        const double *cos0
        const double *sin1
        const double *sin0
    ctypedef struct refpos_rows:
        const char *name
        long width
        int (*table_f32)(planes_2, planes_2, float *, float *, int, long, double, int) noexcept nogil
        int (*table_f64)(planes_4, planes_4, double *, double *, int, long, double, int) noexcept nogil
        long (*table_16)(floats_2, floats_2, u16 *, u16 *, int, long, int, int *) noexcept nogil
        int (*rotate_f32)(const float *, const float *, float *, float *, planes_2, int, long, double,
                          int) noexcept nogil
        int (*rotate_f64)(const double *, const double *, double *, double *, planes_4, int, long, double,
                          int) noexcept nogil
        long (*rotate_16)(const u16 *, const u16 *, u16 *, u16 *, floats_2, int, long, int, int *) noexcept nogil
        void (*direct)(const u64 **, u64, int, double *, double *, long) noexcept nogil
        void (*seed)(const u64 **, u64, int, const double **, double **, long) noexcept nogil
        void (*add)(planes_2, planes_2, double, double *, double *, long) noexcept nogil
        void (*copy)(char *, const char *, long) noexcept nogil
    const refpos_rows *refpos_rows_table
    int refpos_rows_count()
    void refpos_fence()
    void refpos_prefetch(const void *, long)

cdef const refpos_rows *active = &refpos_rows_table[refpos_rows_count() - 1]


def cpus():
    """The instruction sets of this build that this machine runs, plainest first."""
    return [refpos_rows_table[k].name.decode("ascii") for k in range(refpos_rows_count())]


def cpu():
    """The one of `cpus()` that runs."""
    return active.name.decode("ascii")


def use_cpu(name):
    """Run the row kernels of one of `cpus()` from now on; for the choice at import, and for tests."""
    global active
    active = &refpos_rows_table[cpus().index(name)]


ctypedef fused number:
    double
    float
    u16

BLOCK = 1 << 20  # entries that a caller hands over at a time
TILE = 32  # rows of a rotation whose cosines and sines are held at a time

cdef double GRID_26 = 1.5 * 67108864.0  # 1.5 * 2**(52 - 26)
cdef double GRID_35 = 1.5 * 131072.0
cdef double GRID_45 = 1.5 * 128.0

cdef double TWO_PI_HIGH = 52707179.0 / 8388608.0  # 26 bits
cdef double TWO_PI_LOW = -5.5636270456668466e-08
cdef double TWO_PI = 6.283185307179586
cdef double TWO_37 = 1.0 / 137438953472.0
cdef double TWO_96 = 1.0 / (4294967296.0 * 4294967296.0 * 4294967296.0)
cdef double TINY = 1.1830521861667747e-271  # 2**-900: smaller channels lose their low products to underflow
cdef double LARGEST = 1.7976931348623157e308


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


# ---- rounding once to 16 bits, and back ----

cdef inline u16 narrow_16(double value, int precision, int lowest) noexcept nogil:
    cdef u64 pattern = bits_of(value)
    cdef u64 magnitude = pattern & 0x7FFFFFFFFFFFFFFFULL
    cdef u64 sign = pattern >> 48 & 0x8000
    cdef int drop = 53 - precision
    cdef int smallest = 1023 + lowest + precision - 1  # exponent field, in a double, of the smallest normal result
    cdef u64 infinity = (1 << 15) - (1 << (precision - 1))
    cdef u64 anchor, kept
    if magnitude > 0x7FF0000000000000ULL:
        return <u16> (infinity | 1 << (precision - 2))
    if magnitude < <u64> smallest << 52:
        # the sum rounds to a multiple of the smallest subnormal, which is the last bit of the anchor
        anchor = <u64> (1023 + lowest + 52) << 52
        return <u16> (sign | (bits_of(from_bits(magnitude) + from_bits(anchor)) - anchor))
    kept = magnitude + ((1ULL << (drop - 1)) - 1) + (magnitude >> drop & 1)
    kept = (kept >> drop) - (<u64> (smallest - 1) << (precision - 1))
    return <u16> (sign | (kept if kept < infinity else infinity))


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
        return narrow_16(value, precision, lowest)
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


# ---- cosine and sine of a phase, as pairs ----

cdef inline void turn(double a1, double a0, double b1, double b0, double x1, double s0, double k1, double k0, double k,
                      double c0, double *high, double *low) noexcept nogil:
    """(a1 + a0) cos x + (b1 + b0) sin x, with sin x = x1 + s0 and cos x = 1 - k + c0, k = k1 + k0."""
    cdef double first = b1 * x1, second = a1 * k1  # exact: 26 by 26 bits
    cdef double first_high = to_grid(first, GRID_26), second_high = to_grid(second, GRID_26)
    cdef double tail = ((b1 + b0) * s0 + b0 * x1) - ((a1 * k0 + a0 * k) - (a1 + a0) * c0)
    cdef double fine = ((first - first_high) - (second - second_high)) + (a0 + tail)
    cdef double carry = to_grid(fine, GRID_26)
    high[0] = ((a1 + first_high) - second_high) + carry
    low[0] = fine - carry


cdef void seed_entry(u64 size, bint negative, const u64[:, ::1] phases, const double[:, ::1] knots, Py_ssize_t i,
                     double *cos1,
                     double *cos0, double *sin1, double *sin0) noexcept nogil:
    """Cosine and sine of size (or -size) times the phase of column i, as pairs."""
    cdef u64 low = size & 0xFFFFFFFFULL, high = size >> 32
    cdef u64 a, b, carry, carry_high = 0, total, column, next32 = 0, top = 0
    cdef i64 offset
    cdef int k, knot
    cdef double near, far, product, x1, x0, x, square, s0, k1, k0, half_square, c0
    # columns of 32 bits of the product; the lowest only carries, and what is above a whole turn falls away
    carry = low * phases[0, i] >> 32
    for k in range(1, 5):
        a = low * phases[k, i]
        b = high * phases[k - 1, i]
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
    near = <double> (offset >> 27) * TWO_37
    far = <double> (<i64> (<u64> (offset & 0x7FFFFFFLL) << 32 | next32)) * TWO_96
    product = near * TWO_PI_HIGH  # exact: 26 by 26 bits
    x1 = to_grid(product, GRID_35)
    x0 = (product - x1) + (near * TWO_PI_LOW + far * TWO_PI)
    x = x1 + x0
    square = x * x
    s0 = x0 + x * square * (-1.0 / 6.0 + square * (1.0 / 120.0 - square * (1.0 / 5040.0)))
    half_square = x1 * x1 * 0.5  # exact
    k1 = to_grid(half_square, GRID_45)
    k0 = half_square - k1
    c0 = square * square * (1.0 / 24.0 - square * (1.0 / 720.0)) - x0 * (x1 + 0.5 * x0)
    turn(knots[0, knot], knots[1, knot], -knots[2, knot], -knots[3, knot], x1, s0, k1, k0, half_square, c0, cos1, cos0)
    turn(knots[2, knot], knots[3, knot], knots[0, knot], knots[1, knot], x1, s0, k1, k0, half_square, c0, sin1, sin0)
    if negative:
        sin1[0] = -sin1[0]
        sin0[0] = -sin0[0]


cdef void seed_row(i64 multiplier, const u64[:, ::1] phases, const double[:, ::1] knots, double[:, :, ::1] out,
                   Py_ssize_t row) noexcept nogil:
    """Cosines and sines of a row, as pairs (out has 4 planes) or in plain double, to 2**-51.5 (2 planes)."""
    cdef Py_ssize_t i, half = phases.shape[1]
    cdef u64 size = <u64> multiplier if multiplier >= 0 else 0 - <u64> multiplier
    cdef bint negative = multiplier < 0
    cdef double cos1, cos0, sin1, sin0
    cdef const u64 *limbs[5]
    cdef const double *knot_planes[4]
    cdef double *planes[4]
    if half >= active.width:
        for i in range(5):
            limbs[i] = &phases[i, 0]
        if out.shape[0] == 2:
            active.direct(limbs, size, negative, &out[0, row, 0], &out[1, row, 0], half)
            return
        for i in range(4):
            knot_planes[i] = &knots[i, 0]
            planes[i] = &out[i, row, 0]
        active.seed(limbs, size, negative, knot_planes, planes, half)
        return
    for i in range(half):
        seed_entry(size, negative, phases, knots, i, &cos1, &cos0, &sin1, &sin0)
        if out.shape[0] == 2:
            out[0, row, i] = cos1 + cos0
            out[1, row, i] = sin1 + sin0
        else:
            out[0, row, i] = cos1
            out[1, row, i] = cos0
            out[2, row, i] = sin1
            out[3, row, i] = sin0


def seeds(const i64[::1] multipliers, const u64[:, ::1] phases, const double[:, ::1] knots, double[:, :, ::1] out):
    """Cosine and sine at multipliers (n,) times phases (5, half): out (4, n, half) pairs, (2, n, half) doubles."""
    cdef Py_ssize_t row
    with nogil:
        for row in range(multipliers.shape[0]):
            seed_row(multipliers[row], phases, knots, out, row)


# ---- tables by angle addition ----

cdef inline bint add_entry(const double[:, :, ::1] a, const double[:, :, ::1] b, Py_ssize_t m, Py_ssize_t i,
                           bint sine, number *out, double radius, int precision, int lowest) noexcept nogil:
    """Cosine or sine at the anchor in row 0 of a, step m, column i, rounded into out; whether that is certain."""
    cdef Py_ssize_t c = 2 if number is double else 1  # the first plane of the sines
    cdef Py_ssize_t p = c if sine else 0, q = 0 if sine else c
    cdef double sign = 1.0 if sine else -1.0
    cdef double leading, rest
    cdef number lower
    # cos: c d - s t; sin: s d + c t
    leading = a[p, 0, i] * b[0, m, i] + sign * (a[q, 0, i] * b[c, m, i])
    rest = 0.0
    if number is double:  # exact so far; highs and lows of the pairs, each in its own plane
        rest = ((a[p, 0, i] + a[p + 1, 0, i]) * b[1, m, i] + a[p + 1, 0, i] * b[0, m, i]) + sign * (
            (a[q, 0, i] + a[q + 1, 0, i]) * b[3, m, i] + a[q + 1, 0, i] * b[2, m, i])
    lower = narrowed(leading + (rest - radius), <number> 0, precision, lowest)
    out[0] = narrowed(leading + (rest + radius), <number> 0, precision, lowest)
    return same_bits(lower, out[0])


cdef Py_ssize_t add_columns(const double[:, :, ::1] a, const double[:, :, ::1] b, Py_ssize_t row, Py_ssize_t start,
                            Py_ssize_t stop, number[:, :] cos, number[:, :] sin, double radius, int precision,
                            int lowest, i64 *undecided, Py_ssize_t found) noexcept nogil:
    """Columns start .. stop of one row, one by one; the new count of undecided entries."""
    cdef Py_ssize_t i, m = row % b.shape[1]
    cdef bint certain
    for i in range(start, stop):
        certain = add_entry(a, b, m, i, True, &sin[row, i], radius, precision, lowest)
        if i < cos.shape[1]:
            certain &= add_entry(a, b, m, i, False, &cos[row, i], radius, precision, lowest)
        if not certain:
            undecided[found] = row * sin.shape[1] + i
            found += 1
    return found


cdef Py_ssize_t add_rows(const i64[::1] multipliers, const u64[:, ::1] phases, const double[:, ::1] knots,
                         double[:, :, ::1] a, const double[:, :, ::1] b, float *floats, number[:, :] cos,
                         number[:, :] sin, double radius, int precision, int lowest, bint stream, i64 *undecided,
                         Py_ssize_t capacity, int *again, Py_ssize_t *done) noexcept nogil:
    """a has room for one anchor, floats for it and the steps in float; done gets the rows that were filled."""
    cdef Py_ssize_t rows = sin.shape[0], half = sin.shape[1], cosines = cos.shape[1]
    cdef Py_ssize_t row, m, j, redo, found = 0, item = sizeof(number)
    cdef floats_2 anchor, step
    cdef bint interleaved = (cosines > 0 and sin.strides[1] == 2 * item
                             and <char *> &cos[0, 0] - <char *> &sin[0, 0] == item)
    cdef bint plain = (cosines >= active.width * (2 if item == 2 else 1) and cos.strides[1] == sin.strides[1]
                       and (interleaved or sin.strides[1] == item))
    if number is u16:
        to_floats(&b[0, 0, 0], floats + 2 * half, 2 * b.shape[1] * half)
        anchor.cos = floats
        anchor.sin = floats + half
    done[0] = rows
    for row in range(rows):
        if found + half > capacity:
            done[0] = row
            break
        m = row % b.shape[1]
        if m == 0:
            seed_row(multipliers[row // b.shape[1]], phases, knots, a, 0)
            if number is u16:
                to_floats(&a[0, 0, 0], floats, 2 * half)
        if not plain:
            found = add_columns[number](a, b, row, 0, half, cos, sin, radius, precision, lowest, undecided, found)
            continue
        redo = 0
        if number is double:
            if active.table_f64(pairs_at(a, 0), pairs_at(b, m), &cos[row, 0], &sin[row, 0], interleaved, cosines,
                                radius, stream):
                found = add_columns[number](a, b, row, 0, cosines, cos, sin, radius, precision, lowest, undecided,
                                            found)
        elif number is float:
            if active.table_f32(doubles_at(a, 0), doubles_at(b, m), &cos[row, 0], &sin[row, 0], interleaved, cosines,
                                radius, stream):
                found = add_columns[number](a, b, row, 0, cosines, cos, sin, radius, precision, lowest, undecided,
                                            found)
        else:
            step.cos = floats + (2 + m) * half
            step.sin = floats + (2 + b.shape[1] + m) * half
            redo = active.table_16(anchor, step, &cos[row, 0], &sin[row, 0], interleaved, cosines, precision == 11,
                                   again)
        for j in range(redo):
            found = add_columns[number](a, b, row, again[j], again[j] + 1, cos, sin, radius, precision, lowest,
                                        undecided, found)
        found = add_columns[number](a, b, row, cosines, half, cos, sin, radius, precision, lowest, undecided, found)
    if stream:
        refpos_fence()
    return found


cdef inline void to_floats(const double *source, float *floats, Py_ssize_t count) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(count):
        floats[i] = <float> source[i]


cdef inline planes_2 doubles_at(const double[:, :, ::1] a, Py_ssize_t row) noexcept nogil:
    cdef planes_2 planes
    planes.cos = &a[0, row, 0]
    planes.sin = &a[1, row, 0]
    return planes


cdef inline planes_4 pairs_at(const double[:, :, ::1] a, Py_ssize_t row) noexcept nogil:
    cdef planes_4 planes
    planes.cos1 = &a[0, row, 0]
    planes.cos0 = &a[1, row, 0]
    planes.sin1 = &a[2, row, 0]
    planes.sin0 = &a[3, row, 0]
    return planes


cdef room(Py_ssize_t planes, Py_ssize_t rows, Py_ssize_t columns):
    """Memory for float64 (planes, rows, columns) from the start of a cache line."""
    cdef Py_ssize_t size = 8 * planes * rows * columns
    cdef unsigned char[::1] memory = bytearray(size + 64)
    cdef Py_ssize_t skip = <Py_ssize_t> (-(<size_t> &memory[0]) % 64)
    return memoryview(memory)[skip : skip + size].cast("d", (planes, rows, columns))


def table(const i64[::1] multipliers, const u64[:, ::1] phases, const double[:, ::1] knots,
          const double[:, :, ::1] steps, cos, sin, fmt, double radius, bint stream, i64[::1] undecided):
    """Fill rows of cos (n, <= half) and sin (n, half) by angle addition: (indices in `undecided`, rows filled)."""
    cdef int precision = fmt.precision, lowest = fmt.lowest
    cdef Py_ssize_t found, done
    cdef double[:, :] cos_64, sin_64
    cdef float[:, :] cos_32, sin_32
    cdef u16[:, :] cos_16, sin_16
    cdef int[::1] again = array("i", bytes(4 * sin.shape[1] + 4))
    cdef double[:, :, ::1] anchor = room(steps.shape[0], 1, steps.shape[2])
    cdef double[:, :, ::1] floats = room(1, 1 + steps.shape[1], steps.shape[2])
    if fmt.width == 64:
        cos_64, sin_64 = cos, sin
        with nogil:
            found = add_rows[double](multipliers, phases, knots, anchor, steps, <float *> &floats[0, 0, 0], cos_64,
                                     sin_64, radius, precision,
                                     lowest, stream, &undecided[0], undecided.shape[0], &again[0], &done)
    elif fmt.width == 32:
        cos_32, sin_32 = cos, sin
        with nogil:
            found = add_rows[float](multipliers, phases, knots, anchor, steps, <float *> &floats[0, 0, 0], cos_32,
                                    sin_32, radius, precision,
                                    lowest, stream, &undecided[0], undecided.shape[0], &again[0], &done)
    else:
        cos_16, sin_16 = cos, sin
        with nogil:
            found = add_rows[u16](multipliers, phases, knots, anchor, steps, <float *> &floats[0, 0, 0], cos_16,
                                  sin_16, radius, precision,
                                  lowest, stream, &undecided[0], undecided.shape[0], &again[0], &done)
    return found, done


# ---- rotation of pairs of channels ----

cdef inline bint combine(double x, double y, double c1, double c0, double s1, double s0, double reach, number *out,
                         int precision, int lowest) noexcept nogil:
    """x cos + y sin, rounded into out; whether the rounding is certain."""
    cdef double leading, rest, x1, y1, p, q, other, error
    cdef number lower, upper
    if number is double:
        x1 = from_bits(bits_of(x) & 0xFFFFFFFFF8000000ULL)  # 26 bits
        y1 = from_bits(bits_of(y) & 0xFFFFFFFFF8000000ULL)
        p = x1 * c1  # exact
        q = y1 * s1
        leading = p + q
        other = leading - p
        error = (p - (leading - other)) + (q - other)
        rest = error + (((x - x1) * c1 + (y - y1) * s1) + (x * c0 + y * s0))
    else:
        leading = x * c1 + y * s1
        rest = 0.0
    lower = narrowed(leading + (rest - reach), <number> 0, precision, lowest)
    upper = narrowed(leading + (rest + reach), <number> 0, precision, lowest)
    out[0] = narrowed(leading + rest, <number> 0, precision, lowest)
    return same_bits(lower, upper)


cdef Py_ssize_t rotate_columns(const number *first, const number *second, Py_ssize_t step, number *to_first,
                               number *to_second,
                               Py_ssize_t to_step, const double[:, :, ::1] table, Py_ssize_t row, Py_ssize_t start,
                               Py_ssize_t stop, double radius, int precision, int lowest, i64 *undecided,
                               Py_ssize_t found, i64 flat) noexcept nogil:
    """Pairs start .. stop of one row, one by one; the new count of undecided pairs, which keep their channels."""
    cdef Py_ssize_t i, sine = 2 if number is double else 1
    cdef double x, y, size, c1, s1, c0 = 0.0, s0 = 0.0
    cdef number u, v, p, q
    cdef bint certain
    for i in range(start, stop):
        u = first[i * step]
        v = second[i * step]
        x = widened(u, precision)
        y = widened(v, precision)
        c1 = table[0, row, i]
        s1 = table[sine, row, i]
        if number is double:
            c0 = table[1, row, i]
            s0 = table[3, row, i]
        size = (x if x >= 0 else -x) + (y if y >= 0 else -y)
        certain = combine(x, y, c1, c0, -s1, -s0, size * radius, &p, precision, lowest)
        certain &= combine(y, x, c1, c0, s1, s0, size * radius, &q, precision, lowest)
        certain = size == 0 or (certain and TINY <= size <= LARGEST)
        to_first[i * to_step] = p if certain else u
        to_second[i * to_step] = q if certain else v
        if not certain:
            undecided[found] = flat + i
            found += 1
    return found


cdef void table_rows(const i64[::1] multipliers, const u64[:, ::1] phases, const double[:, ::1] knots,
                     double[:, :, ::1] anchor,
                     const double[:, :, ::1] steps, Py_ssize_t start, Py_ssize_t stop, double sign,
                     double[:, :, ::1] table) noexcept nogil:
    """Cosines and sign times sines of rows start .. stop, unrounded, into table (planes, stop - start, half)."""
    cdef Py_ssize_t row, i, k, m, near = steps.shape[1], half = phases.shape[1]
    for row in range(start, stop):
        if near == 1:
            seed_row(multipliers[row], phases, knots, table, row - start)
            if sign < 0:
                for k in range(table.shape[0] // 2, table.shape[0]):
                    for i in range(half):
                        table[k, row - start, i] = -table[k, row - start, i]
            continue
        m = row % near
        if m == 0 or row == start:
            seed_row(multipliers[row // near], phases, knots, anchor, 0)
        if half >= active.width:
            active.add(doubles_at(anchor, 0), doubles_at(steps, m), sign, &table[0, row - start, 0],
                       &table[1, row - start, 0], half)
            continue
        for i in range(half):
            table[0, row - start, i] = anchor[0, 0, i] * steps[0, m, i] - anchor[1, 0, i] * steps[1, m, i]
            table[1, row - start, i] = sign * (anchor[1, 0, i] * steps[0, m, i] + anchor[0, 0, i] * steps[1, m, i])


cdef Py_ssize_t rotate_tile(const number[:, :, :] first, const number[:, :, :] second, number[:, :, :] to_first,
                            number[:, :, :] to_second, const double[:, :, ::1] table, const float *floats,
                            Py_ssize_t start, double radius, int precision, int lowest, bint stream, i64 *undecided,
                            Py_ssize_t found, int *again, number *copy) noexcept nogil:
    """Rows start .. start + table.shape[1] of the channels; the new count of undecided pairs."""
    cdef Py_ssize_t rows = min(first.shape[0] - start, table.shape[1]), repeats = first.shape[1], half = first.shape[2]
    cdef Py_ssize_t item = sizeof(number), row, k, j, redo, at, ahead
    cdef Py_ssize_t step = first.strides[2] // item, to_step = to_first.strides[2] // item
    cdef bint in_place = <const char *> &first[0, 0, 0] == <const char *> &to_first[0, 0, 0]
    cdef bint interleaved = (step == 2 and to_step == 2 and &second[0, 0, 0] - &first[0, 0, 0] == 1
                             and &to_second[0, 0, 0] - &to_first[0, 0, 0] == 1)
    cdef floats_2 angles
    cdef bint plain = (half >= active.width * (2 if item == 2 else 1)
                       and (interleaved or (step == 1 and to_step == 1))
                       and first.strides[2] == second.strides[2] and to_first.strides[2] == to_second.strides[2])
    cdef const number *u
    cdef const number *v
    cdef number *p
    cdef number *q
    cdef i64 flat
    for k in range(repeats):
        for row in range(rows):
            at = start + row
            u = &first[at, k, 0]
            v = &second[at, k, 0]
            p = &to_first[at, k, 0]
            q = &to_second[at, k, 0]
            flat = (at * repeats + k) * half
            if not plain:
                found = rotate_columns[number](u, v, step, p, q, to_step, table, row, 0, half, radius, precision,
                                               lowest,
                                               undecided, found, flat)
                continue
            ahead = row + 8 - rows if row + 8 >= rows else row + 8
            if row + 8 < rows or k + 1 < repeats and ahead < rows:
                refpos_prefetch(&first[start + ahead, k + (row + 8 >= rows), 0], half * item * step)
                if not interleaved:
                    refpos_prefetch(&second[start + ahead, k + (row + 8 >= rows), 0], half * item)
            if in_place:
                memcpy(copy, u, half * item * step)
                u = copy
                if interleaved:
                    v = copy + 1
                else:
                    memcpy(copy + half, v, half * item)
                    v = copy + half
            redo = 0
            if number is double:
                if active.rotate_f64(u, v, p, q, pairs_at(table, row), interleaved, half, radius, stream):
                    found = rotate_columns[number](u, v, step, p, q, to_step, table, row, 0, half, radius, precision,
                                                   lowest, undecided, found, flat)
            elif number is float:
                if active.rotate_f32(u, v, p, q, doubles_at(table, row), interleaved, half, radius, stream):
                    found = rotate_columns[number](u, v, step, p, q, to_step, table, row, 0, half, radius, precision,
                                                   lowest, undecided, found, flat)
            else:
                angles.cos = floats + row * half
                angles.sin = floats + (table.shape[1] + row) * half
                redo = active.rotate_16(u, v, p, q, angles, interleaved, half, precision == 11, again)
            for j in range(redo):
                found = rotate_columns[number](u, v, step, p, q, to_step, table, row, again[j], again[j] + 1, radius,
                                               precision, lowest, undecided, found, flat)
    if stream:
        refpos_fence()
    return found


cdef Py_ssize_t rotate_rows(const i64[::1] multipliers, const u64[:, ::1] phases, const double[:, ::1] knots,
                            double[:, :, ::1] anchor, const double[:, :, ::1] steps, double[:, :, ::1] table,
                            float *floats,
                            const number[:, :, :] first, const number[:, :, :] second, number[:, :, :] to_first,
                            number[:, :, :] to_second, double radius, double sign, int precision, int lowest,
                            bint stream,
                            i64 *undecided, Py_ssize_t capacity, int *again, number *copy,
                            Py_ssize_t *done) noexcept nogil:
    """A tile of rows at a time: its table is made once for all repeats and stays in the cache."""
    cdef Py_ssize_t start = 0, found = 0, rows = first.shape[0], most = table.shape[1] * first.shape[1] * first.shape[2]
    while start < rows and found + most <= capacity:
        table_rows(multipliers, phases, knots, anchor, steps, start, min(start + table.shape[1], rows), sign, table)
        if number is u16:
            to_floats(&table[0, 0, 0], floats, 2 * table.shape[1] * table.shape[2])
        found = rotate_tile[number](first, second, to_first, to_second, table, floats, start, radius, precision,
                                    lowest, stream,
                                    undecided, found, again, copy)
        start += table.shape[1]
    done[0] = min(start, rows)
    return found


def rotate(const i64[::1] multipliers, const u64[:, ::1] phases, const double[:, ::1] knots,
           const double[:, :, ::1] steps, first,
           second, to_first, to_second, fmt, double radius, bint backwards, bint stream, i64[::1] undecided):
    """Rotate first and second (n, repeats, half) into the others: (indices in `undecided`, rows done)."""
    cdef int precision = fmt.precision, lowest = fmt.lowest
    cdef double sign = -1.0 if backwards else 1.0
    cdef Py_ssize_t found, done
    cdef int[::1] again = array("i", bytes(4 * first.shape[2] + 4))
    cdef double[::1] copy = array("d", bytes(16 * first.shape[2] + 8))
    cdef double[:, :, ::1] anchor = room(steps.shape[0], 1, steps.shape[2])
    cdef double[:, :, ::1] table = room(steps.shape[0], min(first.shape[0], TILE), steps.shape[2])
    cdef double[:, :, ::1] floats = room(1, min(first.shape[0], TILE), steps.shape[2])
    cdef const double[:, :, :] first_64, second_64
    cdef double[:, :, :] to_first_64, to_second_64
    cdef const float[:, :, :] first_32, second_32
    cdef float[:, :, :] to_first_32, to_second_32
    cdef const u16[:, :, :] first_16, second_16
    cdef u16[:, :, :] to_first_16, to_second_16
    if fmt.width == 64:
        first_64, second_64, to_first_64, to_second_64 = first, second, to_first, to_second
        with nogil:
            found = rotate_rows[double](multipliers, phases, knots, anchor, steps, table, <float *> &floats[0, 0, 0],
                                        first_64, second_64,
                                        to_first_64,
                                     to_second_64, radius, sign, precision, lowest, stream, &undecided[0],
                                     undecided.shape[0], &again[0],
                                     &copy[0], &done)
    elif fmt.width == 32:
        first_32, second_32, to_first_32, to_second_32 = first, second, to_first, to_second
        with nogil:
            found = rotate_rows[float](multipliers, phases, knots, anchor, steps, table, <float *> &floats[0, 0, 0],
                                       first_32, second_32,
                                       to_first_32,
                                     to_second_32, radius, sign, precision, lowest, stream, &undecided[0],
                                     undecided.shape[0], &again[0],
                                     <float *> &copy[0], &done)
    else:
        first_16, second_16, to_first_16, to_second_16 = first, second, to_first, to_second
        with nogil:
            found = rotate_rows[u16](multipliers, phases, knots, anchor, steps, table, <float *> &floats[0, 0, 0],
                                     first_16, second_16, to_first_16,
                                     to_second_16, radius, sign, precision, lowest, stream, &undecided[0],
                                     undecided.shape[0], &again[0],
                                     <u16 *> &copy[0], &done)
    return found, done




def spread(const unsigned char[:, :, :] source, unsigned char[:, :, :] out, bint stream):
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
