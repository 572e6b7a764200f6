// Our kernels for the published specs, launched by plain OpenCL and held against the references.
// Nothing of Kiln runs here: when this fails, a kernel or a reference is wrong. The same program
// runs under oclgrind, which watches every memory access.
#define CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#include <gtest/gtest.h>

#include <CL/opencl.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "published/cases.hpp"

namespace kiln::published {
namespace {

std::string source_text(std::string_view file) {
  const auto path =
      std::filesystem::path(KILN_SOURCE_DIR) / "tests" / "published" / "kernel_src" / file;
  std::ifstream stream(path);
  EXPECT_TRUE(stream) << "cannot read " << path;
  return {std::istreambuf_iterator<char>(stream), {}};
}

struct Geometry {
  cl::NDRange local;
  /// Dimension 0 is launched in so many pieces, with true offsets, on the same buffers.
  std::size_t pieces = 1;
};

/// The first device of the first platform. The wrapper's default devices are not used: they live
/// until static objects end, and oclgrind must not be called after its thread-local state has
/// ended.
cl::Device first_device() {
  std::vector<cl::Platform> platforms;
  cl::Platform::get(&platforms);
  std::vector<cl::Device> devices;
  platforms.at(0).getDevices(CL_DEVICE_TYPE_ALL, &devices);
  return devices.at(0);
}

/// The first device, one program, one queue.
class Machine {
 public:
  explicit Machine(const Case& published)
      : case_(published),
        device_(first_device()),
        context_(device_),
        queue_(context_, device_),
        program_(context_, source_text(published.source)) {
    program_.build(device_, "-Werror");
    kernel_ = cl::Kernel(program_, std::string(published.kernel).c_str());
  }

  std::size_t argument_count() const { return kernel_.getInfo<CL_KERNEL_NUM_ARGS>(); }

  /// The output buffer after one launch from zero-filled outputs. T is float or cl_int.
  template <class T>
  std::vector<T> run(const Shape& shape, Inputs inputs, const Geometry& geometry) {
    std::vector<cl::Buffer> buffers(case_.arguments.size());
    for (std::size_t i = 0; i < buffers.size(); ++i) set_argument(i, shape, inputs[i], buffers[i]);
    launch(shape.dataset, geometry);
    std::vector<T> result(case_.elements(case_.output(), shape));
    queue_.enqueueReadBuffer(buffers[case_.output()], CL_TRUE, 0, result.size() * sizeof(T),
                             result.data());
    return result;
  }

 private:
  void set_argument(std::size_t i, const Shape& shape, const std::vector<float>& input,
                    cl::Buffer& buffer) {
    const auto index = static_cast<cl_uint>(i);
    const std::size_t bytes = case_.elements(i, shape) * sizeof(float);
    switch (case_.arguments[i].kind) {
      case ArgumentKind::Input:
        buffer = cl::Buffer(context_, CL_MEM_READ_ONLY, bytes);
        queue_.enqueueWriteBuffer(buffer, CL_TRUE, 0, bytes, input.data());
        kernel_.setArg(index, buffer);
        break;
      case ArgumentKind::Output:
        buffer = cl::Buffer(context_, CL_MEM_READ_WRITE, bytes);
        queue_.enqueueFillBuffer(buffer, cl_int{0}, 0, bytes);
        kernel_.setArg(index, buffer);
        break;
      case ArgumentKind::Local:
        kernel_.setArg(index, cl::Local(bytes));
        break;
      case ArgumentKind::Int:
        kernel_.setArg(index, static_cast<cl_int>(case_.scalar(i, shape)));
        break;
      case ArgumentKind::Uint:
        kernel_.setArg(index, static_cast<cl_uint>(case_.scalar(i, shape)));
        break;
      case ArgumentKind::Float:
        kernel_.setArg(index, static_cast<cl_float>(case_.scalar(i, shape)));
        break;
    }
  }

  void launch(std::size_t n, const Geometry& geometry) {
    const std::size_t groups = n / geometry.local.get()[0];
    for (std::size_t piece = 0; piece < geometry.pieces; ++piece) {
      const std::size_t begin = groups * piece / geometry.pieces * geometry.local.get()[0];
      const std::size_t end = groups * (piece + 1) / geometry.pieces * geometry.local.get()[0];
      if (begin == end) continue;
      const bool flat = case_.dimensions == 1;
      queue_.enqueueNDRangeKernel(kernel_, flat ? cl::NDRange(begin) : cl::NDRange(begin, 0),
                                  flat ? cl::NDRange(end - begin) : cl::NDRange(end - begin, n),
                                  geometry.local);
    }
    queue_.finish();
  }

  const Case& case_;
  cl::Device device_;
  cl::Context context_;
  cl::CommandQueue queue_;
  cl::Program program_;
  cl::Kernel kernel_;
};

/// Ascending divisors of n that are at most `most`: the work-group sizes of a grid of n.
std::vector<std::size_t> divisors(std::size_t n, std::size_t most) {
  std::vector<std::size_t> result;
  for (std::size_t d = 1; d <= std::min(n, most); ++d)
    if (n % d == 0) result.push_back(d);
  return result;
}

/// Reductions are tried with every usual work-group size, and with one group for all: what they
/// compute depends on it. The others with the smallest, the largest, a square one, and in pieces.
std::vector<Geometry> geometries(const Case& published, std::size_t n) {
  std::vector<Geometry> result;
  if (published.split == Split::WorkGroup) {
    for (const std::size_t d : divisors(n, 64)) result.push_back({cl::NDRange(d)});
    result.push_back({cl::NDRange(n)});
    return result;
  }
  const std::size_t most = divisors(n, 64).back();
  const std::size_t side = divisors(n, 8).back();
  if (published.dimensions == 1)
    return {{cl::NDRange(1)}, {cl::NDRange(most)}, {cl::NDRange(side), 3}};
  return {{cl::NDRange(most, 1)}, {cl::NDRange(side, side)}, {cl::NDRange(side, 1), 3}};
}

using Parameter = std::tuple<std::size_t, std::size_t>;  // index into cases(), dataset

class PublishedKernels : public testing::TestWithParam<Parameter> {};

template <class T>
void expect_reference(const Case& published, std::size_t n) {
  Machine machine(published);
  ASSERT_EQ(machine.argument_count(), published.arguments.size());
  Shape shape{n, n};
  const auto inputs = random_inputs(published, shape, 1);
  for (const Geometry& geometry : geometries(published, n)) {
    shape.local_size = geometry.local.get()[0];
    SCOPED_TRACE(testing::Message()
                 << "local size " << shape.local_size << ", pieces " << geometry.pieces);
    const auto expected = published.reference(shape, inputs);
    const std::vector<T> result = machine.run<T>(shape, inputs, geometry);
    const auto wrong = difference(expected, std::span<const T>(result), published.tolerance);
    EXPECT_FALSE(wrong) << *wrong;
  }
}

TEST_P(PublishedKernels, equal_their_reference) {
  const auto [index, n] = GetParam();
  const Case& published = cases()[index];
  // The only integer result among the 27.
  if (published.spec == "kmeans") return expect_reference<cl_int>(published, n);
  expect_reference<float>(published, n);
}

std::string name_of(const testing::TestParamInfo<Parameter>& info) {
  const auto& [index, n] = info.param;
  return std::string(cases()[index].spec) + "_" + std::to_string(n);
}

const auto all = testing::Range<std::size_t>(0, 27);
INSTANTIATE_TEST_SUITE_P(Usual, PublishedKernels,
                         testing::Combine(all, testing::Values<std::size_t>(64, 200, 257)),
                         name_of);
// Small enough for an interpreter, and neither a power of two nor even.
INSTANTIATE_TEST_SUITE_P(Small, PublishedKernels,
                         testing::Combine(all, testing::Values<std::size_t>(20, 33)), name_of);

}  // namespace
}  // namespace kiln::published
