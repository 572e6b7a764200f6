#pragma once

#include <cstddef>
#include <vector>

#include "kernel/facts/kernel_facts.hpp"
#include "kiln/kernel.hpp"

namespace kiln {

/// A number as the value of a parameter, whose type the kernel's text says. Errors, bad_input: the
/// parameter is no number of a known type, an integer does not fit it, or a floating-point number
/// is given for an integer.
Expected<std::vector<std::byte>> value_for(const CallArgument::Number& number,
                                           const ParameterUse& parameter);

}  // namespace kiln
