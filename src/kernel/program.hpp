#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "device/context.hpp"
#include "kernel/artifact.hpp"
#include "kernel/variant.hpp"
#include "store/canonical.hpp"

namespace kiln {

class Program;

/// Makes a variant of a program that its archive lacks, and keeps it; the Resolver's part of
/// Program::prepare. Throws Error where the driver's compiler fails on it: a launch would ask the
/// same compiler, in this process. What else goes wrong is left to the launch.
class VariantMaker {
 public:
  virtual ~VariantMaker() = default;
  virtual void make_variant(Program& program, const KernelVariant& variant) = 0;
};

/// A built program for one device of one context, owned by the context. Immutable but for the set
/// of its variants; thread-safe.
class Program {
 public:
  struct Parts {
    Key key;
    Bytes canonical;
    std::string label, options;
    DevicePtr device;
    cl::Program handle;
    std::vector<KernelInfo> kernels;
    Bytes archive;  ///< for PoCL, where it came from an archive; else empty
    VariantMaker* maker = nullptr;
  };
  explicit Program(Parts parts);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  const Key& key() const { return parts_.key; }
  const Bytes& canonical() const { return parts_.canonical; }
  const std::string& label() const { return parts_.label; }
  const std::string& options() const { return parts_.options; }
  const DevicePtr& device() const { return parts_.device; }
  const cl::Program& cl() const { return parts_.handle; }
  /// The kernel of a name; throws not_found with the names that there are.
  const KernelInfo& kernel(std::string_view name) const;
  const std::vector<KernelInfo>& kernels() const { return parts_.kernels; }
  /// Whether the source has this kernel; true also where nothing is known of its kernels.
  bool may_have(std::string_view kernel) const;

  /// Makes sure that a launch of this geometry meets no compiler. A no-op but for PoCL archives.
  /// Throws Error where nobody could launch it: PoCL would end the process.
  void prepare(const KernelVariant& variant);
  /// Variants that the archive still lacks, of those given. None where it holds no bitcode (then
  /// the driver uses the generic function, and could make no variant), and none of kernels that the
  /// program does not have.
  std::vector<KernelVariant> missing(const std::vector<KernelVariant>& wanted) const;
  /// Errc::unsupported where the archive has neither the variant nor anything that stands in for it
  /// or that it could be made of.
  Expected<void> startable(const KernelVariant& variant) const;

  /// The archive as it is now; replaced when variants are merged in.
  Bytes archive() const;
  void replace_archive(Bytes archive);

 private:
  void list_variants();
  bool has(const KernelVariant& variant) const {
    return variants_.contains({variant.kernel, variant.variant});
  }
  Parts parts_;
  mutable std::mutex mutex_;
  std::set<std::pair<std::string, poclbin::Variant>> variants_;
  std::set<std::string> generic_;  ///< kernels with a function for any local size
  bool has_bitcode_ = false;
};

}  // namespace kiln
