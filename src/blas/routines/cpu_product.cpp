#include <algorithm>

#include "blas/generator/gemm_generator.hpp"
#include "blas/routines/product.hpp"

// Products on CPUs: one launch, whose work-groups take tasks, packing and multiplying, from one
// list.
namespace kiln::blas {
namespace {

/// How the work of a product on a CPU is cut into tasks: arguments of the template product_tasks,
/// which says what they mean.
struct CpuTasks {
  std::size_t teams = 1;         ///< work-groups
  std::size_t block = 1;         ///< columns of the depth
  std::size_t slots = 1;         ///< blocks that are held in packed form
  std::size_t lead = 1;          ///< blocks by which packing is ahead
  std::size_t first_panels = 1;  ///< of a task that packs the first factor
  std::size_t second_panels = 1;
  std::size_t row_panels = 1;  ///< of a part of the result
  std::size_t column_panels = 1;
  std::size_t counters = 0;  ///< integers of the state, next to those that are always there
};

/// Half of a second-level cache holds the part of the first factor that a task multiplies. OpenCL
/// tells only the size of some cache; 1 MiB is what current cores have.
constexpr std::size_t cache = 512 << 10;
constexpr std::size_t most_column_panels = 16;

/// Multiplications that are worth another team: twenty microseconds or so, a few times what waking
/// it takes.
constexpr std::size_t work_of_team = std::size_t{2} << 20;

/// What reading and writing an element of the result is worth in multiplications: a large result of
/// a small depth is bound by it.
constexpr std::size_t work_of_result = 16;

/// Tasks for each team, so that the last to end is not long after the first: fewer where they would
/// be small, since each brings its panels from another core's cache.
constexpr std::size_t parts_of_team = 12, least_parts_of_team = 3, packs_of_team = 2;
constexpr std::size_t work_of_part = std::size_t{3} << 20;  ///< multiplications, at least

/// Whether a factor may lie where the result is written. Arguments of a call that overlap are the
/// caller's mistake in BLAS, but where a routine writes the operand that it reads.
bool is_in_place(const Product& product) {
  const auto meets = [&](const Factor& factor) {
    return factor.region.slot == product.result.slot &&
           (factor.region.slot || factor.region.buffer() == product.result.buffer());
  };
  return meets(product.first) || meets(product.second);
}

/// How panels hold elements: reals, or bytes, four to a unit and with a unit before each row's
/// first (templates/byte_tile.cl).
struct PanelForm {
  std::size_t element = 0;  ///< bytes
  std::size_t units = 0;    ///< for four bytes, in the first factor's or the second's panels
  static PanelForm of_reals(std::size_t element) { return {element, 0}; }
  static PanelForm of_bytes(std::size_t units) { return {1, units}; }

  std::size_t size(std::size_t width, std::size_t columns) const {
    return units != 0 ? width * (units * panels_of(columns, 4) + 1) * sizeof(cl_int)
                      : width * columns * element;
  }
};

CpuTasks tasks_of(const Product& product, const GemmTiles& tiles, std::size_t compute_units,
                  std::size_t element_bytes) {
  const std::size_t rows = product.rows, columns = product.columns, depth = product.depth;
  const std::size_t row_end = panels_of(rows, tiles.rows);
  const std::size_t column_end = panels_of(columns, tiles.columns);
  const std::size_t blocks = panels_of(depth, tiles.depth);
  CpuTasks tasks;
  // Blocks of one size: a last one of a few columns would write the whole result for little.
  tasks.block = panels_of(depth, blocks);
  // Where the result lies where a factor does, all is packed first.
  tasks.lead = is_in_place(product) ? blocks : 1;
  tasks.slots = std::min(blocks, tasks.lead + 1);
  tasks.teams = std::clamp<std::size_t>(
      rows * columns / 64 * (depth + work_of_result) * 64 / work_of_team, 1, compute_units);

  const std::size_t packs = tasks.teams == 1 ? 1 : tasks.teams * packs_of_team;
  tasks.first_panels = panels_of(row_end, packs);
  tasks.second_panels = panels_of(column_end, packs);

  tasks.row_panels =
      std::clamp<std::size_t>(cache / (tiles.rows * tasks.block * element_bytes), 1, row_end);
  tasks.column_panels = std::min(most_column_panels, column_end);
  const auto parts = [&] {
    return panels_of(row_end, tasks.row_panels) * panels_of(column_end, tasks.column_panels);
  };
  const auto are_few = [&](std::size_t least) { return blocks * parts() < tasks.teams * least; };
  const auto is_large = [&] {
    return tasks.row_panels * tiles.rows * tasks.column_panels * tiles.columns * tasks.block >=
           2 * work_of_part;
  };
  while (tasks.teams > 1 && tasks.row_panels * tasks.column_panels > 1 &&
         (are_few(least_parts_of_team) || (are_few(parts_of_team) && is_large()))) {
    const bool by_rows = tasks.row_panels > 1 &&
                         tasks.row_panels * tiles.rows >= tasks.column_panels * tiles.columns;
    auto& longer = by_rows || tasks.column_panels == 1 ? tasks.row_panels : tasks.column_panels;
    longer = (longer + 1) / 2;
  }
  // Parts of one size: a last one that is small leaves another team the more.
  const auto even = [](std::size_t& of_part, std::size_t all) {
    of_part = panels_of(all, panels_of(all, of_part));
  };
  even(tasks.row_panels, row_end);
  even(tasks.column_panels, column_end);
  tasks.counters = 2 * blocks + parts();
  return tasks;
}

}  // namespace

SequenceBuilder::Arguments& put_scales(SequenceBuilder::Arguments& to, const Product& product) {
  if (!product.first.scales && !product.second.scales) return to;
  for (const Factor* factor : {&product.first, &product.second}) {
    factor->scales ? to.operand(*factor->scales, factor->first_scale)
                   : to.buffer(cl::Buffer()).numbers(0);
    to.numbers(factor->group, factor->groups);
  }
  return to;
}

namespace {

void add_one(SequenceBuilder& builder, unsigned queue, const Product& product) {
  const ProductForm form = product.form();
  const KernelChoice choice = gemm_choice(builder, queue, form, false, "product");
  const std::size_t units =
      form.is_integer() ? units_of_four_bytes(builder.gemm_form(queue, form)) : 0;
  const std::size_t element = size_of(builder.call().precision);
  const PanelForm of_first = units != 0 ? PanelForm::of_bytes(1) : PanelForm::of_reals(element);
  const PanelForm of_second = units != 0 ? PanelForm::of_bytes(units) : of_first;
  const GemmTiles tiles = GemmTiles::of(choice.chosen.parameters);
  const CpuTasks tasks =
      tasks_of(product, tiles, builder.device(queue).compute_units, of_first.element);
  const auto packed = [&](unsigned number, const PanelForm& panel, std::size_t rows,
                          std::size_t width) {
    return builder.scratch(queue, number,
                           tasks.slots * panels_of(rows, width) * panel.size(width, tasks.block));
  };
  auto arguments = builder.step(queue, choice, work_groups(builder.device(queue), tasks.teams));
  put_factor(arguments, product.first, false);
  put_factor(arguments, product.second, true);
  put_result(arguments, product)
      .buffer(packed(0, of_first, product.rows, tiles.rows))
      .buffer(packed(1, of_second, product.columns, tiles.columns))
      .buffer(builder.zeros(queue, (32 + tasks.counters) * sizeof(cl_int)))
      .flags(tasks.block, tasks.slots, tasks.lead, tasks.first_panels, tasks.second_panels,
             tasks.row_panels, tasks.column_panels);
  put_scales(arguments, product);
  if (!form.is_special()) return put_gate(arguments, product);
  // Sums of whole tiles, where the depth has several blocks.
  const bool waits = tasks.block < product.depth;
  arguments.buffer(waits ? builder.scratch(queue, 2,
                                           panels_of(product.rows, tiles.rows) * tiles.rows *
                                               panels_of(product.columns, tiles.columns) *
                                               tiles.columns * element)
                         : cl::Buffer());
  put_after(arguments, product.after);
  put_gate(arguments, product);
}

}  // namespace

void add_cpu_product(SequenceBuilder& builder, unsigned queue, const Product& product) {
  for (std::size_t item = 0; item < product.items; ++item)
    add_one(builder, queue, product.item(item));
}

}  // namespace kiln::blas
