"""What PyOP2's names raise where they are misused: a class for each kind of mistake."""


class DataTypeError(TypeError):
    """Elements of a type that data cannot have."""


class DimTypeError(TypeError):
    """A shape that is neither an int nor a tuple of them."""


class ArityTypeError(TypeError):
    """An arity that is no int."""


class IndexTypeError(TypeError):
    """An index of a map or of a Dat that is neither an int nor op2.i[...]."""


class NameTypeError(TypeError):
    """A name that is no str."""


class SetTypeError(TypeError):
    """Something else than a Set."""


class SizeTypeError(TypeError):
    """A size that is neither an int nor four of them."""


class SubsetIndexOutOfBounds(TypeError):
    """An element that is not in the set."""


class SparsityTypeError(TypeError):
    """Something else than a Sparsity."""


class MapTypeError(TypeError):
    """Something else than a Map, or Maps that do not go together."""


class DataSetTypeError(TypeError):
    """Something else than a DataSet."""


class MatTypeError(TypeError):
    """Something else than a Mat."""


class DatTypeError(TypeError):
    """Something else than a Dat."""


class KernelTypeError(TypeError):
    """Something else than a Kernel."""


class DataValueError(ValueError):
    """Values of the wrong number or kind."""


class IndexValueError(ValueError):
    """An index that is out of range, or iteration spaces of different sizes."""


class ModeValueError(ValueError):
    """An access that the argument cannot have."""


class IterateValueError(ValueError):
    """A part of an extruded set that there is not."""


class SetValueError(ValueError):
    """A set that is not the right one."""


class MapValueError(ValueError):
    """A map from or to another set."""


class SparsityFormatError(ValueError):
    """A sparsity that no matrix can have."""


class ConfigurationError(RuntimeError):
    """A known key with a value of another type."""


class CompilationError(RuntimeError):
    """A kernel that does not compile."""
