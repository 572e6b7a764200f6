#include "format/poclbin/layout.hpp"

namespace kiln::poclbin {
namespace {
// Root entries: PoCL 3.1 (version 9) asserts exactly one; 4.0 and later (11) know the bitcode and
// the initialiser of program-scope variables, and write only those that are not empty.
constexpr Layout layouts[] = {
    {.version = 9,
     .program_scope_flag = 0,
     .kernel_flags = false,
     .fewest_roots = 1,
     .most_roots = 1},
    {.version = 11,
     .program_scope_flag = 2,
     .kernel_flags = true,
     .fewest_roots = 0,
     .most_roots = 2},
};
}  // namespace

const Layout* layout_of(std::uint32_t version) {
  for (const Layout& layout : layouts)
    if (layout.version == version) return &layout;
  return nullptr;
}

const Layout& writing_layout(std::uint32_t version) {
  const Layout* best = &layouts[0];
  for (const Layout& layout : layouts)
    if (layout.version <= version) best = &layout;
  return *best;
}

}  // namespace kiln::poclbin
