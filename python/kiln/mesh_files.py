"""Mesh files: HDF5 as OP2's programs have it, OP2's text files, and the mesh round a NACA 0012 profile."""
from kiln import op2
from kiln.errors import UnsupportedError
from kiln.op2.session import distribution


class MeshData:
    """What a file holds as arrays, and the op2 objects made of it, each at its first use.

    sets: name to size. maps: name to (from, to, values). dats: name to (set, values).
    constants: name to values.

    After op2.init(comm=...) the files' arrays are those of a rank: sets have its numbers of rows, maps its
    rows, of int64 numbers of the whole set. write() writes one file of all ranks' rows, the same one on any
    number of ranks: `data.dats["q"] = ("cells", q.fetch())` before it. Collective.

    >>> import numpy as np
    >>> from kiln import mesh_files
    >>> ring = np.array([[0, 1], [1, 2], [2, 0]], np.int32)
    >>> data = mesh_files.MeshData({"nodes": 3, "edges": 3}, {"edge2node": ("edges", "nodes", ring)})
    >>> data.map("edge2node").toset.size
    3
    """

    def __init__(self, sets=None, maps=None, dats=None, constants=None):
        self.sets = dict(sets or {})
        self.maps = dict(maps or {})
        self.dats = dict(dats or {})
        self.constants = dict(constants or {})
        self._made = {}

    def _once(self, kind, name, table, make):
        if name not in table:
            raise KeyError(f"no {kind} '{name}' (there are {', '.join(sorted(table))})")
        key = (kind, name)
        if key not in self._made:
            self._made[key] = make(table[name])
        return self._made[key]

    def set(self, name):
        """The op2.Set of this name."""
        return self._once("set", name, self.sets, lambda size: op2.Set(size, name))

    def map(self, name):
        """The op2.Map of this name."""

        def make(entry):
            source, target, values = entry
            return op2.Map(self.set(source), self.set(target), values.shape[1], values, name)

        return self._once("map", name, self.maps, make)

    def dat(self, name, soa=False):
        """The op2.Dat of this name."""

        def make(entry):
            over, values = entry
            dim = values.shape[1:] or 1
            return op2.Dat(self.set(over) ** dim, values, values.dtype, name, soa=soa)

        return self._once("dat", name, self.dats, make)

    def _contents(self):
        return {"sets": self.sets, "maps": self.maps, "dats": self.dats, "constants": self.constants}

    def write(self, path):
        """Writes a file: .h5 and .hdf5 are HDF5, .dat is OP2's text, of one part only."""
        from kiln import _mesh, mpi

        spread = distribution()
        if spread is None:
            _mesh.write_file(self._contents(), path)
        else:
            mpi._native().write_file(spread.ranks, self._contents(), path)

    def write_vtu(self, path, coordinates="", cells="", dats=()):
        """Writes a picture for ParaView; what is not named is found by its shape."""
        from kiln import _mesh

        spread = distribution()
        if spread is not None and spread.size > 1:
            raise UnsupportedError("write_vtu: found a mesh in parts, expected one process")
        _mesh.write_vtu(self._contents(), path, coordinates, cells, list(dats))


def read(path):
    """The MeshData of a file. Raises NotFoundError, BadInputError."""
    from kiln import _mesh, mpi

    spread = distribution()
    if spread is None:
        return MeshData(**_mesh.read_file(path))
    return MeshData(**mpi._native().read_file(spread.ranks, path))


def naca0012(along=400, out=600, for_aero=False):
    """The mesh round a NACA 0012 profile that airfoil and aero run on: 3 * along * out cells.

    >>> from kiln import mesh_files
    >>> grid = mesh_files.naca0012(4, 6)
    >>> grid.sets["cells"], grid.map("pcell").arity
    (72, 4)
    """
    from kiln import _mesh

    whole = _mesh.naca0012(along, out, for_aero)
    spread = distribution()
    return MeshData(**(whole if spread is None else _rows_of(whole, spread)))


def _rows_of(whole, spread):
    """This rank's rows of what each rank has whole."""
    rows = {name: spread.rows_of(size) for name, size in whole["sets"].items()}
    return {
        "sets": {name: mine.stop - mine.start for name, mine in rows.items()},
        "maps": {
            name: (source, target, values[rows[source]])
            for name, (source, target, values) in whole["maps"].items()
        },
        "dats": {name: (over, values[rows[over]]) for name, (over, values) in whole["dats"].items()},
        "constants": whole["constants"],
    }
