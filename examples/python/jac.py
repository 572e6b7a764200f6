"""OP2's jac in Python: Jacobi's iteration on a square of nodes, as a loop over edges and one over nodes.

    python3 examples/python/jac.py [N] [ITERATIONS]

Prints the norm and the largest value of the change in each iteration.
"""
import argparse
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kiln import op2

RES = "void res(double *A, double *u, double *du, double *beta) { *du += *beta * *A * *u; }"
UPDATE = """
void update(double *r, double *du, double *u, double *sum, double *largest) {
  *u += *du + 0.25 * *r;
  *du = 0;
  *sum += *u * *u;
  if (*u > *largest) *largest = *u;
}"""


def problem(n: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Edges from each inner node to its inner neighbours, with 1/4; the others give the right side."""
    number = np.arange(n * n).reshape(n, n)
    edges = []
    for di, dj in ((-1, 0), (1, 0), (0, -1), (0, 1)):
        i, j = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
        inside = (i + di >= 0) & (i + di < n) & (j + dj >= 0) & (j + dj < n)
        edges.append(np.stack((number[inside], number[i[inside] + di, j[inside] + dj]), 1))
    right = np.zeros((n, n))
    right[0, :] += 1  # the wall at one side has the value 1
    return np.concatenate(edges), right.reshape(-1)


def main(n: int = 50, iterations: int = 5) -> NDArray[Any]:
    pairs, right = problem(n)
    nodes, edges = op2.Set(len(right), "nodes"), op2.Set(len(pairs), "edges")
    ppedge = op2.Map(edges, nodes, 2, pairs, "ppedge")
    A, r = op2.Dat(edges, np.full(len(pairs), 0.25)), op2.Dat(nodes, right)
    u, du = op2.Dat(nodes), op2.Dat(nodes)
    beta, sum_, largest = op2.Global(1, 1.0), op2.Global(1, 0.0), op2.Global(1, 0.0)
    res, update = op2.Kernel(RES, "res"), op2.Kernel(UPDATE, "update")
    for iteration in range(iterations):
        # u holds the last values; du collects what the neighbours give minus these.
        u_old = op2.Dat(u)
        u.zero()
        op2.par_loop(
            res, edges,
            A(op2.READ), u_old(op2.READ, ppedge[1]), du(op2.INC, ppedge[0]), beta(op2.READ),
        )
        sum_.data, largest.data = 0, 0
        op2.par_loop(
            update, nodes, r(op2.READ), du(op2.RW), u(op2.RW), sum_(op2.INC), largest(op2.MAX)
        )
        print(f"{iteration}: norm {np.sqrt(sum_.data[0]):.6f}, largest {largest.data[0]:.6f}")
    return u.data_ro


def positive(text: str) -> int:
    """An option's value. argparse names the option where it is none."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"found {value}, expected 1 or more")
    return value


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("n", metavar="N", type=positive, nargs="?", default=50)
    parser.add_argument("iterations", metavar="ITERATIONS", type=positive, nargs="?", default=5)
    return parser.parse_args()


if __name__ == "__main__":
    main(**vars(arguments()))
