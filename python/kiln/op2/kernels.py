"""Kernels: what happens to an element, as C; and how arguments of PyOP2 become those of Kiln's loops."""
import itertools
import re

from kiln.errors import UnsupportedError
from kiln.op2.arguments import _C_TYPES
from kiln.op2.caches import Interned, Recent
from kiln.op2.checks import check_name
from kiln.op2.exceptions import NameTypeError

# Headers of C whose functions OpenCL C has anyway.
_BUILT_IN = re.compile(
    r'^[ \t]*#[ \t]*include[ \t]*[<"](?:math|stdlib|stdint|stdbool|float|limits|string|stdio|complex)\.h[>"].*$',
    re.MULTILINE,
)
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include\b.*$", re.MULTILINE)
_KEPT_CALLS = 256
# Of a parameter that is an array of pointers: T *x[4].
_POINTERS = re.compile(r"(\*[\w\s]*)\[[^\]]*\]\s*$")
_STRIDE = "#define OP2_STRIDE(array, index) (array)[index]\n"


class Kernel:
    """A function in C that a loop calls for each element. The same code and name give the same one.

    code: the text, or a tree with gencode(). headers and user_code come before it. Nothing of it is looked
    at before it runs: what is no C, or C++ and libraries to be linked, raises then. Raises NameTypeError.

    >>> from kiln import op2
    >>> twice = op2.Kernel("void twice(double *x) { x[0] *= 2; }", "twice")
    >>> twice is op2.Kernel("void twice(double *x) { x[0] *= 2; }", "twice")
    True
    """

    _cache = Interned()
    # Programs make theirs anew for each call and let go of them: these are there the next time.
    # loops.JITModule has those that ran last.
    _recent = Recent(256)
    _count = 0

    def __new__(
        cls,
        code,
        name,
        opts=None,
        include_dirs=(),
        headers=(),
        user_code="",
        ldargs=None,
        cpp=False,
    ):
        if not isinstance(name, str):
            raise NameTypeError(f"name: found {name!r}, expected a str")
        check_name(name)
        text = str(code.gencode()) if hasattr(code, "gencode") else str(code)
        key = (
            text,
            name,
            repr(sorted((opts or {}).items(), key=repr)),
            tuple(include_dirs),
            tuple(headers),
            user_code,
            tuple(ldargs or ()),
            bool(cpp),
        )
        made = cls._cache.get(key)
        if made is None:
            made = super().__new__(cls)
            made._code = text
            made._name = name
            made._headers = tuple(headers)
            made._user_code = user_code
            made._ldargs = tuple(ldargs or ())
            made._is_cpp = bool(cpp)
            made._calls = {}
            cls._cache.keep(key, made)
            cls._recent.keep(key, made)
            Kernel._count += 1
        return made

    def __init__(self, code, name, *args, **kwargs):
        pass

    @property
    def name(self):
        return self._name

    def code(self):
        """The text."""
        return self._code

    def _text(self):
        """What is compiled. Raises UnsupportedError for what OpenCL C has not."""
        where = f"kernel {self._name}"
        if self._is_cpp:
            raise UnsupportedError(f"{where}: found C++ (cpp=True), expected C: OpenCL devices have no C++")
        if self._ldargs:
            raise UnsupportedError(f"{where}: found ldargs, expected none: nothing is linked to kernels")
        text = _BUILT_IN.sub("", "\n".join((*self._headers, self._user_code, self._code)).lstrip("\n"))
        include = _INCLUDE.search(text)
        if include:
            raise UnsupportedError(
                f"{where}: found {include.group().strip()}, expected no headers but those of the C library"
            )
        return (_STRIDE if "OP2_STRIDE" in text else "") + text

    def _kept(self, iterset, args):
        """What _keep() has kept for these, or None."""
        try:
            return self._calls.get((iterset._token, tuple([arg.key for arg in args])))
        except (AttributeError, TypeError):
            return None  # no arguments at all: the checks say so

    def _keep(self, iterset, args, call):
        """For later calls of the same arguments; those that are oldest make room."""
        if len(self._calls) >= _KEPT_CALLS:
            for key in list(itertools.islice(self._calls, _KEPT_CALLS // 2)):
                del self._calls[key]
        self._calls[(iterset._token, tuple([arg.key for arg in args]))] = call

    def __str__(self):
        return f"OP2 Kernel: {self._name}"

    def __repr__(self):
        return f'Kernel("""{self._code}""", {self._name!r})'


class _Form:
    """An argument as the text of a kernel has it: the parameter, what the user's function is given."""

    def __init__(self, number, arg):
        self.name = f"kiln_arg{number}"
        self.access = arg.access._mode
        self.before, self.after = [], []
        self.type = _C_TYPES[arg.data.dtype.str[1:]]
        self.given = self.name
        self.users = f"{self.type} *{self.name}"
        if arg._is_mat:
            self._matrix(arg)
        elif arg._is_global or arg.map is None:
            self.parameter = f"{self.type} *{self.name}"
            self._view(arg)
        elif arg.idx is not None and not arg._is_packed:
            self.parameter = f"{self.type} *{self.name}"
            self._view(arg)
        elif arg._is_packed:
            self.parameter = f"{self.type} *{self.name}[]"
            self._packed(arg)
        else:
            self.parameter = self.users = f"{self.type} *{self.name}[]"
            self._views(arg)

    @property
    def is_plain(self):
        return self.given == self.name and not self.before and not self.after

    def _matrix(self, arg):
        rows, columns = (
            sum(map.arity * dim for map, dim in zip(maps.split, dims))
            for maps, dims in zip(arg.map, arg.data._block_dims)
        )
        self.parameter = self.users = f"{self.type} {self.name}[{rows}][{columns}]"

    def _view(self, arg):
        component = getattr(arg.data, "_component", None)
        if component is not None:
            self.given = f"{self.name} + {component}"

    def _views(self, arg):
        component = getattr(arg.data, "_component", None)
        if component is None:
            return
        arity = arg.map.arity
        self.given = f"{self.name}_view"
        self.before = [
            f"{self.type} *{self.given}[{arity}];",
            *(f"{self.given}[{k}] = {self.name}[{k}] + {component};" for k in range(arity)),
        ]

    def _packed(self, arg):
        """One array with the components of all targets, target by target (or, flattened, component by
        component), filled before and emptied after the call."""
        component = getattr(arg.data, "_component", None)
        places = []  # of each target's components: (target, component)
        target = 0
        for part, map in zip(arg.data.split, arg.map.split):
            dim = part.cdim
            here = [
                (target + k, c if component is None else component)
                for k in range(map.arity)
                for c in range(dim)
            ]
            if arg._flatten:
                here = [here[k * dim + c] for c in range(dim) for k in range(map.arity)]
            places += here
            target += map.arity
        self.given = f"{self.name}_packed"
        values = [f"{self.name}[{k}][{c}]" for k, c in places]
        self.before = [f"{self.type} {self.given}[{len(places)}];"]
        start = values if self.access in ("READ", "RW") else ["0"] * len(values)
        self.before += [f"{self.given}[{n}] = {value};" for n, value in enumerate(start)]
        if self.access in ("WRITE", "RW"):
            self.after = [f"{value} = {self.given}[{n}];" for n, value in enumerate(values)]
        elif self.access == "INC":
            self.after = [f"{value} += {self.given}[{n}];" for n, value in enumerate(values)]


def native_text(kernel, args):
    """The text and the name of the function that Kiln calls in the user's place."""
    forms = [_Form(number, arg) for number, arg in enumerate(args)]
    text = _with_parameters(kernel._text(), kernel.name, forms)
    if all(form.is_plain for form in forms):
        return text, kernel.name
    name = f"kiln_packed_{kernel.name}"
    lines = [f"void {name}({', '.join(form.parameter for form in forms)}) {{"]
    lines += [f"  {line}" for form in forms for line in form.before]
    lines.append(f"  {kernel.name}({', '.join(form.given for form in forms)});")
    lines += [f"  {line}" for form in forms for line in form.after]
    return "\n".join([text, *lines, "}\n"]), name


def _with_parameters(text, name, forms):
    """C lets a function without parameters be called with some, void * be any type, and has no use for
    how many pointers `T *x[4]` says: here they get the arguments' own."""
    head = re.search(rf"\b{re.escape(name)}\s*\(([^(){{}};]*)\)\s*\{{", text)
    if head is None or not forms:
        return text
    begin, end = head.span(1)
    listed = head.group(1).strip()
    if listed in ("", "void"):
        return text[:begin] + ", ".join(form.users for form in forms) + text[end:]
    parameters = head.group(1).split(",")
    if len(parameters) != len(forms):
        return text
    typed = [
        _POINTERS.sub(r"\1[]", re.sub(r"\bvoid\b", form.type, parameter))
        for parameter, form in zip(parameters, forms)
    ]
    return text[:begin] + ",".join(typed) + text[end:]
