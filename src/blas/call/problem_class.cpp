#include "blas/call/problem_class.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "blas/call/routine_traits.hpp"
#include "kiln/formats/kdb.hpp"

namespace kiln::blas {
namespace {

/// clBLAS's flags of a kernel. They are looked up once: a sequence is built with them.
struct Flags {
  std::uint32_t trans_a = *kdb::flag_named("TRANS_A", kdb::Layout::v3),
                trans_b = *kdb::flag_named("TRANS_B", kdb::Layout::v3),
                by_columns = *kdb::flag_named("COLUMN_MAJOR", kdb::Layout::v3),
                upper = *kdb::flag_named("UPPER_TRIANG", kdb::Layout::v3),
                right = *kdb::flag_named("SIDE_RIGHT", kdb::Layout::v3);

  static const Flags& get() {
    static const Flags known;
    return known;
  }
};

/// The options that make a difference to the routine's speed.
std::uint32_t flags_of(const Call& call) {
  const Flags& known = Flags::get();
  if (call.routine < Routine::gemv) return 0;
  std::uint32_t flags = call.order == Order::column_major ? known.by_columns : 0;
  // Fields that a routine does not have stay as they were made.
  if (call.trans_a != Transpose::none) flags |= known.trans_a;
  if (call.trans_b != Transpose::none) flags |= known.trans_b;
  if (call.side == Side::right) flags |= known.right;
  const bool tells_triangle =
      call.routine == Routine::symv ||
      (has(call.routine, trait::sided) && has(call.routine, trait::triangular));
  if (tells_triangle && call.uplo == Uplo::upper) flags |= known.upper;
  return flags;
}

/// The same computation seen in the other order of storage.
ProblemClass twin_of(ProblemClass problem, const Flags& known) {
  const std::uint32_t flags = problem.flags;
  problem.flags ^= known.by_columns;
  if (problem.routine == Routine::gemm) {
    problem.flags &= ~(known.trans_a | known.trans_b);
    if ((flags & known.trans_a) != 0) problem.flags |= known.trans_b;
    if ((flags & known.trans_b) != 0) problem.flags |= known.trans_a;
  } else if (has(problem.routine, trait::sided)) {
    const bool triangular = has(problem.routine, trait::triangular);
    problem.flags ^= triangular ? known.right | known.upper : known.right;
  } else {  // a vector has no order, a result that is symmetric is its own transpose
    problem.flags ^= known.trans_a;
  }
  return problem;
}

bool is_product(Routine routine) { return routine >= Routine::gemm && routine != Routine::trsm; }

}  // namespace

std::uint32_t kdb_type(Precision precision) { return static_cast<std::uint32_t>(precision); }
Precision precision_of_kdb_type(std::uint32_t type) { return static_cast<Precision>(type % 4); }

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
  const auto routine = routine_named(std::string_view(text).substr(0, blank));
  if (!routine || !type || *type > 3) return {};
  ProblemClass problem{*routine, *type, 0};
  for (std::size_t at = second; at < text.size();) {
    const std::size_t end = std::min(text.find('+', at + 1), text.size());
    const auto flag = kdb::flag_named(text.substr(at + 1, end - at - 1), kdb::Layout::v3);
    if (!flag) return {};
    problem.flags |= *flag;
    at = end;
  }
  return problem;
}

std::string problem_class_of(const Call& call) {
  return text_of({call.routine, kdb_type(call.precision), flags_of(call)});
}

std::int64_t problem_size_of(const Call& call) {
  const bool is_update = has(call.routine, trait::update);
  std::size_t size = call.n;
  if (is_compute_bound(call.routine))
    size = (call.n + (is_update ? call.n : call.m) +
            (has(call.routine, trait::sided) ? square_of(call) : call.k)) /
           3;
  else if (has(call.routine, trait::rectangular))
    size = (call.m + call.n) / 2;
  return static_cast<std::int64_t>(std::max<std::size_t>(size, 1));
}

std::vector<std::string> classes_like(const std::string& problem_class) {
  const Flags& known = Flags::get();
  const auto problem = problem_class_named(problem_class);
  if (!problem || problem->routine < Routine::gemv) return {};
  std::vector<std::string> names;
  const auto add = [&](const ProblemClass& like) {
    std::string name = text_of(like);
    if (name != problem_class && std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(std::move(name));
  };
  const bool has_twin = problem->routine >= Routine::gemm || problem->routine == Routine::gemv;
  if (has_twin) add(twin_of(*problem, known));
  if (!is_product(problem->routine)) return names;
  const std::uint32_t order = problem->flags & known.by_columns;
  for (const std::uint32_t trans :
       {std::uint32_t{0}, known.trans_b, known.trans_a, known.trans_a | known.trans_b})
    add({Routine::gemm, problem->type, trans | order});
  return names;
}

}  // namespace kiln::blas
