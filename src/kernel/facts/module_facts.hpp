#pragma once

#include <string>
#include <string_view>

#include "kernel/facts/kernel_facts.hpp"
#include "kiln/error.hpp"
#include "kiln/formats/spirv.hpp"

namespace kiln {

/// What a SPIR-V module says of a kernel: its parameters alone. So it is not to be split, with the
/// reason, and may write every buffer that it is given but __constant ones.
KernelFacts module_facts(const spirv::Module& module, std::string_view kernel);

/// The kernel of a name in a module; `name` is what messages call the module. Error: bad_input,
/// with the names that there are.
Expected<const spirv::Kernel*> kernel_of(const spirv::Module& module, std::string_view kernel,
                                         std::string_view name);

/// The constants of a module for messages: "0 (int, tile), 1 (float)"; "none".
std::string constants_text(const spirv::Module& module);

}  // namespace kiln
