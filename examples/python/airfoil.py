"""OP2's airfoil in Python: inviscid flow round a profile, in explicit steps of two stages.

    python3 examples/python/airfoil.py [ALONG OUT] [STEPS]
    mpirun -np 4 python3 examples/python/airfoil.py --mpi [ALONG OUT] [STEPS]

The mesh has 3 * ALONG * OUT cells. Prints the root mean square of the last change. With --mpi each rank
has a part of the mesh, by mpi4py.
"""
import argparse
import math
import time

import numpy as np

from kiln import mesh_files, op2

GAM, CFL, EPS, MACH = (float(np.float32(value)) for value in (1.4, 0.9, 0.05, 0.4))
GM1 = GAM - 1

SAVE_SOLN = """
void save_soln(const double *q, double *qold) {
  for (int n = 0; n < 4; n++) qold[n] = q[n];
}"""

# Cell area over time step, from the waves that cross its four sides.
ADT_CALC = """
static double side(const double *a, const double *b, double u, double v, double c) {
  double dx = b[0] - a[0], dy = b[1] - a[1];
  return fabs(u * dy - v * dx) + c * sqrt(dx * dx + dy * dy);
}
void adt_calc(const double *x1, const double *x2, const double *x3, const double *x4,
              const double *q, double *adt) {
  double ri = 1 / q[0], u = ri * q[1], v = ri * q[2];
  double c = sqrt(gam * gm1 * (ri * q[3] - 0.5 * (u * u + v * v)));
  adt[0] = (side(x1, x2, u, v, c) + side(x2, x3, u, v, c) +
            side(x3, x4, u, v, c) + side(x4, x1, u, v, c)) / cfl;
}"""

# The flux through an edge: the mean of both cells' plus a dissipation.
RES_CALC = """
void res_calc(const double *x1, const double *x2, const double *q1, const double *q2,
              const double *adt1, const double *adt2, double *res1, double *res2) {
  double dx = x1[0] - x2[0], dy = x1[1] - x2[1];
  double ri1 = 1 / q1[0], ri2 = 1 / q2[0];
  double p1 = gm1 * (q1[3] - 0.5 * ri1 * (q1[1] * q1[1] + q1[2] * q1[2]));
  double p2 = gm1 * (q2[3] - 0.5 * ri2 * (q2[1] * q2[1] + q2[2] * q2[2]));
  double v1 = ri1 * (q1[1] * dy - q1[2] * dx), v2 = ri2 * (q2[1] * dy - q2[2] * dx);
  double mu = 0.5 * (adt1[0] + adt2[0]) * eps;
  double f[4];
  f[0] = 0.5 * (v1 * q1[0] + v2 * q2[0]) + mu * (q1[0] - q2[0]);
  f[1] = 0.5 * (v1 * q1[1] + p1 * dy + v2 * q2[1] + p2 * dy) + mu * (q1[1] - q2[1]);
  f[2] = 0.5 * (v1 * q1[2] - p1 * dx + v2 * q2[2] - p2 * dx) + mu * (q1[2] - q2[2]);
  f[3] = 0.5 * (v1 * (q1[3] + p1) + v2 * (q2[3] + p2)) + mu * (q1[3] - q2[3]);
  for (int n = 0; n < 4; n++) {
    res1[n] += f[n];
    res2[n] -= f[n];
  }
}"""

# The same on the boundary: nothing flows through the wall (1), elsewhere the free stream is on the
# other side.
BRES_CALC = """
void bres_calc(const double *x1, const double *x2, const double *q1, const double *adt1,
               double *res1, const int *bound) {
  double dx = x1[0] - x2[0], dy = x1[1] - x2[1];
  double ri1 = 1 / q1[0];
  double p1 = gm1 * (q1[3] - 0.5 * ri1 * (q1[1] * q1[1] + q1[2] * q1[2]));
  if (bound[0] == 1) {
    res1[1] += p1 * dy;
    res1[2] -= p1 * dx;
  } else {
    double ri2 = 1 / qinf[0];
    double p2 = gm1 * (qinf[3] - 0.5 * ri2 * (qinf[1] * qinf[1] + qinf[2] * qinf[2]));
    double v1 = ri1 * (q1[1] * dy - q1[2] * dx), v2 = ri2 * (qinf[1] * dy - qinf[2] * dx);
    double mu = adt1[0] * eps;
    res1[0] += 0.5 * (v1 * q1[0] + v2 * qinf[0]) + mu * (q1[0] - qinf[0]);
    res1[1] += 0.5 * (v1 * q1[1] + p1 * dy + v2 * qinf[1] + p2 * dy) + mu * (q1[1] - qinf[1]);
    res1[2] += 0.5 * (v1 * q1[2] - p1 * dx + v2 * qinf[2] - p2 * dx) + mu * (q1[2] - qinf[2]);
    res1[3] += 0.5 * (v1 * (q1[3] + p1) + v2 * (qinf[3] + p2)) + mu * (q1[3] - qinf[3]);
  }
}"""

UPDATE = """
void update(const double *qold, double *q, double *res, const double *adt, double *rms) {
  double adti = 1 / adt[0];
  for (int n = 0; n < 4; n++) {
    double del = adti * res[n];
    q[n] = qold[n] - del;
    res[n] = 0;
    rms[0] += del * del;
  }
}"""


class Airfoil:
    """The state of the flow, and a step of it."""

    def __init__(self, grid: mesh_files.MeshData) -> None:
        self.cells, self.edges, self.bedges = (grid.set(n) for n in ("cells", "edges", "bedges"))
        self.pcell, self.pedge, self.pecell = (grid.map(n) for n in ("pcell", "pedge", "pecell"))
        self.pbedge, self.pbecell = grid.map("pbedge"), grid.map("pbecell")
        self.x, self.bound = grid.dat("p_x"), grid.dat("p_bound")
        u = math.sqrt(GAM) * MACH
        stream = [1.0, u, 0.0, 1 / GM1 + 0.5 * u * u]
        for name, value in (("gam", GAM), ("gm1", GM1), ("cfl", CFL), ("eps", EPS)):
            op2.Const(1, value, name)
        op2.Const(4, stream, "qinf")
        self.cell_count = op2.MPI.comm.allreduce(self.cells.size)
        self.q = op2.Dat(self.cells**4, np.tile(stream, self.cells.size), name="q")
        self.qold, self.res = op2.Dat(self.cells**4, name="qold"), op2.Dat(self.cells**4, name="res")
        self.adt = op2.Dat(self.cells, name="adt")
        self.rms_sum = op2.Global(1, 0.0, name="rms")
        self.save_soln = op2.Kernel(SAVE_SOLN, "save_soln")
        self.adt_calc = op2.Kernel(ADT_CALC, "adt_calc")
        self.res_calc = op2.Kernel(RES_CALC, "res_calc")
        self.bres_calc = op2.Kernel(BRES_CALC, "bres_calc")
        self.update = op2.Kernel(UPDATE, "update")

    def step(self) -> None:
        READ, WRITE, RW, INC = op2.READ, op2.WRITE, op2.RW, op2.INC
        x, q, adt, res = self.x, self.q, self.adt, self.res
        pcell, pedge, pecell, pbedge, pbecell = (
            self.pcell, self.pedge, self.pecell, self.pbedge, self.pbecell,
        )
        op2.par_loop(self.save_soln, self.cells, q(READ), self.qold(WRITE))
        for _ in range(2):
            op2.par_loop(
                self.adt_calc, self.cells,
                x(READ, pcell[0]), x(READ, pcell[1]), x(READ, pcell[2]), x(READ, pcell[3]),
                q(READ), adt(WRITE),
            )
            op2.par_loop(
                self.res_calc, self.edges,
                x(READ, pedge[0]), x(READ, pedge[1]), q(READ, pecell[0]), q(READ, pecell[1]),
                adt(READ, pecell[0]), adt(READ, pecell[1]), res(INC, pecell[0]), res(INC, pecell[1]),
            )
            op2.par_loop(
                self.bres_calc, self.bedges,
                x(READ, pbedge[0]), x(READ, pbedge[1]), q(READ, pbecell[0]), adt(READ, pbecell[0]),
                res(INC, pbecell[0]), self.bound(READ),
            )
            self.rms_sum.data = 0
            op2.par_loop(
                self.update, self.cells,
                self.qold(READ), q(WRITE), res(RW), adt(READ), self.rms_sum(INC),
            )

    def rms(self) -> float:
        return math.sqrt(self.rms_sum.data[0] / self.cell_count)


def main(along: int = 100, out: int = 150, steps: int = 1000, mpi: bool = False) -> None:
    is_first = True
    if mpi:
        from mpi4py import MPI

        op2.init(comm=MPI.COMM_WORLD)
        is_first = MPI.COMM_WORLD.rank == 0
    flow = Airfoil(mesh_files.naca0012(along, out))
    if mpi:
        op2.partition(op2.scotch(flow.cells, flow.pecell))
    flow.step()
    flow.rms()  # programs are made by now
    start = time.perf_counter()
    for _ in range(steps - 1):
        flow.step()
    rms = flow.rms()
    seconds = time.perf_counter() - start
    if is_first:
        print(f"{flow.cell_count} cells, {steps} steps: rms {rms:.5e}")
        print(f"{seconds / max(steps - 1, 1) * 1e3:.3f} ms a step")


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
    parser.add_argument("--mpi", action="store_true", help="on all ranks that mpirun has started")
    parser.add_argument("along", metavar="ALONG", type=positive, nargs="?", default=100)
    parser.add_argument("out", metavar="OUT", type=positive, nargs="?", default=150)
    parser.add_argument("steps", metavar="STEPS", type=positive, nargs="?", default=1000)
    return parser.parse_args()


if __name__ == "__main__":
    main(**vars(arguments()))
