// Matrices and images that are copied into another form.
// Each part is a template of its own, named by the line before it (embed_templates.cmake).
//===== omatcopy =====
// B = alpha op(A), with A rows x columns by columns. CONJUGATED: of the conjugates.
// TRANSPOSED: by square tiles, so that neither side's lines leave the cache half used; on GPUs
// (GROUP > 1) through local memory, so that neighbours read and write neighbours.
#if CONJUGATED
#define SCALED(x) mul(alpha, conjugate(x))
#else
#define SCALED(x) mul(alpha, x)
#endif
// On a CPU a tile's lines are cache lines, and all of it fits in the registers of AVX-512.
#if ON_CPU
#define TILE (64 / (int)sizeof(T))
#else
#define TILE 32
#endif
// Elements that a GPU's work-item reads before it writes them.
#define AT_ONCE 4

#if ON_CPU && TRANSPOSED && PRECISION_NUMBER == PRECISION_IS_s
// Exchanges blocks of the rows a and b: the later ones of a for the earlier ones of b.
#define EXCHANGE(a, b, first, second) \
  {                                   \
    const float16 p = a, q = b;       \
    a = (float16)first;               \
    b = (float16)second;              \
  }
#define EXCHANGE_8(a, b) EXCHANGE(a, b, (p.lo, q.lo), (p.hi, q.hi))
#define EXCHANGE_4(a, b)                                        \
  EXCHANGE(a, b, (p.s0123, q.s0123, p.s89ab, q.s89ab), \
           (p.s4567, q.s4567, p.scdef, q.scdef))
#define EXCHANGE_2(a, b)                                                              \
  EXCHANGE(a, b, (p.s01, q.s01, p.s45, q.s45, p.s89, q.s89, p.scd, q.scd), \
           (p.s23, q.s23, p.s67, q.s67, p.sab, q.sab, p.sef, q.sef))
#define EXCHANGE_1(a, b)                                                                \
  EXCHANGE(a, b,                                                                        \
           (p.s0, q.s0, p.s2, q.s2, p.s4, q.s4, p.s6, q.s6, p.s8, q.s8, p.sa, q.sa, p.sc, \
            q.sc, p.se, q.se),                                                          \
           (p.s1, q.s1, p.s3, q.s3, p.s5, q.s5, p.s7, q.s7, p.s9, q.s9, p.sb, q.sb, p.sd, \
            q.sd, p.sf, q.sf))
// A whole tile of floats, by four rounds of exchanges in registers.
inline void copy_tile(float alpha, global const float* a, long ld_a, global float* b, long ld_b) {
  float16 row[16];
#pragma unroll
  for (int j = 0; j < 16; ++j) row[j] = alpha * vload16(0, a + j * ld_a);
#pragma unroll
  for (int i = 0; i < 8; ++i) EXCHANGE_8(row[i], row[i + 8])
#pragma unroll
  for (int i = 0; i < 16; ++i)
    if ((i & 4) == 0) EXCHANGE_4(row[i], row[i + 4])
#pragma unroll
  for (int i = 0; i < 16; ++i)
    if ((i & 2) == 0) EXCHANGE_2(row[i], row[i + 2])
#pragma unroll
  for (int i = 0; i < 16; ++i)
    if ((i & 1) == 0) EXCHANGE_1(row[i], row[i + 1])
#pragma unroll
  for (int i = 0; i < 16; ++i) vstore16(row[i], 0, b + i * ld_b);
}
#endif

kernel void omatcopy(long rows, long columns, T alpha, global const T* restrict a, long at_a,
                     long ld_a, global T* restrict b, long at_b, long ld_b) {
  a += at_a;
  b += at_b;
#if !TRANSPOSED && ON_CPU
  // A column may be the only one: the work is shared out by stretches of columns.
  const long stretch = min(rows, 4096L), parts = (rows + stretch - 1) / stretch;
  FOR_MINE(item, parts * columns) {
    const long j = item / parts, from = item % parts * stretch, to = min(rows, from + stretch);
    global const T* restrict source = a + j * ld_a;
    global T* restrict target = b + j * ld_b;
    for (long i = from; i < to; ++i) target[i] = SCALED(source[i]);
  }
#elif !TRANSPOSED
  // Stretches of `down` rows of `across` columns: a work-item has AT_ONCE elements of one.
  const long size = get_local_size(0), down = min(rows, size * AT_ONCE);
  const long per_column = (down + AT_ONCE - 1) / AT_ONCE, across = size / per_column;
  const long parts = (rows + down - 1) / down, stretches = parts * ((columns + across - 1) / across);
  const long row = get_local_id(0) % per_column, column = get_local_id(0) / per_column;
  for (long stretch = get_group_id(0); stretch < stretches; stretch += get_num_groups(0)) {
    const long i0 = stretch % parts * down + row, j = stretch / parts * across + column;
    if (column >= across || j >= columns) continue;
    T value[AT_ONCE];
#pragma unroll
    for (int k = 0; k < AT_ONCE; ++k)
      if (i0 + k * per_column < rows) value[k] = a[i0 + k * per_column + j * ld_a];
#pragma unroll
    for (int k = 0; k < AT_ONCE; ++k)
      if (i0 + k * per_column < rows) b[i0 + k * per_column + j * ld_b] = SCALED(value[k]);
  }
#else
  const long down = (rows + TILE - 1) / TILE, tiles = down * ((columns + TILE - 1) / TILE);
#if ON_CPU
  FOR_MINE(tile, tiles) {
    const long i0 = tile % down * TILE, j0 = tile / down * TILE;
    const long i1 = min(rows, i0 + TILE), j1 = min(columns, j0 + TILE);
    if (i1 - i0 == TILE && j1 - j0 == TILE) {
      // A whole tile goes through registers: both sides see lines without gaps.
#if PRECISION_NUMBER == PRECISION_IS_s
      copy_tile(alpha, a + i0 + j0 * ld_a, ld_a, b + j0 + i0 * ld_b, ld_b);
#else
      T kept[TILE][TILE];
#pragma unroll
      for (int j = 0; j < TILE; ++j)
#pragma unroll
        for (int i = 0; i < TILE; ++i) kept[i][j] = a[i0 + i + (j0 + j) * ld_a];
#pragma unroll
      for (int i = 0; i < TILE; ++i)
#pragma unroll
        for (int j = 0; j < TILE; ++j) b[j0 + j + (i0 + i) * ld_b] = SCALED(kept[i][j]);
#endif
      continue;
    }
    for (long i = i0; i < i1; ++i)
      for (long j = j0; j < j1; ++j) b[j + i * ld_b] = SCALED(a[i + j * ld_a]);
  }
#else
  local T shared[TILE * (TILE + 1)];
  for (long tile = get_group_id(0); tile < tiles; tile += get_num_groups(0)) {
    const long i0 = tile % down * TILE, j0 = tile / down * TILE;
    for (int first = get_local_id(0); first < TILE * TILE; first += AT_ONCE * get_local_size(0)) {
      T value[AT_ONCE];
#pragma unroll
      for (int k = 0; k < AT_ONCE; ++k) {
        const int at = first + k * get_local_size(0), i = at % TILE, j = at / TILE;
        if (j < TILE && i0 + i < rows && j0 + j < columns)
          value[k] = a[i0 + i + (j0 + j) * ld_a];
      }
#pragma unroll
      for (int k = 0; k < AT_ONCE; ++k) {
        const int at = first + k * get_local_size(0);
        if (at < TILE * TILE) shared[at % TILE * (TILE + 1) + at / TILE] = value[k];
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int at = get_local_id(0); at < TILE * TILE; at += get_local_size(0)) {
      const int j = at % TILE, i = at / TILE;
      if (i0 + i < rows && j0 + j < columns)
        b[j0 + j + (i0 + i) * ld_b] = SCALED(shared[i * (TILE + 1) + j]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#endif
#endif
}
//===== patches =====
// im2col and col2im: an image's patches (kiln/blas/level2.hpp). FLIPPED: a patch's points of each
// channel are in reverse order. And a convolution without patches, where FEW is not 0.
#define WINDOW                                                                                  \
  long channels, long height, long width, long kernel_h, long kernel_w, long pad_h, long pad_w, \
      long stride_h, long stride_w, long dilation_h, long dilation_w, long rows, long columns
#if FLIPPED
#define POINT(h, w) (kernel_h * kernel_w - 1 - ((h)*kernel_w + (w)))
#else
#define POINT(h, w) ((h)*kernel_w + (w))
#endif
// Places that a GPU's work-item reads before it writes them.
#define AT_ONCE 4
// Of numbers from 0 on: GPUs divide short ones in a fraction of the time.
#define QUOTIENT(a, b) \
  ((((a) | (b)) >> 32) == 0 ? (long)((uint)(a) / (uint)(b)) : (a) / (b))

kernel void im2col(WINDOW, global const T* restrict image, long at_image, global T* restrict to,
                   long at_to) {
  image += at_image;
  to += at_to;
  // A line of places for each channel, point of the filter and row of places.
  const long points = kernel_h * kernel_w;
#if ON_CPU
  FOR_MINE(line, channels * points * rows) {
    const long first = 0, end = columns;
#else
  // A work-item has AT_ONCE places of a line, so that it divides once for all of them.
  const long in_line = (columns + AT_ONCE - 1) / AT_ONCE;
  FOR_MINE(item, channels * points * rows * in_line) {
    const long line = QUOTIENT(item, in_line), first = item - line * in_line;
#endif
    const long above = QUOTIENT(line, rows), row = line - above * rows;
    const long channel = QUOTIENT(above, points), point = above - channel * points;
    const long h = QUOTIENT(point, kernel_w), w = point - h * kernel_w;
    const long y = row * stride_h + h * dilation_h - pad_h;
    const bool is_inside = y >= 0 && y < height;
    global const T* from = image + (channel * height + y) * width;
    global T* line_to = to + ((channel * points + POINT(h, w)) * rows + row) * columns;
#if ON_CPU
    for (long column = first; column < end; ++column) {
      const long x = column * stride_w + w * dilation_w - pad_w;
      line_to[column] = is_inside && x >= 0 && x < width ? from[x] : zero();
    }
#else
    T value[AT_ONCE];
#pragma unroll
    for (int k = 0; k < AT_ONCE; ++k) {
      const long x = (first + k * in_line) * stride_w + w * dilation_w - pad_w;
      value[k] = is_inside && x >= 0 && x < width ? from[x] : zero();
    }
#pragma unroll
    for (int k = 0; k < AT_ONCE; ++k)
      if (first + k * in_line < columns) line_to[first + k * in_line] = value[k];
#endif
  }
}

kernel void col2im(WINDOW, global const T* restrict from, long at_from, T beta,
                   global T* restrict image, long at_image) {
  from += at_from;
  image += at_image;
  FOR_MINE(item, channels * height * width) {
    const long line = QUOTIENT(item, width), x = item - line * width;
    const long channel = QUOTIENT(line, height), y = line - channel * height;
    T sum = zero();
    for (long h = 0; h < kernel_h; ++h) {
      const long down = y + pad_h - h * dilation_h;
      if (down < 0) continue;
      const long row = stride_h == 1 ? down : QUOTIENT(down, stride_h);
      if (row * stride_h != down || row >= rows) continue;
      for (long w = 0; w < kernel_w; ++w) {
        const long across = x + pad_w - w * dilation_w;
        if (across < 0) continue;
        const long column = stride_w == 1 ? across : QUOTIENT(across, stride_w);
        if (column * stride_w != across || column >= columns) continue;
        sum += from[((channel * kernel_h * kernel_w + POINT(h, w)) * rows + row) * columns + column];
      }
    }
    image[item] = is_zero(beta) ? sum : mul_add(beta, image[item], sum);
  }
}
#if FEW
// A convolution with FEW filters, for GPUs: a work-item has a place of an image for all of them, and
// reads what lies under the filters where it is. Zeros round the image are multiplied, too, as in
// the product with patches.
kernel void conv(WINDOW, long images, global const T* restrict image, long at_image,
                 global const T* restrict filters, long at_filters, global T* restrict to,
                 long at_to) {
  image += at_image;
  filters += at_filters;
  to += at_to;
  const long points = kernel_h * kernel_w * channels, places = rows * columns;
  FOR_MINE(item, images * places) {
    const long number = QUOTIENT(item, places), place = item - number * places;
    const long row = QUOTIENT(place, columns), column = place - row * columns;
    T sum[FEW];
    for (int f = 0; f < FEW; ++f) sum[f] = zero();
    for (long channel = 0; channel < channels; ++channel)
      for (long h = 0; h < kernel_h; ++h) {
        const long y = row * stride_h + h * dilation_h - pad_h;
        const bool is_inside = y >= 0 && y < height;
        global const T* from = image + ((number * channels + channel) * height + y) * width;
        for (long w = 0; w < kernel_w; ++w) {
          const long x = column * stride_w + w * dilation_w - pad_w;
          const T value = is_inside && x >= 0 && x < width ? from[x] : zero();
          const long point = channel * kernel_h * kernel_w + POINT(h, w);
#pragma unroll
          for (int f = 0; f < FEW; ++f)
            sum[f] = mul_add(value, filters[f * points + point], sum[f]);
        }
      }
    for (int f = 0; f < FEW; ++f) to[(number * FEW + f) * places + place] = sum[f];
  }
}
#endif
