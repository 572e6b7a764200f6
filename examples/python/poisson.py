"""A finite-element solver for Poisson's equation on the unit square, with linear triangles.

    python3 examples/python/poisson.py [N] [PICTURE.png]

Assembles -div grad u = f with u = 0 on the boundary, for N x N squares of two triangles each, solves
by conjugate gradients, and prints the error against u = sin(pi x) sin(pi y).
"""
import argparse
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kiln import op2

STIFFNESS = """
void stiffness(double A[3][3], double *x[]) {
  const double dx1 = x[1][0] - x[0][0], dy1 = x[1][1] - x[0][1];
  const double dx2 = x[2][0] - x[0][0], dy2 = x[2][1] - x[0][1];
  const double det = dx1 * dy2 - dx2 * dy1;
  /* Gradients of the three hat functions, times det. */
  const double gx[3] = {dy1 - dy2, dy2, -dy1}, gy[3] = {dx2 - dx1, -dx2, dx1};
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c)
      A[r][c] += (gx[r] * gx[c] + gy[r] * gy[c]) / (2 * fabs(det));
}"""

# The mass matrix of a triangle applied to f's values at its corners.
LOAD = """
void load(double *b, double *x[], double *f[]) {
  const double det = (x[1][0] - x[0][0]) * (x[2][1] - x[0][1]) -
                     (x[2][0] - x[0][0]) * (x[1][1] - x[0][1]);
  const double sum = f[0][0] + f[1][0] + f[2][0];
  for (int r = 0; r < 3; ++r) b[r] += fabs(det) / 24 * (sum + f[r][0]);
}"""


def mesh(n: int) -> tuple[op2.Set, op2.Set, op2.Map, op2.Dat, op2.Subset]:
    """Nodes, triangles, the map between them, coordinates, and the boundary's nodes."""
    side = np.linspace(0, 1, n + 1)
    x, y = (one.reshape(-1) for one in np.meshgrid(side, side, indexing="ij"))
    corner = np.arange(n)[:, None] * (n + 1) + np.arange(n)
    a, b, c, d = (one.reshape(-1) for one in (corner, corner + n + 1, corner + n + 2, corner + 1))
    triangles = np.concatenate((np.stack((a, b, c), 1), np.stack((a, c, d), 1)))
    nodes, cells = op2.Set((n + 1) ** 2, "nodes"), op2.Set(len(triangles), "cells")
    boundary = np.flatnonzero((x == 0) | (x == 1) | (y == 0) | (y == 1))
    coordinates = op2.Dat(nodes**2, np.stack((x, y), 1), name="coordinates")
    return nodes, cells, op2.Map(cells, nodes, 3, triangles, "cell2node"), coordinates, nodes(boundary)


def solve(n: int) -> tuple[NDArray[Any], NDArray[np.int32], NDArray[Any], float]:
    """Coordinates, triangles, u, and its largest error."""
    nodes, cells, cell2node, x, boundary = mesh(n)
    exact = np.sin(np.pi * x.data_ro).prod(axis=1)
    f = op2.Dat(nodes, 2 * np.pi**2 * exact, name="f")
    b, u = op2.Dat(nodes, name="b"), op2.Dat(nodes, name="u")
    matrix = op2.Mat(op2.Sparsity(nodes, cell2node), name="stiffness")
    rows, columns = cell2node[op2.i[0]], cell2node[op2.i[1]]
    op2.par_loop(
        op2.Kernel(STIFFNESS, "stiffness"), cells,
        matrix(op2.INC, (rows, columns)), x(op2.READ, cell2node),
    )
    op2.par_loop(
        op2.Kernel(LOAD, "load"), cells,
        b(op2.INC, rows), x(op2.READ, cell2node), f(op2.READ, cell2node),
    )
    # u begins with the boundary's values, so that the method never leaves them.
    matrix.zero_rows(boundary)
    b.zero(boundary)
    op2.solve(matrix, u, b)
    return x.data_ro, cell2node.values, u.data_ro, float(np.abs(u.data_ro - exact).max())


def picture(
    path: str, x: NDArray[Any], triangles: NDArray[np.int32], u: NDArray[Any]
) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots()
    drawn = axes.tripcolor(x[:, 0], x[:, 1], triangles, u, shading="gouraud")
    figure.colorbar(drawn, label="u")
    axes.set_aspect("equal")
    figure.savefig(path)


def main(n: int = 64, path: str | None = None) -> None:
    x, triangles, u, error = solve(n)
    print(f"{len(triangles)} triangles: largest error {error:.2e}")
    if path:
        picture(path, x, triangles, u)


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
    parser.add_argument("n", metavar="N", type=positive, nargs="?", default=64)
    parser.add_argument("path", metavar="PICTURE.png", nargs="?")
    return parser.parse_args()


if __name__ == "__main__":
    main(**vars(arguments()))
