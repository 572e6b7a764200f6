#pragma once

#include <cstdint>
#include <string_view>

namespace kiln::facts {

/// What a name that the program does not define means for a split run.
enum class Rule : std::uint8_t {
  none,
  per_dimension,  ///< fine for dimension 1 and 2, which are never cut: get_group_id …
  linear,         ///< counts over all dimensions: get_global_linear_id
  atomic,         ///< atomic_add, atom_inc …
  atomic_type,    ///< atomic_int …
  pipe,
  enqueue,
  image_write,
  print,
  unknown_id,  ///< looks like some vendor's way to ask for a group or the whole range
  reserved,    ///< a reserved name that Kiln does not know, which may be anything
};
Rule rule_of(std::string_view name);

/// What a function does with the memory that its pointer arguments point to.
enum class MemoryUse : std::uint8_t {
  unknown,       ///< not in this list
  none,          ///< takes no pointers, or does not follow them
  vector_load,   ///< vloadN(offset, p)
  vector_store,  ///< vstoreN(data, offset, p)
  group_copy,    ///< async_work_group_copy(to, from, …)
  write_last,    ///< fract(x, p): writes through its last argument
  pass_through,  ///< to_global(p): the same address
  atomic,
  image_read,
  global_id,  ///< get_global_id
};
MemoryUse memory_use_of(std::string_view name);

}  // namespace kiln::facts
