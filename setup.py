"""The compiled kernels; everything else about the package stands in pyproject.toml."""

import glob
import os
import platform
import sys
import sysconfig
import textwrap

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

# a product and a sum must not become one operation; errno and traps are not looked at, and without them loops vectorise
GCC_FLAGS = ["-O3", "-g0", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-fno-fast-math", "-Wno-psabi"]
MSVC_FLAGS = ["/O2", "/fp:precise"]
if platform.machine() in ("i386", "i486", "i586", "i686"):
    GCC_FLAGS += ["-msse2", "-mfpmath=sse"]  # never x87

REQUIRED = os.environ.get("REFPOS_REQUIRE_KERNELS", "0") not in ("", "0")

# typed memoryviews belong to the stable ABI since Python 3.11; free-threaded builds and other interpreters have none
STABLE = (
    sys.version_info >= (3, 11)
    and sys.implementation.name == "cpython"
    and not sysconfig.get_config_var("Py_GIL_DISABLED")
)


class BuildKernels(build_ext):
    """Build them where a compiler is; elsewhere say so in one line and go on, for NumPy computes the same bits."""

    def run(self):
        self._attempt(super().run)

    def build_extension(self, ext):
        self._attempt(self._compile, ext)

    def _compile(self, ext):
        from Cython.Build import cythonize

        ext.extra_compile_args = MSVC_FLAGS if self.compiler.compiler_type == "msvc" else GCC_FLAGS
        ext.sources = cythonize([ext], build_dir=self.build_temp, quiet=True)[0].sources
        super().build_extension(ext)

    def _attempt(self, step, *args):
        try:
            step(*args)
        except Exception as error:
            if REQUIRED:
                raise
            reason = textwrap.shorten(f"{type(error).__name__}: {error}", 160)
            self.warn(f"refpos is built WITHOUT compiled kernels (same bits, slower): they do not compile, {reason}")
            self._call_the_wheel_pure()

    def _call_the_wheel_pure(self):
        self.distribution.ext_modules = None
        wheel = self.distribution.get_command_obj("bdist_wheel", create=False)
        if wheel is not None:
            wheel.root_is_pure = True


kernels = Extension(
    "refpos.kernels.compiled",
    ["ext/compiled.pyx"],
    # all of ext/ goes into the source distribution, and a change to any of it builds again
    depends=sorted(name for name in glob.glob("ext/*") if name != "ext/compiled.pyx"),
    include_dirs=["ext"],
    define_macros=[("Py_LIMITED_API", "0x030B0000")] if STABLE else [],
    py_limited_api=STABLE,
    optional=not REQUIRED,
)

setup(
    ext_modules=[kernels],
    cmdclass={"build_ext": BuildKernels},
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if STABLE else {},
)
