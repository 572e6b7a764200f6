#pragma once

#include <optional>

#include "device/device.hpp"
#include "kernel/resolver/generator.hpp"
#include "mesh/codegen/built_ins.hpp"
#include "mesh/codegen/layout.hpp"

namespace kiln::mesh {

/// Writes the kernels of parallel loops, family "mesh.par_loop". Parameters:
///
///     FORM     a Form: how elements are given to work-items
///     LANES    1, 4, 8, 16; blocks: elements that are worked on at once; where the kernel does not
///              allow it (lanes_of), 1
///     GROUP    1 to 1024; the other forms: work-items of a group
///     BLOCK    from 1; blocks, staged: elements of a block; the text does not depend on it
///     STREAM   0, 1; blocks: what is only written is written by non-temporal stores
///     PTX      0, 1; atomic: additions by NVIDIA's instructions
///     LOC32    0, 1; staged: width of loc_map
class LoopGenerator : public Generator {
 public:
  std::string family() const override { return "mesh.par_loop"; }
  std::int64_t version() const override;
  Parameters defaults(const Request& request) const override;
  bool accepts(const Request& request, const Parameters& parameters) const override;
  std::string generate(const Request& request, const Parameters& parameters) const override;
};

/// What a device has that decides on a loop's default Parameters and space: plain data, so that
/// they stay pure functions.
struct LoopDevice {
  bool cpu = true;  ///< few work-items with much work each
  bool nvidia = false;
  bool wide_atomics = true;  ///< cl_khr_int64_base_atomics
  int most_group = 1024;     ///< work-items of a group
  /// Bytes that its caches can be taken to keep from one loop to the next.
  std::int64_t cached = 16 << 20;
};

/// What LoopGenerator is asked for.
struct LoopPayload {
  LoopShape shape;
  LoopDevice device;
  bool non_temporal = false;  ///< whether to write by non-temporal stores, by default
  /// Built-in functions that the device was found to call on vectors as on single numbers, of those
  /// that the kernel may call; the others are called for each lane by itself.
  BuiltIns on_vectors = {};
};
Facts facts_of(const LoopPayload& loop);

/// Those of a device.
LoopDevice loop_device_of(const Device& device);

/// The Request of a loop for a device. The shape must be numbered by first occurrence and reduced
/// to the constants in use; throws internal otherwise, since layouts would not fit.
/// @param problem_size elements of the loop.
Request make_request(const LoopShape& shape, const LoopDevice& device, std::int64_t problem_size);

/// Elements of a block where Parameters do not say (the defaults leave BLOCK out, since the text is
/// the same for any size). In local memory a block must fit; on a CPU there are enough for its
/// `threads` to end together, and few enough that their beginnings cost nothing; with colours as
/// large as that allows, for each colour goes through all of the data.
std::int64_t default_block(const LoopShape& shape, Form form, std::int64_t elements,
                           std::int64_t threads);

/// Parameters with a BLOCK, default_block() where they say none.
Parameters with_block(Parameters parameters, const LoopShape& shape, std::int64_t elements,
                      std::int64_t threads);

/// Whether a loop in this form takes a plan.
bool needs_plan(const LoopShape& shape, Form form);

/// Work-groups of a launch whose groups stride over the elements, at most.
std::size_t most_groups(std::size_t compute_units);

/// The values of each Parameter that are worth trying, by name; not all combinations are accepted.
std::vector<std::pair<std::string, std::vector<std::int64_t>>> space(const LoopShape& shape,
                                                                     const LoopDevice& device);

}  // namespace kiln::mesh
