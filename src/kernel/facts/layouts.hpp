#pragma once

#include <string>
#include <vector>

#include "kernel/clang/unit.hpp"
#include "kernel/facts/kernel_facts.hpp"
#include "kernel/facts/syntax.hpp"

namespace kiln::facts {

/// A kernel's parameters: what they are, and how large what they hold or point to is. A size
/// remains unknown where the device or its compiler decides: addresses, size_t, images, bit-fields,
/// and structures under attributes or pragmas that change how they are laid out and that clang does
/// not know.
std::vector<ParameterUse> parameters_of(const Syntax& syntax, const Function& kernel);

/// "float4", "unsigned int", "struct node": the text's own typedefs resolved.
std::string type_name(const clang::Library& clang, CXType type);

}  // namespace kiln::facts
