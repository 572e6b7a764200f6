#pragma once

#include <map>

#include "kernel/clang/unit.hpp"
#include "kernel/facts/kernel_facts.hpp"

namespace kiln::facts {

/// What clang says of the sizes of types. Unknown remains what the device or its compiler decides:
/// addresses, size_t, images, bit-fields, and structures under attributes or pragmas that change
/// how they are laid out and that clang does not know.
class Layouts {
 public:
  /// `aggregates_are_known`: no such attribute or pragma is in the text.
  Layouts(const clang::Library& clang, bool aggregates_are_known)
      : clang_(clang), aggregates_are_known_(aggregates_are_known) {}
  TypeLayout of(CXType type);
  /// "float4", "unsigned int", "struct node": the text's own typedefs resolved.
  std::string name_of(CXType type) const;

 private:
  bool is_fixed(CXType type);
  bool is_fixed_record(CXCursor declaration);

  const clang::Library& clang_;
  bool aggregates_are_known_;
  std::map<std::pair<std::uint32_t, std::string>, bool> records_;  ///< by place and name
};

}  // namespace kiln::facts
