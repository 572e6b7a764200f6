// Types and arithmetic of the four precisions. PRECISION is s, d, c or z.
//   REAL   float or double
//   T      an element: REAL, or REAL2 (real part first)
//   COMPLEX, DOUBLE   1 or 0
// Arithmetic on T: zero(), one(), mul, mul_add(a, b, c) = a * b + c, conjugate,
// real_part, is_zero.
// Kernels that are bound by bandwidth split their work by FOR_MINE: each work-item of a CPU takes a
// stretch of its own, those of a GPU take elements side by side.
#define PRECISION_IS_s 1
#define PRECISION_IS_d 2
#define PRECISION_IS_c 3
#define PRECISION_IS_z 4
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define PRECISION_NUMBER JOIN(PRECISION_IS_, PRECISION)
#define DOUBLE (PRECISION_NUMBER == 2 || PRECISION_NUMBER == 4)
#define COMPLEX (PRECISION_NUMBER >= 3)

#if DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double REAL;
typedef double2 REAL2;
#define REAL_NAME double
#define INTEGER_NAME long  // of the same width
#else
typedef float REAL;
typedef float2 REAL2;
#define REAL_NAME float
#define INTEGER_NAME int
#endif

#if COMPLEX
typedef REAL2 T;
inline T zero(void) { return (T)(0, 0); }
inline T mul(T a, T b) {
  return (T)(fma(a.x, b.x, -(a.y * b.y)), fma(a.x, b.y, a.y * b.x));
}
inline T mul_add(T a, T b, T c) {
  return (T)(fma(a.x, b.x, fma(-a.y, b.y, c.x)), fma(a.x, b.y, fma(a.y, b.x, c.y)));
}
inline T conjugate(T a) { return (T)(a.x, -a.y); }
inline T real_part(T a) { return (T)(a.x, 0); }
inline T one(void) { return (T)(1, 0); }
inline bool is_zero(T a) { return a.x == 0 && a.y == 0; }
#else
typedef REAL T;
inline T zero(void) { return 0; }
inline T mul(T a, T b) { return a * b; }
inline T conjugate(T a) { return a; }
inline T real_part(T a) { return a; }
inline T one(void) { return 1; }
inline bool is_zero(T a) { return a == 0; }
#define mul_add(a, b, c) fma(a, b, c)
#endif

// Where element i of a vector of n elements lies: BLAS counts from the far end where inc < 0.
inline long place(long i, long n, long inc) { return inc < 0 ? (i - n + 1) * inc : i * inc; }

#if ON_CPU
#define FOR_MINE(i, n)                                                                \
  for (long i = (n) / get_global_size(0) * get_global_id(0) +                         \
                min((long)get_global_id(0), (long)((n) % get_global_size(0))),        \
            i##_end = i + (n) / get_global_size(0) +                                  \
                      (get_global_id(0) < (n) % get_global_size(0) ? 1 : 0);          \
       i < i##_end; ++i)
#else
#define FOR_MINE(i, n) for (long i = get_global_id(0); i < (n); i += get_global_size(0))
#endif
