"""How large a kernel's range is with given parameters, and what macros it is compiled with."""
import math

import numpy as np

from kiln.errors import BadInputError
from kiln.tune.expressions import evaluate, plain, substitute

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


class Geometry:
    """Ranges and macros of a kernel, as Kernel Tuner's arguments say them.

    problem_size: an int, a text, up to three of them, or a function of the parameters. grid_div: for
    each dimension a list of expressions whose product divides it, a function, or None: the block
    size of this dimension. defines: name to text or function; None: all parameters and sizes.
    """

    def __init__(self, problem_size, grid_div, block_size_names, defines, tune_params):
        self.problem_size = problem_size
        self.grid_div = grid_div
        self.block_names = _block_names(block_size_names, tune_params)
        self.defines = defines
        if defines is not None and not isinstance(defines, dict):
            raise BadInputError(f"defines: found {type(defines).__name__}, expected a dict")
        for name in defines or ():
            if not str(name).isidentifier():
                raise BadInputError(f"defines: found the name '{name}', expected an identifier")

    def block(self, params):
        """Work-items of a work-group in three dimensions."""
        return tuple(
            int(params.get(name, default)) for name, default in zip(self.block_names, DEFAULT_BLOCK)
        )

    def sizes(self, params):
        """The problem's size in three dimensions."""
        size = self.problem_size(params) if callable(self.problem_size) else self.problem_size
        parts = [size] if isinstance(size, (str, int, np.integer)) else list(size)
        if not 1 <= len(parts) <= 3:
            raise BadInputError(f"problem_size: found {len(parts)} sizes, expected one to three")
        found = [1, 1, 1]
        for i, part in enumerate(parts):
            if isinstance(part, str):
                found[i] = int(evaluate(part, params, "problem_size"))
            elif isinstance(part, (int, np.integer)) and not isinstance(part, bool):
                found[i] = int(part)
            else:
                raise BadInputError(
                    f"problem_size: found {part!r}, expected an int or an expression as text"
                )
        return found

    def _divisor(self, dimension, params):
        given, name = self.grid_div[dimension], self.block_names[dimension]
        if given is None:
            return params.get(name, 1)
        what = "grid_div_" + "xyz"[dimension]
        if callable(given):
            return given(params)
        if isinstance(given, str):
            given = [given]
        return math.prod(int(evaluate(str(text), params, what)) for text in given)

    def grid(self, params):
        """Work-groups in three dimensions: as many as cover the problem."""
        found = []
        for dimension, size in enumerate(self.sizes(params)):
            divisor = float(self._divisor(dimension, params))
            if not divisor > 0:
                what = "grid_div_" + "xyz"[dimension]
                raise BadInputError(f"{what}: found {divisor:g}, expected a positive divisor")
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
                value = value(params)
            elif isinstance(value, str):
                value = substitute(value, params)
            made[name] = str(plain(value))
        return made

    def as_texts(self, tune_params):
        """(global, local) as tuning problems have them, "[ceil(N / …) * BX, …]"; None where a
        function says them."""
        if callable(self.problem_size) or any(map(callable, self.grid_div)):
            return None
        size = self.problem_size
        parts = [size] if isinstance(size, (str, int, np.integer)) else list(size)
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
                divisors = [given] if isinstance(given, str) else [str(one) for one in given]
            covered = f"({parts[i] if i < len(parts) else 1})"
            by = " * ".join(f"int({one})" for one in divisors) or "1"
            whole.append(f"int(ceil({covered} / ({by}))) * {block}")
            local.append(block)
        return f"[{', '.join(whole)}]", f"[{', '.join(local)}]"
