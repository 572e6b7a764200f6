#include "kernel/compile.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "base/environment.hpp"
#include "base/file_descriptor.hpp"

namespace kiln {
namespace {

// PoCL (seen in 5.0) keeps one list of loaded functions in a process, by build hash, and counts the
// users of an entry wrongly when launches of one hash with and without a global offset overlap: it
// dies of an assertion. Parts of a split run do just that, so every sub-device has a hash of its
// own.

/// The archive as a sub-device loads it.
Bytes archive_for_part(ByteView binary, unsigned part) {
  const auto archive = poclbin::parse(binary);
  if (!archive) return Bytes(binary.begin(), binary.end());
  const std::string identity = fmt::format("{} part {}", archive->build_hash, part);
  return poclbin::rewrite(*archive, poclbin::build_hash(as_bytes(identity)),
                          [](std::string_view) { return false; });
}

/// The same for a build from text, whose hash counts every option in.
std::string options_for_part(const Device& device, const std::string& options) {
  if (!device.pocl || device.part == 0) return options;
  return fmt::format("{} -DKILN_SUB_DEVICE={}", options, device.part);
}

std::string trimmed(std::string log) {
  while (!log.empty() && (log.back() == '\0' || log.back() == '\n' || log.back() == ' '))
    log.pop_back();
  return log;
}

/// PoCL blames the text where its cache cannot be written: said as what it is.
void check_driver_cache(const Device& device) {
  const char* folder = device.pocl ? std::getenv("POCL_CACHE_DIR") : nullptr;
  if (folder == nullptr || *folder == '\0') return;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (::access(folder, W_OK | X_OK) != 0)
    throw io_error("write into the driver's cache (POCL_CACHE_DIR)", folder, errno);
}

/// Not cl::Program::build, which asks for a log in the same breath: where that fails, too, nobody
/// hears why the build did.
void build(const cl::Program& program, const Device& device, const std::string& options,
           const std::string& label) {
  const cl_device_id id = device.handle();
  const cl_int status = ::clBuildProgram(program(), 1, &id, options.c_str(), nullptr, nullptr);
  if (status == CL_SUCCESS) return;
  check_driver_cache(device);
  if (status != CL_BUILD_PROGRAM_FAILURE) throw cl_error("clBuildProgram", status);
  throw build_error(label, program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device.handle));
}

bool is_in(std::string_view folders, const char* program) {
  while (!folders.empty()) {
    const std::string_view folder = folders.substr(0, folders.find(':'));
    if (!folder.empty() && ::access(fmt::format("{}/{}", folder, program).c_str(), X_OK) == 0)
      return true;
    folders.remove_prefix(std::min(folder.size() + 1, folders.size()));
  }
  return false;
}

}  // namespace

Expected<void> can_compile_here(const Device& device) {
  const std::string path = environment("PATH");
  if (!device.pocl || is_in(path, "ld")) return {};
  return fail(Errc::unsupported,
              path.empty() ? "PATH is not set, and PoCL's compiler looks there for its linker, ld"
                           : "no folder of PATH holds ld, the linker that PoCL's compiler needs");
}

std::string build_log(const cl::Program& program, const Device& device) {
  cl_int status = CL_SUCCESS;
  const auto log = program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device.handle, &status);
  return status == CL_SUCCESS ? trimmed(log) : std::string();
}

Error build_error(const std::string& label, std::string log) {
  return {Errc::build, fmt::format("{} does not compile:\n{}", label, trimmed(std::move(log)))};
}

cl::Program build_here(const Context& context, const Device& device, const std::string& text,
                       const std::string& options, const std::string& label) {
  try {
    cl::Program program(context.cl(), text, false);
    build(program, device, options_for_part(device, options), label);
    return program;
  } catch (const cl::Error& error) {
    throw cl_error(error);
  }
}

cl::Program load_binary(const Context& context, const Device& device, ByteView binary,
                        const std::string& options) {
  try {
    Bytes own;
    if (device.pocl && device.part > 0) {
      own = archive_for_part(binary, device.part);
      binary = own;
    }
    std::vector<unsigned char> bytes(binary.size());
    std::memcpy(bytes.data(), binary.data(), bytes.size());
    cl::Program program(context.cl(), {device.handle}, cl::Program::Binaries{std::move(bytes)});
    build(program, device, options, "the stored program");
    return program;
  } catch (const cl::Error& error) {
    throw cl_error(error);
  }
}

Bytes driver_binary(const cl::Program& program, const Device& device) {
  try {
    const auto devices = program.getInfo<CL_PROGRAM_DEVICES>();
    const auto binaries = program.getInfo<CL_PROGRAM_BINARIES>();
    for (std::size_t i = 0; i < devices.size() && i < binaries.size(); ++i) {
      if (devices[i]() != device.handle()) continue;
      const ByteView view(reinterpret_cast<const std::byte*>(binaries[i].data()),
                          binaries[i].size());
      return Bytes(view.begin(), view.end());
    }
  } catch (const cl::Error& error) {
    throw cl_error(error);
  }
  return {};
}

}  // namespace kiln
