#include "store/network_folder.hpp"

#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <filesystem>

namespace kiln {
namespace {

struct FileSystem {
  unsigned long type;
  const char* name;
};
// Numbers of linux/magic.h and of the file systems' own sources.
constexpr std::array<FileSystem, 13> network_file_systems{{{0x6969, "NFS"},
                                                           {0xff534d42, "CIFS"},
                                                           {0xfe534d42, "SMB2"},
                                                           {0x517b, "SMB"},
                                                           {0x5346414f, "AFS"},
                                                           {0x6b414653, "kAFS"},
                                                           {0x73757245, "Coda"},
                                                           {0x0bd00bd0, "Lustre"},
                                                           {0x47504653, "GPFS"},
                                                           {0x00c36400, "Ceph"},
                                                           {0x19830326, "BeeGFS"},
                                                           {0xaad7aaea, "PanFS"},
                                                           {0x01021997, "9P"}}};

}  // namespace

std::string network_file_system_of_type(long type) {
  // f_type is signed and 32 bits wide on some machines.
  const auto number = static_cast<unsigned long>(type) & 0xffffffffUL;
  for (const auto& known : network_file_systems)
    if (known.type == number) return known.name;
  return "";
}

std::string network_file_system(const std::string& folder) {
  std::error_code error;
  auto path = std::filesystem::absolute(folder, error);
  if (error) return "";
  struct statfs status {};
  while (::statfs(path.c_str(), &status) != 0) {
    if (!path.has_parent_path() || path.parent_path() == path) return "";
    path = path.parent_path();
  }
  return network_file_system_of_type(static_cast<long>(status.f_type));
}

std::string node_local_folder() {
  // Survives a restart of the machine, unlike /tmp.
  return "/var/tmp/kiln-" + std::to_string(::geteuid());
}

}  // namespace kiln
