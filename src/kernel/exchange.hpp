#pragma once

#include <string>
#include <vector>

#include "kernel/resolver.hpp"

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

}  // namespace kiln
