// The steps of conjugate gradients, as kernels of parallel loops. T is the type of the numbers, DIM
// the components of an element; kiln_d is the inverse diagonal, left out where there is none.
// Each part is a template of its own, named by the line before it (embed_templates.cmake).
//===== kiln_cg_invert =====
void kiln_cg_invert(T *kiln_d, T *kiln_lowest) {
  for (int kiln_k = 0; kiln_k < DIM; ++kiln_k) {
    *kiln_lowest = fmin(*kiln_lowest, fabs(kiln_d[kiln_k]));
    kiln_d[kiln_k] = 1 / kiln_d[kiln_k];
  }
}
//===== kiln_cg_begin =====
void kiln_cg_begin(const T *kiln_b, const T *kiln_q, const T *kiln_d, T *kiln_r, T *kiln_p, T *kiln_s, T *kiln_bb) {
  for (int kiln_k = 0; kiln_k < DIM; ++kiln_k) {
    kiln_r[kiln_k] = kiln_b[kiln_k] - kiln_q[kiln_k];
    kiln_p[kiln_k] = kiln_d[kiln_k] * kiln_r[kiln_k];
    kiln_s[0] += kiln_r[kiln_k] * kiln_p[kiln_k];
    kiln_s[1] += kiln_r[kiln_k] * kiln_r[kiln_k];
    *kiln_bb += kiln_b[kiln_k] * kiln_b[kiln_k];
  }
}
//===== kiln_cg_product =====
void kiln_cg_product(const T *kiln_p, const T *kiln_q, T *kiln_pq) {
  for (int kiln_k = 0; kiln_k < DIM; ++kiln_k) {
    *kiln_pq += kiln_p[kiln_k] * kiln_q[kiln_k];
  }
}
//===== kiln_cg_update =====
void kiln_cg_update(const T *kiln_s, const T *kiln_pq, const T *kiln_goal, const T *kiln_p, const T *kiln_q, const T *kiln_d, T *kiln_x, T *kiln_r, T *kiln_next) {
  const T kiln_alpha = kiln_s[1] > *kiln_goal && *kiln_pq > 0 ? kiln_s[0] / *kiln_pq : 0;
  for (int kiln_k = 0; kiln_k < DIM; ++kiln_k) {
    kiln_x[kiln_k] += kiln_alpha * kiln_p[kiln_k];
    kiln_r[kiln_k] -= kiln_alpha * kiln_q[kiln_k];
    kiln_next[0] += kiln_d[kiln_k] * kiln_r[kiln_k] * kiln_r[kiln_k];
    kiln_next[1] += kiln_r[kiln_k] * kiln_r[kiln_k];
  }
}
//===== kiln_cg_direction =====
void kiln_cg_direction(const T *kiln_s, const T *kiln_next, const T *kiln_d, const T *kiln_r, T *kiln_p) {
  const T kiln_beta = kiln_next[1] > 0 ? kiln_next[0] / kiln_s[0] : 0;
  for (int kiln_k = 0; kiln_k < DIM; ++kiln_k) {
    kiln_p[kiln_k] = kiln_d[kiln_k] * kiln_r[kiln_k] + kiln_beta * kiln_p[kiln_k];
  }
}
//===== kiln_cg_start =====
void kiln_cg_start(const T *kiln_b, const T *kiln_q, const T *kiln_d, T *kiln_r, T *kiln_u, T *kiln_bb) {
  for (int kiln_k = 0; kiln_k < DIM; ++kiln_k) {
    kiln_r[kiln_k] = kiln_b[kiln_k] - kiln_q[kiln_k];
    kiln_u[kiln_k] = kiln_d[kiln_k] * kiln_r[kiln_k];
    *kiln_bb += kiln_b[kiln_k] * kiln_b[kiln_k];
  }
}
//===== kiln_cg_sums =====
void kiln_cg_sums(const T *kiln_r, const T *kiln_u, const T *kiln_w, T *kiln_s) {
  for (int kiln_k = 0; kiln_k < DIM; ++kiln_k) {
    kiln_s[0] += kiln_r[kiln_k] * kiln_u[kiln_k];
    kiln_s[1] += kiln_r[kiln_k] * kiln_r[kiln_k];
    kiln_s[2] += kiln_w[kiln_k] * kiln_u[kiln_k];
  }
}
//===== kiln_cg_step =====
void kiln_cg_step(const T *kiln_c, const T *kiln_w, const T *kiln_d, T *kiln_p, T *kiln_s, T *kiln_x, T *kiln_r, T *kiln_u) {
  const T kiln_alpha = kiln_c[0], kiln_beta = kiln_c[1];
  for (int kiln_k = 0; kiln_k < DIM; ++kiln_k) {
    kiln_p[kiln_k] = kiln_beta != 0 ? kiln_u[kiln_k] + kiln_beta * kiln_p[kiln_k] : kiln_u[kiln_k];
    kiln_s[kiln_k] = kiln_beta != 0 ? kiln_w[kiln_k] + kiln_beta * kiln_s[kiln_k] : kiln_w[kiln_k];
    kiln_x[kiln_k] += kiln_alpha * kiln_p[kiln_k];
    kiln_r[kiln_k] -= kiln_alpha * kiln_s[kiln_k];
    kiln_u[kiln_k] = kiln_d[kiln_k] * kiln_r[kiln_k];
  }
}
