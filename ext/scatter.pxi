# ---- sums of scattered numbers ----

cdef extern from *:
    """
    #if defined(__GNUC__)
    #define REFPOS_PREFETCH(address) __builtin_prefetch(address, 1)
    #else
    #define REFPOS_PREFETCH(address) ((void)0)
    #endif
    """
    void prefetch "REFPOS_PREFETCH"(const void *address) noexcept nogil

DEF AHEAD = 24  # vectors, whose sums are fetched before they are needed
DEF CHUNK = 512  # numbers that are cut into parts at a time, a multiple of every `width`
DEF FEW = 32  # numbers that are cut one by one where one of them has more than two parts
cdef Py_ssize_t LARGE_TABLE = 1 << 17  # sums from which on they are fetched


cdef inline double split_one(double x, const double *rounders, double limit, i64 *parts) noexcept nogil:
    """Two parts of a number, and what is left of it; of one that is not below the limit all is left."""
    cdef double high, low, rest = x
    parts[0] = parts[1] = 0
    if x < limit and x > -limit:
        high = x + rounders[0]
        x = x - (high - rounders[0])
        low = x + rounders[1]
        rest = x - (low - rounders[1])
        parts[0] = <i64> (bits_of(high) - bits_of(rounders[0]))
        parts[1] = <i64> (bits_of(low) - bits_of(rounders[1]))
    return rest


cdef inline bint add_numbers(const i64 *row, i64 first_row, const i64 *parts, Py_ssize_t count, i64 *sums,
                             Py_ssize_t size, bint ahead) noexcept nogil:
    """Adds the parts of numbers to the sums of their rows; whether the table has these. ahead: sums are fetched."""
    cdef Py_ssize_t k
    cdef i64 *to
    for k in range(count):
        if <u64> (row[k] - first_row) >= <u64> size:
            return False
        if ahead:
            prefetch(sums + 2 * (row[k + AHEAD] - first_row))
        to = sums + 2 * (row[k] - first_row)
        to[0] += parts[2 * k]
        to[1] += parts[2 * k + 1]
    return True


cdef inline bint add_vectors(const i64 *row, i64 first_row, Py_ssize_t first, Py_ssize_t channels, const i64 *parts,
                             Py_ssize_t count, i64 *sums, Py_ssize_t size) noexcept nogil:
    """The same for vectors. first: the number of the first of these numbers among all."""
    cdef Py_ssize_t k = 0, q, run, j = first % channels, vector = first // channels
    cdef i64 *to
    while k < count:
        if <u64> (row[vector] - first_row) >= <u64> size:
            return False
        to = sums + 2 * ((row[vector] - first_row) * channels + j)
        run = min(channels - j, count - k)
        for q in range(2 * run):
            to[q] += parts[2 * k + q]
        k, j, vector = k + run, 0, vector + 1
    return True


cdef inline Py_ssize_t split_vectors(const number *values, int format, Py_ssize_t count, const double *rounders,
                                     double limit, i64 *parts) noexcept nogil:
    """Parts of as many numbers as fill vectors; how many these are, 0 where they have more than those parts."""
    cdef Py_ssize_t done = 0
    if active.split != NULL:
        done = count - count % active.width
        if not active.split(values, format, done, rounders, limit, parts):
            return 0
    return done


cdef Py_ssize_t split_all(const i64 *row, i64 first_row, const number *values, int format, int precision,
                          Py_ssize_t count, Py_ssize_t channels, const double *rounders, double limit, i64 *sums,
                          Py_ssize_t size, double *rest, i64 *cells) noexcept nogil:
    """`split_sums` of so many numbers; -1 where a row is not in the table."""
    cdef i64[2 * CHUNK] parts
    cdef Py_ssize_t i, j, k, stop, last, left = 0
    cdef double x
    cdef bint known
    for i in range(0, count, CHUNK):
        stop = min(CHUNK, count - i)
        j = split_vectors(values + i, format, stop, rounders, limit, parts)
        while j < stop:  # few numbers at a time, of which most have no more than these parts
            last = min(j + FEW, stop)
            k = j + split_vectors(values + i + j, format, last - j, rounders, limit, parts + 2 * j)
            for k in range(k, last):
                x = split_one(widened(values[i + k], precision), rounders, limit, parts + 2 * k)
                if x != 0:  # a NaN too
                    rest[left] = x
                    cells[left] = (row[(i + k) // channels] - first_row) * channels + (i + k) % channels
                    left += 1
            j = last
        if channels > 1:
            known = add_vectors(row, first_row, i, channels, parts, stop, sums, size)
        elif size >= LARGE_TABLE and i + stop + AHEAD < count:
            known = add_numbers(row + i, first_row, parts, stop, sums, size, True)
        else:
            known = add_numbers(row + i, first_row, parts, stop, sums, size, False)
        if not known:
            return -1
    return left


def split_sums(const i64[::1] rows, i64 first_row, const number[:, ::1] values, fmt, const double[::1] rounders,
               double limit, i64[:, :, ::1] sums, double[::1] rest, i64[::1] cells):
    """Adds two integers of each value to sums[row - first_row, channel]; returns how many values have more than those,
    or are not below the limit: `rest` and `cells` hold what is left of them, and where (docs/numbers.md, "Scattered
    sums")."""
    cdef Py_ssize_t count = rows.shape[0], channels = values.shape[1], left = -1, size = sums.shape[0]
    cdef int precision = fmt.precision
    if values.shape[0] != count or rest.shape[0] < count * channels or cells.shape[0] < count * channels:
        raise ValueError("shapes must be (n,), (n, channels), and twice (n * channels,)")
    if rounders.shape[0] != 2 or sums.shape[1] != channels or sums.shape[2] != 2:
        raise ValueError("rounders must be (2,) and sums (rows, channels, 2)")
    if not count or not channels:
        return 0
    if size:
        with nogil:
            left = split_all(&rows[0], first_row, &values[0, 0], format_of(precision), precision, count * channels,
                             channels, &rounders[0], limit, &sums[0, 0, 0], size, &rest[0], &cells[0])
    if left < 0:
        raise ValueError(f"rows must lie within the {size} rows of the table")
    return left


cdef inline double to_odd(double total, double rest) noexcept nogil:
    """A sum and what it is off by as a double that can be rounded again: the last bit is 1 where anything is cut."""
    cdef u64 pattern = bits_of(total)
    if rest == 0 or pattern & 1:
        return total
    return from_bits(pattern + 1 if (rest > 0) == (total > 0) else pattern - 1)


cdef inline double power_of_two(i64 exponent) noexcept nogil:
    """2**exponent from 2**-1074 to 2**1023."""
    return from_bits(<u64> (exponent + 1023) << 52 if exponent > -1023 else <u64> 1 << (exponent + 1074))


cdef void round_rest(const i64 *sums, Py_ssize_t start, Py_ssize_t count, int shift, const double *units, number *out,
                     int precision, int lowest) noexcept nogil:
    """The sums from `start` on, which the vector code leaves."""
    cdef Py_ssize_t k
    cdef i64 high, low, carried
    cdef i64 half = (<i64> 1 << shift) >> 1
    cdef double rounded, small, rest, total
    for k in range(start, count):
        high, low = sums[2 * k], sums[2 * k + 1]
        carried = (low + half) >> shift
        high = high + carried
        rounded = <double> high
        # at most 10 bits are cut from the first integer: with those of the second they fit into a double
        low = <i64> (<u64> (high - <i64> rounded - carried) << shift) + low
        rounded, small = rounded * units[0], <double> low * units[1]
        if number is double:
            out[k] = rounded + small
        else:
            exact_sum(rounded, small, &total, &rest)
            out[k] = narrowed(to_odd(total, rest), out[k], precision, lowest)


cdef int format_of(int precision) noexcept nogil:
    return FLOAT64 if precision == 53 else FLOAT32 if precision == 24 else FLOAT16 if precision == 11 else BFLOAT16


def round_sums(const i64[:, ::1] sums, const i64[::1] units, fmt, number[::1] out):
    """Rounds sums of integers (n, 2) once: out[k] has the sum of multiples of 2**units[0] and 2**units[1]."""
    cdef int precision = fmt.precision, lowest = fmt.lowest
    cdef int shift = units[0] - units[1]
    cdef Py_ssize_t done = 0, count = out.shape[0]
    cdef double[2] powers
    if sums.shape[1] != 2 or sums.shape[0] != count or not 0 <= shift <= 62:
        raise ValueError("sums must be (n, 2), out (n,), and units at most 62 apart")
    powers[0], powers[1] = power_of_two(units[0]), power_of_two(units[1])
    if count:
        with nogil:
            if active.round_sums != NULL:
                done = count - count % (4 * active.width)
                active.round_sums(&sums[0, 0], done, shift, powers, &out[0], format_of(precision))
            round_rest(&sums[0, 0], done, count, shift, powers, &out[0], precision, lowest)
