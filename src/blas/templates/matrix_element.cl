// Elements of matrices of which a triangle may stand for the whole. The element in row i, column k
// is x[i * step_i + k * step_k] where it is stored:
//   stored    0: everywhere   1: where k <= i   2: where k >= i
//   outside   what stands in the other triangle. 0: zeros   1: the mirror image   2: its conjugate
//   diagonal  0: as it is   1: ones, not read   2: without its imaginary part
//   conjugated  the whole is conjugated after all that
#define PARTS (1 + COMPLEX)

inline T matrix_element(global const T* x, long step_i, long step_k, int stored, int outside,
                        int diagonal, int conjugated, long i, long k) {
  const bool is_outside = (stored == 1 && k > i) || (stored == 2 && k < i);
  T value;
  if (is_outside) {
    if (outside == 0) return zero();
    value = x[k * step_i + i * step_k];
    if (outside == 2) value = conjugate(value);
  } else if (i == k && diagonal == 1) {
    value = one();
  } else {
    value = x[i * step_i + k * step_k];
    if (i == k && diagonal == 2) value = real_part(value);
  }
  return conjugated ? conjugate(value) : value;
}

// Element i of a column of a panel.
inline void put_element(global REAL* column, int width, int i, T value) {
#if COMPLEX
  column[i] = value.x;
  column[width + i] = value.y;
#else
  column[i] = value;
#endif
}
