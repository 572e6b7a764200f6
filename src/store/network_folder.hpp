#pragma once

#include <string>

namespace kiln {

/// The name of the network file system that a folder is on ("NFS"), or "" for one of this machine;
/// of an absent folder its nearest parent counts. On a network file system locks and renames are
/// not what the store builds on, so a folder of the machine itself is used in its place.
std::string network_file_system(const std::string& folder);

/// The same by the number that statfs() gives as f_type.
std::string network_file_system_of_type(long type);

/// The store of this user on this machine: /var/tmp/kiln-UID.
std::string node_local_folder();

}  // namespace kiln
