#pragma once

#include <optional>
#include <string>

namespace kiln::apart {

/// The file of PoCL's library in this process, for the helper's loader: so that a helper does not
/// start the other drivers of the machine (a GPU's takes a quarter of a second). Empty where the
/// user chose drivers himself, or where the loader is not ocl-icd, which alone takes a library's
/// name in OCL_ICD_VENDORS.
std::optional<std::string> driver_library();

}  // namespace kiln::apart
