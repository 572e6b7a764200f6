// A tile by the double-precision matrix units of NVIDIA devices: mma.sync m16n8k4, whose fragments
// the PTX instruction set describes (lane = 4 * group + member: A has rows group and group + 8,
// column member; B row member, column group; C rows group and group + 8, columns 2 * member and the
// next). 8 warps as 2 x 4, each with MI x NI such tiles.
#define MI (ROWS / 32)
#define NI (COLUMNS / 32)

inline void mma(double c[4], double a0, double a1, double b) {
  asm volatile(
      "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
      "{%0, %1, %2, %3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a0), "d"(a1), "d"(b));
}

#define TILE_STATE                                                      \
  const int warp = item / 32, member = item % 4, group = item % 32 / 4; \
  const int row = warp % 2 * (ROWS / 2), column = warp / 2 * (COLUMNS / 4); \
  double acc[PARTS][MI][NI][4];                                         \
  _Pragma("unroll") for (int part = 0; part < PARTS; ++part)            \
      _Pragma("unroll") for (int i = 0; i < MI; ++i)                    \
          _Pragma("unroll") for (int j = 0; j < NI; ++j)                \
              _Pragma("unroll") for (int e = 0; e < 4; ++e) acc[part][i][j][e] = 0;

inline void tile_step(local const double* a, local const double* b, int row, int column,
                      int member, int group, double acc[PARTS][MI][NI][4]) {
#pragma unroll
  for (int k = 0; k < STEP; k += 4) {
    double x[PARTS][MI][2], y[PARTS][NI];
#pragma unroll
    for (int part = 0; part < PARTS; ++part) {
      local const double* line_a = a + ((k + member) * PARTS + part) * LINE_A + row + group;
      local const double* line_b = b + ((k + member) * PARTS + part) * LINE_B + column + group;
#pragma unroll
      for (int i = 0; i < MI; ++i) {
        x[part][i][0] = line_a[i * 16];
        x[part][i][1] = line_a[i * 16 + 8];
      }
#pragma unroll
      for (int j = 0; j < NI; ++j) y[part][j] = line_b[j * 8];
    }
#pragma unroll
    for (int i = 0; i < MI; ++i)
#pragma unroll
      for (int j = 0; j < NI; ++j) {
        mma(acc[0][i][j], x[0][i][0], x[0][i][1], y[0][j]);
#if COMPLEX
        mma(acc[0][i][j], x[1][i][0], x[1][i][1], -y[1][j]);
        mma(acc[1][i][j], x[0][i][0], x[0][i][1], y[1][j]);
        mma(acc[1][i][j], x[1][i][0], x[1][i][1], y[0][j]);
#endif
      }
  }
}
#define TILE_STEP(a, b) tile_step(a, b, row, column, member, group, acc);

#if COMPLEX
#define ACCUMULATED(i, j, e) (T)(acc[0][i][j][e], acc[1][i][j][e])
#else
#define ACCUMULATED(i, j, e) acc[0][i][j][e]
#endif
#define TILE_STORE()                                                                      \
  _Pragma("unroll") for (int j = 0; j < NI; ++j)                                          \
      _Pragma("unroll") for (int i = 0; i < MI; ++i)                                      \
          _Pragma("unroll") for (int e = 0; e < 4; ++e)                                   \
              put_result(c, ld, i0 + row + i * 16 + group + e / 2 * 8,                    \
                         j0 + column + j * 8 + member * 2 + e % 2, rows, columns,         \
                         ACCUMULATED(i, j, e), alpha, beta, triangle, hermitian);
