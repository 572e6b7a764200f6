#pragma once

#include <optional>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "kernel/source/units.hpp"
#include "store/layer/layer.hpp"

// That a part of a linked program compiles, as a record of the store: then nothing needs to compile
// it before it is linked, and the linked program is in the store, too.
namespace kiln::layer {

/// The canonical bytes of the record for a device; `variables` are compiler_variables().
Bytes canonical_of_compiled(const Unit& unit, const std::string& fingerprint,
                            const std::vector<std::string>& variables);

/// What the driver's compiler said when it took the part. Nothing where that is not on record.
std::optional<std::string> compiled_log(Layer& store, const Unit& unit, const Device& device);

/// Puts it on record. Errors: the store's.
Expected<void> keep_compiled(Layer& store, const Unit& unit, const Device& device,
                             const std::string& log);

}  // namespace kiln::layer
