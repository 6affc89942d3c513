/* Calls made in the default floating-point state: to nearest, subnormal numbers kept, no traps, whatever the caller has.

   The state of a thread is in its control words. `run` compares them with the default and, where they differ, holds
   them, sets the default, makes the call, and sets them again, sticky flags included; no Python code runs in between,
   so that no interruption can leave the wrong ones behind. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "floatcheck.h"

#if defined(_M_X64) || defined(_M_IX86) || defined(__SSE2__)

#define CONTROL 0xFFC0u /* of MXCSR: denormals-are-zero, masks, rounding, flush-to-zero; the rest are sticky flags */
#define DEFAULT 0x1F80u
#if defined(__x86_64__)
#define X87_CONTROL 0x0F3Fu /* masks, precision, rounding */
#define X87_DEFAULT 0x033Fu
#else /* the precision is that of the system: Python's own doubles are computed with it */
#define X87_CONTROL 0x0C3Fu
#define X87_DEFAULT 0x003Fu
#endif

typedef struct {
    unsigned int mxcsr;
    unsigned char x87[28]; /* NumPy's longdouble; MSVC has none */
} state;

static int is_default(void) {
#if defined(__GNUC__)
    unsigned short word;
    __asm__ volatile("fnstcw %0" : "=m"(word));
    if ((word & X87_CONTROL) != X87_DEFAULT)
        return 0;
#endif
    return (_mm_getcsr() & CONTROL) == DEFAULT;
}

static void set_default(state *held) {
#if defined(__GNUC__)
    unsigned short word;
    __asm__ volatile("fnstcw %0" : "=m"(word));
    __asm__ volatile("fnstenv %0" : "=m"(held->x87)); /* masks all exceptions, so that none is raised here */
    word = (unsigned short)((word & ~X87_CONTROL) | X87_DEFAULT);
    __asm__ volatile("fldcw %0" : : "m"(word));
#endif
    held->mxcsr = _mm_getcsr();
    _mm_setcsr((held->mxcsr & ~0xFFFFu) | DEFAULT);
}

static void set_again(const state *held) {
    _mm_setcsr(held->mxcsr);
#if defined(__GNUC__)
    __asm__ volatile("fldenv %0"
                     :
                     : "m"(held->x87)
                     : "st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)", "st(7)");
#endif
}

/* toward minus infinity, plus infinity and zero; flush-to-zero with denormals-are-zero */
static const unsigned int SPOILT[] = {0x3F80, 0x5F80, 0x7F80, 0x9FC0};

static void spoil(int k) {
    _mm_setcsr(SPOILT[k]);
}

#elif defined(__aarch64__) && defined(__GNUC__)

typedef struct {
    unsigned long long fpcr, fpsr;
} state;

static int is_default(void) {
    unsigned long long word;
    __asm__ volatile("mrs %0, fpcr" : "=r"(word));
    return word == 0;
}

static void set_default(state *held) {
    __asm__ volatile("mrs %0, fpcr" : "=r"(held->fpcr));
    __asm__ volatile("mrs %0, fpsr" : "=r"(held->fpsr));
    __asm__ volatile("msr fpcr, %0" : : "r"(0ull));
}

static void set_again(const state *held) {
    __asm__ volatile("msr fpcr, %0" : : "r"(held->fpcr));
    __asm__ volatile("msr fpsr, %0" : : "r"(held->fpsr));
}

/* toward plus infinity, minus infinity and zero; flush-to-zero */
static const unsigned long long SPOILT[] = {1ull << 22, 2ull << 22, 3ull << 22, 1ull << 24};

static void spoil(int k) {
    __asm__ volatile("msr fpcr, %0" : : "r"(SPOILT[k]));
}

#else

#include <fenv.h>

typedef struct {
    fenv_t environment;
} state;

/* Portable code sees only the rounding, so each call sets the default. */
static int is_default(void) {
    return 0;
}

static void set_default(state *held) {
    fegetenv(&held->environment);
    fesetenv(FE_DFL_ENV);
}

static void set_again(const state *held) {
    fesetenv(&held->environment);
}

static const int SPOILT[] = {
#if defined(FE_UPWARD) && defined(FE_DOWNWARD) && defined(FE_TOWARDZERO)
    FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO,
#endif
    FE_TONEAREST};

static void spoil(int k) {
    fesetround(SPOILT[k]);
}

#endif

/* By way of memory, so that no compiler computes it before the state is set. */
static const char *(*volatile wrong_now)(void) = refpos_float_state;

static const char *fault_of(int k) {
    const char *before, *inside, *after;
    state held;
    spoil(k);
    before = wrong_now();
    if (before != NULL && is_default())
        return "a changed state is taken for the default";
    set_default(&held);
    inside = wrong_now();
    set_again(&held);
    after = wrong_now();
    if (inside != NULL)
        return inside;
    return before == after ? NULL : "the state is not restored";
}

static PyObject *selftest(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(ignored)) {
    const char *fault = NULL;
    state held;
    set_default(&held);
    for (int k = 0; k < (int)(sizeof SPOILT / sizeof *SPOILT) && fault == NULL; k++)
        fault = fault_of(k);
    set_again(&held);
    if (fault == NULL)
        Py_RETURN_NONE;
    return PyUnicode_FromString(fault);
}

static PyObject *run(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t count) {
    PyObject *result;
    state held;
    if (count != 3 || !PyTuple_Check(args[1]) || !PyDict_Check(args[2])) {
        PyErr_SetString(PyExc_TypeError, "run must be given a function, a tuple and a dict");
        return NULL;
    }
    if (is_default())
        return PyObject_Call(args[0], args[1], args[2]);
    set_default(&held);
    result = PyObject_Call(args[0], args[1], args[2]);
    set_again(&held);
    return result;
}

static PyObject *ready(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(ignored)) {
    return PyBool_FromLong(is_default());
}

static PyMethodDef methods[] = {
    {"ready", ready, METH_NOARGS, "Whether the calling thread is in the default state, sticky flags aside."},
    {"run", (PyCFunction)(void (*)(void))run, METH_FASTCALL,
     "run(function, given, named): function(*given, **named) in the default floating-point state of the thread, which "
     "is then what it was."},
    {"selftest", selftest, METH_NOARGS, "What is wrong with how states are set and restored; None when nothing is."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {
#if defined(Py_GIL_DISABLED)
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "refpos.float_guard", "Calls in the default floating-point state.", 0, methods, slots,
    NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit_float_guard(void) {
    return PyModuleDef_Init(&definition);
}
