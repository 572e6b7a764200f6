#include "blas/problem_class.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "format/kdb.hpp"

namespace kiln::blas {
namespace {

std::uint32_t bit(std::string_view name) { return *kdb::flag_named(name, kdb::Layout::v3); }

/// The options that make a difference to the routine's speed.
std::uint32_t flags_of(const Call& call) {
  static const std::uint32_t trans_a = bit("TRANS_A"), trans_b = bit("TRANS_B"),
                             column_major = bit("COLUMN_MAJOR"), upper = bit("UPPER_TRIANG"),
                             right = bit("SIDE_RIGHT");
  if (call.routine < Routine::gemv) return 0;
  std::uint32_t flags = call.order == Order::column_major ? column_major : 0;
  // Fields that a routine does not have stay as they were made.
  if (call.trans_a != Transpose::none) flags |= trans_a;
  if (call.trans_b != Transpose::none) flags |= trans_b;
  if (call.side == Side::right) flags |= right;
  switch (call.routine) {
    case Routine::symv:
    case Routine::trmm:
    case Routine::trsm:
      return call.uplo == Uplo::upper ? flags | upper : flags;
    default:
      return flags;
  }
}

}  // namespace

std::uint32_t kdb_type(Precision precision) {
  switch (precision) {
    case Precision::s:
      return 0;
    case Precision::d:
      return 1;
    case Precision::c:
      return 2;
    case Precision::z:
      break;
  }
  return 3;
}
Precision precision_of_kdb_type(std::uint32_t type) {
  constexpr Precision all[] = {Precision::s, Precision::d, Precision::c, Precision::z};
  return all[type % 4];
}

std::string text_of(const ProblemClass& problem) {
  const auto names = kdb::flag_names(problem.flags, kdb::Layout::v3);
  return fmt::format("{} {}{}{}", name_of(problem.routine), *kdb::type_name(problem.type),
                     names.empty() ? "" : " ", fmt::join(names, "+"));
}

std::optional<ProblemClass> problem_class_named(const std::string& text) {
  const std::size_t blank = text.find(' ');
  if (blank == text.npos) return {};
  const std::size_t second = std::min(text.find(' ', blank + 1), text.size());
  const auto type = kdb::type_named(text.substr(blank + 1, second - blank - 1));
  if (!type || *type > 3) return {};
  ProblemClass problem{{}, *type, 0};
  bool known = false;
  for (int routine = 0; routine < routine_count && !known; ++routine) {
    problem.routine = static_cast<Routine>(routine);
    known = text.compare(0, blank, name_of(problem.routine)) == 0;
  }
  for (std::size_t at = second; at < text.size();) {
    const std::size_t end = std::min(text.find('+', at + 1), text.size());
    const auto flag = kdb::flag_named(text.substr(at + 1, end - at - 1), kdb::Layout::v3);
    if (!flag) return {};
    problem.flags |= *flag;
    at = end;
  }
  return known ? std::optional(problem) : std::nullopt;
}

std::string problem_class_of(const Call& call) {
  return text_of({call.routine, kdb_type(call.precision), flags_of(call)});
}

std::int64_t problem_size_of(const Call& call) {
  std::size_t size = 0;
  switch (call.routine) {
    case Routine::gemm:
      size = (call.m + call.n + call.k) / 3;
      break;
    case Routine::symm:
    case Routine::hemm:
    case Routine::trmm:
    case Routine::trsm:
      size = (call.m + call.n + (call.side == Side::left ? call.m : call.n)) / 3;
      break;
    case Routine::syrk:
    case Routine::herk:
    case Routine::syr2k:
    case Routine::her2k:
      size = (2 * call.n + call.k) / 3;
      break;
    case Routine::gemv:
    case Routine::gbmv:
    case Routine::ger:
    case Routine::gerc:
      size = (call.m + call.n) / 2;
      break;
    default:
      size = call.n;
  }
  return static_cast<std::int64_t>(std::max<std::size_t>(size, 1));
}

}  // namespace kiln::blas
