"""Where a kernel's text is from: text, a file, a list of files, or a function of the parameters."""
import os
import pathlib
import re

from kiln.errors import BadInputError, NotFoundError, UnsupportedError

# What no file's name has, but programs do.
_PROGRAM = re.compile(r"[(){};\\\n]")
_SUFFIXES = (".c", ".cl", ".h", ".opencl", ".ocl")
_OTHER_LANGUAGES = ("CUDA", "CuPy", "nvcuda", "pycuda", "HIP", "C", "C++", "Fortran", "Julia")


def check_language(lang):
    if lang is None or str(lang).lower() == "opencl":
        return
    known = " (it tunes kernels of another kind)" if str(lang) in _OTHER_LANGUAGES else ""
    raise UnsupportedError(f"lang: found '{lang}'{known}, expected \"OpenCL\"")


def _is_name(source):
    return isinstance(source, os.PathLike) or (
        len(source) < 4096
        and not _PROGRAM.search(source)
        and (source.endswith(_SUFFIXES) or os.path.isfile(source))
    )


def _read(name):
    path = pathlib.Path(name)
    try:
        return path.read_text(errors="replace"), [str(path.absolute().parent)]
    except FileNotFoundError:
        raise NotFoundError(f"kernel_source: {path}: no such file") from None
    except OSError as error:
        raise BadInputError(f"kernel_source: {path}: {error.strerror}") from None


class Sources:
    """A program for given parameters.

    compiler_options: texts for the compiler; folders of -I are searched for includes.
    """

    def __init__(self, kernel_name, kernel_source, lang=None, compiler_options=None):
        check_language(lang)
        if not isinstance(kernel_name, str) or not kernel_name:
            raise BadInputError(f"kernel_name: found {kernel_name!r}, expected the function's name")
        self.kernel_name = kernel_name
        self.given = kernel_source
        self.further = []
        if isinstance(kernel_source, (list, tuple)):
            if not kernel_source:
                raise BadInputError("kernel_source: found no file, expected one at least")
            self.given, *self.further = kernel_source
        if not callable(self.given) and not isinstance(self.given, (str, os.PathLike)):
            raise BadInputError(
                f"kernel_source: found {type(self.given).__name__}, expected text, a file's name, a "
                "list of them or a function"
            )
        self.options, self.folders = self._sorted(compiler_options or [])

    @staticmethod
    def _sorted(options):
        if isinstance(options, str):
            options = options.split()
        others, folders = [], []
        rest = iter(options)
        for option in rest:
            if option == "-I":
                folders.append(next(rest, ""))
            elif option.startswith("-I"):
                folders.append(option[2:].strip())
            else:
                others.append(option)
        return others, folders

    @property
    def is_generated(self):
        return callable(self.given)

    def text(self, params):
        """(text, folders of includes)."""
        source = self.given(dict(params)) if self.is_generated else self.given
        if not isinstance(source, (str, os.PathLike)):
            raise BadInputError(
                f"kernel_source: the function gave {type(source).__name__}, expected text"
            )
        text, folders = _read(source) if _is_name(source) else (source, [])
        if "__global__" in text:
            raise UnsupportedError("kernel_source: found CUDA (__global__), expected OpenCL C")
        further = [str(pathlib.Path(name).absolute().parent) for name in self.further]
        return text, [*dict.fromkeys(folders + further + self.folders)]
