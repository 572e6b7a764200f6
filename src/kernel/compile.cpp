#include "kernel/compile.hpp"

#include <fmt/format.h>

namespace kiln {

Error build_error(const std::string& label, std::string log) {
  while (!log.empty() && (log.back() == '\0' || log.back() == '\n' || log.back() == ' '))
    log.pop_back();
  return {Errc::build, fmt::format("{} does not compile:\n{}", label, log)};
}

cl::Program build_here(const Context& context, const Device& device, const std::string& text,
                       const std::string& options, const std::string& label) {
  try {
    cl::Program program(context.cl(), text, false);
    program.build({device.handle}, options.c_str());
    return program;
  } catch (const cl::BuildError& error) {
    const auto logs = error.getBuildLog();
    throw build_error(label, logs.empty() ? cl_status_name(error.err()) : logs.front().second);
  } catch (const cl::Error& error) {
    throw cl_error(error);
  }
}

cl::Program load_binary(const Context& context, const Device& device, ByteView binary,
                        const std::string& options) {
  try {
    std::vector<unsigned char> bytes(binary.size());
    std::memcpy(bytes.data(), binary.data(), bytes.size());
    cl::Program program(context.cl(), {device.handle}, cl::Program::Binaries{std::move(bytes)});
    program.build({device.handle}, options.c_str());
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
