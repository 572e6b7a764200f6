#pragma once

/// What happens to a cell or an edge, in C: the two-dimensional Euler equations in the
/// finite-volume scheme of OP2's airfoil benchmark. `real` is double or float; gam, gm1, cfl, eps
/// and qinf are constants of the mesh. An element's unknowns q are density, two momenta, energy.
namespace airfoil {

inline constexpr const char* save_soln = R"(
void save_soln(const real *q, real *qold) {
  for (int n = 0; n < 4; n++) qold[n] = q[n];
}
)";

/// Cell area over time step, from the waves that cross its four sides.
inline constexpr const char* adt_calc = R"(
static real side(const real *a, const real *b, real u, real v, real c) {
  real dx = b[0] - a[0], dy = b[1] - a[1];
  return fabs(u * dy - v * dx) + c * sqrt(dx * dx + dy * dy);
}
void adt_calc(const real *x1, const real *x2, const real *x3, const real *x4,
              const real *q, real *adt) {
  real ri = 1.0f / q[0], u = ri * q[1], v = ri * q[2];
  real c = sqrt(gam * gm1 * (ri * q[3] - 0.5f * (u * u + v * v)));
  adt[0] = (side(x1, x2, u, v, c) + side(x2, x3, u, v, c) +
            side(x3, x4, u, v, c) + side(x4, x1, u, v, c)) / cfl;
}
)";

/// The flux through an edge: the mean of both cells' plus a dissipation. The normal (dy, -dx)
/// points from cell 1 to cell 2.
inline constexpr const char* res_calc = R"(
void res_calc(const real *x1, const real *x2, const real *q1, const real *q2,
              const real *adt1, const real *adt2, real *res1, real *res2) {
  real dx = x1[0] - x2[0], dy = x1[1] - x2[1];
  real ri1 = 1.0f / q1[0], ri2 = 1.0f / q2[0];
  real p1 = gm1 * (q1[3] - 0.5f * ri1 * (q1[1] * q1[1] + q1[2] * q1[2]));
  real p2 = gm1 * (q2[3] - 0.5f * ri2 * (q2[1] * q2[1] + q2[2] * q2[2]));
  real v1 = ri1 * (q1[1] * dy - q1[2] * dx), v2 = ri2 * (q2[1] * dy - q2[2] * dx);
  real mu = 0.5f * (adt1[0] + adt2[0]) * eps;
  real f[4];
  f[0] = 0.5f * (v1 * q1[0] + v2 * q2[0]) + mu * (q1[0] - q2[0]);
  f[1] = 0.5f * (v1 * q1[1] + p1 * dy + v2 * q2[1] + p2 * dy) + mu * (q1[1] - q2[1]);
  f[2] = 0.5f * (v1 * q1[2] - p1 * dx + v2 * q2[2] - p2 * dx) + mu * (q1[2] - q2[2]);
  f[3] = 0.5f * (v1 * (q1[3] + p1) + v2 * (q2[3] + p2)) + mu * (q1[3] - q2[3]);
  for (int n = 0; n < 4; n++) {
    res1[n] += f[n];
    res2[n] -= f[n];
  }
}
)";

/// The same on the boundary: nothing flows through the wall (bound 1), elsewhere the free stream is
/// on the other side.
inline constexpr const char* bres_calc = R"(
void bres_calc(const real *x1, const real *x2, const real *q1, const real *adt1, real *res1,
               const int *bound) {
  real dx = x1[0] - x2[0], dy = x1[1] - x2[1];
  real ri1 = 1.0f / q1[0];
  real p1 = gm1 * (q1[3] - 0.5f * ri1 * (q1[1] * q1[1] + q1[2] * q1[2]));
  if (bound[0] == 1) {
    res1[1] += p1 * dy;
    res1[2] -= p1 * dx;
  } else {
    real ri2 = 1.0f / qinf[0];
    real p2 = gm1 * (qinf[3] - 0.5f * ri2 * (qinf[1] * qinf[1] + qinf[2] * qinf[2]));
    real v1 = ri1 * (q1[1] * dy - q1[2] * dx), v2 = ri2 * (qinf[1] * dy - qinf[2] * dx);
    real mu = adt1[0] * eps;
    res1[0] += 0.5f * (v1 * q1[0] + v2 * qinf[0]) + mu * (q1[0] - qinf[0]);
    res1[1] += 0.5f * (v1 * q1[1] + p1 * dy + v2 * qinf[1] + p2 * dy) + mu * (q1[1] - qinf[1]);
    res1[2] += 0.5f * (v1 * q1[2] - p1 * dx + v2 * qinf[2] - p2 * dx) + mu * (q1[2] - qinf[2]);
    res1[3] += 0.5f * (v1 * (q1[3] + p1) + v2 * (qinf[3] + p2)) + mu * (q1[3] - qinf[3]);
  }
}
)";

inline constexpr const char* update = R"(
void update(const real *qold, real *q, real *res, const real *adt, real *rms) {
  real adti = 1.0f / adt[0];
  for (int n = 0; n < 4; n++) {
    real del = adti * res[n];
    q[n] = qold[n] - del;
    res[n] = 0.0f;
    rms[0] += del * del;
  }
}
)";

}  // namespace airfoil
