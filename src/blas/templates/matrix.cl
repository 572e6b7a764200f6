// The matrices of level 2, column by column, whatever their storage. Element (i, j) exists for
// j - up <= i <= j + down inside m x n; it is a[offset_a + j step_a + growth_a j (j + 1) / 2 + i]:
//   general   step ld, growth 0                 band  step ld - 1, growth 0, the offset ku more
//   packed    upper: step 0, growth 1           lower: step n, growth -1
// A triangle without its diagonal has up or down = -1. Nothing else of the matrix is touched.
#define MATRIX_SHAPE                                                                       \
  long offset_a, long step_a, long growth_a, long m, long n, long up, long down
#define MATRIX global const T *a, MATRIX_SHAPE
#define MATRIX_OUT global T *a, MATRIX_SHAPE
#define SAME_MATRIX a, offset_a, step_a, growth_a, m, n, up, down

#define COLUMN(j) (a + (offset_a + (j)*step_a + growth_a * ((j) * ((j) + 1) / 2)))
#define FIRST_ROW(j) max(0L, (j)-up)
#define END_ROW(j) min(m, (j) + down + 1)
#define FIRST_COLUMN(i) max(0L, (i)-down)
#define END_COLUMN(i) min(n, (i) + up + 1)

inline T conjugate_if(bool yes, T value) { return yes ? conjugate(value) : value; }

// y = alpha sum + beta y; y is not read where beta is 0.
inline void put(global T *y, T alpha, T sum, T beta) {
  const T scaled = mul(alpha, sum);
  *y = is_zero(beta) ? scaled : mul_add(beta, *y, scaled);
}

// Item i of `count` works on block IN_TURN(i): the first items get the first and the last blocks in
// turn, so that the two halves of the items have the same share of a triangle.
#define IN_TURN(i, count) ((i) % 2 == 0 ? (i) / 2 : (count)-1 - (i) / 2)
// The p-th of `parts` nearly equal parts of [from, to) starts here.
#define PART(from, to, p, parts) ((from) + ((to) - (from)) * (p) / (parts))
