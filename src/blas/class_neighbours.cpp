#include "blas/class_neighbours.hpp"

#include <algorithm>

#include "blas/problem_class.hpp"
#include "format/kdb.hpp"

namespace kiln::blas {
namespace {

struct Bits {
  std::uint32_t trans_a = *kdb::flag_named("TRANS_A", kdb::Layout::v3),
                trans_b = *kdb::flag_named("TRANS_B", kdb::Layout::v3),
                by_columns = *kdb::flag_named("COLUMN_MAJOR", kdb::Layout::v3),
                upper = *kdb::flag_named("UPPER_TRIANG", kdb::Layout::v3),
                right = *kdb::flag_named("SIDE_RIGHT", kdb::Layout::v3);
};

/// The same computation seen in the other order of storage.
ProblemClass twin_of(ProblemClass problem, const Bits& bits) {
  const std::uint32_t flags = problem.flags;
  problem.flags ^= bits.by_columns;
  switch (problem.routine) {
    case Routine::gemm:
      problem.flags &= ~(bits.trans_a | bits.trans_b);
      if ((flags & bits.trans_a) != 0) problem.flags |= bits.trans_b;
      if ((flags & bits.trans_b) != 0) problem.flags |= bits.trans_a;
      return problem;
    case Routine::symm:
    case Routine::hemm:
      problem.flags ^= bits.right;
      return problem;
    case Routine::trmm:
    case Routine::trsm:
      problem.flags ^= bits.right | bits.upper;
      return problem;
    default:  // a vector has no order, a result that is symmetric is its own transpose
      problem.flags ^= bits.trans_a;
      return problem;
  }
}

bool is_product(Routine routine) { return routine >= Routine::gemm && routine != Routine::trsm; }

}  // namespace

std::vector<std::string> classes_like(const std::string& problem_class) {
  const Bits bits;
  const auto problem = problem_class_named(problem_class);
  if (!problem || problem->routine < Routine::gemv) return {};
  std::vector<std::string> names;
  const auto add = [&](const ProblemClass& like) {
    std::string name = text_of(like);
    if (name != problem_class && std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(std::move(name));
  };
  const bool turns = problem->routine >= Routine::gemm || problem->routine == Routine::gemv;
  if (turns) add(twin_of(*problem, bits));
  if (!is_product(problem->routine)) return names;
  const std::uint32_t order = problem->flags & bits.by_columns;
  for (const std::uint32_t trans :
       {std::uint32_t{0}, bits.trans_b, bits.trans_a, bits.trans_a | bits.trans_b})
    add({Routine::gemm, problem->type, trans | order});
  return names;
}

}  // namespace kiln::blas
