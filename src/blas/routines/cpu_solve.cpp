#include <algorithm>

#include "blas/generator/gemm_generator.hpp"
#include "blas/routines/product.hpp"

// Triangular systems on CPUs in one launch: each work-group takes groups of right-hand sides from
// the first unknown to the last.
namespace kiln::blas {
namespace {

/// Unknowns of a diagonal block, at most (and most_block of the template solve_tasks): whole
/// panels. What is inverted block by block runs at a fraction of the product's speed, what is not
/// goes through shorter tiles.
constexpr std::size_t most_block = 128;

/// Right-hand sides of a group, at most: what is solved of them stays in a second-level cache.
constexpr std::size_t most_group = 64;

/// Bytes of the packed matrix, at most.
constexpr std::size_t most_packed = std::size_t{32} << 20;

/// Panels of right-hand sides for each compute unit, at least: with fewer, rows of the unknowns'
/// updates have to be shared out, too, which the products of a recursion do.
constexpr std::size_t panels_of_unit = 2;

KernelChoice solve_choice(const SequenceBuilder& builder, unsigned queue) {
  return gemm_choice(builder, queue, {}, false, "solve");
}

/// How the right-hand sides are shared out: the argument of the kernel.
struct Groups {
  std::size_t count, panels;

  Groups(std::size_t all_panels, std::size_t width, std::size_t teams) {
    const std::size_t most = std::max<std::size_t>(1, most_group / width);
    count = std::min(all_panels, teams * panels_of(all_panels, teams * most));
    panels = panels_of(all_panels, count);
  }
};

}  // namespace

bool solves_at_once(const SequenceBuilder& builder, unsigned queue,
                    const TriangularSystem& system) {
  if (!is_cpu_form(builder.gemm_form(queue))) return false;
  const GemmTiles tiles = GemmTiles::of(solve_choice(builder, queue).chosen.parameters);
  return panels_of(system.others, system.left ? tiles.columns : tiles.rows) >=
             panels_of_unit * builder.device(queue).compute_units &&
         system.size <= most_packed / size_of(builder.call().precision) / system.size;
}

void add_cpu_solve(SequenceBuilder& builder, unsigned queue, const TriangularSystem& system) {
  const KernelChoice choice = solve_choice(builder, queue);
  const GemmTiles tiles = GemmTiles::of(choice.chosen.parameters);
  const std::size_t element = size_of(builder.call().precision);
  const std::size_t width = system.left ? tiles.rows : tiles.columns;
  const std::size_t other_width = system.left ? tiles.columns : tiles.rows;
  const std::size_t block = most_block / width * width;
  const std::size_t blocks = panels_of(system.size, block);
  const std::size_t teams = builder.device(queue).compute_units;
  const Groups groups(panels_of(system.others, other_width), other_width, teams);

  const auto inverses = builder.scratch(queue, 0, blocks * block * block * element);
  const auto packed_inverses = builder.scratch(queue, 1, blocks * block * block * element);
  const auto packed =
      builder.scratch(queue, 2, panels_of(system.size, width) * width * system.size * element);
  const auto solved =
      builder.scratch(queue, 3, teams * groups.panels * other_width * system.size * element);
  const bool transposed = system.trans != Transpose::none;
  const bool across = transposed == system.left;  // seen along the panels
  const std::int64_t leading = system.coefficients.leading;
  auto arguments = builder.step(queue, choice, work_groups(builder.device(queue), teams));
  put(arguments, system.coefficients)
      .numbers(across ? leading : 1, across ? 1 : leading)
      .flags(system.trans == Transpose::conjugate)
      .numbers(leading)
      .flags(system.upper, system.unit)
      .buffer(inverses)
      .numbers(across ? block : 1, across ? 1 : block);
  put(arguments, system.right_sides)
      .numbers(system.right_sides.leading, system.size, system.others)
      .scalars(system.alpha)
      .flags(system.left, system.forward)
      .buffer(packed)
      .buffer(packed_inverses)
      .buffer(solved)
      .buffer(builder.zeros(queue, (32 + 2 * blocks) * sizeof(cl_int)))
      .flags(block, tiles.depth, groups.count, groups.panels);
}

}  // namespace kiln::blas
