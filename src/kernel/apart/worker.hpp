#pragma once

#include <string_view>

#include "base/data/bytes.hpp"

// What the helper plants in the driver's cache while it makes an archive.
namespace kiln::apart {

/// The smallest shared object that exports PoCL's entry symbol of a kernel and holds no code.
///
/// PoCL's binary query compiles a generic function for every kernel (as long as the kernel's own
/// compile) unless its object is already in the cache folder. It only loads that object and looks
/// its symbol up, and never calls it while the archive has bitcode; so the helper plants this in
/// its place, and takes it out of the archive again.
Bytes stub_object(std::string_view kernel);

}  // namespace kiln::apart
