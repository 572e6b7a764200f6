// C = beta C, of a matrix by columns, a work-item each; beta = 0 writes zeros without reading.
// triangle: 0 the whole, 1 where row >= column, 2 where row <= column. hermitian: the diagonal
// loses its imaginary part.
kernel void scale_matrix(long rows, T beta, global T* restrict c, long offset, long ld,
                         int triangle, int hermitian) {
  const long j = get_global_id(0);
  const long from = triangle == 1 ? j : 0, to = triangle == 2 ? min(rows, j + 1) : rows;
  c += offset + j * ld;
  for (long i = from; i < to; ++i) {
    T value = is_zero(beta) ? zero() : mul(beta, c[i]);
    if (hermitian && i == j) value = real_part(value);
    c[i] = value;
  }
}
