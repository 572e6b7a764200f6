// A tile by ordinary multiply-adds. 256 work-items as 4 x 2 warps of 4 x 8 lanes (64 as 2 x 1); each
// computes TR x TC elements, in pieces of 4 x 4 that lie one warp's width apart, so that neighbours
// read neighbours.
#if THREADS == 256
#define WARPS_DOWN 4
#define WARPS_ALONG 2
#else
#define WARPS_DOWN 2
#define WARPS_ALONG 1
#endif
#define TR (ROWS / (WARPS_DOWN * 4))
#define TC (COLUMNS / (WARPS_ALONG * 8))
typedef JOIN(REAL_NAME, 4) REAL4;

#define TILE_STATE                                                              \
  const int warp = item / 32, lane = item % 32;                                 \
  const int row = warp % WARPS_DOWN * 4 * TR + lane % 4 * 4;                    \
  const int column = warp / WARPS_DOWN * 8 * TC + lane / 4 * 4;                 \
  REAL acc[PARTS][TR][TC];                                                      \
  _Pragma("unroll") for (int part = 0; part < PARTS; ++part)                    \
      _Pragma("unroll") for (int i = 0; i < TR; ++i)                            \
          _Pragma("unroll") for (int j = 0; j < TC; ++j) acc[part][i][j] = 0;

inline void tile_step(local const REAL* a, local const REAL* b, int row, int column,
                      REAL acc[PARTS][TR][TC]) {
#pragma unroll
  for (int k = 0; k < STEP; ++k) {
    REAL x[PARTS][TR], y[PARTS][TC];
#pragma unroll
    for (int part = 0; part < PARTS; ++part) {
#pragma unroll
      for (int i = 0; i < TR; i += 4)
        vstore4(*(local const REAL4*)(a + (k * PARTS + part) * LINE_A + row + i * 4), 0,
                &x[part][i]);
#pragma unroll
      for (int j = 0; j < TC; j += 4)
        vstore4(*(local const REAL4*)(b + (k * PARTS + part) * LINE_B + column + j * 8), 0,
                &y[part][j]);
    }
#pragma unroll
    for (int i = 0; i < TR; ++i)
#pragma unroll
      for (int j = 0; j < TC; ++j) {
        acc[0][i][j] = fma(x[0][i], y[0][j], acc[0][i][j]);
#if COMPLEX
        acc[0][i][j] = fma(-x[1][i], y[1][j], acc[0][i][j]);
        acc[1][i][j] = fma(x[0][i], y[1][j], acc[1][i][j]);
        acc[1][i][j] = fma(x[1][i], y[0][j], acc[1][i][j]);
#endif
      }
  }
}
#define TILE_STEP(a, b) tile_step(a, b, row, column, acc);

#if COMPLEX
#define ACCUMULATED(i, j) (T)(acc[0][i][j], acc[1][i][j])
#else
#define ACCUMULATED(i, j) acc[0][i][j]
#endif
#define TILE_STORE()                                                                       \
  _Pragma("unroll") for (int j = 0; j < TC; ++j)                                           \
      _Pragma("unroll") for (int i = 0; i < TR; ++i)                                       \
          put_result(c, ld, i0 + row + i / 4 * 16 + i % 4, j0 + column + j / 4 * 32 + j % 4, \
                     rows, columns, ACCUMULATED(i, j), alpha, beta, triangle, hermitian);
