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

// The power of two that a line is multiplied with, so that its largest number is below 2^bits. A work-group of 32 x 8
// has 32 lines; neighbours read neighbours, whichever way the matrix lies.
kernel __attribute__((reqd_work_group_size(32, 8, 1))) void exponents(
    global const T* restrict x, long offset, long step_line, long step_k, long lines, long depth,
    int bits, REAL limit, global int* restrict scales, volatile global int* gate) {
  local int smallest[32][33];
  local REAL largest[32][33], sums[32][33];
  const int across = get_local_id(0), down = get_local_id(1);
  const long line0 = get_group_id(0) * 32;
  const bool lie_side_by_side = step_line == 1;
  bool is_bad = false;
  for (int part = down; part < 32; part += 8) {
    // Lines side by side: an item has a line and an eighth of the depth, four times; else a line and a 32nd of it.
    const int line = lie_side_by_side ? across : part, from = lie_side_by_side ? part : across;
    int least = INT_MAX;
    REAL most = 0, sum = 0;
    if (line0 + line < lines)
      for (long k = from; k < depth; k += 32)
        for (int half_of_it = 0; half_of_it < HALVES; ++half_of_it) {
          const REAL value =
              part_of(x, offset + (line0 + line) * step_line + k * step_k, half_of_it, 0);
          is_bad = is_bad || !isfinite(value);
          if (value == 0 || !isfinite(value)) continue;
          least = min(least, ilogb(value));
          most = fmax(most, fabs(value));
          sum += fabs(value);
        }
    largest[line][from] = most;
    smallest[line][from] = least;
    sums[line][from] = sum;
  }
  if (is_bad) *gate = 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (down != 0 || line0 + across >= lines) return;
  int least = INT_MAX;
  REAL most = 0, sum = 0;
  for (int i = 0; i < 32; ++i) {
    most = fmax(most, largest[across][i]);
    least = min(least, smallest[across][i]);
    sum += sums[across][i];
  }
  // The sum may be infinite, which is no better.
  const bool is_even = most == 0 || (most * (depth * HALVES) <= limit * sum && isfinite(sum));
  if (!is_even || (most != 0 && ilogb(most) - least > SPREAD)) *gate = 1;
  scales[line0 + across] = most == 0 ? 0 : bits - 1 - ilogb(most);
}

// The bytes of an integer by all moduli: in [-p / 2, p / 2].
inline char remainder_by(REAL whole, int t) {
  const REAL p = moduli[t], inverse = (REAL)1 / p;
  // The first quotient may be off by one: 2^55 times the inverse has an error.
  REAL rest = fma(-p, rint(whole * inverse), whole);
  rest = fma(-p, rint(rest * inverse), rest);
  return (char)(rest > 127 ? rest - 256 : rest);
}

// Planes of the lines, of squares of 32 x 32 by way of local memory: an item writes four bytes next to one another of
// each plane. `first`, `second`: which part the halves of a line have, and whether it is negated: 0 Re, 1 Im, 3 -Im.
kernel __attribute__((reqd_work_group_size(32, 8, 1))) void remainders(
    global const T* restrict x, long offset, long step_line, long step_k, int conjugated, long lines,
    long depth, long padded, int first, int second, global const int* restrict scales,
    global char* restrict planes, volatile global const int* gate) {
  if (*gate != 0) return;
  local REAL square[32][33];
  const int across = get_local_id(0), down = get_local_id(1);
  const long line0 = get_group_id(0) * 32;
  const long length = padded * HALVES, in_half = (long)get_group_id(1) * 32 % padded;
  const int which = (long)get_group_id(1) * 32 < padded ? first : second;
  for (int step = down; step < 32; step += 8) {
    const int line = step_line == 1 ? across : step, k = step_line == 1 ? step : across;
    REAL value = 0;
    if (line0 + line < lines && in_half + k < depth)
      value = part_of(x, offset + (line0 + line) * step_line + (in_half + k) * step_k, which & 1,
                      conjugated);
    square[line][k] = which == 3 ? -value : value;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const int item = down * 32 + across, line = item / 8, k = item % 8 * 4;
  if (line0 + line >= lines) return;
  REAL whole[4];
  for (int e = 0; e < 4; ++e) whole[e] = rint(ldexp(square[line][k + e], scales[line0 + line]));
  global char* to = planes + (line0 + line) * length + get_group_id(1) * 32 + k;
#pragma unroll
  for (int t = 0; t < MODULI; ++t) {
    char4 bytes;
    bytes.x = remainder_by(whole[0], t);
    bytes.y = remainder_by(whole[1], t);
    bytes.z = remainder_by(whole[2], t);
    bytes.w = remainder_by(whole[3], t);
    *(global char4*)(to + t * lines * length) = bytes;
  }
}

constant uchar inverses[MODULI * MODULI] = {INVERSES};

// The integer, of a sign, that has these sums' remainders: its digits in the mixed radix of the moduli (Garner
// 1959), then those put together in 128 bits.
inline REAL whole_of(global const int* restrict sums, long plane) {
  uint digits[MODULI];
#pragma unroll
  for (int t = 0; t < MODULI; ++t) {
    const int p = moduli[t];
    int rest = sums[t * plane] % p;
    rest += rest < 0 ? p : 0;
#pragma unroll
    for (int s = 0; s < t; ++s)
      rest = (int)((uint)(rest + 2 * p - (int)digits[s]) * inverses[s * MODULI + t] % (uint)p);
    digits[t] = (uint)rest;
  }
  ulong high = 0, low = digits[MODULI - 1];
#pragma unroll
  for (int t = MODULI - 2; t >= 0; --t) {
    const ulong p = (ulong)moduli[t], next = low * p + digits[t];
    high = high * p + mul_hi(low, p) + (next < digits[t] ? 1 : 0);
    low = next;
  }
  // The upper half of the numbers below the product stands for the negative ones.
  const bool is_negative = high > HALF_HIGH || (high == HALF_HIGH && low > HALF_LOW);
  if (is_negative) {
    const ulong difference = ALL_LOW - low;
    high = ALL_HIGH - high - (ALL_LOW < low ? 1 : 0);
    low = difference;
  }
  const REAL value = fma((REAL)high, 18446744073709551616.0, (REAL)low);
  return is_negative ? -value : value;
}

// C = alpha A B + beta C for some columns, from the planes of sums: for each modulus rows x columns, column by column,
// of complex numbers those of the imaginary parts behind them.
kernel void reconstruct(global const int* restrict sums, long rows, long columns,
                        global const int* restrict row_scales,
                        global const int* restrict column_scales, long first_column,
                        global T* restrict c, long offset, long ld, T alpha, T beta, volatile global const int* gate) {
  if (*gate != 0) return;
  const long plane = rows * columns;
  FOR_MINE(at, plane) {
    const long i = at % rows, j = at / rows;
    const int scale = -(row_scales[i] + column_scales[first_column + j]);
    T value;
#if COMPLEX
    value.x = ldexp(whole_of(sums + at, plane), scale);
    value.y = ldexp(whole_of(sums + MODULI * plane + at, plane), scale);
#else
    value = ldexp(whole_of(sums + at, plane), scale);
#endif
    global T* to = c + offset + j * ld + i;
    value = mul(alpha, value);
    *to = is_zero(beta) ? value : mul_add(beta, *to, value);
  }
}

// The gate, closed again.
kernel void begin(global int* gate) { *gate = 0; }
