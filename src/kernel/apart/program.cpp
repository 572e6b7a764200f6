#include "kernel/apart/program.hpp"

#include <cstring>

namespace kiln::apart {

DevicePtr find_device(const std::string& fingerprint) {
  for (const auto& device : value_or_throw(all_devices()))
    if (device->fingerprint() == fingerprint) return device;
  throw Error(Errc::not_found, "the device is not visible to the compile helper");
}

cl::Program create_program(const cl::Context& context, const cl::Device& device, const Job& job) {
  if (!job.source.empty()) return cl::Program(context, job.source, false);
  std::vector<unsigned char> bytes(job.archive.size());
  std::memcpy(bytes.data(), job.archive.data(), bytes.size());
  return cl::Program(context, {device}, cl::Program::Binaries{std::move(bytes)});
}

}  // namespace kiln::apart
