// What kernels compute: each case uses another part of the language.
#include <cmath>

#include "cases.hpp"

namespace kiln::layer_cases {
namespace {

/// Runs a kernel of the form kernel void NAME(global T* out) and prints what it wrote.
template <class T>
void run(Environment& e, const std::string& text, const char* name, std::size_t count,
         std::size_t global, std::size_t local, const char* options = nullptr) {
  const Program program = e.built(text, options);
  const Kernel kernel = e.kernel(program, name);
  if (kernel == nullptr) return;
  const std::vector<unsigned char> zeros(count * sizeof(T));
  const Memory result = e.memory(zeros.size(), zeros.data());
  e.set(kernel, 0, result);
  e.launch(kernel, {global}, {local});
  e.read<T>(name, result, count);
}

/// One work-item. Nothing is written before its end: what a kernel prints may come at any time.
void launch_and_finish(Environment& e, cl_kernel kernel) {
  const std::size_t one = 1;
  const cl_int launched =
      ::clEnqueueNDRangeKernel(e.queue, kernel, 1, nullptr, &one, &one, 0, nullptr, nullptr);
  const cl_int finished = ::clFinish(e.queue);
  e.out.status("launch", launched);
  e.out.status("finish", finished);
}

std::string with(std::string text, const std::string& mark, const std::string& value) {
  for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += value.size())
    text.replace(at, mark.size(), value);
  return text;
}

}  // namespace

LAYER_CASE(run_barriers_and_local_memory) {
  run<int>(e,
           "kernel void scan(global int* out) {\n"
           "  local int sums[64]; size_t i = get_local_id(0);\n"
           "  sums[i] = (int)i + 1;\n"
           "  for (size_t step = 1; step < 64; step *= 2) {\n"
           "    barrier(CLK_LOCAL_MEM_FENCE);\n"
           "    int other = i >= step ? sums[i - step] : 0;\n"
           "    barrier(CLK_LOCAL_MEM_FENCE);\n"
           "    sums[i] += other;\n  }\n"
           "  out[get_global_id(0)] = sums[i];\n}\n",
           "scan", 128, 128, 64);
}

LONG_LAYER_CASE(run_barrier_of_global_memory) {
  run<int>(e,
           "kernel void swap(global int* out) {\n"
           "  out[get_global_id(0)] = (int)get_local_id(0);\n"
           "  barrier(CLK_GLOBAL_MEM_FENCE);\n"
           "  int other = out[get_global_id(0) ^ 1];\n"
           "  barrier(CLK_GLOBAL_MEM_FENCE);\n"
           "  out[get_global_id(0)] = other;\n}\n",
           "swap", 16, 16, 8);
}

LONG_LAYER_CASE(run_atomics_on_global_memory) {
  run<int>(e,
           "kernel void atomics(global int* out) {\n"
           "  int i = (int)get_global_id(0);\n"
           "  atomic_add(out, i); atomic_inc(out + 1); atomic_max(out + 2, i);\n"
           "  atomic_or(out + 3, 1 << (i % 8)); atomic_xor(out + 4, i); atomic_sub(out + 5, 2);\n"
           "  atomic_min(out + 6, -i); atomic_cmpxchg(out + 7, 0, 42);\n}\n",
           "atomics", 8, 1000, 10);
}

LONG_LAYER_CASE(run_atomics_on_local_memory) {
  run<int>(e,
           "kernel void locals(global int* out) {\n"
           "  local int sum; if (get_local_id(0) == 0) sum = 0;\n"
           "  barrier(CLK_LOCAL_MEM_FENCE);\n"
           "  atomic_add(&sum, (int)get_local_id(0));\n"
           "  barrier(CLK_LOCAL_MEM_FENCE);\n"
           "  if (get_local_id(0) == 0) out[get_group_id(0)] = sum;\n}\n",
           "locals", 4, 128, 32);
}

LONG_LAYER_CASE(run_structures) {
  run<int>(e,
           "typedef struct { char a; int b; short c[3]; union { int d; float e; } f; } mixed;\n"
           "mixed make(int i) { mixed m; m.a = (char)i; m.b = 2 * i; m.c[1] = 3; m.f.d = i;\n"
           "  return m; }\n"
           "kernel void structures(global int* out) {\n"
           "  int i = (int)get_global_id(0); mixed m = make(i);\n"
           "  out[i] = m.a + m.b + m.c[1] + m.f.d + (int)sizeof(mixed);\n}\n",
           "structures", 8, 8, 4);
}

LONG_LAYER_CASE(run_structures_in_memory) {
  run<int>(e,
           "typedef struct __attribute__((packed)) { char tag; int value; } packed_pair;\n"
           "kernel void packed(global packed_pair* out) {\n"
           "  size_t i = get_global_id(0); out[i].tag = (char)i; out[i].value = 1000 + (int)i;\n"
           "}\n",
           "packed", 10, 8, 8);
}

LONG_LAYER_CASE(run_vectors_of_all_widths) {
  for (const char* width : {"2", "3", "4", "8", "16"})
    run<int>(e,
             with("kernel void vectors(global int* out) {\n"
                  "  intW a = (intW)(3), b = a * a - 2; a.s0 = 5; b.s1 = 9;\n"
                  "  intW c = select(a, b, a < b); vstoreW(c + convert_intW(convert_floatW(a)),\n"
                  "  get_global_id(0), out);\n}\n",
                  "W", width),
             "vectors", 64, 4, 4);
}

LONG_LAYER_CASE(run_vectors_of_all_types) {
  for (const char* type : {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"})
    run<std::uint8_t>(e,
                      with("kernel void types(global T* out) {\n"
                           "  T4 v = (T4)(1, 2, 3, 4); v = (v << (T4)(1)) + v.wzyx;\n"
                           "  out[get_global_id(0)] = v.x + v.y * (T)get_global_id(0);\n}\n",
                           "T", type),
                      "types", 64, 8, 8);
}

LONG_LAYER_CASE(run_swizzles) {
  run<float>(e,
             "kernel void swizzles(global float* out) {\n"
             "  float4 v = (float4)(1, 2, 3, 4); float8 w = (float8)(v.lo, v.hi, v.odd, v.even);\n"
             "  vstore8(w.s76543210, 0, out); vstore4(shuffle(v, (uint4)(3, 1, 2, 0)), 2, out);\n"
             "  out[12] = dot(v, v); out[13] = length(v.xy); out[14] = v.zyx.s0;\n"
             "  out[15] = any(v > 3.5f) + 2 * all(v > 0.5f);\n}\n",
             "swizzles", 16, 1, 1);
}

LAYER_CASE(run_program_scope_constants) {
  run<int>(e,
           "constant int squares[8] = {0, 1, 4, 9, 16, 25, 36, 49};\n"
           "constant struct { int a; float b; } both = {7, 2.5f};\n"
           "constant char* constant text = \"kiln\";\n"
           "kernel void constants(global int* out) {\n"
           "  int i = (int)get_global_id(0);\n"
           "  out[i] = squares[i] + both.a * (int)(2 * both.b) + text[i % 4];\n}\n",
           "constants", 8, 8, 8);
}

LAYER_CASE(run_kernel_that_calls_a_kernel) {
  run<int>(e,
           "kernel void inner(global int* out) { out[get_global_id(0)] += 1; }\n"
           "kernel void outer(global int* out) {\n"
           "  out[get_global_id(0)] = 10 * (int)get_global_id(0); inner(out); inner(out);\n}\n",
           "outer", 8, 8, 4);
}

LONG_LAYER_CASE(run_helpers_and_loops) {
  run<int>(e,
           "int gcd(int a, int b) { while (b != 0) { int r = a % b; a = b; b = r; } return a; }\n"
           "int digits(int x) { int n = 0; do { ++n; x /= 10; } while (x > 0); return n; }\n"
           "kernel void helpers(global int* out) {\n"
           "  int i = (int)get_global_id(0), sum = 0;\n"
           "  for (int k = 1; k <= i; ++k) { if (k % 3 == 0) continue; sum += gcd(i, k); }\n"
           "  switch (i % 4) { case 0: sum += 1000; break; case 1: sum = -sum; default: sum += "
           "digits(i); }\n  out[i] = sum;\n}\n",
           "helpers", 64, 64, 16);
}

LONG_LAYER_CASE(run_divergent_work_items) {
  run<int>(e,
           "kernel void divergent(global int* out) {\n"
           "  int i = (int)get_global_id(0), x = i, n = 0;\n"
           "  if (i == 0) { out[0] = -1; return; }\n"
           "  while (x != 1) { x = x % 2 == 0 ? x / 2 : 3 * x + 1; ++n; }\n"
           "  out[i] = n;\n}\n",
           "divergent", 64, 64, 32);
}

LONG_LAYER_CASE(run_mathematics) {
  run<float>(e,
             "kernel void functions(global float* out) {\n"
             "  float x = 0.3f + get_global_id(0);\n"
             "  global float* o = out + 16 * get_global_id(0);\n"
             "  o[0] = sin(x); o[1] = cos(x); o[2] = exp(x); o[3] = log(x); o[4] = sqrt(x);\n"
             "  o[5] = pow(x, 1.5f); o[6] = floor(x); o[7] = fma(x, x, x); o[8] = atan2(x, 2.0f);\n"
             "  o[9] = tanh(x); o[10] = rsqrt(x); o[11] = fmod(x, 0.7f); o[12] = cbrt(x);\n"
             "  o[13] = native_sin(x); o[14] = mad(x, 2.0f, 1.0f); o[15] = hypot(x, 1.0f);\n}\n",
             "functions", 64, 4, 4);
}

LONG_LAYER_CASE(run_integer_functions) {
  run<int>(e,
           "kernel void integers(global int* out) {\n"
           "  int i = (int)get_global_id(0) * 37 - 100;\n"
           "  global int* o = out + 8 * get_global_id(0);\n"
           "  o[0] = abs(i); o[1] = clz(i); o[2] = popcount(i); o[3] = rotate(i, 5);\n"
           "  o[4] = mul_hi(i, 1 << 20); o[5] = clamp(i, -50, 50); o[6] = hadd(i, 7);\n"
           "  o[7] = add_sat(i, 2147483600);\n}\n",
           "integers", 64, 8, 8);
}

LONG_LAYER_CASE(run_special_values) {
  run<float>(e,
             "kernel void specials(global float* out) {\n"
             "  float zero = (float)get_global_id(0);\n"
             "  out[0] = 1.0f / zero; out[1] = -1.0f / zero; out[2] = copysign(0.0f, -1.0f);\n"
             "  out[3] = isnan(zero / zero); out[4] = isinf(out[0]); out[5] = nextafter(1.0f, 2);\n"
             "  out[6] = FLT_MIN; out[7] = ldexp(1.0f, -10);\n}\n",
             "specials", 8, 1, 1);
}

LONG_LAYER_CASE(run_double_precision) {
  cl_device_fp_config config = 0;
  ::clGetDeviceInfo(e.device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof config, &config, nullptr);
  e.out.yes_no("double precision", config != 0);
  if (config == 0) return;
  run<double>(e,
              "kernel void doubles(global double* out) {\n"
              "  double x = 0.1 + get_global_id(0); double2 v = (double2)(x, -x);\n"
              "  out[get_global_id(0)] = sqrt(x) * 3.0 + exp(-x) + v.y / 7.0 + (float)x;\n}\n",
              "doubles", 8, 8, 8);
}

LONG_LAYER_CASE(run_conversions) {
  run<int>(e,
           "kernel void conversions(global int* out) {\n"
           "  float x = 100.5f * ((int)get_global_id(0) - 2);\n"
           "  global int* o = out + 6 * get_global_id(0);\n"
           "  o[0] = convert_int_rte(x); o[1] = convert_int_rtz(x); o[2] = convert_uchar_sat(x);\n"
           "  o[3] = convert_short_sat(1000 * x); o[4] = as_int(x); o[5] = convert_int_rtp(x);\n"
           "}\n",
           "conversions", 30, 5, 5);
}

LONG_LAYER_CASE(run_half_precision_storage) {
  run<std::uint16_t>(e,
                     "kernel void halves(global half* out) {\n"
                     "  vstore_half(1.5f * get_global_id(0), get_global_id(0), out);\n}\n",
                     "halves", 8, 8, 8);
}

LONG_LAYER_CASE(run_private_arrays) {
  run<int>(e,
           "kernel void arrays(global int* out) {\n"
           "  int i = (int)get_global_id(0), list[16];\n"
           "  for (int k = 0; k < 16; ++k) list[k] = (k * 7 + i) % 16;\n"
           "  for (int k = 1; k < 16; ++k) for (int m = k; m > 0 && list[m - 1] > list[m]; --m) {\n"
           "    int t = list[m]; list[m] = list[m - 1]; list[m - 1] = t; }\n"
           "  out[i] = list[i % 16] + 100 * list[15];\n}\n",
           "arrays", 16, 16, 4);
}

LONG_LAYER_CASE(run_asynchronous_copies) {
  run<int>(e,
           "kernel void copies(global int* out) {\n"
           "  local int part[8]; size_t i = get_local_id(0);\n"
           "  part[i] = (int)get_global_id(0) * 3; barrier(CLK_LOCAL_MEM_FENCE);\n"
           "  event_t done = async_work_group_copy(out + 8 * get_group_id(0), part, 8, 0);\n"
           "  wait_group_events(1, &done);\n}\n",
           "copies", 16, 16, 8);
}

LAYER_CASE(run_printing) {
  const Program program = e.built(
      "kernel void print(int x) {\n"
      "  printf(\"  printed %d %s %.2f %v4hld\\n\", x, \"text\", 1.5f, (int4)(1, 2, 3, 4));\n}\n");
  const Kernel kernel = e.kernel(program, "print");
  for (const int x : {41, 42}) {
    e.set(kernel, 0, x);
    launch_and_finish(e, kernel);
  }
}

LAYER_CASE(run_matrix_product) {
  const Program program = e.built(
      "kernel void product(global const float* a, global const float* b, global float* c, int n) "
      "{\n"
      "  int row = (int)get_global_id(1), column = (int)get_global_id(0); float sum = 0;\n"
      "  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];\n"
      "  c[row * n + column] = sum;\n}\n");
  const Kernel kernel = e.kernel(program, "product");
  constexpr int n = 32;
  std::vector<float> a(n * n), b(n * n);
  for (int i = 0; i < n * n; ++i) {
    a[static_cast<std::size_t>(i)] = static_cast<float>(i % 7);
    b[static_cast<std::size_t>(i)] = static_cast<float>(i % 5) / 2;
  }
  const Memory first = e.memory(n * n * 4, a.data()), second = e.memory(n * n * 4, b.data()),
               third = e.memory(n * n * 4);
  e.set(kernel, 0, first);
  e.set(kernel, 1, second);
  e.set(kernel, 2, third);
  e.set(kernel, 3, n);
  e.launch(kernel, {n, n}, {8, 4});
  e.read<float>("product", third, n * n);
}

LONG_LAYER_CASE(run_three_kernels_on_one_memory) {
  const Program program = e.built(
      "kernel void set(global int* x) { x[get_global_id(0)] = (int)get_global_id(0); }\n"
      "kernel void twice(global int* x) { x[get_global_id(0)] *= 2; }\n"
      "kernel void next(global int* x) { x[get_global_id(0)] += 1; }\n");
  const Memory result = e.memory(16 * sizeof(int));
  for (const char* name : {"set", "twice", "next", "twice"}) {
    const Kernel kernel = e.kernel(program, name);
    e.set(kernel, 0, result);
    e.launch(kernel, {16}, {4});
  }
  e.read<int>("result", result, 16);
}

LONG_LAYER_CASE(run_generic_names_and_macros) {
  run<int>(e,
           "#define CONCATENATE_(a, b) a##b\n#define CONCATENATE(a, b) CONCATENATE_(a, b)\n"
           "#define KERNEL(name, value) kernel void CONCATENATE(name, _of)(global int* out) "
           "{ out[get_global_id(0)] = value; }\n"
           "KERNEL(five, 5)\nKERNEL(six, 6)\n",
           "six_of", 4, 4, 4);
}

}  // namespace kiln::layer_cases
