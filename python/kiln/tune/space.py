"""The configurations that restrictions leave of a space, and searches over them."""
import itertools
import math
import random
from collections.abc import Iterable, Mapping

import numpy as np

from kiln._kiln import StepwiseSearch
from kiln.errors import BadInputError, Error
from kiln.tune.expressions import check_call, evaluate, names_in, of_known_names, plain

MOST_LISTED = 20_000_000
FORBIDDEN_NAMES = ("grid_size_x", "grid_size_y", "grid_size_z", "time", "times")


def checked_params(tune_params):
    """Name to list of plain values. Raises BadInputError for what cannot be searched."""
    if not isinstance(tune_params, Mapping) or not tune_params:
        raise BadInputError("tune_params: expected a dict of names and lists of values, one at least")
    made = {}
    for name, values in tune_params.items():
        if not isinstance(name, str) or not name:
            raise BadInputError(f"tune_params: found the name {name!r}, expected a text")
        if name in FORBIDDEN_NAMES:
            raise BadInputError(f"tune_params: found the name '{name}', which results use")
        if isinstance(values, (str, bytes)) or not np.iterable(values):
            raise BadInputError(f"tune_params: {name}: found {values!r}, expected a list of values")
        made[name] = [plain(value) for value in values]
        if not made[name]:
            raise BadInputError(f"tune_params: {name}: found no value, expected one at least")
        for value in made[name]:
            if not isinstance(value, (bool, int, float, str)):
                raise BadInputError(
                    f"tune_params: {name}: found {type(value).__name__}, expected numbers or texts"
                )
            if isinstance(value, float) and not math.isfinite(value):
                raise BadInputError(f"tune_params: {name}: found {value}, expected finite numbers")
    return made


def listed_restrictions(restrictions):
    """Restrictions as a list, and whether they are one function, which takes a dict. Raises
    BadInputError for what is none."""
    if restrictions is None:
        return [], False
    if isinstance(restrictions, str):
        return [restrictions], False
    if callable(restrictions) and not isinstance(restrictions, type):
        return [restrictions], True
    if isinstance(restrictions, (bytes, Mapping)) or not isinstance(restrictions, Iterable):
        raise BadInputError(
            f"restrictions: found {type(restrictions).__name__}, expected a list of texts or functions, "
            "or one function"
        )
    return list(restrictions), False


class _Restrictions:
    """What must hold, sorted by who can check it: texts for Kiln, functions for Python."""

    def __init__(self, restrictions, names):
        self.texts, self.functions = [], []
        self._names = names
        listed, is_one_function = listed_restrictions(restrictions)
        if is_one_function:
            check_call(listed[0], "restrictions", {})
            self.functions.append(lambda params: of_known_names(listed[0], params, "restrictions"))
            return
        for one in listed:
            self._add(one)

    def _add(self, one):
        if isinstance(one, str):
            unknown = [name for name in names_in(one, "restrictions") if name not in self._names]
            if unknown:
                raise BadInputError(
                    f"restrictions: '{one}': name '{unknown[0]}' is not defined, expected parameters: "
                    + ", ".join(self._names)
                )
            self.texts.append(one)
        elif isinstance(one, tuple) and len(one) in (2, 3) and callable(one[0]):
            self._add_function(one[0], self._checked_names(one[1]))
        elif callable(one) and type(one).__module__.partition(".")[0] != "constraint":
            self._add_function(one, self._names)
        else:
            raise BadInputError(f"restrictions: found {type(one).__name__}, expected texts or functions")

    def _checked_names(self, names):
        listed = [*names] if isinstance(names, (list, tuple)) else [names]
        for name in listed:
            if name not in self._names:
                raise BadInputError(
                    f"restrictions: found the name {name!r} of a function's argument, expected parameters: "
                    + ", ".join(self._names)
                )
        return listed

    def _add_function(self, function, names):
        """Functions of a list take parameters by name."""
        check_call(function, "restrictions", **dict.fromkeys(names))
        self.functions.append(lambda params: function(**{name: params[name] for name in names}))

    def as_functions(self):
        def of_text(text):
            return lambda params: evaluate(text, params, "restrictions")

        return [of_text(text) for text in self.texts] + self.functions


def check_restrictions(restrictions, tune_params):
    """Raises BadInputError for what can be no restriction over these parameters."""
    _Restrictions(restrictions, list(tune_params))


def _holds(function, params):
    try:
        return bool(function(params))
    except ZeroDivisionError:
        return False


class Space:
    """The valid configurations of some parameters. A configuration is a tuple of values.

    tune_params: name to list of values. restrictions: as tune_kernel's. most_work_items: of a
    work-group, whose sizes are the parameters block_names; None: unlimited. Raises BadInputError
    where nothing is left.
    """

    def __init__(self, tune_params, restrictions=None, most_work_items=None, block_names=()):
        self.tune_params = checked_params(tune_params)
        self.param_names = list(self.tune_params)
        self._position = {
            name: {self._key(value): i for i, value in enumerate(values)}
            for name, values in self.tune_params.items()
        }
        found = _Restrictions(restrictions, self.param_names)
        names = [name for name in block_names if name in self.tune_params]
        limit = [f"{' * '.join(names)} <= {most_work_items}"] if names and most_work_items else []
        self.constraints, self._rows = [], None
        try:
            # The largest part of a space goes here, before Python sees each configuration.
            self._all = StepwiseSearch(self.tune_params, constraints=found.texts + limit)
            self.constraints = found.texts + limit
            functions = found.functions
        except Error:
            functions = found.as_functions()
            self._all = self._bare(limit)
        if functions:
            self._filter(functions)

    @staticmethod
    def _key(value):
        """Equal values of other types are other values: 1 and True, but not 1 and 1.0."""
        return (isinstance(value, bool), value)

    def _bare(self, limit):
        """Without the texts: what is wrong with anything else is said here."""
        try:
            search = StepwiseSearch(self.tune_params, constraints=limit)
        except Error as error:
            raise BadInputError(f"tune_params: {error}") from None
        self.constraints = limit
        return search

    def _filter(self, functions):
        if len(self._all) > MOST_LISTED:
            raise BadInputError(
                f"restrictions: {len(self._all)} configurations are too many for functions of Python, "
                f"expected {MOST_LISTED} at most; write the restrictions as texts"
            )
        table = self._table_of(self._all)
        columns = [self.tune_params[name] for name in self.param_names]
        kept = [
            i
            for i, row in enumerate(table)
            if all(
                _holds(function, {n: c[p] for n, c, p in zip(self.param_names, columns, row)})
                for function in functions
            )
        ]
        if not kept:
            raise BadInputError("restrictions: no configuration satisfies them")
        self._rows = table[kept]
        self._all = StepwiseSearch(self.tune_params, rows=self._rows)

    def _table_of(self, search):
        """All positions, in the order of nested loops over the parameters."""
        table = search.table()
        return table[np.lexsort(table.T[::-1])]

    def search(self, method, seed=0, start_from=None):
        """A StepwiseSearch over this space."""
        return StepwiseSearch(
            self.tune_params,
            constraints=[] if self._rows is not None else self.constraints,
            rows=self._rows,
            method=method,
            seed=seed,
            start_from=start_from,
        )

    def config(self, positions):
        return tuple(self.tune_params[name][p] for name, p in zip(self.param_names, positions))

    def positions(self, config):
        """The positions of a configuration's values; None: a value is none of this space."""
        if len(config) != len(self.param_names):
            return None
        found = []
        for name, value in zip(self.param_names, config):
            at = self._position[name].get(self._key(plain(value)))
            if at is None:
                return None
            found.append(at)
        return found

    def params(self, config):
        """A configuration as a dict."""
        return dict(zip(self.param_names, config))

    def in_order(self):
        """All configurations, in the order of nested loops over the parameters."""
        if self._rows is None and not self.constraints:
            return itertools.product(*self.tune_params.values())
        table = self._rows if self._rows is not None else self._table_of(self._all)
        return (self.config(row) for row in table)

    # ---- What strategies of the caller's own ask

    @property
    def size(self):
        return len(self._all)

    def __len__(self):
        return len(self._all)

    @property
    def list(self):
        return [*self.in_order()]

    def sorted_list(self):
        return self.list

    def is_param_config_valid(self, config):
        positions = self.positions(tuple(config))
        return positions is not None and self._all.find(positions) is not None

    def get_random_sample(self, count):
        """Different configurations, each as likely as the other."""
        chosen = random.sample(range(len(self._all)), min(count, len(self._all)))
        return [self.config(self._all.positions(one)) for one in chosen]

    def get_neighbors(self, config, neighbor_method=None):
        """Valid configurations in which one parameter has another value."""
        positions = self.positions(tuple(config))
        found = None if positions is None else self._all.find(positions)
        if found is None:
            return []
        return [self.config(self._all.positions(one)) for one in self._all.neighbours(found)]
