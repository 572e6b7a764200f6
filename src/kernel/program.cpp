#include "kernel/program.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kiln {

Program::Program(Parts parts) : parts_(std::move(parts)) { list_variants(); }

void Program::list_variants() {
  variants_.clear();
  generic_.clear();
  has_bitcode_ = false;
  if (parts_.archive.empty()) return;
  const auto archive = poclbin::parse(parts_.archive);
  if (!archive) return;
  for (const auto& entry : archive->root)
    for (const auto& file : entry) has_bitcode_ = has_bitcode_ || file.path == "/program.bc";
  for (const auto& kernel : archive->kernels) {
    for (const auto& variant : poclbin::variants(kernel))
      variants_.emplace(std::string(kernel.name), variant);
    const std::string generic = fmt::format("/{0}/0-0-0/{0}.so", kernel.name);
    for (const auto& file : kernel.files)
      if (file.path == generic) generic_.emplace(kernel.name);
  }
}

const KernelInfo& Program::kernel(std::string_view name) const {
  std::string names;
  for (const auto& kernel : parts_.kernels) {
    if (kernel.name == name) return kernel;
    names += (names.empty() ? "" : ", ") + kernel.name;
  }
  throw Error(Errc::bad_input, fmt::format("{}: the source has no kernel '{}'; it has: {}",
                                           parts_.label, name, names.empty() ? "none" : names));
}

bool Program::may_have(std::string_view kernel) const {
  return parts_.kernels.empty() ||
         std::any_of(parts_.kernels.begin(), parts_.kernels.end(),
                     [&](const KernelInfo& info) { return info.name == kernel; });
}

void Program::prepare(const KernelVariant& variant) {
  if (parts_.maker == nullptr) return;
  value_or_throw(startable(variant));
  if (missing({variant}).empty()) return;
  parts_.maker->make_variant(*this, variant);
  // Where making it failed, the driver compiles it at the launch, once; asking again would cost
  // the same again.
  const std::lock_guard lock(mutex_);
  variants_.emplace(variant.kernel, variant.variant);
}

std::vector<KernelVariant> Program::missing(const std::vector<KernelVariant>& wanted) const {
  std::vector<KernelVariant> lacking;
  const std::lock_guard lock(mutex_);
  if (!has_bitcode_) return lacking;
  for (const auto& variant : wanted)
    if (!has(variant) && may_have(variant.kernel)) lacking.push_back(variant);
  return lacking;
}

Expected<void> Program::startable(const KernelVariant& variant) const {
  const std::lock_guard lock(mutex_);
  if (parts_.archive.empty() || has_bitcode_ || has(variant) || generic_.contains(variant.kernel))
    return {};
  return fail(Errc::unsupported,
              fmt::format("the archive{} has no variant {} of {}, and neither the generic function "
                          "nor the bitcode that could stand in for it",
                          parts_.label.empty() ? "" : " of " + parts_.label,
                          variant.variant.folder(), variant.kernel));
}

Bytes Program::archive() const {
  const std::lock_guard lock(mutex_);
  return parts_.archive;
}

void Program::replace_archive(Bytes archive) {
  const std::lock_guard lock(mutex_);
  parts_.archive = std::move(archive);
  list_variants();
}

}  // namespace kiln
