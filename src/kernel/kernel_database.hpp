#pragma once

#include <memory>

#include "format/kdb.hpp"
#include "kernel/binary_source.hpp"

namespace kiln {

/// A clBLAS kernel database of the published layout (version 1), whose records hold compiled
/// kernels, as a source of the Resolver: what clBLAS's design describes and clBLAS never did.
///
/// A Request says which kernel it means by the facts "pattern" (text), "data type" (0 float,
/// 1 double, 2 complex float, 3 complex double), "flags" (clBLAS's bits), "record" and "kernel"
/// (0 computes, 1 and 2 prepare A and B). Other Requests are none of its business.
///
/// The format has no fingerprint. A kernel for PoCL is an archive, which names its device; of other
/// drivers' binaries only the file's name tells, which by clBLAS's custom is the device's name.
class KernelDatabase : public BinarySource {
 public:
  /// Verifies the whole file; `device_name` is the file's name without ".kdb". Errors: corrupt
  /// (where, what), unsupported (version 3 holds no kernels).
  static Expected<std::unique_ptr<KernelDatabase>> open(Bytes file, std::string device_name);

  std::string name() const override { return "kernel database"; }
  Found find(const Request& request, const Device& device) const override;

 private:
  KernelDatabase(Bytes file, std::string device_name)
      : file_(std::move(file)), device_name_(std::move(device_name)) {}
  Bytes file_;
  kdb::Database database_;  ///< views file_
  std::string device_name_;
};

}  // namespace kiln
