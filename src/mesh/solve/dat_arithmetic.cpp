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
  const auto& right = state_of(b);
  const auto refuse = [&](const std::string& what) {
    throw Error(Errc::bad_input, fmt::format("dat {}: {}", left.name, what));
  };
  if (left.session != right.session)
    refuse(fmt::format("dat {} belongs to another Mesh", right.name));
  if (!(left.on.set() == right.on.set()))
    refuse(fmt::format("dat {} is on set {}, expected {}", right.name, right.on.set().name(),
                       left.on.set().name()));
  if (left.data.form().dim != right.data.form().dim)
    refuse(fmt::format("dat {} has {} components, expected {}", right.name, right.data.form().dim,
                       left.data.form().dim));
}

/// A function whose `body` is done for each component kiln_k of an element. No constant of the user
/// has such names.
Kernel componentwise(const std::string& name, std::size_t dim, const std::string& parameters,
                     const std::string& body) {
  KernelWriter out;
  out.open("void {}({})", name, parameters);
  out.line("for (int kiln_k = 0; kiln_k < {}; ++kiln_k) {}", dim, body);
  out.close();
  return Kernel(out.take(), name);
}

/// A Global of the Dat's own for a purpose. Loops that were called with the value that it has run
/// before it gets another one.
Global& scratch_of(const Dat& dat, Purpose purpose, ScalarType type) {
  auto& state = state_of(dat);
  const auto known = state.scratch.find({purpose, type});
  if (known != state.scratch.end()) return known->second;
  auto made = Handles::make<Global>(state.session->keep(std::unique_ptr<GlobalState>(
      new GlobalState{state.session, "of dat " + state.name, next_identity(),
                      Residence({type, 1, 1, DataLayout::aos})})));
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
template <class Number>
const Global& scalar_of(const Dat& dat, const Number& number) {
  const bool is_float = is_floating(dat.type());
  if (is_float || !number.is_whole)
    return scratch_of(dat, Purpose::scalar, is_float ? dat.type() : ScalarType::f64, number.real);
  Global& global = scratch_of(dat, Purpose::scalar, ScalarType::i64);
  global.set(number.whole);
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
  return Handles::make<Dat>(state.session->keep(std::unique_ptr<DatState>(new DatState{
      state.session, std::move(name), state.on, next_identity(), Residence(state.data.form())})));
}

void copy_over(const Dat& from, const Dat& to, const Iteration& over) {
  check_alike(from, to);
  if (from == to) return;
  par_loop(componentwise("kiln_copy_dat", from.dim(),
                         fmt::format("const {} *kiln_x, {} *kiln_y", name_of(from.type()),
                                     name_of(to.type())),
                         "kiln_y[kiln_k] = kiln_x[kiln_k];"),
           over, arg(from, READ), arg(to, WRITE));
}

void fill_over(const Dat& dat, const Global& value, const Iteration& over) {
  par_loop(componentwise("kiln_fill_dat", dat.dim(),
                         fmt::format("const {} *kiln_x, {} *kiln_y", name_of(value.type()),
                                     name_of(dat.type())),
                         "kiln_y[kiln_k] = *kiln_x;"),
           over, arg(value, READ), arg(dat, WRITE));
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
  par_loop(componentwise("kiln_greatest", dat.dim(),
                         fmt::format("const {0} *kiln_x, {0} *kiln_most", name_of(dat.type())),
                         "*kiln_most = fmax(*kiln_most, fabs(kiln_x[kiln_k]));"),
           dat.set(), arg(dat, READ), arg(most, MAX));
  return value_of(most);
}

/// The norm where squares leave the range of the type.
double scaled_norm(const Dat& dat) {
  const double scale = greatest(dat);
  if (scale == 0 || std::isinf(scale)) return scale;
  const Global& divisor = scratch_of(dat, Purpose::scalar, dat.type(), scale);
  const Global& sum = scratch_of(dat, Purpose::sum, dat.type(), 0);
  par_loop(componentwise(
               "kiln_scaled_squares", dat.dim(),
               fmt::format("const {0} *kiln_x, const {0} *kiln_scale, {0} *kiln_sum",
                           name_of(dat.type())),
               fmt::format("{{ const {} kiln_y = kiln_x[kiln_k] / *kiln_scale; *kiln_sum += kiln_y "
                           "* kiln_y; }}",
                           name_of(dat.type()))),
           dat.set(), arg(dat, READ), arg(divisor, READ), arg(sum, INC));
  return scale * std::sqrt(value_of(sum));
}

}  // namespace

Dat& Dat::combine(char operation, const Dat& other) {
  check_alike(*this, other);
  par_loop(componentwise(
               name_of_operation(operation), dim(),
               fmt::format("{} *kiln_x, const {} *kiln_y", name_of(type()), name_of(other.type())),
               statement(operation, type(), other.type(), "kiln_y[kiln_k]")),
           set(), arg(*this, RW), arg(other, READ));
  return *this;
}

Dat& Dat::combine(char operation, const Number& scalar) {
  const Global& global = scalar_of(*this, scalar);
  par_loop(componentwise(
               std::string(name_of_operation(operation)) + "_scalar", dim(),
               fmt::format("{} *kiln_x, const {} *kiln_y", name_of(type()), name_of(global.type())),
               statement(operation, type(), global.type(), "kiln_y[0]")),
           set(), arg(*this, RW), arg(global, READ));
  return *this;
}

Dat& Dat::axpy_number(const Number& alpha, const Dat& x) {
  check_alike(*this, x);
  const Global& global = scalar_of(*this, alpha);
  par_loop(componentwise("kiln_axpy_dat", dim(),
                         fmt::format("const {} *kiln_alpha, const {} *kiln_x, {} *kiln_y",
                                     name_of(global.type()), name_of(x.type()), name_of(type())),
                         "kiln_y[kiln_k] = kiln_y[kiln_k] + *kiln_alpha * kiln_x[kiln_k];"),
           set(), arg(global, READ), arg(x, READ), arg(*this, RW));
  return *this;
}

void Dat::fill_number(const Number& value) {
  if (set().total_size() == set().size()) return fill_over(*this, scalar_of(*this, value), set());
  // Loops leave out what others own.
  const auto bytes = with_type(type(), [&](auto zero) {
    using T = decltype(zero);
    const T number = value.is_whole && !is_floating(type()) ? static_cast<T>(value.whole)
                                                            : static_cast<T>(value.real);
    std::array<std::byte, 8> made{};
    std::memcpy(made.data(), &number, sizeof number);
    return made;
  });
  host(type(), true);  // after the loops that it must come after
  state_->data.fill(state_->session->queue, bytes.data());
}

void Dat::zero(const Subset& subset) { fill_over(*this, scalar_of(*this, number(0)), subset); }
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
  if (*this == other) {
    par_loop(componentwise("kiln_squares", dim(),
                           fmt::format("const {} *kiln_x, {} *kiln_sum", name_of(this->type()),
                                       name_of(type)),
                           fmt::format("*kiln_sum += {0}kiln_x[kiln_k] * kiln_x[kiln_k];", cast)),
             set(), arg(*this, READ), arg(sum, INC));
  } else {
    par_loop(componentwise("kiln_products", dim(),
                           fmt::format("const {} *kiln_x, const {} *kiln_y, {} *kiln_sum",
                                       name_of(this->type()), name_of(other.type()), name_of(type)),
                           fmt::format("*kiln_sum += {0}kiln_x[kiln_k] * kiln_y[kiln_k];", cast)),
             set(), arg(*this, READ), arg(other, READ), arg(sum, INC));
  }
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
