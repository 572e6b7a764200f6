#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/facts/kernel_facts.hpp"
#include "kiln/error.hpp"

namespace kiln {

/// What is known of the macros that the device's compiler defines. Where it says nothing of a name
/// that decides a conditional, every branch counts.
struct TargetMacros {
  /// All extensions of the device, as CL_DEVICE_EXTENSIONS has them (cl_khr_fp64, …); none: not
  /// known.
  std::optional<std::vector<std::string>> extensions;
  /// __OPENCL_VERSION__, as 120 or 300; 0: not known.
  int version = 0;
};

/// Facts of kernels of an expanded text (ExpandedSource::text(); no #include left) for build
/// options (-D, -U, -cl-std and so on, as a Request has them); one entry for each of `kernels`, in
/// its order, found or not. `kernels` empty: all that the text has, in its order.
///
/// Looks at everything that a kernel reaches through functions and macros, in every conditional
/// branch that it cannot decide against. What it cannot follow, it refuses or calls suspicious.
/// Error: unsupported where there is no libclang, without which nothing is known of a kernel.
/// Thread-safe.
Expected<std::vector<KernelFacts>> read_kernel_facts(std::string_view text,
                                                     std::string_view options,
                                                     const std::vector<std::string>& kernels,
                                                     const TargetMacros& target = {});

/// Macros of build options (name, value): `-DNAME=VALUE` as build_options() writes them, and
/// `-D NAME`, `-U NAME` and quotes as compilers read them.
std::vector<std::pair<std::string, std::string>> macros_of(std::string_view options);

}  // namespace kiln
