// A factor of a product for CPUs: its element in row i, column k is at[i * step_i + k * step_k]
// where it is stored; the rest is what matrix_element.cl takes.
typedef struct {
  global const T* at;
  long step_i, step_k;
  int stored, outside, diagonal, conjugated;
} Factor;
