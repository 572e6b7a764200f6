// Twenty kernels that are launched without a local size, as many programs do: what the driver's own
// choice costs, and what Kiln's layer chooses in its place (KILN_LAYER_TUNE). Knows OpenCL alone.
//
//   layer_local_sizes times   [gpu|cpu|all] [LAUNCHES] [SIZE]   a line for each kernel: NAME and
//                             the median of its launches' nanoseconds, by the device's clock
//   layer_local_sizes results [gpu|cpu|all] [LAUNCHES] [SIZE]   NAME and a digest of what it wrote,
//                             also of kernels that see their groups; its queue has no time stamps,
//                             and every second launch no event
//   layer_local_sizes compare [gpu|cpu|all] LAYER STORE [LAUNCHES] [SIZE] [ROUNDS]
//                             runs itself with the library LAYER and its store, without and with
//                             KILN_LAYER_TUNE by turns, after three runs in which it learns; a line
//                             for each kernel: NAME, without, with, ratio; then the ratios'
//                             geometric mean and the smallest
//
// SIZE is the side of the images, a power of two: 2048.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace {

const char* const text = R"(
#pragma OPENCL FP_CONTRACT OFF
kernel void copy(global const float* a, global float* r, int n) {
  int i = get_global_id(0); r[i] = a[i];
}
kernel void saxpy(global const float* a, global float* r, int n) {
  int i = get_global_id(0); r[i] = 2.5f * a[i] + a[n * n - 1 - i];
}
kernel void polynomial(global const float* a, global float* r, int n) {
  int i = get_global_id(0); float x = a[i], s = 0.5f;
  for (int k = 0; k < 24; ++k) s = s * x + 0.25f;
  r[i] = s;
}
kernel void gather(global const float* a, global float* r, int n) {
  uint i = get_global_id(0); r[i] = a[(i * 2654435761u >> 7) % (uint)(n * n)];
}
kernel void stencil_1d(global const float* a, global float* r, int n) {
  int i = get_global_id(0); float l = i > 0 ? a[i - 1] : 0, h = i < n * n - 1 ? a[i + 1] : 0;
  r[i] = 0.25f * l + 0.5f * a[i] + 0.25f * h;
}
kernel void row_sums(global const float* a, global float* r, int n) {
  int i = get_global_id(0); float s = 0;
  for (int k = 0; k < n; ++k) s += a[i * n + k];
  r[i] = s;
}
kernel void column_sums(global const float* a, global float* r, int n) {
  int i = get_global_id(0); float s = 0;
  for (int k = 0; k < n; ++k) s += a[k * n + i];
  r[i] = s;
}
kernel void matrix_vector(global const float* a, global float* r, int n) {
  int i = get_global_id(0); float s = 0;
  for (int k = 0; k < n; ++k) s += a[k * n + i] * a[k];
  r[i] = s;
}
kernel void transpose(global const float* a, global float* r, int n) {
  int x = get_global_id(0), y = get_global_id(1); r[x * n + y] = a[y * n + x];
}
kernel void transpose_reads(global const float* a, global float* r, int n) {
  int x = get_global_id(0), y = get_global_id(1); r[y * n + x] = a[x * n + y];
}
float at(global const float* a, int n, int x, int y) {
  return a[clamp(y, 0, n - 1) * n + clamp(x, 0, n - 1)];
}
kernel void stencil_2d(global const float* a, global float* r, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  r[y * n + x] = 0.2f * (at(a, n, x, y) + at(a, n, x - 1, y) + at(a, n, x + 1, y) +
                         at(a, n, x, y - 1) + at(a, n, x, y + 1));
}
kernel void blur_rows(global const float* a, global float* r, int n) {
  int x = get_global_id(0), y = get_global_id(1); float s = 0;
  for (int k = -7; k <= 7; ++k) s += at(a, n, x + k, y);
  r[y * n + x] = s / 15;
}
kernel void blur_columns(global const float* a, global float* r, int n) {
  int x = get_global_id(0), y = get_global_id(1); float s = 0;
  for (int k = -7; k <= 7; ++k) s += at(a, n, x, y + k);
  r[y * n + x] = s / 15;
}
kernel void median_3x3(global const float* a, global float* r, int n) {
  int x = get_global_id(0), y = get_global_id(1); float v[9];
  for (int k = 0; k < 9; ++k) v[k] = at(a, n, x + k % 3 - 1, y + k / 3 - 1);
  for (int i = 0; i < 5; ++i)
    for (int j = i + 1; j < 9; ++j) {
      float low = fmin(v[i], v[j]), high = fmax(v[i], v[j]);
      v[i] = low; v[j] = high;
    }
  r[y * n + x] = v[4];
}
kernel void grey(global const uchar4* a, global float* r, int n) {
  int x = get_global_id(0), y = get_global_id(1); uchar4 p = a[y * n + x];
  r[y * n + x] = 0.299f * p.x + 0.587f * p.y + 0.114f * p.z;
}
kernel void flip(global const float* a, global float* r, int n) {
  int x = get_global_id(0), y = get_global_id(1); r[(n - 1 - y) * n + n - 1 - x] = a[y * n + x];
}
kernel void mandelbrot(global const float* a, global float* r, int n) {
  int x = get_global_id(0), y = get_global_id(1), k = 0;
  float u = 3.0f * x / n - 2.2f, v = 2.4f * y / n - 1.2f, p = 0, q = 0;
  for (; k < 64 && p * p + q * q < 4; ++k) { float t = p * p - q * q + u; q = 2 * p * q + v; p = t; }
  r[y * n + x] = k;
}
kernel void product(global const float* a, global float* r, int n) {
  int x = get_global_id(0), y = get_global_id(1); float s = 0;
  for (int k = 0; k < 64; ++k) s += a[y * n + k] * a[k * n + x];
  r[y * n + x] = s;
}
kernel void stencil_3d(global const float* a, global float* r, int n) {
  int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  int w = get_global_size(0), h = get_global_size(1), d = get_global_size(2);
  int i = (z * h + y) * w + x;
  float s = a[i];
  if (x > 0) s += a[i - 1];
  if (x < w - 1) s += a[i + 1];
  if (y > 0) s += a[i - w];
  if (y < h - 1) s += a[i + w];
  if (z > 0) s += a[i - w * h];
  if (z < d - 1) s += a[i + w * h];
  r[i] = s;
}
kernel void permute_3d(global const float* a, global float* r, int n) {
  int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  int w = get_global_size(0), h = get_global_size(1), d = get_global_size(2);
  r[(x * h + y) * d + z] = a[(z * h + y) * w + x];
}
// Of these the local size can be seen, or could be: nothing may choose it but the driver.
kernel void shows_sizes(global const float* a, global float* r, int n) {
  int i = get_global_id(0); r[i] = get_local_size(0) * 65536 + get_num_groups(0) + get_local_id(0);
}
int group() { return get_group_id(0); }
kernel void shows_groups(global const float* a, global float* r, int n) {
  r[get_global_id(0)] = group();
}
kernel void waits(global const float* a, global float* r, int n) {
  int i = get_global_id(0); float x = a[i];
  barrier(CLK_GLOBAL_MEM_FENCE);
  r[i] = x;
}
kernel void shares(global const float* a, global float* r, int n) {
  local float first[1];
  first[0] = 1;
  r[get_global_id(0)] = first[0];
}
kernel void counts(global const float* a, global int* r, int n) { atomic_inc(r); }
)";

/// What a kernel's items are: all elements in a line, a side's number, the image, a box of it.
enum class Grid { line, side, plane, box };
struct Shape {
  const char* name;
  Grid grid;
};
constexpr Shape shapes[] = {{"copy", Grid::line},          {"saxpy", Grid::line},
                            {"polynomial", Grid::line},    {"gather", Grid::line},
                            {"stencil_1d", Grid::line},    {"row_sums", Grid::side},
                            {"column_sums", Grid::side},   {"matrix_vector", Grid::side},
                            {"transpose", Grid::plane},    {"transpose_reads", Grid::plane},
                            {"stencil_2d", Grid::plane},   {"blur_rows", Grid::plane},
                            {"blur_columns", Grid::plane}, {"median_3x3", Grid::plane},
                            {"grey", Grid::plane},         {"flip", Grid::plane},
                            {"mandelbrot", Grid::plane},   {"product", Grid::plane},
                            {"stencil_3d", Grid::box},     {"permute_3d", Grid::box}};
/// Run for their results alone.
constexpr Shape grouped_shapes[] = {{"shows_sizes", Grid::line},
                                    {"shows_groups", Grid::line},
                                    {"waits", Grid::line},
                                    {"shares", Grid::line},
                                    {"counts", Grid::line}};

void check(cl_int status, const char* what) {
  if (status == CL_SUCCESS) return;
  std::fprintf(stderr, "%s: %d\n", what, status);
  std::exit(1);
}

cl_device_id device_of(const std::string& type) {
  const cl_device_type wanted = type == "gpu"   ? CL_DEVICE_TYPE_GPU
                                : type == "cpu" ? CL_DEVICE_TYPE_CPU
                                                : CL_DEVICE_TYPE_ALL;
  cl_platform_id platforms[16];
  cl_uint count = 0;
  check(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs");
  for (cl_uint i = 0; i < std::min(count, 16u); ++i) {
    cl_device_id device = nullptr;
    if (clGetDeviceIDs(platforms[i], wanted, 1, &device, nullptr) == CL_SUCCESS) return device;
  }
  std::fprintf(stderr, "no %s\n", type.c_str());
  std::exit(77);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

/// Runs all kernels; with time stamps it prints times, else what was written.
int run(const std::string& type, int launches, cl_int side, bool is_timed) {
  cl_int status = 0;
  const cl_device_id device = device_of(type);
  const cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  check(status, "clCreateContext");
  const cl_command_queue queue =
      clCreateCommandQueue(context, device, is_timed ? CL_QUEUE_PROFILING_ENABLE : 0, &status);
  check(status, "clCreateCommandQueue");
  const char* source = text;
  const cl_program program = clCreateProgramWithSource(context, 1, &source, nullptr, &status);
  check(status, "clCreateProgramWithSource");
  check(clBuildProgram(program, 1, &device, "", nullptr, nullptr), "clBuildProgram");
  const auto n = static_cast<std::size_t>(side);
  std::vector<float> input(n * n), output(n * n);
  std::uint32_t random = 1;
  for (float& value : input) {
    random = random * 1664525u + 1013904223u;
    value = static_cast<float>(random >> 8) / 16777216.0f;
  }
  const std::size_t bytes = n * n * sizeof(float);
  const cl_mem a = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes,
                                  input.data(), &status);
  check(status, "clCreateBuffer");
  const cl_mem r = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, nullptr, &status);
  check(status, "clCreateBuffer");
  std::vector<Shape> wanted(std::begin(shapes), std::end(shapes));
  if (!is_timed) wanted.insert(wanted.end(), std::begin(grouped_shapes), std::end(grouped_shapes));
  for (const Shape& shape : wanted) {
    const cl_kernel kernel = clCreateKernel(program, shape.name, &status);
    check(status, shape.name);
    check(clSetKernelArg(kernel, 0, sizeof a, &a), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof r, &r), "clSetKernelArg");
    check(clSetKernelArg(kernel, 2, sizeof side, &side), "clSetKernelArg");
    std::size_t global[3] = {n, n, 1};
    cl_uint dimensions = 2;
    if (shape.grid == Grid::line || shape.grid == Grid::side) {
      global[0] = shape.grid == Grid::line ? n * n : n;
      dimensions = 1;
    } else if (shape.grid == Grid::box) {
      global[1] = n / 16;
      global[2] = 16;
      dimensions = 3;
    }
    std::vector<double> times;
    std::uint64_t digest = 14695981039346656037u;
    check(clEnqueueWriteBuffer(queue, r, CL_TRUE, 0, bytes, input.data(), 0, nullptr, nullptr),
          "clEnqueueWriteBuffer");
    for (int i = 0; i < launches; ++i) {
      cl_event event = nullptr;
      const bool has_event = is_timed || i % 2 != 0;
      check(clEnqueueNDRangeKernel(queue, kernel, dimensions, nullptr, global, nullptr, 0, nullptr,
                                   has_event ? &event : nullptr),
            shape.name);
      if (event != nullptr) {
        check(clWaitForEvents(1, &event), "clWaitForEvents");
        cl_ulong times_of[2] = {0, 0};
        const cl_int start = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START,
                                                     sizeof(cl_ulong), &times_of[0], nullptr);
        const cl_int end = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END,
                                                   sizeof(cl_ulong), &times_of[1], nullptr);
        if (start == CL_SUCCESS && end == CL_SUCCESS)
          times.push_back(static_cast<double>(times_of[1] - times_of[0]));
        // A part of what the program has seen.
        digest = (digest ^ static_cast<std::uint32_t>(start)) * 1099511628211u;
        clReleaseEvent(event);
      }
      if (is_timed || i % 16 != 15) continue;
      check(clEnqueueReadBuffer(queue, r, CL_TRUE, 0, bytes, output.data(), 0, nullptr, nullptr),
            "clEnqueueReadBuffer");
      const auto* words = reinterpret_cast<const unsigned char*>(output.data());
      for (std::size_t at = 0; at < bytes; ++at) digest = (digest ^ words[at]) * 1099511628211u;
    }
    check(clFinish(queue), "clFinish");
    if (is_timed)
      std::printf("%s %.0f\n", shape.name, median(times));
    else
      std::printf("%s %016llx\n", shape.name, static_cast<unsigned long long>(digest));
    clReleaseKernel(kernel);
  }
  clReleaseMemObject(a);
  clReleaseMemObject(r);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return 0;
}

using Times = std::map<std::string, double>;

/// This program's times in a process of its own; none where it fails.
Times times_of_process(const std::string& variables, const std::string& words) {
  char path[4096] = "";
  if (readlink("/proc/self/exe", path, sizeof path - 1) < 0) return {};
  const std::string command = "env " + variables + " '" + path + "' times " + words;
  Times times;
  FILE* output = popen(command.c_str(), "r");
  if (output == nullptr) return {};
  char name[64];
  double ns = 0;
  while (std::fscanf(output, "%63s %lf", name, &ns) == 2) times[name] = ns;
  return pclose(output) == 0 ? times : Times{};
}

int compare(const std::string& type, const std::string& layer, const std::string& store,
            const std::string& launches, const std::string& side, int rounds) {
  const std::string words = type + " " + launches + " " + side;
  const std::string off =
      "-u KILN_LAYER_TUNE OPENCL_LAYERS='" + layer + "' KILN_STORE='" + store + "'";
  const std::string on = off + " KILN_LAYER_TUNE=1";
  for (int run = 0; run < 3; ++run)
    if (times_of_process(on, words).size() != std::size(shapes)) return 1;
  std::map<std::string, std::vector<double>> without, with;
  for (int round = 0; round < rounds; ++round)
    for (int side_of_round = 0; side_of_round < 2; ++side_of_round) {
      const bool is_on = (round + side_of_round) % 2 != 0;
      for (const auto& [name, ns] : times_of_process(is_on ? on : off, words))
        (is_on ? with : without)[name].push_back(ns);
    }
  double logarithms = 0, smallest = 1e9;
  const char* worst = "";
  for (const Shape& shape : shapes) {
    const double before = median(without[shape.name]), after = median(with[shape.name]);
    const double ratio = after > 0 ? before / after : 0;
    std::printf("%-16s %12.0f %12.0f %6.3f\n", shape.name, before, after, ratio);
    logarithms += std::log(ratio) / std::size(shapes);
    if (ratio < smallest) worst = shape.name;
    smallest = std::min(smallest, ratio);
  }
  std::printf("geometric-mean %.4f\nsmallest %.4f %s\n", std::exp(logarithms), smallest, worst);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const auto word = [&](int i, const char* otherwise) {
    return std::string(count > i ? words[i] : otherwise);
  };
  const std::string what = word(1, "times"), type = word(2, "all");
  if (what == "compare")
    return compare(type, word(3, ""), word(4, ""), word(5, "100"), word(6, "2048"),
                   std::atoi(word(7, "5").c_str()));
  return run(type, std::atoi(word(3, "100").c_str()), std::atoi(word(4, "2048").c_str()),
             what == "times");
}
