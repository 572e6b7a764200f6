"""How large a kernel's range is with given parameters, and what macros it is compiled with."""
import math
import warnings

import numpy as np

from kiln.errors import BadInputError
from kiln.tune.expressions import check_call, evaluate, names_in, of_known_names, plain, substitute, whole

BLOCK_SIZE_NAMES = ("block_size_x", "block_size_y", "block_size_z")
GRID_SIZE_NAMES = ("grid_size_x", "grid_size_y", "grid_size_z")
DEFAULT_BLOCK = (256, 1, 1)


def _block_names(given, tune_params):
    if given is None:
        lower = {name.lower(): name for name in tune_params}
        return tuple(lower.get(name, name) for name in BLOCK_SIZE_NAMES)
    if not isinstance(given, (list, tuple)) or len(given) > 3:
        raise BadInputError("block_size_names: expected a list of at most three names")
    if not all(isinstance(name, str) for name in given):
        raise BadInputError(f"block_size_names: found {list(given)}, expected names")
    return (*given, *BLOCK_SIZE_NAMES[len(given):])


def _checked_sizes(problem_size):
    """A function, or a list of one to three sizes."""
    if callable(problem_size):
        check_call(problem_size, "problem_size", {})
        return problem_size
    is_one = isinstance(problem_size, (str, int, np.integer)) or not np.iterable(problem_size)
    parts = [problem_size] if is_one or isinstance(problem_size, (bytes, dict)) else list(problem_size)
    if not 1 <= len(parts) <= 3:
        raise BadInputError(f"problem_size: found {len(parts)} sizes, expected one to three")
    for part in parts:
        if isinstance(part, str):
            names_in(part, "problem_size")
        elif not isinstance(part, (int, np.integer)) or isinstance(part, bool):
            raise BadInputError(f"problem_size: found {part!r}, expected an int or an expression as text")
    return parts


def _checked_divisors(given, what):
    """A function, None, or a list of expressions."""
    if given is None:
        return None
    if callable(given):
        check_call(given, what, {})
        return given
    if not isinstance(given, (str, int, np.integer, list, tuple)) or isinstance(given, bool):
        raise BadInputError(f"{what}: found {given!r}, expected a list of expressions or a function")
    texts = [str(one) for one in (given if isinstance(given, (list, tuple)) else [given])]
    for text in texts:
        names_in(text, what)
    return texts


class Geometry:
    """Ranges and macros of a kernel, as Kernel Tuner's arguments say them.

    problem_size: an int, a text, up to three of them, or a function of the parameters. grid_div: for
    each dimension a list of expressions whose product divides it, a function, or None: the block
    size of this dimension. defines: name to text or function; None: all parameters and sizes.
    """

    def __init__(self, problem_size, grid_div, block_size_names, defines, tune_params):
        self.problem_size = _checked_sizes(problem_size)
        self.grid_div = [_checked_divisors(one, f"grid_div_{axis}") for one, axis in zip(grid_div, "xyz")]
        self.block_names = _block_names(block_size_names, tune_params)
        self.defines = defines
        if defines is not None and not isinstance(defines, dict):
            raise BadInputError(f"defines: found {type(defines).__name__}, expected a dict")
        for what, names in (("defines", defines), ("tune_params", tune_params if defines is None else None)):
            for name in names or ():
                if not str(name).isidentifier():
                    raise BadInputError(f"{what}: found the name '{name}', expected a macro's name")
        for name, value in (defines or {}).items():
            if callable(value):
                check_call(value, f"defines: {name}", {})

    def warn_without_block_sizes(self, tune_params, stacklevel):
        """Kernel Tuner's launch where no parameter is a block size is seldom meant."""
        if not any(name in tune_params for name in self.block_names):
            warnings.warn(
                f"tune_params: found none of {', '.join(self.block_names)}: all configurations run in "
                f"work-groups of {DEFAULT_BLOCK[0]}, as many as problem_size says; expected one of them, "
                "or block_size_names with the parameters that are the work-group's sizes",
                stacklevel=stacklevel + 1,
            )

    def block(self, params):
        """Work-items of a work-group in three dimensions."""
        return tuple(
            whole(params.get(name, default), name) for name, default in zip(self.block_names, DEFAULT_BLOCK)
        )

    def sizes(self, params):
        """The problem's size in three dimensions."""
        parts = self.problem_size
        if callable(parts):
            parts = _checked_sizes(of_known_names(parts, params, "problem_size"))
        found = [1, 1, 1]
        for i, part in enumerate(parts):
            value = evaluate(part, params, "problem_size") if isinstance(part, str) else part
            found[i] = whole(value, "problem_size")
        return found

    def _divisor(self, dimension, params):
        given, name = self.grid_div[dimension], self.block_names[dimension]
        if given is None:
            return params.get(name, 1)
        what = "grid_div_" + "xyz"[dimension]
        if callable(given):
            return of_known_names(given, params, what)
        return math.prod(whole(evaluate(text, params, what), what) for text in given)

    def grid(self, params):
        """Work-groups in three dimensions: as many as cover the problem."""
        found = []
        for dimension, size in enumerate(self.sizes(params)):
            given = self._divisor(dimension, params)
            try:
                divisor = float(given)
            except (TypeError, ValueError, OverflowError):
                divisor = math.nan
            if not 0 < divisor < math.inf:
                what = "grid_div_" + "xyz"[dimension]
                raise BadInputError(f"{what}: found {given!r}, expected a positive divisor")
            found.append(math.ceil(size / divisor))
        return tuple(found)

    def range(self, params):
        """(global sizes, local sizes), without the dimensions at the end that are 1."""
        block, grid = self.block(params), self.grid(params)
        if any(size < 1 for size in (*block, *grid)):
            raise BadInputError(f"the range: found a grid {grid} of blocks {block}, expected positive sizes")
        dimensions = max(i + 1 for i in range(3) if i == 0 or block[i] > 1 or grid[i] > 1)
        return (
            tuple(block[i] * grid[i] for i in range(dimensions)),
            block[:dimensions],
        )

    def macros(self, params):
        """Name to text of each macro."""
        if self.defines is None:
            made = dict(zip(GRID_SIZE_NAMES, self.grid(params)))
            made.update(zip(self.block_names, self.block(params)))
            made.update(params)
            made["kernel_tuner"] = 1
            return {name: str(plain(value)) for name, value in made.items()}
        made = {}
        for name, value in self.defines.items():
            if callable(value):
                value = of_known_names(value, params, f"defines: {name}")
            elif isinstance(value, str):
                value = substitute(value, params)
            made[name] = str(plain(value))
        return made

    def as_texts(self, tune_params):
        """(global, local) as tuning problems have them, "[ceil(N / …) * BX, …]"; None where a
        function says them."""
        if callable(self.problem_size) or any(map(callable, self.grid_div)):
            return None
        parts = self.problem_size
        used = [i for i, name in enumerate(self.block_names) if name in tune_params]
        dimensions = max(len(parts), 1, *(i + 1 for i in used))
        whole, local = [], []
        for i in range(dimensions):
            name = self.block_names[i]
            block = name if name in tune_params else str(DEFAULT_BLOCK[i])
            given = self.grid_div[i]
            if given is None:
                divisors = [name] if name in tune_params else []
            else:
                divisors = given
            covered = f"({parts[i] if i < len(parts) else 1})"
            by = " * ".join(f"int({one})" for one in divisors) or "1"
            whole.append(f"int(ceil({covered} / ({by}))) * {block}")
            local.append(block)
        return f"[{', '.join(whole)}]", f"[{', '.join(local)}]"
