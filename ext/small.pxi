# ---- small tables and rotations: from the arrays of the caller to the kernel without anything between ----

cdef extern from "Python.h":
    bint PyList_CheckExact(object)
    bint PyLong_CheckExact(object)
    long long PyLong_AsLongLongAndOverflow(object, int *overflow) except? -1

cdef i64 LARGEST_POSITION = 1LL << 53
cdef Py_ssize_t SMALL = 1 << 12  # phases or pairs of channels, at most


cdef class Turns:
    """What all tables, or all rotations, by the same frequencies share, in one format."""
    cdef task shared
    cdef Py_ssize_t item
    cdef object held

    def __cinit__(self, const u64[:, ::1] phases, const double[:, ::1] knots, const double[:, :, ::1] steps, fmt,
                  double radius, double seed_radius, i64[::1] nothing, const i64[::1] starts=None,
                  const i64[::1] order=None):
        self.shared = new_task(nothing, phases, knots, steps, fmt, radius, seed_radius, False, nothing)
        self.item = 8 if self.shared.format == FLOAT64 else 4 if self.shared.format == FLOAT32 else 2
        self.held = phases.base, knots.base, steps.base, starts, order
        if starts is not None:
            self.shared.axes, self.shared.starts = starts.shape[0] - 1, &starts[0]
        if order is not None:
            self.shared.order = &order[0]


cdef bint read_list(positions, i64 *out, Py_ssize_t count) except -1:
    """Integers of a list of that length; whether it is one."""
    cdef Py_ssize_t k
    cdef int overflow
    if len(positions) != count:
        return False
    for k in range(count):
        item = positions[k]
        if not PyLong_CheckExact(item):
            return False
        out[k] = PyLong_AsLongLongAndOverflow(item, &overflow)
        if overflow or not -LARGEST_POSITION <= out[k] <= LARGEST_POSITION:
            return False
    return True


cdef bint read_array(positions, i64 *out, Py_ssize_t count) except -1:
    """Positions of a contiguous array (count,) of int64; whether it is one."""
    cdef Py_buffer buffer
    cdef Py_ssize_t k
    cdef bint fits
    PyObject_GetBuffer(positions, &buffer, PyBUF_STRIDES | PyBUF_FORMAT)
    fits = buffer.ndim == 1 and buffer.shape[0] == count and buffer.itemsize == 8 and (
        buffer.strides[0] == 8 or count == 1) and buffer.format[1] == 0 and buffer.format[0] in (b"l", b"q")
    if fits:
        memcpy(out, buffer.buf, 8 * count)
        for k in range(count):
            fits = fits and -LARGEST_POSITION <= out[k] <= LARGEST_POSITION
    PyBuffer_Release(&buffer)
    return fits


cdef bint read_positions(positions, i64 *out, Py_ssize_t count) except -1:
    return read_list(positions, out, count) if PyList_CheckExact(positions) else read_array(positions, out, count)


cdef bint lay_out(channels *x, const Py_buffer *source, const Py_buffer *to, int axis, bint interleaved) noexcept:
    """The channels of contiguous arrays whose sequence is `axis`; whether they are (rows, repeats, half)."""
    cdef Py_ssize_t before = 1, after = 1, dim = source.shape[source.ndim - 1]
    cdef Py_ssize_t step = (1 if interleaved else x.half) * x.item
    cdef view v
    cdef int k
    for k in range(source.ndim - 1):
        if k < axis:
            before *= source.shape[k]
        elif k > axis:
            after *= source.shape[k]
    x.rows, x.repeats = source.shape[axis], before * after
    if not (before == 1 or after == 1 or x.rows == 1):
        return False
    v.shape[0], v.shape[1], v.shape[2] = x.rows, x.repeats, x.half
    v.strides[0] = after * dim * x.item
    v.strides[1] = x.rows * dim * x.item if after == 1 else dim * x.item
    v.strides[2] = (2 if interleaved else 1) * x.item
    x.first = x.second = x.to_first = x.to_second = v
    x.first.at, x.to_first.at = <char *> source.buf, <char *> to.buf
    x.second.at, x.to_second.at = x.first.at + step, x.to_first.at + step
    x.interleaved, x.vectorised, x.stream = interleaved, active.rotate[0] != NULL, False
    return True


cdef bint turn(Turns turns, const Py_buffer *source, const Py_buffer *to, positions, int axis, bint interleaved,
               bint backwards) except -1:
    """Rotate the channels of one buffer into another; whether every result is certain."""
    cdef task t = turns.shared
    cdef channels x
    cdef Py_ssize_t pairs, count = 1, done
    cdef void *memory = NULL
    cdef i64 *numbers
    x.item, x.half = turns.item, t.half
    if not lay_out(&x, source, to, axis, interleaved):
        return False
    pairs = x.rows * x.repeats * x.half
    if pairs == 0 or pairs > SMALL or 2 * x.half > source.shape[source.ndim - 1]:
        return False
    numbers = <i64 *> malloc(8 * (t.axes * x.rows + pairs))
    if numbers == NULL:
        return False
    try:
        if not read_positions(positions, numbers, t.axes * x.rows):
            return False
        t.multipliers, t.rows, t.undecided, t.capacity = numbers, x.rows, numbers + t.axes * x.rows, pairs
        memory = make_room(&t, &x)
        if memory == NULL:
            return False
        if 2 * x.half < source.shape[source.ndim - 1]:
            memcpy(to.buf, source.buf, source.len)
        with nogil:
            count = rotate_rows(&t, &x, -1.0 if backwards else 1.0, &done)
            if t.seed_radius > 0:
                count = retest_rotations(&t, &x, -1.0 if backwards else 1.0, count)
    finally:
        free(memory)
        free(numbers)
    return count == 0


def rotate_small(x, out, positions, int axis, Turns turns, bint interleaved, bint backwards):
    """Rotate the channels of x into out, another array of its shape: whether that was done.

    It is not where an array is not contiguous, has more than SMALL pairs or another type than the turns, where
    positions are no int64 array or list for the axis, those of each axis of the turns in order, and where a result is
    not certain; out then holds anything.
    """
    cdef Py_buffer buffers[2]
    cdef const Py_buffer *a = &buffers[0]
    cdef const Py_buffer *b = &buffers[1]
    cdef bint fits
    cdef int k
    if refpos_float_state() != NULL:
        return False
    memset(buffers, 0, sizeof(buffers))
    try:
        PyObject_GetBuffer(x, &buffers[0], PyBUF_STRIDES)
        PyObject_GetBuffer(out, &buffers[1], PyBUF_STRIDES | PyBUF_WRITABLE)
        axis = axis if axis >= 0 else axis + a.ndim
        fits = a.itemsize == b.itemsize == turns.item and a.ndim == b.ndim and 0 <= axis < a.ndim - 1 and (
            a.len == b.len and PyBuffer_IsContiguous(&buffers[0], c"C") and PyBuffer_IsContiguous(&buffers[1], c"C"))
        # arrays of the caller may lie anywhere, and over each other
        fits = fits and (<size_t> a.buf | <size_t> b.buf) % <size_t> turns.item == 0 and (
            <size_t> a.buf + a.len <= <size_t> b.buf or <size_t> b.buf + b.len <= <size_t> a.buf)
        if fits:
            for k in range(a.ndim):
                fits = fits and a.shape[k] == b.shape[k]
        return fits and turn(turns, a, b, positions, axis, interleaved, backwards)
    finally:
        PyBuffer_Release(&buffers[0])
        PyBuffer_Release(&buffers[1])


cdef bint fill(Turns turns, const target *to, const view *sin, positions) except -1:
    """Fill a small table; whether every entry is certain."""
    cdef task t = turns.shared
    cdef target own = to[0]
    cdef Py_ssize_t size = sin.shape[0] * t.half, count = 1, done
    cdef void *memory = NULL
    cdef i64 *numbers
    if not 0 < size <= SMALL:
        return False
    numbers = <i64 *> malloc(8 * (sin.shape[0] + size))
    if numbers == NULL:
        return False
    try:
        if not read_positions(positions, numbers, sin.shape[0]):
            return False
        t.multipliers, t.rows, t.undecided, t.capacity = numbers, sin.shape[0], numbers + sin.shape[0], size
        memory = make_table_room(&t, &own)
        if memory == NULL:
            return False
        with nogil:
            count = fill_rows(&t, &own, &done)
            if t.seed_radius > 0:
                count = retest_sums(&t, &own, count)
    finally:
        free(memory)
        free(numbers)
    return count == 0


def table_small(cos, sin, positions, Turns turns):
    """Fill rows of cos (n, <= half) and sin (n, half): whether that was done, on the terms of `rotate_small`."""
    cdef Py_buffer buffers[2]
    cdef target to
    if refpos_float_state() != NULL:
        return False
    memset(buffers, 0, sizeof(buffers))
    try:
        lay_out_table(&to, cos, sin, buffers)
        return to.item == turns.item == buffers[0].itemsize and to.half == turns.shared.half and (
            to.cos.shape[0] == to.sin.shape[0]) and fill(turns, &to, &to.sin, positions)
    finally:
        PyBuffer_Release(&buffers[0])
        PyBuffer_Release(&buffers[1])
