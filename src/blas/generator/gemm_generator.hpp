#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "blas/call/call.hpp"
#include "device/device.hpp"
#include "kernel/request/device_facts.hpp"
#include "kernel/request/parameters.hpp"
#include "kernel/request/request.hpp"
#include "kernel/resolver/generator.hpp"

// The kernels of matrix products: which form a device gets, their tunable tiles, and their text.
namespace kiln::blas {

/// The tunable part of a matrix product, typed: the panels that both operands are packed into, and
/// the tile of the result that is kept in registers. clBLAS's SubproblemDim says the same of two
/// levels: itemX, itemY and bwidth are rows, columns and depth here.
struct GemmTiles {
  std::size_t rows = 0;     ///< of a panel of the first operand; a multiple of a vector's lanes
  std::size_t columns = 0;  ///< of a panel of the second operand
  /// For CPUs columns of a block, at most: what a tile goes through before it is stored. For GPUs
  /// columns that are in local memory at a time.
  std::size_t depth = 0;

  static GemmTiles of(const Parameters& parameters);
};

/// How many panels of a width make a size; the last may be narrower.
constexpr std::size_t panels_of(std::size_t size, std::size_t width) {
  return (size + width - 1) / width;
}

/// What the kernels of a form for GPUs take of a device.
struct GpuForm {
  std::size_t threads;       ///< work-items of a work-group
  std::size_t local_memory;  ///< bytes, at most
  std::size_t stage_memory;  ///< the same of the stages of the product, which may have more
  std::size_t producers;     ///< more work-items of the product, which only fetch
};
constexpr GpuForm gpu_form(std::string_view form) {
  if (form == "gpu_small") return {64, 20 << 10, 20 << 10, 0};
  if (form == "sm90a") return {256, 48 << 10, 226 << 10, 32};
  // What the device itself may take of local memory is left to it where there is little.
  const std::size_t room = std::size_t{form == "gpu32" ? 31u : 48u} << 10;
  return {256, room, room, 0};
}

/// How the operands of a product lie in memory, and what its result goes through: by the rows and
/// columns of the column-major result, whatever the call's order.
struct ProductForm {
  Storage first = Storage::native, second = Storage::native, result = Storage::native;
  bool grouped_first = false, grouped_second = false;  ///< factors with scales (Call::group_a)
  Epilogue after{};
  Storage bias = Storage::native, scale = Storage::native, residual = Storage::native;
  /// Whether the kernels do nothing unless an int in memory is 0 (closed), or another number
  /// (open).
  enum class Gated : std::uint8_t { no, open, closed } gated = Gated::no;
  /// The factors of an invariant product of complex numbers are exchanged: the order in which the
  /// parts of an imaginary part are added, too.
  bool flipped = false;

  /// Whether sums are integers, exactly.
  bool is_integer() const {
    const auto is_integral = [](Storage stored, bool grouped) {
      return (stored == Storage::int8 || stored == Storage::int4) && !grouped;
    };
    return is_integral(first, grouped_first) && is_integral(second, grouped_second);
  }
  /// Whether more becomes of a sum than that it is added to a C of the call's precision.
  bool is_special() const {
    return result != Storage::native || is_integer() || after != Epilogue{};
  }
};

/// Which form of the product a device runs: GemmPayload::form. By the device's type, its
/// local memory and the work-items that its work-groups may have, of a CPU its instructions.
std::string gemm_form(const Device& device, const ProductForm& product = {});
constexpr bool is_cpu_form(std::string_view form) { return form.starts_with("cpu"); }
/// Where a form's panels hold bytes: the integers that the second factor's have for four of them; 0
/// where they hold reals.
constexpr std::size_t units_of_four_bytes(std::string_view form) {
  return form == "cpu_vnni" ? 1 : form == "cpu_pairs" ? 2 : 0;
}

/// What a form is made of, by name, as numbers: facts, and in capitals the macros of templates.
Facts parts_of(const ProductForm& product);
/// The same of what comes after a product alone.
Facts parts_of(const Epilogue& after, Storage bias, Storage scale, Storage residual);

/// What GemmGenerator is asked for.
struct GemmPayload {
  Precision precision{};
  std::string form = "cpu";  ///< gemm_form()
  bool small = false;        ///< the result is too small for large tiles to fill the device
  std::int64_t native_floats = 4;
  /// For CPUs there are other kernels of the same tiles: `solve`, for triangular systems (the
  /// template solve_tasks), and `deep_product` with `join_parts`, for a small result with a great
  /// depth (deep_parts).
  enum class Kernels : std::uint8_t { product, solve, deep } kernels = Kernels::product;
  ProductForm product{};
};
Facts facts_of(const GemmPayload& gemm);

/// The kernel `product`, C = alpha A B + beta C, and what packs the factors for it. The version is
/// a digest of the templates and a number for the code.
///
/// Parameters: rows, columns, depth (GemmTiles), for GPUs stages, too. Forms, by device:
///
///   cpu   one kernel, the template product_tasks, that packs and multiplies. A work-group is one
///         work-item: a micro-kernel holds a tile of rows x columns of C in vector registers and
///         goes through one block of the panels, reading the first as vectors and broadcasting the
///         second (the scheme of Goto and van de Geijn, Anatomy of High-Performance Matrix
///         Multiplication, 2008; the tile's shape after BLIS, Van Zee 2015).
///   cpu_vnni   the same for products of integers, with panels of bytes, on CPUs that have AVX-512
///         VNNI (templates/byte_tile.cl).
///   cpu_pairs  the same on CPUs that have AVX2 and no AVX-512: by products of pairs of 16 bits.
///   gpu   for work-groups of 256 and 48 KiB of local memory:
///         pack_both copies the factors into panels of `rows` rows and of `columns` columns,
///         product multiplies them (templates/gpu_product.cl).
///   gpu32, gpu_small   the same with fewer stages, for 32 KiB of local memory, and with
///         work-groups of 64, for devices that have even less.
///   sm80, sm90   the same with asynchronous copies, for NVIDIA devices of at least this
///         architecture; from 9.0 on with the matrix units for double precision.
///   sm90a   for Hopper alone: a warp of its own feeds the others by the copy engine, by way of all
///         local memory that a compute unit has. A work-group stays for tile after tile, and those
///         that would be the last, of which few units would have any, are shared out in steps
///         (templates/gpu_stages.cl).
class GemmGenerator : public Generator {
 public:
  std::string family() const override { return "blas.gemm"; }
  std::int64_t version() const override;
  Parameters defaults(const Request& request) const override;
  bool accepts(const Request& request, const Parameters& parameters) const override;
  /// A large product is much like a larger one; where a result has few tiles, others are better
  /// (docs/performance.md has the figures).
  Reach reach() const override { return {2, 8}; }
  std::vector<std::string> classes_like(const std::string& problem_class) const override;
  std::string generate(const Request& request, const Parameters& parameters) const override;
};

}  // namespace kiln::blas
