"""OP2's aero in Python: potential flow round a profile by finite elements on an unstructured mesh.

    python3 examples/python/aero.py [ALONG OUT] [STEPS]

Newton's method; each of its linear systems goes to conjugate gradients, whose steps are loops, too:
the matrix is never put together from its cells. The mesh has 3 * ALONG * OUT cells. Prints for each
step how many steps conjugate gradients took, and the root mean square of the potential's change.
"""
import argparse
import math

import numpy as np

from kiln import mesh_files, op2

MACH, GAM = 0.1, 1.4

# A cell's residual and its derivative, the element matrix: four points of a Gauss rule on the unit
# square, whose nodes are (0, 0), (1, 0), (0, 1), (1, 1).
RES_CALC = """
void res_calc(double *x[4], double *phi[4], double *k, double *res[4]) {
  const double g = 0.211324865405187; /* (1 - 1 / sqrt(3)) / 2 */
  double matrix[4][4] = {{0}}, sum[4] = {0};
  for (int point = 0; point < 4; point++) {
    const double xi = point % 2 == 0 ? g : 1 - g, eta = point / 2 == 0 ? g : 1 - g;
    const double by_xi[4] = {eta - 1, 1 - eta, -eta, eta}, by_eta[4] = {xi - 1, -xi, 1 - xi, xi};
    double x_xi = 0, x_eta = 0, y_xi = 0, y_eta = 0;
    for (int j = 0; j < 4; j++) {
      x_xi += by_xi[j] * x[j][0];
      y_xi += by_xi[j] * x[j][1];
      x_eta += by_eta[j] * x[j][0];
      y_eta += by_eta[j] * x[j][1];
    }
    const double det = x_xi * y_eta - y_xi * x_eta, weight = 0.25 * det;
    double by_x[4], by_y[4], u = 0, v = 0;
    for (int j = 0; j < 4; j++) {
      by_x[j] = (by_xi[j] * y_eta - by_eta[j] * y_xi) / det;
      by_y[j] = (by_eta[j] * x_xi - by_xi[j] * x_eta) / det;
      u += phi[j][0] * by_x[j];
      v += phi[j][0] * by_y[j];
    }
    /* The density of isentropic flow at this speed. */
    const double d = 1 + 0.5 * gm1 * (m2 - (u * u + v * v)), rho = pow(d, gm1i);
    double along[4];
    for (int j = 0; j < 4; j++) {
      along[j] = u * by_x[j] + v * by_y[j];
      sum[j] += weight * rho * along[j];
    }
    for (int j = 0; j < 4; j++)
      for (int i = 0; i < 4; i++)
        matrix[j][i] += weight * rho * (by_x[j] * by_x[i] + by_y[j] * by_y[i] - along[j] * along[i] / d);
  }
  for (int j = 0; j < 4; j++) {
    for (int i = 0; i < 4; i++) k[4 * j + i] = matrix[j][i];
    res[j][0] += sum[j];
  }
}"""

# The potential is given on the outer boundary: nothing changes it there.
DIRICHLET = "void dirichlet(double *value) { value[0] = 0; }"

INIT_CG = """
void init_cg(double *r, double *c, double *u, double *v, double *p) {
  c[0] += r[0] * r[0];
  p[0] = r[0];
  u[0] = v[0] = 0;
}"""

# v += K p of one cell.
SPMV = """
void spMV(double *v[4], double *k, double *p[4]) {
  for (int j = 0; j < 4; j++) {
    double sum = 0;
    for (int i = 0; i < 4; i++) sum += k[4 * j + i] * p[i][0];
    v[j][0] += sum;
  }
}"""

DOT_PV = "void dotPV(double *p, double *v, double *c) { c[0] += p[0] * v[0]; }"

UPDATE_UR = """
void updateUR(double *u, double *r, double *p, double *v, double *alpha) {
  u[0] += alpha[0] * p[0];
  r[0] -= alpha[0] * v[0];
  v[0] = 0;
}"""

DOT_R = "void dotR(double *r, double *c) { c[0] += r[0] * r[0]; }"

UPDATE_P = "void updateP(double *r, double *p, double *beta) { p[0] = r[0] + beta[0] * p[0]; }"

UPDATE = """
void update(double *phi, double *r, double *u, double *rms) {
  phi[0] -= u[0];
  r[0] = 0;
  rms[0] += u[0] * u[0];
}"""


class Aero:
    """The potential at the nodes, and a step of Newton's method."""

    def __init__(self, grid: mesh_files.MeshData) -> None:
        self.nodes, self.cells, self.bedges = (grid.set(n) for n in ("nodes", "cells", "bedges"))
        self.pcell, self.pbedge = grid.map("pcell"), grid.map("pbedge")
        self.x = grid.dat("p_x")
        for name, value in (("gm1", GAM - 1), ("gm1i", 1 / (GAM - 1)), ("m2", MACH * MACH)):
            op2.Const(1, value, name)
        # It begins with that of the undisturbed flow.
        self.phi = op2.Dat(self.nodes, MACH * self.x.data_ro[:, 0], name="phi")
        self.matrix = op2.Dat(self.cells**16, name="K")
        self.res, self.u, self.v, self.p = (op2.Dat(self.nodes, name=n) for n in ("res", "u", "v", "p"))
        self.sum, self.alpha, self.beta = (op2.Global(1, 0.0, name=n) for n in ("sum", "alpha", "beta"))
        self.res_calc = op2.Kernel(RES_CALC, "res_calc")
        self.dirichlet = op2.Kernel(DIRICHLET, "dirichlet")
        self.init_cg = op2.Kernel(INIT_CG, "init_cg")
        self.spmv = op2.Kernel(SPMV, "spMV")
        self.dot_pv = op2.Kernel(DOT_PV, "dotPV")
        self.update_ur = op2.Kernel(UPDATE_UR, "updateUR")
        self.dot_r = op2.Kernel(DOT_R, "dotR")
        self.update_p = op2.Kernel(UPDATE_P, "updateP")
        self.update = op2.Kernel(UPDATE, "update")

    def summed(self, kernel: op2.Kernel, *arguments: op2.Arg) -> float:
        """Of a loop over the nodes whose last argument is what it adds to."""
        self.sum.data = 0
        op2.par_loop(kernel, self.nodes, *arguments, self.sum(op2.INC))
        return float(self.sum.data[0])

    def solve(self) -> int:
        """The change u for the residual: a tenth of it may be left. Returns the number of steps."""
        READ, WRITE, RW, INC = op2.READ, op2.WRITE, op2.RW, op2.INC
        res, u, v, p = self.res, self.u, self.v, self.p
        self.sum.data = 0
        op2.par_loop(
            self.init_cg, self.nodes, res(READ), self.sum(INC), u(WRITE), v(WRITE), p(WRITE)
        )
        squares = float(self.sum.data[0])
        first, steps = math.sqrt(squares), 0
        while math.sqrt(squares) > 0.1 * first and steps < 200:
            op2.par_loop(
                self.spmv, self.cells, v(INC, self.pcell), self.matrix(READ), p(READ, self.pcell)
            )
            op2.par_loop(self.dirichlet, self.bedges, v(WRITE, self.pbedge[0]))
            self.alpha.data = squares / self.summed(self.dot_pv, p(READ), v(READ))
            op2.par_loop(
                self.update_ur, self.nodes, u(RW), res(RW), p(READ), v(RW), self.alpha(READ)
            )
            left = self.summed(self.dot_r, res(READ))
            self.beta.data = left / squares
            op2.par_loop(self.update_p, self.nodes, res(READ), p(RW), self.beta(READ))
            squares = left
            steps += 1
        return steps

    def step(self) -> tuple[int, float]:
        """Steps of conjugate gradients, and the root mean square of the potential's change."""
        READ, WRITE, RW, INC = op2.READ, op2.WRITE, op2.RW, op2.INC
        op2.par_loop(
            self.res_calc, self.cells,
            self.x(READ, self.pcell), self.phi(READ, self.pcell), self.matrix(WRITE),
            self.res(INC, self.pcell),
        )
        op2.par_loop(self.dirichlet, self.bedges, self.res(WRITE, self.pbedge[0]))
        steps = self.solve()
        change = self.summed(self.update, self.phi(RW), self.res(WRITE), self.u(READ))
        return steps, math.sqrt(change / self.nodes.size)


def main(along: int = 100, out: int = 150, steps: int = 20) -> list[tuple[int, float]]:
    flow = Aero(mesh_files.naca0012(along, out, for_aero=True))
    history = []
    for number in range(1, steps + 1):
        history.append(flow.step())
        print(f"{number:4d}  {history[-1][0]:4d}  {history[-1][1]:.15e}")
    return history


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
    parser.add_argument("along", metavar="ALONG", type=positive, nargs="?", default=100)
    parser.add_argument("out", metavar="OUT", type=positive, nargs="?", default=150)
    parser.add_argument("steps", metavar="STEPS", type=positive, nargs="?", default=20)
    return parser.parse_args()


if __name__ == "__main__":
    main(**vars(arguments()))
