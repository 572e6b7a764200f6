#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/source/program.hpp"

namespace kiln {

/// A type's place in memory (OpenCL C 6.1.5, and C99 6.7.2.1 for structures, as compilers for
/// little-endian devices lay them out).
struct TypeLayout {
  std::size_t bytes = 0;      ///< 0: not known
  std::size_t alignment = 1;  ///< a power of two
  std::string name;           ///< of a built-in type: "uint", "float4"; empty for others
  bool known() const { return bytes != 0; }
};

/// The layout of a built-in scalar or vector type by its words: "float4", "unsigned int",
/// "atomic_int". Unknown for types whose size the device decides (size_t), and for any other text.
TypeLayout builtin_layout(std::string_view words);

/// What a function's parameter takes: the layout of a value, or of one element behind a pointer.
/// Unknown wherever the text leaves a doubt: types that an undecided branch defines, attributes and
/// pragmas that nothing here understands, bit-fields, members that are pointers.
std::vector<TypeLayout> parameter_layouts(const Preprocessed& source, const SourceProgram& program,
                                          const Function& function);

}  // namespace kiln
