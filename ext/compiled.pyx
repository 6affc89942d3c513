# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""The kernels as scalar loops; the twin of the NumPy kernels, equal to them bit for bit.

1. Checked arrays in, filled arrays out: no options, messages or policy, and the GIL is released throughout.
2. A pair (high, low) of doubles stands for high + low; highs in tables are multiples of 2**-26, so products of two highs are
   exact without a fused multiply-add, and every sum that is called exact below fits in 53 bits.
3. A value is accepted when value - radius and value + radius round to the same bits; flat indices of the others are reported.
4. Rows are first computed and stored as a whole and searched for open entries only when their count is not zero.
5. Only IEEE + - * and integers: nothing here may be contracted, reordered or replaced by a library call.
"""

from libc.string cimport memcpy

ctypedef unsigned long long u64
ctypedef long long i64
ctypedef unsigned int u32
ctypedef unsigned short u16

ctypedef fused number:
    double
    float
    u16

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


def seeds(const i64[::1] multipliers, const u64[:, ::1] phases, const double[:, ::1] knots, double[:, :, ::1] out):
    """Cosine and sine at multipliers (n,) times phases (5, half), as pairs: out (4, n, half)."""
    cdef Py_ssize_t row, i, rows = multipliers.shape[0], half = phases.shape[1]
    cdef u64 size, low32, high32, a, b, carry, carry_high, total, column, next32, top
    cdef i64 offset
    cdef int k, knot
    cdef double high, low, product, x1, x0, x, square, s0, k1, k0, half_square, c0, cos1, cos0, sin1, sin0
    with nogil:
        for row in range(rows):
            size = <u64> multipliers[row] if multipliers[row] >= 0 else 0 - <u64> multipliers[row]
            low32 = size & 0xFFFFFFFFULL
            high32 = size >> 32
            for i in range(half):
                # columns of 32 bits of the product; the lowest only carries, and what is above a whole turn falls away
                carry = low32 * phases[0, i] >> 32
                carry_high = 0
                top = 0
                next32 = 0
                for k in range(1, 5):
                    a = low32 * phases[k, i]
                    b = high32 * phases[k - 1, i]
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
                high = <double> (offset >> 27) * TWO_37
                low = <double> (<i64> (<u64> (offset & 0x7FFFFFFLL) << 32 | next32)) * TWO_96
                product = high * TWO_PI_HIGH  # exact: 26 by 26 bits
                x1 = to_grid(product, GRID_35)
                x0 = (product - x1) + (high * TWO_PI_LOW + low * TWO_PI)
                x = x1 + x0
                square = x * x
                s0 = x0 + x * square * (-1.0 / 6.0 + square * (1.0 / 120.0 - square * (1.0 / 5040.0)))
                half_square = x1 * x1 * 0.5  # exact
                k1 = to_grid(half_square, GRID_45)
                k0 = half_square - k1
                c0 = square * square * (1.0 / 24.0 - square * (1.0 / 720.0)) - x0 * (x1 + 0.5 * x0)
                cos1 = knots[0, knot]
                cos0 = knots[1, knot]
                sin1 = knots[2, knot]
                sin0 = knots[3, knot]
                turn(cos1, cos0, -sin1, -sin0, x1, s0, k1, k0, half_square, c0, &out[0, row, i], &out[1, row, i])
                turn(sin1, sin0, cos1, cos0, x1, s0, k1, k0, half_square, c0, &out[2, row, i], &out[3, row, i])
                if multipliers[row] < 0:
                    out[2, row, i] = 0.0 - out[2, row, i]
                    out[3, row, i] = 0.0 - out[3, row, i]


# ---- tables by angle addition ----

cdef inline Py_ssize_t add_row(const double *a1, const double *a0, const double *b1, const double *b0,
                               const double *p1, const double *p0, const double *q1, const double *q0, double sign,
                               number *out, Py_ssize_t stride, Py_ssize_t count, double radius, int precision,
                               int lowest) noexcept nogil:
    """(a * p) + sign * (b * q), each factor a pair, rounded into out; how many roundings are not certain."""
    cdef Py_ssize_t i, unsure = 0
    cdef double leading, rest
    cdef number lower, upper
    for i in range(count):
        if number is double:
            leading = a1[i] * p1[i] + sign * (b1[i] * q1[i])  # exact
            rest = ((a1[i] + a0[i]) * p0[i] + a0[i] * p1[i]) + sign * ((b1[i] + b0[i]) * q0[i] + b0[i] * q1[i])
        else:
            leading = (a1[i] + a0[i]) * (p1[i] + p0[i]) + sign * ((b1[i] + b0[i]) * (q1[i] + q0[i]))
            rest = 0.0
        lower = narrowed(leading + (rest - radius), <number> 0, precision, lowest)
        upper = narrowed(leading + (rest + radius), <number> 0, precision, lowest)
        out[i * stride] = upper
        unsure += lower != upper
    return unsure


cdef Py_ssize_t add_pairs(const double[:, :, ::1] anchors, const double[:, :, ::1] steps, number[:, :] cos, number[:, :] sin,
                          double radius, int precision, int lowest, i64 *undecided) noexcept nogil:
    cdef Py_ssize_t rows = sin.shape[0], half = sin.shape[1], cosines = cos.shape[1], near = steps.shape[1]
    cdef Py_ssize_t row, i, k, b, found = 0, cos_stride = 0, sin_stride = sin.strides[1] // <Py_ssize_t> sizeof(number)
    cdef Py_ssize_t unsure
    cdef number again
    cdef number *to_cos = NULL
    if cosines:
        cos_stride = cos.strides[1] // <Py_ssize_t> sizeof(number)
    for row in range(rows):
        k = row // near
        b = row % near
        if cosines:
            to_cos = &cos[row, 0]
        unsure = add_row[number](
            &anchors[0, k, 0], &anchors[1, k, 0], &anchors[2, k, 0], &anchors[3, k, 0],
            &steps[0, b, 0], &steps[1, b, 0], &steps[2, b, 0], &steps[3, b, 0], -1.0,
            to_cos, cos_stride, cosines, radius, precision, lowest)
        unsure += add_row[number](
            &anchors[2, k, 0], &anchors[3, k, 0], &anchors[0, k, 0], &anchors[1, k, 0],
            &steps[0, b, 0], &steps[1, b, 0], &steps[2, b, 0], &steps[3, b, 0], 1.0,
            &sin[row, 0], sin_stride, half, radius, precision, lowest)
        if unsure:
            for i in range(half):
                found += open_entry[number](anchors, steps, k, b, i, cosines, &again, radius, precision, lowest, undecided,
                                            found, row * half + i)
    return found


cdef inline Py_ssize_t open_entry(const double[:, :, ::1] anchors, const double[:, :, ::1] steps, Py_ssize_t k, Py_ssize_t b,
                                  Py_ssize_t i, Py_ssize_t cosines, number *again, double radius, int precision, int lowest,
                                  i64 *undecided, Py_ssize_t found, i64 flat) noexcept nogil:
    cdef Py_ssize_t unsure = 0
    if i < cosines:
        unsure = add_row[number](
            &anchors[0, k, i], &anchors[1, k, i], &anchors[2, k, i], &anchors[3, k, i],
            &steps[0, b, i], &steps[1, b, i], &steps[2, b, i], &steps[3, b, i], -1.0,
            again, 1, 1, radius, precision, lowest)
    unsure += add_row[number](
        &anchors[2, k, i], &anchors[3, k, i], &anchors[0, k, i], &anchors[1, k, i],
        &steps[0, b, i], &steps[1, b, i], &steps[2, b, i], &steps[3, b, i], 1.0,
        again, 1, 1, radius, precision, lowest)
    if unsure:
        undecided[found] = flat
        return 1
    return 0


def table(const double[:, :, ::1] anchors, const double[:, :, ::1] steps, cos, sin, fmt, double radius, i64[::1] undecided):
    """Fill cos (n, <= half) and sin (n, half) by angle addition; returns how many indices were written to `undecided`."""
    cdef int precision = fmt.precision, lowest = fmt.lowest
    cdef Py_ssize_t found
    cdef double[:, :] cos_64, sin_64
    cdef float[:, :] cos_32, sin_32
    cdef u16[:, :] cos_16, sin_16
    if fmt.width == 64:
        cos_64, sin_64 = cos, sin
        with nogil:
            found = add_pairs[double](anchors, steps, cos_64, sin_64, radius, precision, lowest, &undecided[0])
    elif fmt.width == 32:
        cos_32, sin_32 = cos, sin
        with nogil:
            found = add_pairs[float](anchors, steps, cos_32, sin_32, radius, precision, lowest, &undecided[0])
    else:
        cos_16, sin_16 = cos, sin
        with nogil:
            found = add_pairs[u16](anchors, steps, cos_16, sin_16, radius, precision, lowest, &undecided[0])
    return found


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
        leading = x * (c1 + c0) + y * (s1 + s0)
        rest = 0.0
    lower = narrowed(leading + (rest - reach), <number> 0, precision, lowest)
    upper = narrowed(leading + (rest + reach), <number> 0, precision, lowest)
    out[0] = narrowed(leading + rest, <number> 0, precision, lowest)
    return same_bits(lower, upper)


cdef Py_ssize_t rotate_block(const number[:, :, :] first, const number[:, :, :] second, number[:, :, :] out_first,
                             number[:, :, :] out_second, const double[:, :, ::1] pairs, double radius, double sign,
                             int precision, int lowest, i64 *undecided) noexcept nogil:
    cdef Py_ssize_t rows = first.shape[0], repeats = first.shape[1], half = first.shape[2], row, k, i, found = 0
    cdef double x, y, size, c1, c0, s1, s0
    cdef number turned_first, turned_second
    cdef bint certain
    for row in range(rows):
        for k in range(repeats):
            for i in range(half):
                x = widened(first[row, k, i], precision)
                y = widened(second[row, k, i], precision)
                c1 = pairs[0, row, i]
                c0 = pairs[1, row, i]
                s1 = sign * pairs[2, row, i]
                s0 = sign * pairs[3, row, i]
                size = (x if x >= 0 else -x) + (y if y >= 0 else -y)
                certain = combine(x, y, c1, c0, -s1, -s0, size * radius, &turned_first, precision, lowest)
                certain &= combine(y, x, c1, c0, s1, s0, size * radius, &turned_second, precision, lowest)
                certain = size == 0 or (certain and TINY <= size <= LARGEST)
                if certain:
                    out_first[row, k, i] = turned_first
                    out_second[row, k, i] = turned_second
                else:
                    undecided[found] = (row * repeats + k) * half + i
                    found += 1
    return found


def rotate(first, second, out_first, out_second, const double[:, :, ::1] pairs, fmt, double radius, bint backwards,
           i64[::1] undecided):
    """Rotate first and second (n, repeats, half) into the outs; returns how many indices were written to `undecided`."""
    cdef int precision = fmt.precision, lowest = fmt.lowest
    cdef double sign = -1.0 if backwards else 1.0
    cdef Py_ssize_t found
    cdef const double[:, :, :] first_64, second_64
    cdef double[:, :, :] out_first_64, out_second_64
    cdef const float[:, :, :] first_32, second_32
    cdef float[:, :, :] out_first_32, out_second_32
    cdef const u16[:, :, :] first_16, second_16
    cdef u16[:, :, :] out_first_16, out_second_16
    if fmt.width == 64:
        first_64, second_64, out_first_64, out_second_64 = first, second, out_first, out_second
        with nogil:
            found = rotate_block[double](first_64, second_64, out_first_64, out_second_64, pairs, radius, sign, precision,
                                         lowest, &undecided[0])
    elif fmt.width == 32:
        first_32, second_32, out_first_32, out_second_32 = first, second, out_first, out_second
        with nogil:
            found = rotate_block[float](first_32, second_32, out_first_32, out_second_32, pairs, radius, sign, precision,
                                        lowest, &undecided[0])
    else:
        first_16, second_16, out_first_16, out_second_16 = first, second, out_first, out_second
        with nogil:
            found = rotate_block[u16](first_16, second_16, out_first_16, out_second_16, pairs, radius, sign, precision, lowest,
                                      &undecided[0])
    return found
