// Level 3: what is done next to products.
// Each part is a template of its own, named by the line before it (embed_templates.cmake).
//===== scale_matrix =====
// C = beta C, of a matrix by columns, a work-item each; beta = 0 writes zeros without reading, and
// beta = 1 touches nothing: reference BLAS then leaves even an imaginary part on the diagonal.
// triangle: 0 the whole, 1 where row >= column, 2 where row <= column. hermitian: the diagonal
// loses its imaginary part.
kernel void scale_matrix(long rows, T beta, global T* restrict c, long offset, long ld,
                         int triangle, int hermitian) {
  if (is_zero(beta - one())) return;
  const long j = get_global_id(0);
  const long from = triangle == 1 ? j : 0, to = triangle == 2 ? min(rows, j + 1) : rows;
  c += offset + j * ld;
  for (long i = from; i < to; ++i) {
    const T old = hermitian && i == j ? real_part(c[i]) : c[i];
    c[i] = is_zero(beta) ? zero() : mul(beta, old);
  }
}
//===== invert_triangles =====
// The inverses of the diagonal blocks of a triangular matrix A: BLOCK x BLOCK each, with zeros in
// the other triangle, in column-major order. They are where A has them in matrices of LAST x LAST,
// A's larger blocks on the diagonal, which lie one after another in `inverse`. A's last block may be
// smaller; its columns are LAST apart all the same.
//
// A work-item computes STRIP columns of one block by substitution, side by side: A's element is the
// same for all of them.
kernel void invert_triangles(long n, int upper, int unit, global const T* restrict a, long offset,
                             long ld, global T* restrict inverse) {
  const long from = get_global_id(1) * BLOCK;
  const int size = (int)min((long)BLOCK, n - from), j0 = get_global_id(0) * STRIP;
  T x[BLOCK * STRIP];
  a += offset + from * (ld + 1);
  for (int step = 0; step < size; ++step) {
    // Rows in the order in which they depend on one another.
    const int i = upper ? size - 1 - step : step;
    T row[STRIP];
    for (int j = 0; j < STRIP; ++j) row[j] = i == j0 + j ? one() : zero();
    for (int before = 0; before < step; ++before) {
      const int k = upper ? size - 1 - before : before;
      const T factor = -a[i + k * ld];
      for (int j = 0; j < STRIP; ++j) row[j] = mul_add(factor, x[k * STRIP + j], row[j]);
    }
    const T scale = unit ? one() : quotient(one(), a[i + i * ld]);
    for (int j = 0; j < STRIP; ++j) x[i * STRIP + j] = mul(scale, row[j]);
  }
  inverse += from / LAST * LAST * LAST + from % LAST * (LAST + 1);
  for (int j = 0; j < STRIP; ++j)
    for (int i = 0; i < BLOCK; ++i)
      inverse[(j0 + j) * LAST + i] = i < size && j0 + j < size ? x[i * STRIP + j] : zero();
}
