#pragma once

#include <string>

#include "store/layer/layer.hpp"

// That a driver's compiler refuses a program, as a record of the store: then the driver, whose log
// the application asks for, is the only one that tries it at the next start. It is what was found
// on one machine, so it stays there.
namespace kiln::layer {

/// Whether it is on record of the program of a Key. What cannot be read is no record.
bool is_refused(Layer& store, const Key& program);

/// Puts it on record, or, where the driver has taken the program after all, that it is not so.
/// `label` is for people. Errors: the store's.
Expected<void> keep_refused(Layer& store, const Key& program, bool refused,
                            const std::string& label);

}  // namespace kiln::layer
