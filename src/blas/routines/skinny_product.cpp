#include <algorithm>
#include <optional>
#include <utility>

#include "blas/generator/gemm_generator.hpp"
#include "blas/generator/matrix_unit_generator.hpp"
#include "blas/routines/product.hpp"

// Products with a factor of a few columns: bound by reading the other one, which is read in place.
namespace kiln::blas {
namespace {

/// Columns of the narrow factor: fewer where a GPU has little local memory for them.
constexpr std::size_t most_few = 8, most_few_of_small_gpus = 2;

/// Kinds of elements of which kernels read vectors.
bool has_vectors(Storage stored) {
  using enum Storage;
  return stored == native || stored == half || stored == bfloat16 || stored == int8 ||
         stored == int4;
}

Transpose flipped(Transpose trans) {
  return trans == Transpose::none ? Transpose::transpose : Transpose::none;
}

/// The same product seen by rows: (A B)' = B' A'.
Product transposed(const Product& product) {
  Product other = product;
  std::swap(other.first, other.second);
  other.first.trans = flipped(product.second.trans);
  other.second.trans = flipped(product.first.trans);
  std::swap(other.rows, other.columns);
  const auto across = [](Along way) {
    return way == Along::rows ? Along::columns : way == Along::columns ? Along::rows : way;
  };
  other.after.what.bias = across(product.after.what.bias);
  other.after.what.scale = across(product.after.what.scale);
  other.after.flipped = !product.after.flipped;
  return other;
}

/// A factor's one row, or column, without gaps lies along the depth either way: seen so.
void lay_along_depth(Factor& factor, Transpose along, std::size_t lines, std::size_t depth) {
  const bool is_along = (factor.trans == Transpose::none) == (along == Transpose::none);
  if (lines != 1 || is_along || factor.region.leading != 1) return;
  factor.trans = flipped(factor.trans);
  factor.region.leading = static_cast<std::int64_t>(depth);
}

/// A product whose second factor has a few columns; `flipped`: its result lies by rows.
struct Skinny {
  Product product;
  bool flipped = false;

  /// Whether op(first) lies along the depth.
  bool lies_along_depth() const { return product.first.trans != Transpose::none; }

  bool suits(std::size_t most_columns) const {
    const Factor& first = product.first;
    if (product.columns > most_columns || !has_vectors(first.region.stored) ||
        product.second.scales)
      return false;
    if (first.region.stored == Storage::int4 && first.region.leading % 2 != 0) return false;
    // A unit of 32 elements, the longest, lies in one group.
    if (first.scales) return lies_along_depth() && first.group % 32 == 0;
    // Columns that are shorter than a vector, or halves of bytes, are not read side by side.
    return lies_along_depth() || (product.rows >= 64 && first.region.stored != Storage::int4);
  }
};

std::optional<Skinny> skinny_of(const SequenceBuilder& builder, unsigned queue,
                                const Product& whole) {
  const auto is_plain = [](const Factor& factor) {
    return factor.stored == Factor::Stored::everywhere &&
           factor.diagonal == Factor::Diagonal::as_is;
  };
  if (is_complex(builder.call().precision) || builder.call().invariant || whole.items != 1 ||
      whole.gated != ProductForm::Gated::no || whole.triangle != Product::Triangle::whole ||
      whole.form().is_integer() || !is_plain(whole.first) || !is_plain(whole.second) ||
      whole.first.region.slot == whole.result.slot ||
      whole.second.region.slot == whole.result.slot || !whole.result.slot)
    return std::nullopt;
  const std::string form = builder.gemm_form(queue);
  const bool has_little = form == "gpu_small" || form == "gpu32";
  const std::size_t most = has_little ? most_few_of_small_gpus : most_few;
  Product product = whole;
  lay_along_depth(product.first, Transpose::transpose, product.rows, product.depth);
  lay_along_depth(product.second, Transpose::none, product.columns, product.depth);
  const Skinny as_is{product, false}, turned{transposed(product), true};
  const bool turned_suits = turned.suits(most);
  if (as_is.suits(most) &&
      (as_is.lies_along_depth() || !turned_suits || !turned.lies_along_depth()))
    return as_is;
  if (turned_suits) return turned;
  return std::nullopt;
}

/// How the matrix units of a GPU take a product (the template skinny_units).
struct Units {
  std::size_t few, threads;
  std::size_t block;            ///< of the depth, which a warp multiplies at a time
  std::size_t group = 0;        ///< elements that have one scale; 0: none have
  std::size_t most_groups = 0;  ///< of a part of the depth, whose scales are in local memory
  static constexpr std::size_t rows = 32;  ///< of a work-group

  std::size_t warps() const { return threads / 32; }
  /// Local memory: digits of X, scales. Sums have as much again, at the most, as OpenCL tells of.
  std::size_t local_bytes() const {
    return warps() * few * 2048 + most_groups * (rows + 4) * sizeof(float);
  }
  /// Whether the scales of a part find room where the depth has so many.
  bool has_room(std::size_t depth, std::size_t parts) const {
    const std::size_t blocks = panels_of(panels_of(depth, block), parts * warps()) * warps();
    return group == 0 || (blocks + 1) * block / group + 2 <= most_groups;
  }
};

/// Columns of the narrow factor that the matrix units take.
constexpr std::size_t most_few_of_units = 4;
/// Their rows and depth, which the kernel counts in ints.
constexpr std::size_t most_of_units = std::size_t{1} << 30;

std::optional<Units> units_of(const SequenceBuilder& builder, unsigned queue,
                              const Skinny& skinny) {
  const Product& product = skinny.product;
  const Factor& first = product.first;
  const Storage stored = first.region.stored;
  if (!builder.gemm_form(queue).starts_with("sm") || is_double(builder.call().precision) ||
      !skinny.lies_along_depth() || product.columns > most_few_of_units ||
      (stored != Storage::int4 && stored != Storage::int8) || product.depth >= most_of_units ||
      product.rows >= most_of_units)
    return std::nullopt;
  // Offsets are not known yet: where they spoil the alignment, the kernel is right, and slower.
  const std::size_t chunk = stored == Storage::int4 ? 32 : 16, block = 4 * chunk;
  if (first.region.leading % static_cast<std::int64_t>(chunk) != 0) return std::nullopt;
  // Hopper has more local memory than OpenCL tells of.
  const bool is_large = has_matrix_units(builder.device(queue));
  Units units{product.columns, !is_large ? 128u : product.columns == 1 ? 512u : 256u, block};
  if (first.scales) {
    if (first.group % block != 0 && block % first.group != 0) return std::nullopt;
    units.group = first.group;
    units.most_groups = is_large ? 512 : 128;
  }
  if (units.local_bytes() > (is_large ? 200u : 40u) << 10) return std::nullopt;
  return units;
}

class SkinnySteps {
 public:
  SkinnySteps(SequenceBuilder& builder, unsigned queue, const Skinny& skinny)
      : builder_(builder),
        queue_(queue),
        skinny_(skinny),
        product_(skinny.product),
        form_(product_.form()),
        is_cpu_(is_cpu_form(builder.gemm_form(queue))),
        units_(units_of(builder, queue, skinny)),
        threads_(units_ ? units_->threads
                        : std::min<std::size_t>(128, gpu_form(builder.gemm_form(queue)).threads)),
        // Vectors of X lie along the depth; integers of 4 bits are unpacked once.
        is_packed_(!units_ && skinny.lies_along_depth() &&
                   (product_.second.trans != Transpose::none ||
                    !has_vectors(product_.second.region.stored) ||
                    product_.second.region.stored == Storage::int4)) {}

  void add() {
    const auto& second = product_.second;
    std::int64_t step = second.trans == Transpose::none ? 1 : second.region.leading;
    std::int64_t column_step = second.trans == Transpose::none ? second.region.leading : 1;
    Region x = second.region;
    if (is_packed_) {
      const std::size_t elements = product_.depth * product_.columns;
      const cl::Buffer packed =
          builder_.scratch(queue_, 0, elements * size_of(builder_.call().precision));
      auto arguments =
          builder_.step(queue_, choice("pack_x"), stream_range(builder_.device(queue_), elements));
      put(arguments, x).numbers(step, column_step, product_.depth).buffer(packed);
      x = {std::nullopt, packed};
      step = 1;
      column_step = static_cast<std::int64_t>(product_.depth);
    }
    const std::size_t parts = parts_of_depth();
    const std::size_t elements = product_.rows * product_.columns;
    const cl::Buffer sums =
        parts == 1
            ? cl::Buffer()
            : builder_.scratch(queue_, 1, parts * elements * size_of(builder_.call().precision));
    multiply(x, step, column_step, sums, parts);
    if (parts == 1) return;
    auto arguments =
        builder_.step(queue_, choice("join"), stream_range(builder_.device(queue_), elements));
    arguments.buffer(sums).numbers(product_.rows).flags(parts);
    put_result(arguments);
    put_after_if(arguments);
  }

 private:
  KernelChoice choice(const char* kernel) const {
    Facts facts = parts_of(form_);
    const auto add = [&](const char* name, auto value) {
      facts.push_back({name, static_cast<std::int64_t>(value)});
    };
    add("few", product_.columns);
    add("packed", is_packed_);
    add("integer", false);
    add("special", form_.is_special());
    add("vector_epilogue", false);
    if (is_cpu_) {
      const std::int64_t floats = builder_.device(queue_).native_floats;
      add("lanes", std::clamp<std::int64_t>(
                       is_double(builder_.call().precision) ? floats / 2 : floats, 4, 16));
    } else {
      add("threads", threads_);
      add("async", builder_.gemm_form(queue_).starts_with("sm"));
    }
    if (units_) {
      add("group", units_->group);
      add("near_bytes", units_->local_bytes());
    }
    KernelChoice chosen = template_choice(builder_, queue_,
                                          is_cpu_  ? "skinny_cpu"
                                          : units_ ? "skinny_units"
                                                   : "skinny_gpu",
                                          std::move(facts));
    chosen.kernel = kernel;
    return chosen;
  }

  /// Rows of a work-item of a CPU, or of a work-group of a GPU.
  std::size_t least_rows() const {
    if (is_cpu_) return skinny_.lies_along_depth() ? 6 : 64;
    if (units_) return Units::rows;
    return skinny_.lies_along_depth() ? threads_ / 32 *
                                            (product_.columns >= 5   ? 1
                                             : product_.columns >= 2 ? 2
                                                                     : 4)
                                      : threads_;
  }
  /// Where the rows are too few for the device, its work-items share the depth.
  std::size_t parts_of_depth() const {
    // Work-items of a unit: of the matrix units 512 have all of its registers.
    const std::size_t units = builder_.device(queue_).compute_units * (is_cpu_  ? 1
                                                                       : units_ ? 512 / threads_
                                                                                : 8);
    const std::size_t shares = panels_of(product_.rows, least_rows());
    const std::size_t least_depth = is_cpu_ || units_ ? 4096 : 512;
    std::size_t parts = std::clamp<std::size_t>(
        units / shares, 1, std::max<std::size_t>(1, product_.depth / least_depth));
    while (units_ && !units_->has_room(product_.depth, parts)) ++parts;
    return parts;
  }

  void put_result(SequenceBuilder::Arguments& to) const {
    std::int64_t row = 1, column = product_.result.leading;
    if (skinny_.flipped) std::swap(row, column);
    put(to, product_.result).numbers(row, column).scalars(product_.alpha, product_.beta);
  }
  void put_after_if(SequenceBuilder::Arguments& to) const {
    if (form_.is_special()) put_after(to, product_.after);
  }

  void multiply(const Region& x, std::int64_t step, std::int64_t column_step,
                const cl::Buffer& sums, std::size_t parts) {
    const std::size_t shares = panels_of(product_.rows, least_rows());
    NDRange range;
    if (is_cpu_) {
      // As many as the device has units: fewer where a unit would have little. With the depth in
      // parts, of which there are no more than units have shares, each share is a work-item's.
      const std::size_t work = product_.rows * product_.depth * product_.columns;
      const std::size_t most =
          std::clamp<std::size_t>(work >> 16, 1, builder_.device(queue_).compute_units);
      range =
          work_groups(builder_.device(queue_), parts > 1 ? parts * shares : std::min(shares, most));
    } else if (units_) {
      range.dimensions = 2;
      range.local[0] = threads_;
      range.global[0] = shares * threads_;
      range.global[1] = parts;
    } else {
      range.local[0] = threads_;
      range.global[0] = shares * parts * threads_;
    }
    const bool along = skinny_.lies_along_depth();
    auto arguments = builder_.step(queue_, choice(along ? "skinny_rows" : "skinny_columns"), range);
    put(arguments, product_.first.region).numbers(product_.first.region.leading);
    put(arguments, x)
        .numbers(step, column_step, product_.rows, product_.depth)
        .flags(parts)
        .buffer(sums);
    put_result(arguments);
    product_.first.scales ? arguments.operand(*product_.first.scales, product_.first.first_scale)
                          : arguments.buffer(cl::Buffer()).numbers(0);
    arguments.numbers(product_.first.group);
    put_after_if(arguments);
  }

  SequenceBuilder& builder_;
  unsigned queue_;
  const Skinny& skinny_;
  const Product& product_;
  ProductForm form_;
  bool is_cpu_;
  std::optional<Units> units_;
  std::size_t threads_;  ///< of a GPU's work-group
  bool is_packed_;
};

}  // namespace

bool add_skinny_product(SequenceBuilder& builder, unsigned queue, const Product& product) {
  const auto skinny = skinny_of(builder, queue, product);
  if (!skinny) return false;
  SkinnySteps(builder, queue, *skinny).add();
  return true;
}

}  // namespace kiln::blas
