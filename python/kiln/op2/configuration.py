"""The settings of PyOP2's names, from the environment (PYOP2_...) and from op2.init()."""
import os
import tempfile

from kiln.op2.exceptions import ConfigurationError

# Name, environment variable, type, default.
_KNOWN = {
    "backend": ("PYOP2_BACKEND", str, "opencl"),
    "device": ("PYOP2_DEVICE", str, ""),
    "store": ("PYOP2_STORE", str, ""),
    "timeline": ("PYOP2_TIMELINE", bool, False),
    "debug": ("PYOP2_DEBUG", bool, False),
    "type_check": ("PYOP2_TYPE_CHECK", bool, True),
    "check_src_hashes": ("PYOP2_CHECK_SRC_HASHES", bool, True),
    "log_level": ("PYOP2_LOG_LEVEL", (str, int), "WARNING"),
    "lazy_evaluation": ("PYOP2_LAZY", bool, True),
    "lazy_max_trace_length": ("PYOP2_MAX_TRACE_LENGTH", int, 100),
    "loop_fusion": ("PYOP2_LOOP_FUSION", bool, False),
    "dump_gencode": ("PYOP2_DUMP_GENCODE", bool, False),
    "dump_gencode_path": (
        "PYOP2_DUMP_GENCODE_PATH",
        str,
        os.path.join(tempfile.gettempdir(), "pyop2-gencode"),
    ),
    "cache_dir": (
        "PYOP2_CACHE_DIR",
        str,
        os.path.join(tempfile.gettempdir(), f"pyop2-cache-uid{os.getuid()}"),
    ),
    "print_cache_size": ("PYOP2_PRINT_CACHE_SIZE", bool, False),
    "print_summary": ("PYOP2_PRINT_SUMMARY", bool, False),
    "matnest": ("PYOP2_MATNEST", bool, True),
    "block_sparsity": ("PYOP2_BLOCK_SPARSITY", bool, True),
    "no_fork_available": ("PYOP2_NO_FORK_AVAILABLE", bool, False),
    "compiler": ("PYOP2_BACKEND_COMPILER", str, "gnu"),
    "simd_isa": ("PYOP2_SIMD_ISA", str, "sse"),
    "cflags": ("PYOP2_CFLAGS", str, ""),
    "ldflags": ("PYOP2_LDFLAGS", str, ""),
    "blas": ("PYOP2_BLAS", str, ""),
}
# Settings of op2.init() that are objects.
_OBJECTS = ("comm", "queue")


def _from_environment(name):
    variable, kind, default = _KNOWN[name]
    text = os.environ.get(variable)
    if text is None:
        return default
    if kind is bool:
        return text.lower() in ("1", "true", "yes", "on")
    if kind is int:
        try:
            return int(text)
        except ValueError:
            raise ConfigurationError(f"{variable}: found '{text}', expected an int") from None
    return text


class Configuration(dict):
    """Settings by name. Unknown names are kept; known ones must have their type, else
    ConfigurationError. One thread at a time."""

    def __init__(self):
        super().__init__()
        self.reset()

    def reset(self):
        """All as it was at the beginning."""
        self.clear()
        for name in _KNOWN:
            super().__setitem__(name, _from_environment(name))

    def reconfigure(self, **settings):
        """Several settings at once."""
        for name, value in settings.items():
            self[name] = value

    @staticmethod
    def unknown(settings):
        """list of str: for each name that has no meaning here, one that may have been meant."""
        found = [name for name in settings if name not in _KNOWN and name not in _OBJECTS]
        if not found:
            return []
        import difflib  # not needed by programs that write what they mean

        texts = []
        for name in found:
            near = difflib.get_close_matches(name, [*_KNOWN, *_OBJECTS], 1)
            texts.append(f"'{name}'" + (f" (like '{near[0]}')" if near else ""))
        return texts

    def __setitem__(self, name, value):
        if name in _KNOWN:
            kind = _KNOWN[name][1]
            if not isinstance(value, kind):
                expected = " or ".join(k.__name__ for k in (kind if isinstance(kind, tuple) else (kind,)))
                raise ConfigurationError(
                    f"configuration: {name} is {type(value).__name__}, expected {expected}"
                )
        super().__setitem__(name, value)


configuration = Configuration()
