#include "graph/families.hpp"

namespace graph_families {

// Rounded in the same way by all sides: contraction is off, since compilers decide it by context.
const char* const kernel_text = R"(
#pragma OPENCL FP_CONTRACT OFF

// c = a b, all n x n: 4 rows and 16 columns a work-item.
kernel void product(global const float* a, global const float* b, global float* c, int n) {
  const int column = get_global_id(0) * 16, row = get_global_id(1) * 4;
  float16 s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  for (int k = 0; k < n; ++k) {
    const float16 line = vload16(0, b + k * n + column);
    s0 += a[row * n + k] * line;
    s1 += a[(row + 1) * n + k] * line;
    s2 += a[(row + 2) * n + k] * line;
    s3 += a[(row + 3) * n + k] * line;
  }
  vstore16(s0, 0, c + row * n + column);
  vstore16(s1, 0, c + (row + 1) * n + column);
  vstore16(s2, 0, c + (row + 2) * n + column);
  vstore16(s3, 0, c + (row + 3) * n + column);
}
// c -= a b
kernel void product_off(global const float* a, global const float* b, global float* c, int n) {
  const int column = get_global_id(0) * 16, row = get_global_id(1) * 4;
  float16 s0 = vload16(0, c + row * n + column), s1 = vload16(0, c + (row + 1) * n + column);
  float16 s2 = vload16(0, c + (row + 2) * n + column), s3 = vload16(0, c + (row + 3) * n + column);
  for (int k = 0; k < n; ++k) {
    const float16 line = vload16(0, b + k * n + column);
    s0 -= a[row * n + k] * line;
    s1 -= a[(row + 1) * n + k] * line;
    s2 -= a[(row + 2) * n + k] * line;
    s3 -= a[(row + 3) * n + k] * line;
  }
  vstore16(s0, 0, c + row * n + column);
  vstore16(s1, 0, c + (row + 1) * n + column);
  vstore16(s2, 0, c + (row + 2) * n + column);
  vstore16(s3, 0, c + (row + 3) * n + column);
}
// c -= a b^T, 4 x 4 a work-item
kernel void product_off_transposed(global const float* a, global const float* b, global float* c,
                                   int n) {
  const int column = get_global_id(0) * 4, row = get_global_id(1) * 4;
  for (int i = row; i < row + 4; ++i)
    for (int j = column; j < column + 4; ++j) {
      float8 sum = 0;
      for (int k = 0; k < n; k += 8) sum += vload8(0, a + i * n + k) * vload8(0, b + j * n + k);
      const float4 half_sum = sum.lo + sum.hi;
      c[i * n + j] -= half_sum.x + half_sum.y + half_sum.z + half_sum.w;
    }
}
kernel void transpose(global const float* a, global float* b, int n) {
  const int column = get_global_id(0), row = get_global_id(1);
  b[column * n + row] = a[row * n + column];
}
// Scaled as in attention, without which most weights would be denormal: slow on some processors.
kernel void softmax(global const float* a, global float* b, int n) {
  const int row = get_global_id(0);
  const float scale = 1.0f / sqrt((float)n);
  float most = a[row * n], sum = 0;
  for (int i = 1; i < n; ++i) most = fmax(most, a[row * n + i]);
  for (int i = 0; i < n; ++i) sum += b[row * n + i] = exp((a[row * n + i] - most) * scale);
  for (int i = 0; i < n; ++i) b[row * n + i] /= sum;
}
kernel void scale(global float* a, float by) {
  a[get_global_id(0)] *= by;
}
kernel void add(global const float* a, global const float* b, global float* c) {
  const int i = get_global_id(0);
  c[i] = a[i] + b[i];
}
kernel void blend(global const float* a, global const float* b, global float* c) {
  const int i = get_global_id(0);
  c[i] = 0.5f * a[i] + 0.25f * b[i];
}
kernel void gap(global const float* a, global const float* b, global float* c) {
  const int i = get_global_id(0);
  float sum = 0;
  for (int k = 1; k < 9; ++k) sum += fabs(a[i] - b[i]) / (float)k;
  c[i] = sum;
}
kernel void peak(global const float* a, global const float* b, global float* c) {
  const int i = get_global_id(0);
  c[i] = fmax(a[i], b[i]) * 0.75f;
}
kernel void bump(global float* a) {
  a[get_global_id(0)] += 1.0f;
}

// Tiles of Cholesky and LU: one work-item, or one a row or column.
kernel void cholesky_tile(global float* a, int n) {
  for (int j = 0; j < n; ++j) {
    float pivot = a[j * n + j];
    for (int k = 0; k < j; ++k) pivot -= a[j * n + k] * a[j * n + k];
    pivot = sqrt(pivot);
    a[j * n + j] = pivot;
    for (int i = j + 1; i < n; ++i) {
      float sum = a[i * n + j];
      for (int k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
      a[i * n + j] = sum / pivot;
    }
    for (int i = 0; i < j; ++i) a[i * n + j] = 0;
  }
}
// a = a l^-T
kernel void solve_lower_transposed(global const float* l, global float* a, int n) {
  const int row = get_global_id(0);
  for (int j = 0; j < n; ++j) {
    float sum = a[row * n + j];
    for (int k = 0; k < j; ++k) sum -= a[row * n + k] * l[j * n + k];
    a[row * n + j] = sum / l[j * n + j];
  }
}
kernel void lu_tile(global float* a, int n) {
  for (int k = 0; k < n; ++k)
    for (int i = k + 1; i < n; ++i) {
      const float factor = a[i * n + k] / a[k * n + k];
      a[i * n + k] = factor;
      for (int j = k + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
    }
}
// a = l^-1 a, l with ones on its diagonal
kernel void solve_unit_lower(global const float* l, global float* a, int n) {
  const int column = get_global_id(0);
  for (int i = 0; i < n; ++i) {
    float sum = a[i * n + column];
    for (int k = 0; k < i; ++k) sum -= l[i * n + k] * a[k * n + column];
    a[i * n + column] = sum;
  }
}
// a = a u^-1
kernel void solve_upper(global const float* u, global float* a, int n) {
  const int row = get_global_id(0);
  for (int j = 0; j < n; ++j) {
    float sum = a[row * n + j];
    for (int k = 0; k < j; ++k) sum -= a[row * n + k] * u[k * n + j];
    a[row * n + j] = sum / u[j * n + j];
  }
}

kernel void fdtd_ey(global const float* hz, global float* ey, int n) {
  const int column = get_global_id(0), row = get_global_id(1);
  if (row > 0) ey[row * n + column] -= 0.5f * (hz[row * n + column] - hz[(row - 1) * n + column]);
}
kernel void fdtd_ex(global const float* hz, global float* ex, int n) {
  const int column = get_global_id(0), row = get_global_id(1);
  if (column > 0)
    ex[row * n + column] -= 0.5f * (hz[row * n + column] - hz[row * n + column - 1]);
}
kernel void fdtd_hz(global const float* ex, global const float* ey, global float* hz, int n) {
  const int column = get_global_id(0), row = get_global_id(1);
  if (column < n - 1 && row < n - 1)
    hz[row * n + column] -= 0.7f * (ex[row * n + column + 1] - ex[row * n + column] +
                                    ey[(row + 1) * n + column] - ey[row * n + column]);
}

// y = m x, y = m^T x, y += either
kernel void matrix_vector(global const float* m, global const float* x, global float* y, int n) {
  const int row = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += m[row * n + k] * x[k];
  y[row] = sum;
}
kernel void transposed_vector(global const float* m, global const float* x, global float* y,
                              int n) {
  const int column = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += m[k * n + column] * x[k];
  y[column] = sum;
}
kernel void matrix_vector_on(global const float* m, global const float* x, global float* y,
                             int n) {
  const int row = get_global_id(0);
  float sum = y[row];
  for (int k = 0; k < n; ++k) sum += m[row * n + k] * x[k];
  y[row] = sum;
}
kernel void transposed_vector_on(global const float* m, global const float* x, global float* y,
                                 int n) {
  const int column = get_global_id(0);
  float sum = y[column];
  for (int k = 0; k < n; ++k) sum += m[k * n + column] * x[k];
  y[column] = sum;
}
kernel void two_ranks(global const float* u1, global const float* v1, global const float* u2,
                      global const float* v2, global float* m, int n) {
  const int column = get_global_id(0), row = get_global_id(1);
  m[row * n + column] += u1[row] * v1[column] + u2[row] * v2[column];
}

// Covariances and correlations of the columns of a, whose rows are observations.
kernel void column_mean(global const float* a, global float* mean, int n) {
  const int column = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[k * n + column];
  mean[column] = sum / n;
}
kernel void column_deviation(global const float* a, global const float* mean,
                             global float* deviation, int n) {
  const int column = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    const float off = a[k * n + column] - mean[column];
    sum += off * off;
  }
  deviation[column] = fmax(sqrt(sum / n), 0.1f);
}
kernel void column_center(global const float* mean, global float* a, int n) {
  const int column = get_global_id(0), row = get_global_id(1);
  a[row * n + column] -= mean[column];
}
kernel void column_standard(global const float* mean, global const float* deviation,
                            global float* a, int n) {
  const int column = get_global_id(0), row = get_global_id(1);
  a[row * n + column] = (a[row * n + column] - mean[column]) / (sqrt((float)n) * deviation[column]);
}
kernel void columns_product(global const float* a, global float* c, int n) {
  const int column = get_global_id(0), row = get_global_id(1);
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[k * n + row] * a[k * n + column];
  c[row * n + column] = sum;
}

// Gram-Schmidt, column k of a.
kernel void column_norm(global const float* a, global float* r, int n, int k) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i * n + k] * a[i * n + k];
  r[k * n + k] = sqrt(sum);
}
kernel void column_scale(global const float* a, global const float* r, global float* q, int n,
                         int k) {
  const int i = get_global_id(0);
  q[i * n + k] = a[i * n + k] / r[k * n + k];
}
kernel void columns_off(global const float* q, global float* a, global float* r, int n, int k) {
  const int j = get_global_id(0);
  if (j <= k) return;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += q[i * n + k] * a[i * n + j];
  r[k * n + j] = sum;
  for (int i = 0; i < n; ++i) a[i * n + j] -= q[i * n + k] * sum;
}
)";

}  // namespace graph_families
