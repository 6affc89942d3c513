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

def split_sums(const i64[::1] rows, const double[:, ::1] values, const double[::1] rounders, double[:, ::1] sums,
               double[::1] rest, i64[::1] cells):
    """Adds two parts of each finite value to sums[row * channels + channel] and returns how many values have more than
    those: `rest` and `cells` hold what is left of them, and where. A part is (x + r) - r for the rounder r, and no sum
    of parts is rounded."""
    cdef Py_ssize_t i, j, left = 0, count = rows.shape[0], channels = values.shape[1]
    cdef double x, high, low, first, second
    cdef const i64 *row
    cdef const double *value
    cdef double *of_row
    cdef double *total
    cdef double *more
    cdef i64 *where
    if values.shape[0] != count or rest.shape[0] < count * channels or cells.shape[0] < count * channels:
        raise ValueError("shapes must be (n,), (n, channels), (2,), (cells, 2) and twice (n * channels,)")
    if rounders.shape[0] != 2 or sums.shape[1] != 2:
        raise ValueError("rounders and sums must be of two parts")
    if not count or not channels or not sums.shape[0]:
        return 0
    first, second = rounders[0], rounders[1]
    row, value, total, more, where = &rows[0], &values[0, 0], &sums[0, 0], &rest[0], &cells[0]
    with nogil:
        for i in range(count):
            if i + AHEAD < count:
                prefetch(total + 2 * row[i + AHEAD] * channels)
            of_row = total + 2 * row[i] * channels
            for j in range(channels):
                x = value[j]
                high = (x + first) - first
                x = x - high
                low = (x + second) - second
                x = x - low
                of_row[2 * j] += high
                of_row[2 * j + 1] += low
                if x != 0:
                    more[left] = x
                    where[left] = row[i] * channels + j
                    left += 1
            value += channels
    return left
