"""The compiled kernels, and what goes into the source distribution; all else stands in pyproject.toml."""

import atexit
import glob
import gzip
import os
import subprocess
import sys
import sysconfig
import tarfile
import textwrap
import zipfile

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

# a product and a sum must not become one operation; errno and traps are not looked at, and without them loops vectorise
NO_FAST_MATH = ["-fno-fast-math", "-fno-unsafe-math-optimizations"]
GCC_FLAGS = ["-O3", "-g0", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", *NO_FAST_MATH, "-Wno-psabi"]
MSVC_FLAGS = ["/O2", "/fp:precise"]
# of the interpreter: a 32-bit one on a 64-bit kernel says x86_64, and has small pointers
MACHINE = sysconfig.get_platform().rpartition("-")[2]
if MACHINE in ("i386", "i486", "i586", "i686", "win32") or (MACHINE == "x86_64" and sys.maxsize < 2**32):
    GCC_FLAGS += ["-msse2", "-mfpmath=sse"]  # never x87
# CFLAGS are linked with as well, and for fast-math gcc links code that flushes subnormal numbers in the whole process
GCC_LINK_FLAGS = ["-O2", *NO_FAST_MATH]

REQUIRED = os.environ.get("REFPOS_REQUIRE_KERNELS", "0") not in ("", "0")

# typed memoryviews belong to the stable ABI since Python 3.11; free-threaded builds and other interpreters have none
STABLE = (
    sys.version_info >= (3, 11)
    and sys.implementation.name == "cpython"
    and not sysconfig.get_config_var("Py_GIL_DISABLED")
)

# loads a built module by its name and path, without the package, and ends with what is wrong with it
SELF_TEST = """
import sys
from importlib import machinery, util
loader = machinery.ExtensionFileLoader(*sys.argv[1:])
module = util.module_from_spec(util.spec_from_loader(loader.name, loader))
loader.exec_module(module)
sys.exit(module.selftest())
"""


# pip shows what a build prints only with -v, or where the build fails
ABSENT = """
********************************************************************************
refpos is built WITHOUT {what}: {reason}
A C compiler and the headers of Python build what is missing. To see why that fails:
    REFPOS_REQUIRE_KERNELS=1 pip install --force-reinstall --no-deps .
refpos.show_config() prints what is built.
********************************************************************************"""


class BuildKernels(build_ext):
    """Build both extensions where a compiler is; what cannot be built is named at the end, and the build goes on: NumPy
    computes the same bits, and without the guard a changed rounding mode is refused."""

    def run(self):
        if os.path.exists(self._record()):  # of a build before this one
            os.remove(self._record())
        self._attempt(list(self.distribution.ext_modules), super().run)

    def build_extension(self, ext):
        self._attempt([ext], self._compile, ext)

    def _compile(self, ext):
        if self.compiler.compiler_type == "msvc":
            ext.extra_compile_args = MSVC_FLAGS
        else:
            ext.extra_compile_args, ext.extra_link_args = GCC_FLAGS, GCC_LINK_FLAGS
        if ext.name == kernels.name:
            from Cython.Build import cythonize

            ext.sources = cythonize([ext], build_dir=self.build_temp, quiet=True)[0].sources
        super().build_extension(ext)
        if not self._for_another_machine():
            self._self_test(ext)

    def _for_another_machine(self):
        told = "_PYTHON_HOST_PLATFORM" in os.environ or getattr(sys, "cross_compiling", False)
        return told or self.plat_name not in (None, sysconfig.get_platform())

    def _self_test(self, ext):
        """Keep only what this machine can trust: `import refpos` refuses the rest."""
        path = self.get_ext_fullpath(ext.name)
        done = subprocess.run(
            [sys.executable, "-c", SELF_TEST, ext.name, path], capture_output=True, text=True, check=False
        )
        if done.returncode:
            os.remove(path)
            reason = (done.stderr.strip() or f"status {done.returncode}").splitlines()[-1]
            raise RuntimeError(f"their self-test fails: {reason}")

    def _attempt(self, extensions, step, *args):
        try:
            step(*args)
        except Exception as error:
            if REQUIRED:
                raise
            reason = textwrap.shorten(f"{type(error).__name__}: {error}", 200)
            for ext in extensions:
                # after all else that is printed
                atexit.register(print, ABSENT.format(what=WITHOUT[ext.name], reason=reason), file=sys.stderr)
                if ext.name == kernels.name and not self.inplace:
                    self._write_record(reason)
            left = [ext for ext in self.distribution.ext_modules or () if ext not in extensions]
            self.distribution.ext_modules = left or None
            if not left:
                self._call_the_wheel_pure()

    def _record(self):
        """The file of an install without kernels from which refpos.show_config() reads why it has none."""
        return os.path.join(self.build_lib, "refpos", "kernels", "absent.txt")

    def _write_record(self, reason):
        os.makedirs(os.path.dirname(self._record()), exist_ok=True)
        with open(self._record(), "w", encoding="utf-8") as file:
            file.write(reason + "\n")

    def _call_the_wheel_pure(self):
        wheel = self.distribution.get_command_obj("bdist_wheel", create=False)
        if wheel is not None:
            wheel.root_is_pure = True


class Modules(build_py):
    """The modules and data of now: what a former build of other sources left in its folder would be installed too."""

    def run(self):
        super().run()
        if self.editable_mode:
            return
        made = {os.path.normpath(path) for path in self.get_outputs()}
        for path in glob.glob(os.path.join(self.build_lib, "refpos", "**", "*.*"), recursive=True):
            # build_ext keeps or replaces what is compiled, and its record of why that failed
            kept = path.endswith((".so", ".pyd")) or os.path.basename(path) == "absent.txt"
            if os.path.isfile(path) and not kept and os.path.normpath(path) not in made:
                os.remove(path)


class Sources(sdist):
    """The source distribution with tests/ and docs/, and the same bytes from the same files and SOURCE_DATE_EPOCH."""

    def make_release_tree(self, base_dir, files):
        found = [name for top in ("docs", "tests") for name in glob.glob(f"{top}/**", recursive=True)]
        more = (name for name in found if os.path.isfile(name) and "__pycache__" not in name)
        super().make_release_tree(base_dir, sorted({*files, *more}))

    def make_archive(self, base_name, format, *args, base_dir, **options):
        epoch = os.environ.get("SOURCE_DATE_EPOCH")
        if epoch is None or format != "gztar":
            return super().make_archive(base_name, format, *args, base_dir=base_dir, **options)

        def plain(member):
            member.mtime, member.uid, member.gid, member.uname, member.gname = int(epoch), 0, 0, "", ""
            member.mode = 0o755 if member.isdir() else 0o644
            return member

        os.makedirs(os.path.dirname(base_name), exist_ok=True)
        with (
            open(f"{base_name}.tar.gz", "wb") as file,
            gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed,
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
        ):
            archive.add(base_dir, filter=plain)  # sorted by name
        return file.name


class Wheel(bdist_wheel):
    """The wheel, deflated as well as zlib can: setuptools takes its default, which makes it 1 % larger."""

    def run(self):
        super().run()
        for _, _, path in self.distribution.dist_files:
            if path.endswith(".whl"):
                deflated(path)


def deflated(path):
    """Write a zip file again, its members in their order with the highest level of compression."""
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(f"{path}.part", "w", zipfile.ZIP_DEFLATED) as new:
        for member in old.infolist():
            new.writestr(member, old.read(member), compresslevel=9)
    os.replace(f"{path}.part", path)


kernels = Extension(
    "refpos.kernels.compiled",
    ["ext/compiled.pyx", *(f"ext/{name}.c" for name in ("baseline", "avx2", "avx512"))],
    # all of ext/ goes into the source distribution, and a change to any of it builds again
    depends=sorted(name for name in glob.glob("ext/*") if name != "ext/compiled.pyx"),
    include_dirs=["ext"],
    define_macros=[("Py_LIMITED_API", "0x030B0000")] if STABLE else [],
    py_limited_api=STABLE,
    optional=not REQUIRED,
)

guard = Extension(
    "refpos.float_guard",
    ["ext/float_guard.c"],
    depends=["ext/floatcheck.h"],
    include_dirs=["ext"],
    # fegetenv and fesetenv, where the control words are not set by the code itself
    libraries=[] if os.name == "nt" or MACHINE in ("x86_64", "i686", "aarch64", "arm64") else ["m"],
    define_macros=kernels.define_macros,
    py_limited_api=STABLE,
    optional=not REQUIRED,
)
#: what is missing without each, as the build says it
WITHOUT = {
    kernels.name: "compiled kernels (same bits, slower)",
    guard.name: "the floating-point guard (a changed rounding mode is refused)",
}

setup(
    ext_modules=[kernels, guard],
    cmdclass={"bdist_wheel": Wheel, "build_ext": BuildKernels, "build_py": Modules, "sdist": Sources},
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if STABLE else {},
)
