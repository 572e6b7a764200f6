#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "device/context.hpp"
#include "kernel/artifact.hpp"
#include "kernel/variant.hpp"

namespace kiln {

/// What the driver's compiler said of a built program, without blanks at its end; "" where nothing.
std::string build_log(const cl::Program& program, const Device& device);

/// A driver's build log with its noise removed; the user's file names and lines are in it already,
/// since every text begins with #line.
Error build_error(const std::string& label, std::string log);

/// Builds from text in this process. Throws Errc::build with the log.
cl::Program build_here(const Context& context, const Device& device, const std::string& text,
                       const std::string& options, const std::string& label);

/// Makes a program of an archive or a driver's binary. Throws where the driver refuses it.
cl::Program load_binary(const Context& context, const Device& device, ByteView binary,
                        const std::string& options);

/// The driver's binary of a built program. Not for PoCL (see apart/job.hpp).
Bytes driver_binary(const cl::Program& program, const Device& device);

/// Where the compile helper is: KILN_COMPILE_HELPER, beside this library or program, or in
/// ../libexec/kiln and ../../libexec/kiln of it. Empty where there is none.
std::filesystem::path find_compile_helper();

/// What the helper made, or why not: Errc::build with the log where the text does not compile,
/// Errc::unsupported where there is no helper, Errc::timeout, Errc::device where the compiler died.
struct ApartRequest {
  std::string text;  ///< OpenCL C, or empty: add variants to `archive`
  ByteView archive;
  std::string options, label, build_hash;
  std::vector<KernelVariant> variants;
  bool generic =
      false;  ///< the kernels' generic functions, too, which no launch uses beside bitcode
  std::filesystem::path intermediates;  ///< a new folder for a copy of all that the driver made
  std::chrono::milliseconds limit{120'000};
  std::string* build_log = nullptr;  ///< where it is wanted: what the compiler said
};
Expected<Bytes> compile_apart(const Device& device, const ApartRequest& request);

/// Errc::unsupported where PoCL's compiler would end this process: it finds no linker. The helper
/// has a PATH of its own where this process has none.
Expected<void> can_compile_here(const Device& device);

/// What does not compile, or kills the compiler, would do the same in this process.
inline bool fails_here_too(const Error& error) {
  return error.code() == Errc::build || error.code() == Errc::device;
}

}  // namespace kiln
