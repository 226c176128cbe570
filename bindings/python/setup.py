# SPDX-License-Identifier: BSD-2-Clause
"""setup.py: builds the extension from petal's own sources.

In petal's repository, tools/amalgamate.py writes the library as two files, which are
compiled with the extension.  A source archive (sdist) contains these two and xxhash.h in
the folder library/, so it needs nothing but a C compiler.

The extension uses the limited API of CPython 3.11: one wheel for this version and all later
ones.  Free-threaded interpreters have no limited API; for these, a wheel is built for one
version.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

HERE = pathlib.Path(__file__).resolve().parent
LIBRARY = HERE / "library"
AMALGAMATE = (
    HERE.parents[1] / "tools/amalgamate.py" if len(HERE.parents) > 1 else HERE / "none"
)
UNIX_FLAGS = ["-fvisibility=hidden", '-DPETAL_API=__attribute__((visibility("hidden")))']
# cmake/windows.cmake has the reasons
WINDOWS = sys.platform == "win32"
WINDOWS_FLAGS = [
    "-Wa,-muse-unaligned-vector-move",
    "-D__USE_MINGW_ANSI_STDIO=1",
    "-D_FILE_OFFSET_BITS=64",
    "-DPETAL_API=",
]
LIMITED = not sysconfig.get_config_var("Py_GIL_DISABLED")


def xxhash_header():
    """xxhash.h of this machine, or None."""
    for folder in (
        *os.environ.get("CPATH", "").split(os.pathsep),
        "/usr/include",
        "/usr/local/include",
        "/opt/homebrew/include",
    ):
        if folder and (pathlib.Path(folder) / "xxhash.h").exists():
            return pathlib.Path(folder) / "xxhash.h"
    return None


def write_library(folder):
    """Puts petal.c, petal.h and xxhash.h into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    if LIBRARY.exists():
        for path in LIBRARY.iterdir():
            shutil.copy(path, folder)
        return
    header = xxhash_header()
    if not header:
        sys.exit("petal: no xxhash.h: install libxxhash-dev, or set CPATH to its folder")
    subprocess.run([sys.executable, AMALGAMATE, folder], check=True)
    shutil.copy(header, folder)


def version():
    header = (
        LIBRARY / "petal.h" if LIBRARY.exists() else HERE.parents[1] / "include/petal.h"
    )
    numbers = re.findall(
        r"^#define PETAL_VERSION_(?:MAJOR|MINOR|PATCH) +(\d+)", header.read_text(), re.M
    )
    return ".".join(numbers)


class BuildExtension(build_ext):
    def build_extension(self, ext):
        folder = pathlib.Path(self.build_temp) / "library"
        write_library(folder)
        ext.sources.append(str(folder / "petal.c"))
        ext.include_dirs.append(str(folder))
        super().build_extension(ext)


class SourceArchive(sdist):
    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        write_library(pathlib.Path(base_dir) / "library")


setup(
    version=version(),
    ext_modules=[
        Extension(
            "petal._petal",
            sources=sorted(str(p.relative_to(HERE)) for p in (HERE / "src").glob("*.c")),
            depends=sorted(str(p.relative_to(HERE)) for p in (HERE / "src").glob("*.h")),
            define_macros=[
                ("NDEBUG", None),
                *([("Py_LIMITED_API", "0x030b0000")] if LIMITED else []),
            ],
            # -O3 makes batches faster.  Hidden functions are called directly, and do not clash
            # with another libpetal.
            extra_compile_args=[
                "-std=c11",
                "-O3",
                "-g0",
                "-D_GNU_SOURCE",
                *(WINDOWS_FLAGS if WINDOWS else UNIX_FLAGS),
            ],
            libraries=["bcrypt", "pthread"] if WINDOWS else ["m"],
            py_limited_api=LIMITED,
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if LIMITED else {},
    cmdclass={"build_ext": BuildExtension, "sdist": SourceArchive},
)
