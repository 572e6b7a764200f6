#pragma once

/// What happens to a cell or a node, in C: bilinear finite elements for the full-potential
/// equation, and the steps of a method of conjugate gradients. gm1, gm1i and m2 are constants of
/// the mesh: the ratio of heats minus one, one over that, and the square of the Mach number.
namespace aero {

/// The residual of a cell and its derivative, the element matrix (row by row): four points of a
/// Gauss rule on the unit square. There the nodes are (0,0), (1,0), (0,1), (1,1).
inline constexpr const char* res_calc = R"(
void res_calc(const double *x[4], const double *phi[4], double *k, double *res[4]) {
  const double g = 0.211324865405187;
  double matrix[16], sum[4];
  for (int j = 0; j < 16; j++) matrix[j] = 0.0;
  for (int j = 0; j < 4; j++) sum[j] = 0.0;
  for (int point = 0; point < 4; point++) {
    double xi = point % 2 == 0 ? g : 1.0 - g, eta = point / 2 == 0 ? g : 1.0 - g;
    double by_xi[4], by_eta[4];
    by_xi[0] = eta - 1.0;
    by_xi[1] = 1.0 - eta;
    by_xi[2] = -eta;
    by_xi[3] = eta;
    by_eta[0] = xi - 1.0;
    by_eta[1] = -xi;
    by_eta[2] = 1.0 - xi;
    by_eta[3] = xi;
    double x_xi = 0.0, x_eta = 0.0, y_xi = 0.0, y_eta = 0.0;
    for (int j = 0; j < 4; j++) {
      x_xi += by_xi[j] * x[j][0];
      y_xi += by_xi[j] * x[j][1];
      x_eta += by_eta[j] * x[j][0];
      y_eta += by_eta[j] * x[j][1];
    }
    double det = x_xi * y_eta - y_xi * x_eta, weight = 0.25 * det;
    double by_x[4], by_y[4], u = 0.0, v = 0.0;
    for (int j = 0; j < 4; j++) {
      by_x[j] = (by_xi[j] * y_eta - by_eta[j] * y_xi) / det;
      by_y[j] = (by_eta[j] * x_xi - by_xi[j] * x_eta) / det;
      u += phi[j][0] * by_x[j];
      v += phi[j][0] * by_y[j];
    }
    double d = 1.0 + 0.5 * gm1 * (m2 - (u * u + v * v));
    double rho = pow(d, gm1i);
    double along[4];
    for (int j = 0; j < 4; j++) {
      along[j] = u * by_x[j] + v * by_y[j];
      sum[j] += weight * rho * along[j];
    }
    for (int j = 0; j < 4; j++)
      for (int i = 0; i < 4; i++)
        matrix[4 * j + i] += weight * rho * (by_x[j] * by_x[i] + by_y[j] * by_y[i] -
                                             along[j] * along[i] / d);
  }
  for (int j = 0; j < 16; j++) k[j] = matrix[j];
  for (int j = 0; j < 4; j++) res[j][0] += sum[j];
}
)";

/// The potential is given on the outer boundary: nothing changes it there.
inline constexpr const char* dirichlet = R"(
void dirichlet(double *value) { value[0] = 0.0; }
)";

inline constexpr const char* init_cg = R"(
void init_cg(const double *r, double *c, double *u, double *v, double *p) {
  c[0] += r[0] * r[0];
  p[0] = r[0];
  u[0] = 0.0;
  v[0] = 0.0;
}
)";

/// v += K p of one cell. K is symmetric: its upper triangle is read.
inline constexpr const char* spMV = R"(
void spMV(double *v[4], const double *k, const double *p[4]) {
  double sum[4];
  for (int j = 0; j < 4; j++) sum[j] = k[5 * j] * p[j][0];
  for (int j = 0; j < 4; j++)
    for (int i = j + 1; i < 4; i++) {
      sum[j] += k[4 * j + i] * p[i][0];
      sum[i] += k[4 * j + i] * p[j][0];
    }
  for (int j = 0; j < 4; j++) v[j][0] += sum[j];
}
)";

inline constexpr const char* dotPV = R"(
void dotPV(const double *p, const double *v, double *c) { c[0] += p[0] * v[0]; }
)";

inline constexpr const char* updateUR = R"(
void updateUR(double *u, double *r, const double *p, double *v, const double *alpha) {
  u[0] += alpha[0] * p[0];
  r[0] -= alpha[0] * v[0];
  v[0] = 0.0;
}
)";

inline constexpr const char* dotR = R"(
void dotR(const double *r, double *c) { c[0] += r[0] * r[0]; }
)";

inline constexpr const char* updateP = R"(
void updateP(const double *r, double *p, const double *beta) { p[0] = r[0] + beta[0] * p[0]; }
)";

inline constexpr const char* update = R"(
void update(double *phi, double *r, const double *u, double *rms) {
  phi[0] -= u[0];
  r[0] = 0.0;
  rms[0] += u[0] * u[0];
}
)";

}  // namespace aero
