#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/facts/kernel_facts.hpp"
#include "kernel/source/program.hpp"

namespace kiln {

/// What a function's parameter takes: the layout of a value, or of one element behind a pointer.
/// Unknown wherever the text leaves a doubt: types that an undecided branch defines, attributes and
/// pragmas that nothing here understands, bit-fields, members that are pointers.
std::vector<TypeLayout> parameter_layouts(const Preprocessed& source, const SourceProgram& program,
                                          const Function& function);

}  // namespace kiln
