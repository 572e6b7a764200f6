#pragma once

#include <optional>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "kernel/source/units.hpp"
#include "store/layer/layer.hpp"

// What a driver's compiler said of a text, as records of the store. That a part of a linked program
// compiles: then nothing needs to compile it before it is linked, and the linked program is in the
// store, too. That it refuses a program: then the driver, whose log the application asks for, is
// the only one that tries it at the next start; found on one machine, this stays there.
namespace kiln::layer {

/// The canonical bytes of the record for a device; `variables` are compiler_variables().
Bytes canonical_of_compiled(const Unit& unit, const std::string& fingerprint,
                            const std::vector<std::string>& variables);

/// What the driver's compiler said when it took the part. Nothing where that is not on record.
std::optional<std::string> compiled_log(Layer& store, const Unit& unit, const Device& device);

/// Puts it on record. Errors: the store's.
Expected<void> keep_compiled(Layer& store, const Unit& unit, const Device& device,
                             const std::string& log);

// Programs that are refused.

/// Whether it is on record of the program of a Key. What cannot be read is no record.
bool is_refused(Layer& store, const Key& program);

/// Puts it on record, or, where the driver has taken the program after all, that it is not so.
/// `label` is for people. Errors: the store's.
Expected<void> keep_refused(Layer& store, const Key& program, bool refused,
                            const std::string& label);

}  // namespace kiln::layer
