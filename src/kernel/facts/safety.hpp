#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/facts/kernel_facts.hpp"

namespace kiln {

/// Judges from its source whether a kernel gives the same result when its NDRange is cut along
/// dimension 0 at work-group boundaries, each part runs with the real global offset on whole
/// buffers, and the parts' changes are merged.
///
/// `expanded_text` is a Source's text (no #include left), `macros` are the command line's. Looks at
/// everything that the kernel reaches through functions and macros, in every conditional branch
/// that it cannot decide against. Never fails and never throws: what it cannot follow, it refuses
/// or calls suspicious. Thread-safe. Time grows with the text after macro expansion: milliseconds
/// for 100 kB.
KernelFacts analyse_split(std::string_view expanded_text, std::string_view kernel,
                          const std::vector<std::pair<std::string, std::string>>& macros);

/// The kernel's parameters as analyse_split() gives them, but for what it does with them; empty
/// where the text does not have the kernel. Never throws.
std::vector<ParameterUse> describe_parameters(
    std::string_view expanded_text, std::string_view kernel,
    const std::vector<std::pair<std::string, std::string>>& macros);

}  // namespace kiln
