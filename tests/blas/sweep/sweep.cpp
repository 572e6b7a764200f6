#include "blas/sweep/sweep.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <random>

#include "blas/sweep/judge.hpp"

namespace kiln::blas::testing {
namespace {

template <class T>
std::string check_typed(Library& library, const Rig& rig, const Call& call, unsigned seed,
                        Manner manner) {
  const Case<T> one(call, seed);
  const auto run = manner == Manner::plainly ? run_plainly<T> : run_between_events<T>;
  return difference(one, run(library, rig, one));
}

}  // namespace

std::vector<Kind> kinds(Routine first, Routine last) {
  std::vector<Kind> all;
  for (int routine = static_cast<int>(first); routine <= static_cast<int>(last); ++routine)
    for (const auto precision : {Precision::s, Precision::d, Precision::c, Precision::z})
      if (exists(static_cast<Routine>(routine), precision))
        all.emplace_back(static_cast<Routine>(routine), precision);
  return all;
}

std::string name_of(const ::testing::TestParamInfo<Kind>& info) {
  const auto& [routine, precision] = info.param;
  return letter(precision) + std::string(blas::name_of(routine));
}

bool is_long_run() {
#ifdef KILN_SHORT_SWEEP
  return false;
#else
  return std::getenv("KILN_LONG") != nullptr;
#endif
}

unsigned seed_of_run() {
  static const unsigned seed = [] {
    const char* given = std::getenv("KILN_TEST_SEED");
    return given == nullptr ? std::random_device{}()
                            : static_cast<unsigned>(std::strtoul(given, nullptr, 10));
  }();
  return seed;
}

std::string check(Library& library, const Rig& rig, const Call& call, unsigned seed,
                  Manner manner) {
  std::string wrong;
  try {
    switch (call.precision) {
      case Precision::s:
        wrong = check_typed<float>(library, rig, call, seed, manner);
        break;
      case Precision::d:
        wrong = check_typed<double>(library, rig, call, seed, manner);
        break;
      case Precision::c:
        wrong = check_typed<std::complex<float>>(library, rig, call, seed, manner);
        break;
      case Precision::z:
        wrong = check_typed<std::complex<double>>(library, rig, call, seed, manner);
    }
  } catch (const std::exception& error) {
    wrong = error.what();
  }
  if (wrong.empty()) return "";
  return fmt::format("{}, {} queues, seed {}: {}", words_of(call), rig.queues().size(), seed,
                     wrong);
}

std::string words_of(const Call& call) {
  const auto n = [](auto value) { return static_cast<int>(value); };
  std::string text = fmt::format(
      "{}{} order {} side {} uplo {} trans {}{} diag {} m {} n {} k {} kl {} ku {} inc {} {}",
      letter(call.precision), blas::name_of(call.routine), n(call.order), n(call.side),
      n(call.uplo), n(call.trans_a), n(call.trans_b), n(call.diag), call.m, call.n, call.k, call.kl,
      call.ku, call[Slot::x].stride, call[Slot::y].stride);
  return text + fmt::format(" alpha {},{} beta {},{}", call.alpha.real(), call.alpha.imag(),
                            call.beta.real(), call.beta.imag());
}

}  // namespace kiln::blas::testing
