#include "blas/sweep/judge.hpp"

#include <fmt/format.h>

#include <optional>

#include "blas/sweep/openblas.hpp"
#include "blas/sweep/options.hpp"

namespace kiln::blas::testing {
namespace {

std::optional<Routine> product_of_solve(Routine routine) {
  switch (routine) {
    case Routine::trsv:
      return Routine::trmv;
    case Routine::tpsv:
      return Routine::tpmv;
    case Routine::tbsv:
      return Routine::tbmv;
    case Routine::trsm:
      return Routine::trmm;
    default:
      return {};
  }
}

bool is_rotation(Routine routine) {
  return routine == Routine::rot || routine == Routine::rotm || routine == Routine::rotg ||
         routine == Routine::rotmg;
}

/// A number whose real and imaginary parts, where it has both, are a given one.
template <class R>
R both_parts(R value, R) {
  return value;
}
template <class R>
std::complex<R> both_parts(R value, std::complex<R>) {
  return {value, value};
}

template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// The numbers without their signs.
template <class T>
Memory<T> magnitudes(Memory<T> memory) {
  for (auto& argument : memory)
    for (T& element : argument) element = T(std::abs(element));
  return memory;
}
Call magnitudes(Call call) {
  call.alpha = std::abs(call.alpha);
  call.beta = std::abs(call.beta);
  return call;
}

/// Holds one argument, seen as numbers of type E, against what it should be.
template <class E>
class Comparison {
 public:
  Comparison(std::size_t depth, const char* what, Slot slot) : what_(what), slot_(slot) {
    const double unit = static_cast<double>(std::numeric_limits<Real<E>>::epsilon()) / 2;
    // A complex product is four real ones and two sums; alpha and beta cost a few more.
    const double steps =
        static_cast<double>(depth + 4) * (std::is_same_v<E, Real<E>> ? 1.0 : 4.0) * unit;
    gamma_ = 2 * steps / (1 - steps);
  }
  std::string difference(const std::vector<E>& before, const std::vector<E>& wanted,
                         const std::vector<E>& magnitude, const std::vector<E>& now) const {
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (wanted[i] != wanted[i]) {  // no element: NaN from the start
        if (!same_bits(before[i], now[i]))
          return fmt::format("{}, element {} is not the routine's, and was changed", argument(), i);
        continue;
      }
      const double off = static_cast<double>(std::abs(now[i] - wanted[i]));
      const double bound = gamma_ * static_cast<double>(std::abs(magnitude[i])) +
                           8 * static_cast<double>(std::numeric_limits<Real<E>>::min());
      if (!(off <= bound))
        return fmt::format("{}, element {} is off by {}, allowed are {}{}", argument(), i, off,
                           bound, what_);
    }
    return "";
  }

 private:
  std::string argument() const { return fmt::format("argument {}", "abcxyzw"[int(slot_)]); }
  double gamma_ = 0;
  const char* what_;
  Slot slot_;
};

template <class E, class T>
std::vector<E> seen_as(const std::vector<T>& memory) {
  std::vector<E> seen(memory.size() * sizeof(T) / sizeof(E));
  std::memcpy(seen.data(), memory.data(), seen.size() * sizeof(E));
  return seen;
}

template <class T>
class Judge {
 public:
  Judge(const Case<T>& of, const Memory<T>& now) : case_(of), call_(of.call()), now_(now) {}

  std::string difference() {
    compute();
    for (const Use& use : Uses(call_)) {
      const auto i = static_cast<std::size_t>(use.slot);
      const auto& before = case_.memory()[i];
      std::string wrong;
      if (use.access == Use::Access::read)
        wrong = unchanged(before, now_[i]);
      else if (call_.routine == Routine::iamax)
        wrong = compare<cl_uint>(use.slot);
      else if (use.element == sizeof(Real<T>))
        wrong = compare<Real<T>>(use.slot);
      else
        wrong = compare<T>(use.slot);
      if (!wrong.empty()) return wrong;
    }
    return "";
  }

 private:
  static std::string unchanged(const std::vector<T>& before, const std::vector<T>& now) {
    return std::memcmp(before.data(), now.data(), now.size() * sizeof(T)) == 0
               ? ""
               : "an argument that is only read was changed";
  }

  /// What OpenBLAS says, and how large the parts of it are.
  void compute() {
    const OpenBlas& library = OpenBlas::get();
    if (const auto product = product_of_solve(call_.routine)) return multiply_back(*product);
    wanted_ = case_.readable();
    library.run(call_, wanted_);
    seen_ = now_;
    if (call_.routine == Routine::iamax) return;
    if (is_rotation(call_.routine)) {
      // Rotations subtract, and those of rotg and rotmg are no sums at all: their numbers are of
      // the order of one, or of the results.
      magnitude_ = wanted_;
      const Real<T> growth = call_.routine == Routine::rotmg ? cancellation() : Real<T>(1);
      for (auto& argument : magnitude_)
        for (T& element : argument) element = both_parts(growth * (std::abs(element) + 4), T());
      return;
    }
    magnitude_ = magnitudes(case_.readable());
    library.run(magnitudes(call_), magnitude_);
  }

  /// How much larger an error may be for what rotmg subtracts: it divides by 1 + q, where q is the
  /// lesser of d1 x1^2 and d2 y1^2 through the greater, and q may be near -1.
  Real<T> cancellation() const {
    const auto at = [&](Slot slot) {
      return std::real(case_.memory()[static_cast<std::size_t>(slot)][call_[slot].offset]);
    };
    const Real<T> p1 = at(Slot::a) * at(Slot::x) * at(Slot::x);
    const Real<T> p2 = at(Slot::b) * at(Slot::y) * at(Slot::y);
    const Real<T> most = std::max(std::abs(p1), std::abs(p2));
    return most == 0 ? Real<T>(1) : 1 + most / std::abs(p1 + p2);
  }

  void multiply_back(Routine product) {
    const OpenBlas& library = OpenBlas::get();
    const auto slot = static_cast<std::size_t>(product == Routine::trmm ? Slot::b : Slot::x);
    Call back = call_;
    back.routine = product;
    back.alpha = 1;
    seen_ = now_;
    library.run(back, seen_);  // what should be alpha b
    magnitude_ = magnitudes(now_);
    library.run(back, magnitude_);
    wanted_ = case_.readable();
    const T alpha = product == Routine::trmm ? Passed<T>::narrow(call_.alpha) : T(1);
    for (std::size_t i = 0; i < wanted_[slot].size(); ++i) {
      wanted_[slot][i] *= alpha;
      magnitude_[slot][i] += std::abs(wanted_[slot][i]);
    }
  }

  template <class E>
  std::string compare(Slot slot) const {
    const auto i = static_cast<std::size_t>(slot);
    if constexpr (std::is_same_v<E, cl_uint>) {
      const std::size_t at = call_[slot].offset;
      const auto wanted = seen_as<cl_uint>(wanted_[i])[at], now = seen_as<cl_uint>(now_[i])[at];
      return wanted == now ? "" : fmt::format("the index is {}, expected {}", now, wanted);
    } else {
      const bool solves = product_of_solve(call_.routine).has_value();
      // Inverted blocks cost a small factor against substitution.
      const std::size_t depth = depth_of(call_) * (solves ? 4 : 1);
      return Comparison<E>(depth, solves ? ", of what it leaves over" : "", slot)
          .difference(seen_as<E>(case_.memory()[i]), seen_as<E>(wanted_[i]),
                      seen_as<E>(magnitude_[i]), seen_as<E>(seen_[i]));
    }
  }

  const Case<T>& case_;
  const Call& call_;
  const Memory<T>& now_;
  Memory<T> wanted_, magnitude_, seen_;
};

}  // namespace

template <class T>
std::string difference(const Case<T>& of, const Memory<T>& now) {
  return Judge<T>(of, now).difference();
}

template std::string difference(const Case<float>&, const Memory<float>&);
template std::string difference(const Case<double>&, const Memory<double>&);
template std::string difference(const Case<std::complex<float>>&,
                                const Memory<std::complex<float>>&);
template std::string difference(const Case<std::complex<double>>&,
                                const Memory<std::complex<double>>&);

}  // namespace kiln::blas::testing
