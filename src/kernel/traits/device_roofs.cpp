#include "kernel/traits/device_roofs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "base/clock.hpp"

namespace kiln {
namespace {

// Names of the findings.
constexpr const char* single_name = "single precision";
constexpr const char* single_chained_name = "single precision, one chain";
constexpr const char* double_name = "double precision";
constexpr const char* double_chained_name = "double precision, one chain";
constexpr const char* read_name = "reads of global memory";
constexpr const char* copy_name = "copies in global memory";

/// A kernel to be timed, and what one launch of it does.
struct Trial {
  std::string text;
  std::size_t global = 0, local = 0;
  double amount = 0;  ///< floating-point operations or bytes
  std::vector<cl::Buffer> buffers;
  std::size_t start_bytes = 0;  ///< of a number that is an argument behind them; 0: there is none
};

/// A device with its queue. OpenCL's own objects: the programs are of no use to a store.
class Bench {
 public:
  explicit Bench(const DevicePtr& device)
      : device_(*device),
        context_(device->handle),
        queue_(context_, device->handle, CL_QUEUE_PROFILING_ENABLE) {}

  const Device& device() const { return device_; }

  /// A buffer whose memory was written: pages that never were need not exist.
  cl::Buffer buffer(std::size_t bytes) {
    cl::Buffer made(context_, CL_MEM_READ_WRITE, bytes);
    queue_.enqueueFillBuffer(made, cl_uint{0}, 0, bytes);
    queue_.finish();
    return made;
  }

  /// What a trial came to.
  struct Rate {
    double amount = 0;        ///< a second; a quarter of the launches were faster
    bool is_certain = false;  ///< these were hardly faster: nothing disturbed them
  };
  /// A trial whose first launches are far from `to_beat`, the rate of another form, is given up.
  Rate rate(const Trial& trial, double to_beat) {
    cl::Program program(context_, trial.text);
    program.build("-cl-mad-enable");
    cl::Kernel kernel(program, "trial");
    for (cl_uint i = 0; i < trial.buffers.size(); ++i) kernel.setArg(i, trial.buffers[i]);
    constexpr double start = 1.3;
    constexpr auto short_start = static_cast<float>(start);
    if (trial.start_bytes == sizeof start)
      kernel.setArg(static_cast<cl_uint>(trial.buffers.size()), start);
    else if (trial.start_bytes != 0)
      kernel.setArg(static_cast<cl_uint>(trial.buffers.size()), short_start);
    (void)seconds_of(kernel, trial);  // drivers compile now
    std::vector<double> seconds;
    const Stopwatch watch;
    constexpr std::size_t least = 8, most = 24, tries = 2;
    constexpr double patience = 0.4, far = 0.6, near = 1.05;
    while (seconds.size() < most && (seconds.size() < least || watch.seconds() < patience)) {
      seconds.push_back(seconds_of(kernel, trial));
      const double shortest = *std::min_element(seconds.begin(), seconds.end());
      if (seconds.size() == tries && trial.amount < far * to_beat * shortest) return {};
    }
    std::sort(seconds.begin(), seconds.end());
    const double quarter = seconds[seconds.size() / 4];
    if (quarter <= 0) return {};
    return {trial.amount / quarter, quarter < near * seconds.front()};
  }

 private:
  double seconds_of(const cl::Kernel& kernel, const Trial& trial) {
    cl::Event event;
    queue_.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(trial.global),
                                cl::NDRange(trial.local), nullptr, &event);
    event.wait();
    const auto start = event.getProfilingInfo<CL_PROFILING_COMMAND_START>();
    const auto end = event.getProfilingInfo<CL_PROFILING_COMMAND_END>();
    return static_cast<double>(end - start) * 1e-9;
  }

  const Device& device_;
  cl::Context context_;
  cl::CommandQueue queue_;
};

std::size_t local_size(const Device& device) {
  return std::min<std::size_t>(device.max_work_group_size, 256);
}

std::string vector_type(const std::string& scalar, unsigned lanes) {
  return lanes == 1 ? scalar : scalar + std::to_string(lanes);
}

/// Statements that write the sum of a vector's elements; of 16 as pairs, as clpeak adds them up.
std::string write_sum(const std::string& scalar, unsigned lanes) {
  constexpr std::string_view digits = "0123456789abcdef";
  const unsigned step = lanes == 16 ? 2 : 1;
  std::vector<std::string> parts;
  for (unsigned lane = 0; lane < lanes; lane += step)
    parts.push_back(lanes == 1 ? "sum" : fmt::format("sum.s{}", digits.substr(lane, step)));
  std::string text =
      fmt::format("  {} whole = {};\n", vector_type(scalar, step), fmt::join(parts, " + "));
  return text + fmt::format("  out[get_global_id(0)] = {};\n}}\n",
                            step == 2 ? "whole.s0 + whole.s1" : "whole");
}

/// Multiply-adds on vectors in registers: each of `chains` goes on with its own last result.
/// `function`: "mad" or "fma".
Trial compute_trial(Bench& bench, const std::string& scalar, unsigned lanes, unsigned chains,
                    const std::string& function) {
  constexpr std::size_t groups_per_unit = 512;
  constexpr unsigned per_round = 16, operations = 4096;  // of a work-item's chain
  const unsigned rounds = operations / 2 / per_round / lanes;
  const std::string type = vector_type(scalar, lanes);
  std::string text = scalar == "double" ? "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" : "";
  text += fmt::format("kernel void trial(global {0}* out, {0} start) {{\n", scalar);
  for (unsigned c = 0; c < chains; ++c)
    text += fmt::format("  {0} x{1} = ({0})(start + {1}), y{1} = ({0})get_local_id(0);\n", type, c);
  text += fmt::format("  for (int i = 0; i < {}; ++i) {{\n", rounds);
  for (unsigned step = 0; step < per_round / 2; ++step) {
    for (unsigned c = 0; c < chains; ++c)
      text += fmt::format("    x{1} = {0}(y{1}, x{1}, y{1});\n", function, c);
    for (unsigned c = 0; c < chains; ++c)
      text += fmt::format("    y{1} = {0}(x{1}, y{1}, x{1});\n", function, c);
  }
  text += fmt::format("  }}\n  {} sum = y0;\n", type);
  for (unsigned c = 1; c < chains; ++c) text += fmt::format("  sum += y{};\n", c);
  text += write_sum(scalar, lanes);

  const std::size_t element = scalar == "double" ? sizeof(double) : sizeof(float);
  Trial trial{std::move(text), 0, local_size(bench.device()), 0, {}, element};
  trial.global = bench.device().compute_units * groups_per_unit * trial.local;
  trial.amount = static_cast<double>(trial.global) * 2 * per_round * rounds * lanes * chains;
  trial.buffers = {bench.buffer(trial.global * element)};
  return trial;
}

/// Bytes of the buffer that is read: too many for any cache, few for the memory.
std::size_t memory_size(const Device& device) {
  constexpr cl_ulong most = 1 << 29;
  return static_cast<std::size_t>(
      std::min({most, device.max_allocation / 2, device.global_memory / 8}));
}

/// Each work-item reads 16 vectors, at the distance of the work-group or of the whole range, and
/// writes their sum.
Trial read_trial(Bench& bench, const cl::Buffer& from, std::size_t bytes, unsigned lanes,
                 bool by_group) {
  constexpr std::size_t reads = 16;
  const std::string type = vector_type("float", lanes);
  const std::size_t local = local_size(bench.device());
  const std::size_t block = local * reads * lanes * sizeof(float);
  Trial trial{{}, bytes / block * local, local, static_cast<double>(bytes / block * block), {}};
  trial.text = fmt::format(
      "kernel void trial(global {0}* from, global float* out) {{\n"
      "  int at = {1};\n"
      "  {0} sum = 0;\n",
      type,
      by_group ? "get_group_id(0) * get_local_size(0) * 16 + get_local_id(0)" : "get_global_id(0)");
  trial.text += "  for (int i = 0; i < 4; ++i) {\n";
  for (std::size_t i = 0; i < reads / 4; ++i)
    trial.text += fmt::format("    sum += from[at]; at += {};\n",
                              by_group ? "get_local_size(0)" : "get_global_size(0)");
  trial.text += "  }\n";
  trial.text += write_sum("float", lanes);
  trial.buffers = {from, bench.buffer(trial.global * sizeof(float))};
  return trial;
}

Trial copy_trial(Bench& bench, const cl::Buffer& from, const cl::Buffer& to, std::size_t bytes,
                 unsigned lanes) {
  const std::size_t local = local_size(bench.device());
  const std::size_t block = local * lanes * sizeof(float);
  Trial trial{{}, bytes / block * local, local, 2 * static_cast<double>(bytes / block * block), {}};
  trial.text = fmt::format(
      "kernel void trial(global const {0}* from, global {0}* to) {{\n"
      "  to[get_global_id(0)] = from[get_global_id(0)];\n}}\n",
      vector_type("float", lanes));
  trial.buffers = {from, to};
  return trial;
}

/// The best of several forms, since drivers differ in what suits them. One that fails is left out.
/// What was disturbed is not kept.
Finding best_of(Bench& bench, const std::vector<std::function<Trial()>>& forms, const char* unit) {
  Bench::Rate best;
  std::string failure = "no form of it runs";
  for (const auto& form : forms) try {
      const Bench::Rate rate = bench.rate(form(), best.amount);
      if (rate.amount > best.amount) best = rate;
    } catch (const cl::Error& error) {
      failure = cl_error(error).what();
    }
  if (best.amount <= 0) return {false, failure, false};
  return {true, fmt::format("{:.6g} {}", best.amount, unit), best.is_certain};
}

Finding flops(Bench& bench, const std::string& scalar, bool chained) {
  std::vector<std::function<Trial()>> forms;
  const bool is_gpu = bench.device().type == Device::Type::gpu;
  const auto add = [&](unsigned lanes, unsigned chains, const char* function) {
    forms.push_back([&bench, scalar, lanes, chains, function] {
      return compute_trial(bench, scalar, lanes, chains, function);
    });
  };
  const std::vector<unsigned> wide = is_gpu ? std::vector{1u, 2u, 4u} : std::vector{16u, 8u};
  if (chained) {
    for (const unsigned lanes : wide) add(lanes, 1, "mad");
  } else {
    const unsigned lanes = is_gpu ? 1 : scalar == "double" ? 8 : 16;
    for (const char* function : {"fma", "mad"})
      for (const unsigned chains : {8u, 4u}) add(lanes, chains, function);
  }
  return best_of(bench, forms, "FLOP/s");
}

/// Elements of the vectors that are read and written.
std::vector<unsigned> widths(const Device& device) {
  return device.type == Device::Type::gpu ? std::vector{4u, 2u, 1u} : std::vector{16u, 8u};
}

Finding bytes_read(Bench& bench) {
  const std::size_t bytes = memory_size(bench.device());
  const cl::Buffer from = bench.buffer(bytes);
  std::vector<std::function<Trial()>> forms;
  for (const unsigned lanes : widths(bench.device()))
    for (const bool by_group : {true, false})
      forms.push_back(
          [&, lanes, by_group] { return read_trial(bench, from, bytes, lanes, by_group); });
  return best_of(bench, forms, "B/s");
}

Finding bytes_copied(Bench& bench) {
  const std::size_t bytes = memory_size(bench.device()) / 2;
  const cl::Buffer from = bench.buffer(bytes), to = bench.buffer(bytes);
  std::vector<std::function<Trial()>> forms;
  for (const unsigned lanes : widths(bench.device()))
    forms.push_back([&, lanes] { return copy_trial(bench, from, to, bytes, lanes); });
  return best_of(bench, forms, "B/s");
}

Finding measure(Bench& bench, const std::string& name) {
  if (name == single_name) return flops(bench, "float", false);
  if (name == single_chained_name) return flops(bench, "float", true);
  if (name == double_name) return flops(bench, "double", false);
  if (name == double_chained_name) return flops(bench, "double", true);
  return name == read_name ? bytes_read(bench) : bytes_copied(bench);
}

Findings measure_all(const DevicePtr& device, const std::vector<std::string>& names) {
  return with_cl_errors([&] {
    Bench bench(device);
    Findings found;
    for (const auto& name : names) try {
        found[name] = measure(bench, name);
      } catch (const cl::Error& error) {
        found[name] = {false, cl_error(error).what(), false};
      }
    return found;
  });
}

double figure(const Findings& findings, const char* name) {
  const auto found = findings.find(name);
  if (found == findings.end() || !found->second.holds) return 0;
  return std::max(0.0, std::strtod(found->second.reason.c_str(), nullptr));
}

}  // namespace

DeviceRoofs device_roofs(DriverFindings& findings, const DevicePtr& device) {
  std::vector<std::string> names{single_name, single_chained_name, read_name, copy_name};
  if (device->doubles) names.insert(names.end(), {double_name, double_chained_name});
  const Findings found =
      findings.get(fmt::format("roofs of {} compute units", device->compute_units), *device, names,
                   [&](const auto& unknown) { return measure_all(device, unknown); });
  return {figure(found, single_name), figure(found, single_chained_name),
          figure(found, double_name), figure(found, double_chained_name),
          figure(found, read_name),   figure(found, copy_name)};
}

}  // namespace kiln
