// Products of doubles from products of bytes, by the Chinese remainder theorem (Ozaki, Uchino and Imamura 2025, Ozaki
// Scheme II): each line of a factor is scaled by a power of two to integers, whose remainders by MODULI coprime
// numbers up to 256 are bytes. A product of those is exact in int32; from the remainders of an element by all moduli
// the element itself follows, exactly, as long as it is less than half of the moduli's product.
//
// A line is a row of op(A) or a column of op(B). Planes hold the remainders by one modulus, line after line, `padded`
// bytes each. Of complex numbers a line is twice as long: real parts, then imaginary parts; A has planes for the real
// parts of the result (with -Im in the second half) and others for the imaginary ones (Im, Re).
//
// `gate` becomes 1 where exponents do not allow it: what is no finite number, a line of numbers more than SPREAD powers
// of two apart, or one whose largest number is more than `limit` times the mean of all: what is cut off of the others
// would then tell. A product of doubles is computed instead.
#define REALS_OF(x) ((global const REAL*)(x))
#if COMPLEX
#define HALVES 2
#else
#define HALVES 1
#endif

constant int moduli[MODULI] = {MODULI_LIST};

// Part 0 or 1 (real, imaginary) of element (line, k).
inline REAL part_of(global const T* x, long at, int part, int conjugated) {
#if COMPLEX
  const REAL value = REALS_OF(x)[2 * at + part];
  return part == 1 && conjugated ? -value : value;
#else
  return x[at];
#endif
}

// What is known of numbers of a line: the largest and the smallest size of those that are not 0, and the sum of all.
// What is no number makes the sum no number.
typedef struct {
  REAL most, least, sum;
} Sizes;
inline void note(Sizes* sizes, REAL value) {
  const REAL size = fabs(value);
  sizes->most = fmax(sizes->most, size);
  sizes->least = size == 0 ? sizes->least : fmin(sizes->least, size);
  sizes->sum += size;
}
inline void note_element(Sizes* sizes, T value) {
#if COMPLEX
  note(sizes, value.x);
  note(sizes, value.y);
#else
  note(sizes, value);
#endif
}

// The Sizes of 32 lines in `chunk` elements of the depth: work-groups along the second dimension have further ones.
// `sizes`: for each of them the lines' largest numbers, the smallest ones, and the sums. Neighbours read neighbours,
// whichever way the matrix lies.
kernel __attribute__((reqd_work_group_size(32, 8, 1))) void exponents(
    global const T* restrict x, long offset, long step_line, long step_k, long lines, long depth,
    long chunk, global REAL* restrict sizes) {
  local REAL most[32][33], least[32][33], sums[32][33];
  const int across = get_local_id(0), down = get_local_id(1);
  const long line0 = get_group_id(0) * 32, begin = get_group_id(1) * chunk;
  const long end = min(depth, begin + chunk);
  const bool lie_side_by_side = step_line == 1;
  for (int part = down; part < 32; part += 8) {
    // Lines side by side: an item has a line and an eighth of the chunk, four times; else a line and a 32nd of it.
    const int line = lie_side_by_side ? across : part, from = lie_side_by_side ? part : across;
    Sizes own = {0, INFINITY, 0};
    if (line0 + line < lines) {
      global const T* at = x + offset + (line0 + line) * step_line;
      long k = begin + from;
      for (; k + 7 * 32 < end; k += 8 * 32) {
        T value[8];
#pragma unroll
        for (int e = 0; e < 8; ++e) value[e] = at[(k + e * 32) * step_k];
#pragma unroll
        for (int e = 0; e < 8; ++e) note_element(&own, value[e]);
      }
      for (; k < end; k += 32) note_element(&own, at[k * step_k]);
    }
    most[line][from] = own.most;
    least[line][from] = own.least;
    sums[line][from] = own.sum;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (down != 0 || line0 + across >= lines) return;
  Sizes all = {0, INFINITY, 0};
  for (int i = 0; i < 32; ++i) {
    all.most = fmax(all.most, most[across][i]);
    all.least = fmin(all.least, least[across][i]);
    all.sum += sums[across][i];
  }
  global REAL* to = sizes + get_group_id(1) * 3 * lines + line0 + across;
  to[0] = all.most;
  to[lines] = all.least;
  to[2 * lines] = all.sum;
}

// The power of two that a line is multiplied with, so that its largest number is below 2^bits, from the Sizes of
// `chunks` parts of it.
kernel void scales_of(global const REAL* restrict sizes, long chunks, long lines, long depth,
                      int bits, REAL limit, global int* restrict scales,
                      volatile global int* gate) {
  FOR_MINE(line, lines) {
    Sizes all = {0, INFINITY, 0};
    for (long chunk = 0; chunk < chunks; ++chunk) {
      global const REAL* from = sizes + chunk * 3 * lines + line;
      all.most = fmax(all.most, from[0]);
      all.least = fmin(all.least, from[lines]);
      all.sum += from[2 * lines];
    }
    const bool is_zero = all.most == 0 && all.sum == 0;
    // The sum of finite numbers may be infinite, which is no better.
    const bool is_even = isfinite(all.sum) && all.most * (depth * HALVES) <= limit * all.sum;
    if (!is_zero && (!is_even || ilogb(all.most) - ilogb(all.least) > SPREAD)) *gate = 1;
    scales[line] = is_zero || !is_even ? 0 : bits - 1 - ilogb(all.most);
  }
}

// 2^exponent as two factors, each of which is a double.
inline REAL2 power_of_two(int exponent) {
  const int first = exponent / 2;
  return (REAL2)(as_double((ulong)(first + 1023) << 52),
                 as_double((ulong)(exponent - first + 1023) << 52));
}

// Remainders of 4 integers w, in [-p / 2, p / 2], as bytes. An integer comes as four digits to the base 2^15, the lower
// three of which have 2^14 added to them. Their sum, weighted by what the powers of 2^15 leave, is made positive by a
// bias (a multiple of p, less what the digits have too much, and half of p more), and below 2^24: so its quotient by p
// is exactly the upper word of a product.
constant int digit_weights[3 * MODULI] = {DIGIT_WEIGHTS};
constant int digit_biases[MODULI] = {DIGIT_BIASES};
constant uint reciprocals[MODULI] = {RECIPROCALS};  // 2^32 / p, rounded up
inline uint remainders_by(const int4 digits[4], int t) {
  const uint p = moduli[t];
  uint bytes = 0;
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    const uint sum = digits[e].x + digit_biases[t] + digits[e].y * digit_weights[3 * t] +
                     digits[e].z * digit_weights[3 * t + 1] + digits[e].w * digit_weights[3 * t + 2];
    bytes |= (sum - mul_hi(sum, reciprocals[t]) * p) << 8 * e;
  }
  // Half of p less, byte by byte.
  const uint less = p / 2 * 0x01010101u, top = 0x80808080u;
  return ((bytes | top) - (less & ~top)) ^ ((bytes ^ ~less) & top);
}
inline int4 digits_of(REAL whole) {
  const long value = convert_long_rte(whole) + (0x4000L + (0x4000L << 15) + (0x4000L << 30));
  return (int4)((int)(value & 0x7fff), (int)(value >> 15 & 0x7fff), (int)(value >> 30 & 0x7fff),
                (int)(value >> 45));
}

// Planes of the lines, of 32 lines x 64 elements by way of local memory: an item writes eight bytes next to one another
// of each plane. `first`, `second`: which part the halves of a line have, and whether it is negated: 0 Re, 1 Im, 3 -Im.
kernel __attribute__((reqd_work_group_size(32, 8, 1))) void remainders(
    global const T* restrict x, long offset, long step_line, long step_k, int conjugated, long lines,
    long depth, long padded, int first, int second, global const int* restrict scales,
    global char* restrict planes, volatile global const int* gate) {
  if (*gate != 0) return;
  local REAL square[32][66];
  const int across = get_local_id(0), down = get_local_id(1);
  const long line0 = get_group_id(0) * 32;
  const long length = padded * HALVES, in_half = (long)get_group_id(1) * 64 % padded;
  const int which = (long)get_group_id(1) * 64 < padded ? first : second;
#pragma unroll
  for (int e = 0; e < 8; ++e) {
    const int line = step_line == 1 ? across : down + e / 2 * 8;
    const int k = step_line == 1 ? down + e * 8 : across + e % 2 * 32;
    REAL value = 0;
    if (line0 + line < lines && in_half + k < depth)
      value = part_of(x, offset + (line0 + line) * step_line + (in_half + k) * step_k, which & 1,
                      conjugated);
    square[line][k] = which == 3 ? -value : value;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const int item = down * 32 + across, line = item / 8, k = item % 8 * 8;
  if (line0 + line >= lines) return;
  const REAL2 power = power_of_two(scales[line0 + line]);
  int4 digits[8];
#pragma unroll
  for (int e = 0; e < 8; ++e) digits[e] = digits_of(square[line][k + e] * power.x * power.y);
  global char* to = planes + (line0 + line) * length + get_group_id(1) * 64 + k;
#pragma unroll
  for (int t = 0; t < MODULI; ++t)
    *(global uint2*)(to + t * lines * length) =
        (uint2)(remainders_by(digits, t), remainders_by(digits + 4, t));
}

// Two neighbours of a plane of sums, as remainders by its modulus plus half of it: either so, as bytes, or sums.
#if SUM_BYTES == 1
typedef uchar SUM;
inline uint2 remainders_at(global const SUM* at, int t) {
  const ushort both = *(global const ushort*)at;
  return (uint2)(both & 255, both >> 8);
}
#else
typedef int SUM;
inline uint2 remainders_at(global const SUM* at, int t) {
  const int p = moduli[t], half_of_it = p / 2;
  const int2 sums = *(global const int2*)at % p + half_of_it;
  return convert_uint2(sums + (sums < 0 ? (int2)(p) : (int2)(0)) - (sums >= p ? (int2)(p) : (int2)(0)));
}
#endif

// What a + b is rounded to, and what that leaves out.
inline REAL2 exact_sum(REAL a, REAL b) {
  const REAL sum = a + b, of_b = sum - a;
  return (REAL2)(sum, (a - (sum - of_b)) + (b - of_b));
}

// The integers, of a sign, that have these remainders: their sum, weighted by the numbers that leave 1 by one modulus
// and 0 by the others, less a multiple of the moduli's product. Weights and product come in three pieces of 42 bits, of
// a sign, so that all sums of the pieces are exact; the quotient may be found from the highest one, since an integer is
// less than half of the product by far.
constant REAL weights[3 * MODULI] = {WEIGHTS};
constant REAL whole_product[3] = {WHOLE_PRODUCT};
inline REAL whole_of(REAL low, REAL middle, REAL high) {
  const REAL times = rint(high * PIECES_OF_PRODUCT);
  low = fma(-times, whole_product[0], low);
  middle = fma(-times, whole_product[1], middle) * 0x1p42;
  high = fma(-times, whole_product[2], high) * 0x1p84;
  const REAL2 lower = exact_sum(middle, low), all = exact_sum(high, lower.x);
  return all.x + (all.y + lower.y);
}
inline REAL2 wholes_of(global const SUM* sums, long plane) {
  uint2 rests[MODULI];
#pragma unroll
  for (int t = 0; t < MODULI; ++t) rests[t] = remainders_at(sums + t * plane, t);
  REAL2 low = 0, middle = 0, high = 0;
#pragma unroll
  for (int t = 0; t < MODULI; ++t) {
    // Below 2^52, an integer is the lower half of a double.
    const REAL from = 0x1p52 + moduli[t] / 2;
    const REAL2 rest = (REAL2)(as_double(0x4330000000000000UL | rests[t].x),
                               as_double(0x4330000000000000UL | rests[t].y)) - from;
    low = fma(rest, (REAL2)(weights[3 * t]), low);
    middle = fma(rest, (REAL2)(weights[3 * t + 1]), middle);
    high = fma(rest, (REAL2)(weights[3 * t + 2]), high);
  }
  return (REAL2)(whole_of(low.x, middle.x, high.x), whole_of(low.y, middle.y, high.y));
}

inline void put_result(global T* to, T value, T alpha, T beta) {
  value = mul(alpha, value);
  *to = is_zero(beta) ? value : mul_add(beta, *to, value);
}

// C = alpha A B + beta C for some columns, from the planes of sums: for each modulus rows x columns, column by column,
// which begin `leading` sums apart; of complex numbers those of the imaginary parts behind them. An item has two rows.
kernel void reconstruct(global const SUM* restrict sums, long rows, long columns, long leading,
                        global const int* restrict row_scales,
                        global const int* restrict column_scales, long first_column,
                        global T* restrict c, long offset, long ld, T alpha, T beta, volatile global const int* gate) {
  if (*gate != 0) return;
  const long plane = leading * columns, i = get_global_id(0) * 2;
  if (i >= rows) return;
  const bool both = i + 1 < rows;
  const int scale0 = row_scales[i], scale1 = both ? row_scales[i + 1] : 0;
  for (long j = get_global_id(1); j < columns; j += get_global_size(1)) {
    const int scale = column_scales[first_column + j];
    global const SUM* at = sums + j * leading + i;
    global T* to = c + offset + j * ld + i;
    const REAL2 real = wholes_of(at, plane);
#if COMPLEX
    const REAL2 imaginary = wholes_of(at + MODULI * plane, plane);
    const T value0 = (T)(ldexp(real.x, -scale - scale0), ldexp(imaginary.x, -scale - scale0));
    const T value1 = (T)(ldexp(real.y, -scale - scale1), ldexp(imaginary.y, -scale - scale1));
#else
    const T value0 = ldexp(real.x, -scale - scale0), value1 = ldexp(real.y, -scale - scale1);
#endif
#if !COMPLEX
    // Both at once where they lie well.
    if (both && is_zero(beta) && ((ulong)to & 15) == 0) {
      *(global REAL2*)to = (REAL2)(alpha * value0, alpha * value1);
      continue;
    }
#endif
    put_result(to, value0, alpha, beta);
    if (both) put_result(to + 1, value1, alpha, beta);
  }
}

// The gate, closed again.
kernel void begin(global int* gate) { *gate = 0; }
