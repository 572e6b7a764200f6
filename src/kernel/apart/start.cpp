// The proof that an archive starts without a compiler: every variant is launched once.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "base/clock.hpp"
#include "format/poclbin.hpp"
#include "kernel/apart/program.hpp"
#include "kernel/variant.hpp"

namespace kiln::apart {
namespace {

// Enough for what a work-group of a usual kernel reaches at low indices; a kernel that goes further
// may die, which says nothing about compilers.
constexpr std::size_t global_bytes = 4u << 20, local_bytes = 4096, value_bytes = 256;

/// Lines are out before the launch that they announce: the process may not come back from it.
class Progress {
 public:
  Progress() : file_(std::fopen(progress_file, "w")) {
    if (!file_) throw Error(Errc::io, "cannot write the progress file");
  }
  void line(const std::string& text) {
    std::fprintf(file_.get(), "%s\n", text.c_str());
    std::fflush(file_.get());
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;
};

/// Arguments for a kernel that is only to be started. What they are made of lives here.
class MadeUpArguments {
 public:
  /// Says what cannot be made up; empty where all is set.
  std::string set(const cl::Context& context, cl::Kernel& kernel,
                  const poclbin::Kernel& described) {
    for (std::size_t i = 0; i < described.arguments.size(); ++i) {
      const std::string why =
          set_one(context, kernel, static_cast<cl_uint>(i), described.arguments[i]);
      if (!why.empty()) return why;
    }
    return "";
  }

 private:
  std::string set_one(const cl::Context& context, cl::Kernel& kernel, cl_uint position,
                      const poclbin::Argument& argument) {
    static const Bytes zeros(value_bytes);
    enum { value, pointer, image, sampler };
    switch (argument.type) {
      case value: {
        // A structure's size is nowhere in the archive; the driver takes what it is given.
        const std::size_t size = argument.type_size == 0 ? value_bytes : argument.type_size;
        if (size > value_bytes) return fmt::format("argument {} is of {} bytes", position, size);
        kernel.setArg(position, size, zeros.data());
        return "";
      }
      case pointer:
        if (argument.address == CL_KERNEL_ARG_ADDRESS_LOCAL) {
          kernel.setArg(position, local_bytes, nullptr);
        } else {
          static std::vector<std::byte> contents(global_bytes);
          buffers_.emplace_back(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, global_bytes,
                                contents.data());
          kernel.setArg(position, buffers_.back());
        }
        return "";
      case image:
        return set_image(context, kernel, position, argument);
      case sampler:
        samplers_.emplace_back(context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST);
        kernel.setArg(position, samplers_.back());
        return "";
      default:
        return fmt::format("argument {} is of an unknown kind", position);
    }
  }

  std::string set_image(const cl::Context& context, cl::Kernel& kernel, cl_uint position,
                        const poclbin::Argument& argument) {
    if (!argument.type_name.starts_with("image2d_t"))
      return fmt::format("argument {} is of type {}", position, argument.type_name);
    images_.emplace_back(context, CL_MEM_READ_WRITE, cl::ImageFormat(CL_RGBA, CL_FLOAT), 64, 64);
    kernel.setArg(position, images_.back());
    return "";
  }

  std::vector<cl::Buffer> buffers_;
  std::vector<cl::Sampler> samplers_;
  std::vector<cl::Image2D> images_;
};

/// The smallest NDRange for which the driver looks for this variant.
NDRange range_for(const poclbin::Variant& variant) {
  NDRange range;
  range.dimensions = 3;
  for (std::size_t d = 0; d < 3; ++d) range.global[d] = range.local[d] = variant.local[d];
  if (!variant.zero_offset) range.offset[0] = variant.local[0];
  const auto reached = [&] {
    return poclbin::Variant::for_launch(range.global, range.local, range.offset) == variant;
  };
  constexpr std::size_t small = 65535;  // work-items of a dimension, see Variant::for_launch
  if (!reached()) range.global[0] = (small / variant.local[0] + 1) * variant.local[0];
  return range;
}

void launch(const cl::CommandQueue& queue, const cl::Kernel& kernel, const NDRange& range) {
  const auto three = [](const std::array<std::size_t, 3>& values) {
    return cl::NDRange(values[0], values[1], values[2]);
  };
  queue.enqueueNDRangeKernel(kernel, three(range.offset), three(range.global), three(range.local));
  queue.finish();
}

}  // namespace

void start_variants(const Job& job) {
  const auto started = now_ns();
  const auto archive = value_or_throw(poclbin::parse(job.archive));
  const auto device = find_device(job.fingerprint);
  const cl::Context context(device->handle);
  const cl::CommandQueue queue(context, device->handle);
  cl::Program program = create_program(context, device->handle, job);
  program.build({device->handle}, job.options.c_str());
  Progress progress;
  for (const auto& [name, folder] : job.variants) {
    const auto* described = archive.find(name);
    const auto variant = poclbin::Variant::from_folder(folder);
    if (described == nullptr || !variant)
      throw Error(Errc::bad_input, fmt::format("no variant {} of {}", folder, name));
    cl::Kernel kernel(program, name.c_str());
    MadeUpArguments arguments;
    const std::string why = arguments.set(context, kernel, *described);
    if (!why.empty()) {
      progress.line(fmt::format("skip {} {} {}", name, folder, why));
      continue;
    }
    progress.line(fmt::format("begin {} {}", name, folder));
    launch(queue, kernel, range_for(*variant));
    progress.line(fmt::format("end {} {} {}", name, folder, now_ns() - started));
  }
}

}  // namespace kiln::apart
