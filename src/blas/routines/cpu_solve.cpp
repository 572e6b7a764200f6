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
  return gemm_choice(builder, queue, false, "solve");
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

bool solves_at_once(const SequenceBuilder& builder, unsigned queue, std::size_t size,
                    std::size_t others, bool left) {
  if (!is_cpu_form(builder.gemm_form(queue))) return false;
  const GemmTiles tiles = GemmTiles::of(solve_choice(builder, queue).chosen.parameters);
  return panels_of(others, left ? tiles.columns : tiles.rows) >=
             panels_of_unit * builder.device(queue).compute_units &&
         size <= most_packed / size_of(builder.call().precision) / size;
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

  NDRange range;
  range.global[0] = teams;
  const auto inverses = builder.scratch(queue, 0, blocks * block * block * element);
  const auto packed_inverses = builder.scratch(queue, 1, blocks * block * block * element);
  const auto packed =
      builder.scratch(queue, 2, panels_of(system.size, width) * width * system.size * element);
  const auto solved =
      builder.scratch(queue, 3, teams * groups.panels * other_width * system.size * element);
  const bool transposed = system.trans != Transpose::none;
  const bool across = transposed == system.left;  // seen along the panels
  const auto steps = [&](SequenceBuilder::Arguments& to, auto leading) {
    const auto ld = static_cast<std::int64_t>(leading);
    to.number(across ? ld : std::int64_t{1}).number(across ? std::int64_t{1} : ld);
  };
  auto arguments = builder.step(queue, choice, range);
  put(arguments, system.coefficients);
  steps(arguments, system.coefficients.leading);
  arguments.flag(system.trans == Transpose::conjugate ? 1 : 0)
      .number(system.coefficients.leading)
      .flag(system.upper ? 1 : 0)
      .flag(system.unit ? 1 : 0)
      .buffer(inverses);
  steps(arguments, block);
  put(arguments, system.right_sides)
      .number(system.right_sides.leading)
      .number(system.size)
      .number(system.others);
  put(arguments, system.alpha, builder.call().precision)
      .flag(system.left ? 1 : 0)
      .flag(system.forward ? 1 : 0)
      .buffer(packed)
      .buffer(packed_inverses)
      .buffer(solved)
      .buffer(builder.zeros(queue, (32 + 2 * blocks) * sizeof(cl_int)));
  for (const auto value : {block, tiles.depth, groups.count, groups.panels})
    arguments.flag(static_cast<int>(value));
}

}  // namespace kiln::blas
