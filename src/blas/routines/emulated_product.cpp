#include <bit>
#include <cmath>
#include <utility>

#include "blas/generator/gemm_generator.hpp"
#include "blas/generator/matrix_unit_generator.hpp"
#include "blas/generator/moduli.hpp"
#include "blas/routines/product.hpp"

// Products of doubles by way of bytes (the template emulated), with a product of doubles for where
// that is not exact enough.
namespace kiln::blas {
namespace {

/// Numbers of a line that differ by more powers of two would vanish: such products are computed in
/// double precision.
constexpr std::int64_t most_spread = 40;
/// Sums of so many products of two bytes fit into an int32.
constexpr std::size_t most_depth = std::size_t{1} << 17;

class EmulatedProduct {
 public:
  EmulatedProduct(SequenceBuilder& builder, unsigned queue, const Product& product)
      : builder_(builder),
        queue_(queue),
        product_(product),
        halves_(is_complex(builder.call().precision) ? 2 : 1),
        padded_(panels_of(product.depth, panel) * panel),
        sums_are_remainders_(has_matrix_units(builder.device(queue)) &&
                             halves_ * padded_ * largest_byte * largest_byte <= most_sum),
        leading_(panels_of(product.rows, 16) * 16),
        gate_(builder.workspace(sizeof(cl_int))) {}

  void add() {
    builder_.step(queue_, choice("begin"), NDRange{}).buffer(gate_);
    const Lines rows = lines_of(product_.first, product_.rows, false);
    const Lines columns = lines_of(product_.second, product_.columns, true);
    find_exponents(rows);
    find_exponents(columns);
    // Re, then -Im: the real parts of the result; Im, then Re: the imaginary ones.
    std::vector<cl::Buffer> of_rows;
    for (std::size_t part = 0; part < halves_; ++part)
      of_rows.push_back(planes_of(rows, part == 0 ? 0 : 1, part == 0 ? 3 : 0));
    const cl::Buffer of_columns = planes_of(columns, 0, 1);
    const std::size_t at_once = columns_at_once();
    const cl::Buffer sums = builder_.workspace(bytes_of_column() * at_once);
    for (std::size_t from = 0; from < product_.columns; from += at_once) {
      const std::size_t width = std::min(at_once, product_.columns - from);
      for (std::size_t part = 0; part < halves_; ++part)
        multiply(of_rows[part], of_columns, sums, part, from, width);
      reconstruct(rows, columns, sums, from, width);
    }
    Product exact = product_;
    exact.gate = gate_;
    exact.gated = ProductForm::Gated::open;
    add_product(builder_, queue_, exact);
  }

 private:
  static constexpr std::size_t panel = 64;  ///< elements of the depth that a work-group splits
  static constexpr std::size_t largest_byte = 128;

  /// Rows of op(A), or columns of op(B).
  struct Lines {
    const Factor* factor;
    std::size_t count;
    std::int64_t step_line, step_k;
    cl::Buffer scales;
  };

  Lines lines_of(const Factor& factor, std::size_t count, bool across) {
    std::int64_t line = 1, k = factor.region.leading;
    if ((factor.trans != Transpose::none) != across) std::swap(line, k);
    return {&factor, count, line, k, builder_.workspace(count * sizeof(cl_int))};
  }

  KernelChoice choice(const char* kernel) const {
    Facts facts = facts_of_moduli();
    facts.push_back({"spread", most_spread});
    facts.push_back({"sum_bytes", static_cast<std::int64_t>(bytes_of_sum())});
    KernelChoice chosen = template_choice(builder_, queue_, "emulated", std::move(facts));
    chosen.kernel = kernel;
    return chosen;
  }
  static NDRange panels(std::size_t lines, std::size_t of_depth) {
    NDRange range;
    range.dimensions = 2;
    range.local = {32, 8, 1};
    range.global = {panels_of(lines, 32) * 32, of_depth * 8, 1};
    return range;
  }

  /// The numbers are below 2^bits: sums of products of two are less than half of the moduli's.
  int bits() const {
    const int depth_bits = static_cast<int>(std::bit_width(halves_ * padded_ - 1));
    return (bits_of_product - 2 - depth_bits) / 2;
  }

  void find_exponents(const Lines& lines) {
    // So many chunks of the depth that there are some work-groups for each compute unit.
    constexpr std::size_t groups_of_unit = 8, least_chunk = 256;
    const std::size_t wanted = panels_of(builder_.device(queue_).compute_units * groups_of_unit,
                                         panels_of(lines.count, 32));
    const std::size_t chunk = std::max(
        least_chunk, panels_of(panels_of(product_.depth, wanted), least_chunk) * least_chunk);
    const std::size_t chunks = panels_of(product_.depth, chunk);
    const cl::Buffer sizes = builder_.workspace(3 * chunks * lines.count * sizeof(double));
    auto arguments = builder_.step(queue_, choice("exponents"), panels(lines.count, chunks));
    put(arguments, lines.factor->region)
        .numbers(lines.step_line, lines.step_k, lines.count, product_.depth, chunk)
        .buffer(sizes);
    builder_.step(queue_, choice("scales_of"), stream_range(builder_.device(queue_), lines.count))
        .buffer(sizes)
        .numbers(chunks, lines.count, product_.depth)
        .flags(bits())
        .reals(most_uneven())
        .buffer(lines.scales)
        .buffer(gate_);
  }

  /// How many times the mean of a line its largest number may be. What is cut off of a number is
  /// 2^-bits of the largest; both ways were equally exact where that is about sqrt(k) roundings of
  /// the mean (measured on the matrices of tests/blas/routines/emulated_test.cpp): half of it.
  double most_uneven() const {
    constexpr int bits_of_double = 53;
    return std::ldexp(std::sqrt(static_cast<double>(halves_ * product_.depth)) / 2,
                      bits() - bits_of_double);
  }

  cl::Buffer planes_of(const Lines& lines, int first, int second) {
    const std::size_t length = halves_ * padded_;
    const cl::Buffer planes = builder_.workspace(moduli.size() * lines.count * length);
    auto arguments =
        builder_.step(queue_, choice("remainders"), panels(lines.count, length / panel));
    put(arguments, lines.factor->region)
        .numbers(lines.step_line, lines.step_k)
        .flags(lines.factor->trans == Transpose::conjugate)
        .numbers(lines.count, product_.depth, padded_)
        .flags(first, second)
        .buffer(lines.scales)
        .buffer(planes)
        .buffer(gate_);
    return planes;
  }

  std::size_t bytes_of_sum() const { return sums_are_remainders_ ? 1 : sizeof(cl_int); }
  std::size_t bytes_of_column() const {
    return halves_ * moduli.size() * leading_ * bytes_of_sum();
  }

  /// Columns of the result whose sums are held at a time.
  std::size_t columns_at_once() const {
    constexpr std::size_t most_bytes = std::size_t{1} << 30;
    return std::clamp<std::size_t>(most_bytes / bytes_of_column() / 256 * 256, 256,
                                   std::max<std::size_t>(256, product_.columns));
  }

  /// The products of bytes: a batch of as many as there are moduli.
  void multiply(const cl::Buffer& rows, const cl::Buffer& columns, const cl::Buffer& sums,
                std::size_t part, std::size_t from, std::size_t width) {
    const auto length = static_cast<std::int64_t>(halves_ * padded_);
    const auto number = [](std::size_t value) { return static_cast<std::int64_t>(value); };
    Product bytes;
    bytes.rows = product_.rows;
    bytes.columns = width;
    bytes.depth = halves_ * padded_;
    bytes.items = moduli.size();
    bytes.first.region = {std::nullopt, rows,          0,
                          length,       Storage::int8, length * number(product_.rows)};
    bytes.first.trans = Transpose::transpose;
    bytes.second.region = {std::nullopt, columns,       number(from) * length,
                           length,       Storage::int8, length * number(product_.columns)};
    const std::int64_t plane = number(leading_ * width);
    bytes.result = {std::nullopt,     sums,           number(part * moduli.size()) * plane,
                    number(leading_), Storage::int32, plane};
    bytes.beta = 0;
    bytes.gate = gate_;
    bytes.gated = ProductForm::Gated::closed;
    Call call = builder_.call();
    call.precision = Precision::s;
    builder_.add_for(call, [&](SequenceBuilder& to) {
      if (!sums_are_remainders_) return add_product(to, queue_, bytes);
      bytes.result.stored = Storage::int8;
      add_matrix_unit_product(to, queue_, bytes);
    });
  }

  void reconstruct(const Lines& rows, const Lines& columns, const cl::Buffer& sums,
                   std::size_t from, std::size_t width) {
    constexpr std::size_t rows_of_group = 256, most_groups = 32768;
    NDRange range;
    range.dimensions = 2;
    range.local = {rows_of_group / 2, 1, 1};
    range.global = {panels_of(product_.rows, rows_of_group) * range.local[0],
                    std::min(width, most_groups), 1};
    auto arguments = builder_.step(queue_, choice("reconstruct"), range);
    // A part of a buffer would have to begin where the device likes it; a number need not.
    arguments.buffer(sums)
        .numbers(product_.rows, width, leading_)
        .buffer(rows.scales)
        .buffer(columns.scales)
        .numbers(from);
    put(arguments, product_.result.at(0, from))
        .numbers(product_.result.leading)
        .scalars(product_.alpha, product_.beta)
        .buffer(gate_);
  }

  SequenceBuilder& builder_;
  unsigned queue_;
  const Product& product_;
  std::size_t halves_, padded_;
  bool sums_are_remainders_;  ///< the sums' remainders are what is stored, as bytes
  std::size_t leading_;       ///< sums from a column to the next
  cl::Buffer gate_;
};

}  // namespace

bool add_emulated_product(SequenceBuilder& builder, unsigned queue, const Product& product) {
  // What work-groups of the kernels take.
  constexpr std::size_t threads = 256, local_memory = std::size_t{26} << 10;
  const Device& device = builder.device(queue);
  const bool suits = device.max_work_group_size >= threads && device.local_memory >= local_memory &&
                     builder.call().emulated && is_double(builder.call().precision) &&
                     product.gated == ProductForm::Gated::no && product.items == 1 &&
                     product.triangle == Product::Triangle::whole &&
                     product.first.stored == Factor::Stored::everywhere &&
                     product.second.stored == Factor::Stored::everywhere &&
                     !product.form().is_special() && product.depth <= most_depth / 2 - 32;
  if (!suits) return false;
  EmulatedProduct(builder, queue, product).add();
  return true;
}

}  // namespace kiln::blas
