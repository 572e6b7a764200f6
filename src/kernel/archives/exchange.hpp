#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernel/resolver/generator.hpp"
#include "kernel/resolver/resolver.hpp"
#include "kiln/formats/kdb.hpp"

// Compiled programs to and from other programs: archives of PoCL, and clBLAS's kernel databases.
namespace kiln {

/// The store's archive of a program for a device of PoCL, as other programs can load it. Errors:
/// not_found (the program is not in the store), unsupported (another driver's binary, no store).
Expected<Bytes> export_archive(Resolver& resolver, const Request& request, const Device& device);

/// What an import did.
struct Imported {
  std::string build_hash;  ///< under which the driver knows it now
  bool renewed = false;    ///< the contents differ from what the given hash stood for
  std::vector<std::string> kernels;
  std::size_t variants = 0;
};

/// Takes an archive into the store as the Artifact of a Request: from then on the program starts
/// from it. The archive is verified strictly, its device must be this one, its kernels must be
/// there, and every object in it must be one that the driver takes. What machine code does cannot
/// be checked: take archives from people that you trust to have built this source.
///
/// The build hash is renewed where the store has other contents for the program: under one hash
/// PoCL would silently go on running what it has extracted or loaded before.
///
/// Errors: corrupt (where, what), refused (another device, a kernel that is not there),
/// unsupported (not PoCL's device, no store), io.
Expected<Imported> import_archive(Resolver& resolver, const Request& request,
                                  const DevicePtr& device, ByteView archive);

/// Which kernel of a clBLAS kernel database a Request means.
struct DatabaseKernel {
  std::string pattern;
  std::int64_t type = 0;   ///< 0 float, 1 double, 2 complex float, 3 complex double
  std::int64_t flags = 0;  ///< clBLAS's bits
  std::int64_t record = 0;
  std::int64_t slot = 0;  ///< 0 computes, 1 and 2 prepare A and B
};
Facts facts_of(const DatabaseKernel& kernel);

/// A clBLAS kernel database of the published layout (version 1), whose records hold compiled
/// kernels, as a source of the Resolver: what clBLAS's design describes and clBLAS never did.
///
/// Requests whose payload is a DatabaseKernel are of such a kernel. It ignores others.
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
