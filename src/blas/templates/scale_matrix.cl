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
