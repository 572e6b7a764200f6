#include "blas/routines/small_product.hpp"

#include <algorithm>
#include <bit>

#include "blas/generator/gemm_generator.hpp"
#include "blas/generator/template_generator.hpp"

// Many small products in one launch (templates/small_product.cl): how an item is cut into tiles, on
// CPUs into vectors of a core, on GPUs into the elements of each work-item.
namespace kiln::blas {
namespace {

std::int64_t signed_of(std::size_t value) { return static_cast<std::int64_t>(value); }

/// Whether every matrix has the least leading dimension that there is.
bool is_tight(const SmallProduct& product) {
  const auto is_least = [](const SmallProduct::Matrix& matrix, std::size_t rows,
                           std::size_t columns) {
    return matrix.leading == signed_of(matrix.transposed ? columns : rows);
  };
  return is_least(product.first, product.rows, product.depth) &&
         is_least(product.second, product.depth, product.columns) &&
         is_least(product.result, product.rows, product.columns);
}

/// A tile of the result in the vector registers of a CPU's core.
struct CpuTile {
  std::size_t lanes, vectors, columns;
};

CpuTile cpu_tile(const SmallProduct& product, Precision precision, std::size_t native_floats) {
  const std::size_t parts = is_complex(precision) ? 2 : 1, height = product.rows * parts;
  const std::size_t native = std::clamp<std::size_t>(native_floats, 4, 16);
  CpuTile tile{};
  tile.lanes = std::bit_floor(std::min(height, native / (is_double(precision) ? 2 : 1)));
  const std::size_t all = panels_of(height, tile.lanes);
  tile.vectors = all <= 4 ? all : all % 4 == 0 ? 4 : 3;
  // Registers for the tile's sums; the others hold a column of A.
  const std::size_t sums = native >= 16 ? 24 : 12;
  const std::size_t most =
      std::clamp<std::size_t>(sums / (tile.vectors * parts), 1, product.columns);
  tile.columns = panels_of(product.columns, panels_of(product.columns, most));
  return tile;
}

/// How an item is shared by the work-items of a GPU's work-group.
struct GpuTile {
  std::size_t block_m, block_n;  ///< rows and columns of a work-group
  std::size_t rows, columns;     ///< of each work-item
  std::size_t down, along;       ///< work-items
  std::size_t wide;              ///< elements that a work-item reads at once
  std::size_t line_a, line_b;    ///< elements of local memory for a column of A, a row of B
  std::size_t beyond;            ///< elements that tiles reach beyond the last line
  std::size_t items, step;
};

GpuTile gpu_tile(const SmallProduct& product, Precision precision, const GpuForm& form) {
  const std::size_t side = form.threads >= 256 ? 16 : 8, element = size_of(precision);
  // Tiles of up to 4 x 4, as long as there are 8 x 8 work-items.
  const auto per_item = [&](std::size_t size) {
    return std::max(std::min<std::size_t>(panels_of(size, 8), 4), panels_of(size, side));
  };
  // Blocks of one size, and of whole tiles where there are several.
  const auto block_of = [](std::size_t size) {
    constexpr std::size_t most = 64;
    return size <= most ? size : panels_of(panels_of(size, panels_of(size, most)), 4) * 4;
  };
  GpuTile tile{};
  tile.block_m = block_of(product.rows);
  tile.block_n = block_of(product.columns);
  tile.rows = per_item(tile.block_m);
  tile.columns = per_item(tile.block_n);
  const std::size_t in_16 = 16 / element;
  tile.wide = tile.rows % in_16 == 0 && tile.columns % in_16 == 0 ? in_16 : 1;
  tile.down = panels_of(tile.block_m, tile.rows);
  tile.along = panels_of(tile.block_n, tile.columns);
  // Not a multiple of what the banks hold, against conflicts where what lies side by side in memory
  // goes into different lines.
  const auto line_of = [&](std::size_t size) {
    return tile.wide == 1 ? size | 1 : panels_of(size, tile.wide) * tile.wide + tile.wide;
  };
  tile.line_a = line_of(tile.block_m);
  tile.line_b = line_of(tile.block_n);
  tile.beyond = std::max(tile.rows * tile.down, tile.columns * tile.along);
  tile.beyond = panels_of(tile.beyond, in_16) * in_16;
  const std::size_t line = (tile.line_a + tile.line_b) * element,
                    beyond = 2 * tile.beyond * element;
  const std::size_t lines = (form.local_memory - beyond) / line;
  tile.step = std::clamp<std::size_t>(product.depth, 1, lines);
  // Work-groups of some warps, of which a compute unit can have several.
  const std::size_t team = tile.down * tile.along;
  const bool is_one_block = tile.block_m == product.rows && tile.block_n == product.columns;
  const std::size_t most =
      is_one_block ? std::max<std::size_t>(1, std::min<std::size_t>(form.threads, 128) / team) : 1;
  tile.items =
      std::clamp<std::size_t>(form.local_memory / 2 / (tile.step * line + beyond), 1, most);
  return tile;
}

Facts facts_of(const SmallProduct& product, bool is_tight, bool by_items) {
  return {{"m", signed_of(product.rows)},
          {"n", signed_of(product.columns)},
          {"k", signed_of(product.depth)},
          {"trans_a", std::int64_t{product.first.transposed}},
          {"conj_a", std::int64_t{product.first.conjugated}},
          {"trans_b", std::int64_t{product.second.transposed}},
          {"conj_b", std::int64_t{product.second.conjugated}},
          {"tight", std::int64_t{is_tight}},
          // By rows, the factors are in turn.
          {"by_items", std::int64_t{!by_items                       ? 0
                                    : product.first.slot == Slot::a ? 1
                                                                    : 2}}};
}

/// Work-items of a CPU that share the items: stretches of some tens of microseconds, and a few for
/// each core, so that all end at the same time.
std::size_t cpu_groups(const SmallProduct& product, std::size_t items, std::size_t units) {
  constexpr double least_work = 1 << 18;  // multiply-adds
  const double work = static_cast<double>(items) * static_cast<double>(product.rows) *
                      static_cast<double>(product.columns) * static_cast<double>(product.depth + 8);
  const auto worth = static_cast<std::size_t>(std::min(work / least_work, 1e6));
  return std::clamp<std::size_t>(worth, 1, std::min(items, 8 * units));
}

}  // namespace

void add_small_product(SequenceBuilder& builder, unsigned queue, const SmallProduct& product,
                       std::size_t from, std::size_t to) {
  const Call& call = builder.call();
  const Device& device = builder.device(queue);
  const std::string form = builder.gemm_form(queue);
  SmallProduct used = product;
  if (call.alpha == Scalar(0) && !call.by_items) used.depth = 0;  // the factors are not read
  const bool tight = is_tight(product);
  Facts facts = facts_of(used, tight, call.by_items);
  const auto add = [&](const char* name, std::size_t value) {
    facts.push_back({name, signed_of(value)});
  };
  NDRange range;
  if (is_cpu_form(form)) {
    const CpuTile tile =
        cpu_tile(used, call.precision,
                 static_cast<std::size_t>(std::max<std::int64_t>(device.native_floats, 1)));
    add("lanes", tile.lanes);
    add("tile_vectors", tile.vectors);
    add("tile_columns", tile.columns);
    range = work_groups(device, cpu_groups(used, to - from, device.compute_units));
  } else {
    const GpuTile tile = gpu_tile(used, call.precision, gpu_form(form));
    add("block_m", tile.block_m);
    add("block_n", tile.block_n);
    add("rows", tile.rows);
    add("columns", tile.columns);
    add("down", tile.down);
    add("along", tile.along);
    add("wide", tile.wide);
    add("line_a", tile.line_a);
    add("line_b", tile.line_b);
    add("beyond", tile.beyond);
    add("items", tile.items);
    add("step", tile.step);
    range.local[0] = tile.items * tile.down * tile.along;
    range.global[0] = panels_of(to - from, tile.items) * panels_of(used.rows, tile.block_m) *
                      panels_of(used.columns, tile.block_n) * range.local[0];
  }
  const KernelChoice choice = builder.choose(
      queue, "blas.small_product", template_version("small_product"),
      TemplatePayload{call.precision, is_cpu_form(form), device.native_floats, std::move(facts)},
      "small_product");
  auto arguments = builder.step(queue, choice, range);
  for (const auto& matrix : {product.first, product.second, product.result})
    arguments.operand(matrix.slot, matrix.add)
        .numbers(matrix.leading, call[matrix.slot].batch_stride);
  arguments.scalars(call_alpha, call_beta).numbers(from, to - from).flags(used.depth);
  // A kernel without a table wants some memory there.
  call.by_items ? arguments.operand(Slot::items) : arguments.operand(product.first.slot);
}

}  // namespace kiln::blas
