#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/source/type_layout.hpp"

namespace kiln {

/// What a kernel does with one of its parameters. Pointers to __local memory count as read and
/// written, values as read.
struct ParameterUse {
  std::string name;
  bool is_pointer = false;
  bool is_global = false;          ///< a pointer to __global memory
  bool is_constant_space = false;  ///< a pointer to __constant memory
  bool is_local = false;           ///< a pointer to __local memory
  bool read = false;               ///< may be read
  bool written = false;            ///< may be written: false only where that is certain
  bool read_and_written_at_different_index = false;
  std::string element_type;  ///< "float4", "unsigned int", "struct node"
  TypeLayout layout;         ///< of a value, or of an element behind the pointer
};

/// What the source of a kernel says about running it in parts.
struct SplitSafety {
  bool found = false;                   ///< the kernel is in the text
  bool splittable = false;              ///< nothing that it calls behaves differently in a part
  std::vector<std::string> reasons;     ///< why not: "line 12: calls get_group_id(0), whose …"
  bool suspicious = false;              ///< may be right, but only a run can tell
  std::vector<std::string> suspicions;  ///< why
  bool uses_local_memory = false, uses_atomics = false;
  bool data_dependent_writes = false;  ///< which elements are written depends on values in buffers
  /// Some buffer is read and written at different indices, so that a part may see what another one
  /// writes; and which of its elements are read depends on values in buffers.
  bool reads_what_is_written = false, data_dependent_reads = false;
  std::vector<ParameterUse> parameters;  ///< in argument order
};

/// Judges from its source whether a kernel gives the same result when its NDRange is cut along
/// dimension 0 at work-group boundaries, each part runs with the real global offset on whole
/// buffers, and the parts' changes are merged.
///
/// `expanded_text` is a Source's text (no #include left), `macros` are the command line's. Looks at
/// everything that the kernel reaches through functions and macros, in every conditional branch
/// that it cannot decide against. Never fails and never throws: what it cannot follow, it refuses
/// or calls suspicious. Thread-safe. Time grows with the text after macro expansion: milliseconds
/// for 100 kB.
SplitSafety analyse_split(std::string_view expanded_text, std::string_view kernel,
                          const std::vector<std::pair<std::string, std::string>>& macros);

/// The kernel's parameters as analyse_split() gives them, but for what it does with them; empty
/// where the text does not have the kernel. Never throws.
std::vector<ParameterUse> describe_parameters(
    std::string_view expanded_text, std::string_view kernel,
    const std::vector<std::pair<std::string, std::string>>& macros);

}  // namespace kiln
