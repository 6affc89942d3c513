# ---- floating point as the proofs need it ----

cdef extern from "floatcheck.h" nogil:
    const char *refpos_float_state()
    const char *refpos_float_fault()
    void refpos_float_restore()


def selftest():
    """What is wrong with how this module computes, by its build or by the state of the thread; None when nothing is."""
    cdef const char *fault = refpos_float_fault()
    return None if fault is NULL else fault.decode("ascii")


def restore():
    """Make the calling thread round to nearest and keep subnormal numbers again, where loading this changed that."""
    refpos_float_restore()
