#pragma once

#include <fmt/format.h>

#include "kernel/support.hpp"

namespace kiln::testing {

/// A family of kernels for tests of the spine: y = factor * x, `unroll` elements a work-item.
///
/// Facts: "factor". Parameters: "unroll" (1, 2 or 4; at most the Request's "most unroll" where it
/// has that fact) and "local", the work-group's size, which the text names so that the compiler
/// knows it.
class ScaleGenerator : public Generator {
 public:
  explicit ScaleGenerator(std::int64_t version = 1) : version_(version) {}
  std::string family() const override { return "test.scale"; }
  std::int64_t version() const override { return version_; }
  Parameters defaults(const Request& request) const override {
    return {{"unroll", std::min<std::int64_t>(2, most(request))}, {"local", 16}};
  }
  bool accepts(const Request& request, const Parameters& parameters) const override {
    const auto unroll = parameters.get("unroll", 0), local = parameters.get("local", 0);
    return (unroll == 1 || unroll == 2 || unroll == 4) && unroll <= most(request) && local >= 1 &&
           local <= 256;
  }
  std::string generate(const Request& request, const Parameters& parameters) const override {
    const auto unroll = parameters.get("unroll", 0);
    std::string body;
    for (std::int64_t i = 0; i < unroll; ++i)
      body += fmt::format("  y[i + {0}] = {1} * x[i + {0}];\n", i, fact(request, "factor", 1));
    return fmt::format(
        "__kernel __attribute__((reqd_work_group_size({}, 1, 1)))\n"
        "void scale(__global const int* x, __global int* y) {{\n"
        "  const size_t i = {} * get_global_id(0);\n{}}}\n",
        parameters.get("local", 0), unroll, body);
  }

 private:
  static std::int64_t fact(const Request& request, std::string_view name, std::int64_t otherwise) {
    for (const auto& fact : request.payload.facts())
      if (fact.name == name) return std::get<std::int64_t>(fact.value);
    return otherwise;
  }
  static std::int64_t most(const Request& request) { return fact(request, "most unroll", 4); }
  std::int64_t version_;
};

inline Request scale_request(std::int64_t factor, Facts more = {}) {
  Request request;
  request.family = "test.scale";
  more.insert(more.begin(), {"factor", factor});
  request.payload = std::move(more);
  request.problem_class = "small";
  request.label = "scale";
  return request;
}

/// Runs a program of the family over n numbers with the geometry of its Parameters.
inline std::vector<cl_int> run_scale(const ContextPtr& context, Program& program,
                                     const Parameters& parameters, std::size_t n) {
  std::vector<cl_int> x(n), y(n, 0);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<cl_int>(i);
  const auto buffer = [&](std::vector<cl_int>& values) {
    return cl::Buffer(context->cl(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, n * sizeof(cl_int),
                      values.data());
  };
  const auto device_x = buffer(x), device_y = buffer(y);
  Launch launch(context, program, "scale");
  launch.set_buffer(0, device_x);
  launch.set_buffer(1, device_y);
  launch.set_range(range_1d(n / static_cast<std::size_t>(parameters.get("unroll", 1)),
                            static_cast<std::size_t>(parameters.get("local", 1))));
  const Queue queue(context, program.device());
  launch.enqueue(queue.cl()());
  queue.cl().enqueueReadBuffer(device_y, CL_TRUE, 0, n * sizeof(cl_int), y.data());
  return y;
}

}  // namespace kiln::testing
