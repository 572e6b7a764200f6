#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "blas/generator/gemm_generator.hpp"
#include "blas/routines/product.hpp"

// Products of doubles by way of bytes (the template emulated), with a product of doubles for where
// that is not exact enough.
namespace kiln::blas {
namespace {

/// Coprime in pairs, the largest such up to 256. Their product has 125 bits.
constexpr std::array<unsigned, 16> moduli{256, 255, 253, 251, 247, 241, 239, 233,
                                          229, 227, 223, 217, 211, 199, 197, 193};
__extension__ using Wide = unsigned __int128;

constexpr Wide product_of_moduli() {
  Wide product = 1;
  for (const unsigned p : moduli) product *= p;
  return product;
}

constexpr int bits_of_product() {
  int bits = 0;
  for (Wide rest = product_of_moduli(); rest != 0; rest /= 2) ++bits;
  return bits - 1;  // 2^bits is not more than it
}

/// Numbers of a line that differ by more powers of two would vanish: such products are computed in
/// double precision.
constexpr std::int64_t most_spread = 40;
/// Sums of so many products of two bytes fit into an int32.
constexpr std::size_t most_depth = std::size_t{1} << 17;

/// The inverse of a number by a coprime modulus.
unsigned inverse_of(unsigned number, unsigned modulus) {
  for (unsigned inverse = 1; inverse < modulus; ++inverse)
    if (number % modulus * inverse % modulus == 1) return inverse;
  return 0;
}

Facts facts() {
  std::vector<unsigned> inverses;
  for (const unsigned s : moduli)
    for (const unsigned t : moduli) inverses.push_back(s == t ? 0 : inverse_of(s, t));
  const Wide all = product_of_moduli(), half = all / 2;
  const auto word = [](Wide value) {
    return fmt::format("0x{:x}UL", static_cast<std::uint64_t>(value));
  };
  return {{"moduli", static_cast<std::int64_t>(moduli.size())},
          {"moduli_list", fmt::format("{}", fmt::join(moduli, ","))},
          {"inverses", fmt::format("{}", fmt::join(inverses, ","))},
          {"spread", most_spread},
          {"all_high", word(all >> 64)},
          {"all_low", word(all)},
          {"half_high", word(half >> 64)},
          {"half_low", word(half)}};
}

class EmulatedProduct {
 public:
  EmulatedProduct(SequenceBuilder& builder, unsigned queue, const Product& product)
      : builder_(builder),
        queue_(queue),
        product_(product),
        halves_(is_complex(builder.call().precision) ? 2 : 1),
        padded_(panels_of(product.depth, 32) * 32),
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
    const cl::Buffer sums =
        builder_.workspace(halves_ * moduli.size() * product_.rows * at_once * sizeof(cl_int));
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
    KernelChoice chosen = template_choice(builder_, queue_, "emulated", facts());
    chosen.kernel = kernel;
    return chosen;
  }
  NDRange squares(std::size_t lines, std::size_t length) const {
    NDRange range;
    range.dimensions = 2;
    range.local = {32, 8, 1};
    range.global = {panels_of(lines, 32) * 32, panels_of(length, 32) * 8, 1};
    return range;
  }

  /// The numbers are below 2^bits: sums of products of two are less than half of the moduli's.
  int bits() const {
    const int depth_bits = static_cast<int>(std::bit_width(halves_ * padded_ - 1));
    return (bits_of_product() - 2 - depth_bits) / 2;
  }

  void find_exponents(const Lines& lines) {
    auto arguments = builder_.step(queue_, choice("exponents"), squares(lines.count, 32));
    put(arguments, lines.factor->region)
        .numbers(lines.step_line, lines.step_k, lines.count, product_.depth)
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
    auto arguments = builder_.step(queue_, choice("remainders"), squares(lines.count, length));
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

  /// Columns of the result whose sums are held at a time.
  std::size_t columns_at_once() const {
    constexpr std::size_t most_bytes = std::size_t{1} << 30;
    const std::size_t each = halves_ * moduli.size() * product_.rows * sizeof(cl_int);
    return std::clamp<std::size_t>(most_bytes / each / 256 * 256, 256,
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
    const std::int64_t plane = number(product_.rows * width);
    bytes.result = {std::nullopt,          sums,           number(part * moduli.size()) * plane,
                    number(product_.rows), Storage::int32, plane};
    bytes.beta = 0;
    bytes.gate = gate_;
    bytes.gated = ProductForm::Gated::closed;
    Call call = builder_.call();
    call.precision = Precision::s;
    builder_.add_for(call, [&](SequenceBuilder& to) { add_product(to, queue_, bytes); });
  }

  void reconstruct(const Lines& rows, const Lines& columns, const cl::Buffer& sums,
                   std::size_t from, std::size_t width) {
    auto arguments = builder_.step(queue_, choice("reconstruct"),
                                   stream_range(builder_.device(queue_), product_.rows * width));
    // A part of a buffer would have to begin where the device likes it; a number need not.
    arguments.buffer(sums)
        .numbers(product_.rows, width)
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
  cl::Buffer gate_;
};

}  // namespace

bool add_emulated_product(SequenceBuilder& builder, unsigned queue, const Product& product) {
  // What work-groups of the kernels take.
  constexpr std::size_t threads = 256, local_memory = std::size_t{24} << 10;
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
