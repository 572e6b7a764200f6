"""Solving linear systems."""
from kiln.op2.configuration import configuration
from kiln.op2.session import logger
from kiln.op2.trace import trace

DEFAULT_SOLVER_PARAMETERS = {
    "ksp_type": "cg",
    "pc_type": "jacobi",
    "ksp_rtol": 1.0e-7,
    "ksp_atol": 1.0e-50,
    "ksp_divtol": 1.0e4,
    "ksp_max_it": 10000,
    "ksp_gmres_restart": 30,
    "ksp_monitor": False,
    "plot_convergence": False,
    "plot_prefix": "",
    "error_on_nonconvergence": True,
}


class Solver:
    """The method of conjugate gradients, for symmetric positive definite matrices.

    parameters: some of DEFAULT_SOLVER_PARAMETERS, in one dict or as keywords. Only "cg" with
    "jacobi" or "none" is there.

    >>> from kiln import op2
    >>> nodes, edges = op2.Set(2), op2.Set(1)
    >>> matrix = op2.Mat(op2.Sparsity(nodes, op2.Map(edges, nodes, 2, [[0, 1]])))
    >>> matrix.set_values([0, 1], [0, 1], [[2.0, -1.0], [-1.0, 2.0]])
    >>> matrix.assemble()
    >>> x, b = op2.Dat(nodes), op2.Dat(nodes, [3.0, 0.0])
    >>> solver = op2.Solver(ksp_rtol=1e-10)
    >>> solver.solve(matrix, x, b)
    >>> x.data_ro.round(6).tolist(), solver.result.end
    ([2.0, 1.0], 'converged')
    """

    def __init__(self, parameters=None, **kwargs):
        self.parameters = dict(DEFAULT_SOLVER_PARAMETERS)
        if parameters and kwargs:
            raise RuntimeError("found parameters in a dict and as keywords, expected one of them")
        self.update_parameters(parameters or kwargs)

    def update_parameters(self, parameters):
        """Takes the values of some parameters."""
        self.parameters.update(parameters)

    def solve(self, A, x, b):
        """Solves A x = b, beginning with what x holds. Raises RuntimeError, or warns, where the method
        does not converge."""
        from kiln import _mesh
        from kiln.errors import UnsupportedError

        given = self.parameters
        if given["ksp_type"] != "cg" or given["pc_type"] not in ("jacobi", "none"):
            raise UnsupportedError(
                f"found the solver {given['ksp_type']} with {given['pc_type']}, expected cg with "
                "jacobi or none"
            )
        A._single("solve")
        trace.evaluate((*A.split, x, b), (x,))
        solver = _mesh.Solver(
            given["ksp_rtol"],
            given["ksp_atol"],
            given["ksp_divtol"],
            given["ksp_max_it"],
            given["pc_type"] == "jacobi",
        )
        self.result = solver.solve(A._native, x._whole, b._whole)
        x._used(writes=True)
        b._used(writes=False)
        if configuration["debug"] or given["ksp_monitor"]:
            logger.info("%d iterations, residual %g", self.result.iterations, self.result.residual)
        if self.result.converged:
            return
        text = (
            f"the solver ended after {self.result.iterations} iterations ({self.result.end}) with "
            f"the residual {self.result.residual:g}"
        )
        if given["error_on_nonconvergence"]:
            raise RuntimeError(text)
        logger.warning(text)


def solve(A, x, b):
    """Solves A x = b with a Solver's defaults."""
    Solver().solve(A, x, b)
