// Arithmetic of whole Dats. Each operation is a parallel loop over a small kernel, so that it waits
// in the queue like others, and is compiled and kept.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "kernel/text/kernel_writer.hpp"
#include "mesh/model/basics.hpp"
#include "mesh/model/session.hpp"

namespace kiln::mesh {
namespace {

using Purpose = DatState::Purpose;

DatState& state_of(const Dat& dat) { return *Handles::state(dat); }

void check_alike(const Dat& a, const Dat& b) {
  const auto& left = state_of(a);
  check_fits(state_of(b), {left.session.get(), a.set(), a.dim()}, "dat", left.name);
}

/// An argument of a loop, and its name in the kernel.
struct Operand {
  template <class Data>
  Operand(const char* called, const Data& data, Access access)
      : name(called), type(data.type()), argument(arg(data, access)) {}
  const char* name;
  ScalarType type;
  Arg argument;
};

/// A loop over a function whose `body` is done for each of `dim` components kiln_k of an element.
/// No constant of the user has such names.
void componentwise(const std::string& name, std::size_t dim, const Iteration& over,
                   std::initializer_list<Operand> operands, const std::string& body) {
  std::string parameters;
  std::vector<Arg> arguments;
  for (const auto& [called, type, argument] : operands) {
    parameters +=
        fmt::format("{}{}{} *{}", arguments.empty() ? "" : ", ",
                    argument.access == Access::read ? "const " : "", name_of(type), called);
    arguments.push_back(argument);
  }
  KernelWriter out;
  out.open("void {}({})", name, parameters);
  out.line("for (int kiln_k = 0; kiln_k < {}; ++kiln_k) {}", dim, body);
  out.close();
  par_loop(Kernel(out.take(), name), over, std::span<const Arg>(arguments));
}

/// A Global of the Dat's own for a purpose. Loops that were called with the value that it has run
/// before it gets another one.
Global& scratch_of(const Dat& dat, Purpose purpose, ScalarType type) {
  auto& state = state_of(dat);
  const auto known = state.scratch.find({purpose, type});
  if (known != state.scratch.end()) return known->second;
  auto made =
      Handles::keep<Global>(GlobalState{state.session, "of dat " + state.name, next_identity(),
                                        Residence({type, 1, 1, DataLayout::aos})});
  return state.scratch.try_emplace({purpose, type}, std::move(made)).first->second;
}
Global& scratch_of(const Dat& dat, Purpose purpose, ScalarType type, double value) {
  Global& global = scratch_of(dat, purpose, type);
  with_type(type, [&](auto zero) { global.set(static_cast<decltype(zero)>(value)); });
  return global;
}
double value_of(const Global& global) {
  return with_type(global.type(),
                   [&](auto zero) { return static_cast<double>(global.value<decltype(zero)>()); });
}

/// A scalar operand: floating-point Dats get their own type, so that loops convert nothing.
const Global& scalar_of(const Dat& dat, const Number& number) {
  const bool is_float = is_floating(dat.type());
  if (is_float || !number.is_integer)
    return scratch_of(dat, Purpose::scalar, is_float ? dat.type() : ScalarType::f64,
                      number.floating);
  Global& global = scratch_of(dat, Purpose::scalar, ScalarType::i64);
  global.set(number.integer);
  return global;
}

/// x := x operation y in C; y is an expression of type `right`.
std::string statement(char operation, ScalarType left, ScalarType right, const char* y) {
  if (operation != '/' || is_floating(left) || is_floating(right))
    return fmt::format("kiln_x[kiln_k] = kiln_x[kiln_k] {} {};", operation, y);
  // Processors trap where integers have no quotient, and the process would be gone.
  const bool is_signed = static_cast<int>(right) % 2 == 0;
  const std::string minus_one =
      is_signed ? fmt::format("{} == -1 ? ({})(0 - (ulong)kiln_x[kiln_k]) : ", y, name_of(left))
                : "";
  return fmt::format("kiln_x[kiln_k] = {0} == 0 ? 0 : {1}kiln_x[kiln_k] / {0};", y, minus_one);
}

const char* name_of_operation(char operation) {
  return operation == '+'   ? "kiln_add_dat"
         : operation == '-' ? "kiln_subtract_dat"
         : operation == '*' ? "kiln_multiply_dat"
                            : "kiln_divide_dat";
}

Dat make_like(const Dat& dat, std::string name) {
  const auto& state = state_of(dat);
  return Handles::keep<Dat>(DatState{state.session, std::move(name), state.on, next_identity(),
                                     Residence(state.data.form())});
}

void copy_over(const Dat& from, const Dat& to, const Iteration& over) {
  check_alike(from, to);
  if (from == to) return;
  componentwise("kiln_copy_dat", from.dim(), over, {{"kiln_x", from, READ}, {"kiln_y", to, WRITE}},
                "kiln_y[kiln_k] = kiln_x[kiln_k];");
}

void fill_over(const Dat& dat, const Global& value, const Iteration& over) {
  componentwise("kiln_fill_dat", dat.dim(), over, {{"kiln_x", value, READ}, {"kiln_y", dat, WRITE}},
                "kiln_y[kiln_k] = *kiln_x;");
}

Dat combined(char operation, const Dat& a, const Dat& b) {
  Dat result = make_like(a, fmt::format("{} {} {}", a.name(), operation, b.name()));
  check_alike(a, b);
  a.copy(result);
  switch (operation) {
    case '+':
      return result += b;
    case '-':
      return result -= b;
    case '*':
      return result *= b;
    default:
      return result /= b;
  }
}

/// What sums of products are taken in.
ScalarType sum_type(ScalarType a, ScalarType b) {
  if (a == ScalarType::f64 || b == ScalarType::f64) return ScalarType::f64;
  return is_floating(a) || is_floating(b) ? ScalarType::f32 : ScalarType::i64;
}

/// The greatest absolute value of floating-point components, none of them NaN.
double greatest(const Dat& dat) {
  const Global& most = scratch_of(dat, Purpose::most, dat.type(), 0);
  componentwise("kiln_greatest", dat.dim(), dat.set(),
                {{"kiln_x", dat, READ}, {"kiln_most", most, MAX}},
                "*kiln_most = fmax(*kiln_most, fabs(kiln_x[kiln_k]));");
  return value_of(most);
}

/// The norm where squares leave the range of the type.
double scaled_norm(const Dat& dat) {
  const double scale = greatest(dat);
  if (scale == 0 || std::isinf(scale)) return scale;
  const Global& divisor = scratch_of(dat, Purpose::scalar, dat.type(), scale);
  const Global& sum = scratch_of(dat, Purpose::sum, dat.type(), 0);
  componentwise(
      "kiln_scaled_squares", dat.dim(), dat.set(),
      {{"kiln_x", dat, READ}, {"kiln_scale", divisor, READ}, {"kiln_sum", sum, INC}},
      fmt::format(
          "{{ const {} kiln_y = kiln_x[kiln_k] / *kiln_scale; *kiln_sum += kiln_y * kiln_y; }}",
          name_of(dat.type())));
  return scale * std::sqrt(value_of(sum));
}

}  // namespace

Dat& Dat::combine(char operation, const Dat& other) {
  check_alike(*this, other);
  componentwise(name_of_operation(operation), dim(), set(),
                {{"kiln_x", *this, RW}, {"kiln_y", other, READ}},
                statement(operation, type(), other.type(), "kiln_y[kiln_k]"));
  return *this;
}

Dat& Dat::combine(char operation, const Number& scalar) {
  const Global& global = scalar_of(*this, scalar);
  componentwise(std::string(name_of_operation(operation)) + "_scalar", dim(), set(),
                {{"kiln_x", *this, RW}, {"kiln_y", global, READ}},
                statement(operation, type(), global.type(), "kiln_y[0]"));
  return *this;
}

Dat& Dat::axpy(const Number& alpha, const Dat& x) {
  check_alike(*this, x);
  componentwise(
      "kiln_axpy_dat", dim(), set(),
      {{"kiln_alpha", scalar_of(*this, alpha), READ}, {"kiln_x", x, READ}, {"kiln_y", *this, RW}},
      "kiln_y[kiln_k] = kiln_y[kiln_k] + *kiln_alpha * kiln_x[kiln_k];");
  return *this;
}

void Dat::fill(const Number& value) {
  // Of a part of several copies follow by the Transport; all parts must run the same loops.
  if (set().total_size() == set().size() || state_->is_in_parts())
    return fill_over(*this, scalar_of(*this, value), set());
  // Loops leave out what others own.
  const auto bytes = with_type(type(), [&](auto zero) {
    using T = decltype(zero);
    const T number = value.is_integer && !is_floating(type()) ? static_cast<T>(value.integer)
                                                              : static_cast<T>(value.floating);
    std::array<std::byte, 8> made{};
    std::memcpy(made.data(), &number, sizeof number);
    return made;
  });
  host(type(), true);  // after the loops that it must come after
  state_->data.fill(state_->session->queue, bytes.data());
}

void Dat::zero(const Subset& subset) { fill_over(*this, scalar_of(*this, 0), subset); }
void Dat::copy(const Dat& to) const { copy_over(*this, to, set()); }
void Dat::copy(const Dat& to, const Subset& subset) const { copy_over(*this, to, subset); }

Dat Dat::operator-() const {
  Dat result = make_like(*this, "-" + name());
  copy(result);
  return result *= -1;
}
Dat operator+(const Dat& a, const Dat& b) { return combined('+', a, b); }
Dat operator-(const Dat& a, const Dat& b) { return combined('-', a, b); }
Dat operator*(const Dat& a, const Dat& b) { return combined('*', a, b); }
Dat operator/(const Dat& a, const Dat& b) { return combined('/', a, b); }

double Dat::inner(const Dat& other) const {
  check_alike(*this, other);
  const ScalarType type = sum_type(this->type(), other.type());
  const Global& sum = scratch_of(*this, Purpose::sum, type, 0);
  // A cast would keep the loop from working on several elements at once.
  const std::string cast = type == this->type() ? "" : fmt::format("({})", name_of(type));
  if (*this == other)
    componentwise("kiln_squares", dim(), set(), {{"kiln_x", *this, READ}, {"kiln_sum", sum, INC}},
                  fmt::format("*kiln_sum += {0}kiln_x[kiln_k] * kiln_x[kiln_k];", cast));
  else
    componentwise("kiln_products", dim(), set(),
                  {{"kiln_x", *this, READ}, {"kiln_y", other, READ}, {"kiln_sum", sum, INC}},
                  fmt::format("*kiln_sum += {0}kiln_x[kiln_k] * kiln_y[kiln_k];", cast));
  return value_of(sum);
}

double Dat::norm() const {
  const double squares = inner(*this);
  if (!is_floating(type()) || std::isnan(squares)) return std::sqrt(squares);
  const auto [least, most] = with_type(type(), [](auto zero) {
    using Limits = std::numeric_limits<decltype(zero)>;
    return std::pair{static_cast<double>(Limits::min()) / static_cast<double>(Limits::epsilon()),
                     static_cast<double>(Limits::max())};
  });
  return squares > least && squares <= most ? std::sqrt(squares) : scaled_norm(*this);
}

}  // namespace kiln::mesh
