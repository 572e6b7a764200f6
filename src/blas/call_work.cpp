#include "blas/call_work.hpp"

#include "blas/uses.hpp"

namespace kiln::blas {

Call contiguous(Call call) {
  for (const Use& use : Uses(call))
    call[use.slot].stride = use.form == Use::Form::matrix   ? static_cast<std::int64_t>(use.length)
                            : use.form == Use::Form::vector ? 1
                                                            : 0;
  return call;
}

bool is_compute_bound(Routine routine) { return routine >= Routine::gemm; }

double operations_of(const Call& call) {
  const auto m = static_cast<double>(call.m), n = static_cast<double>(call.n),
             k = static_cast<double>(call.k);
  const double square = call.side == Side::left ? m : n;
  const double products = is_complex(call.precision) ? 4 : 1;
  switch (call.routine) {
    case Routine::gemm:
      return 2 * m * n * k * products;
    case Routine::symm:
    case Routine::hemm:
      return 2 * m * n * square * products;
    case Routine::trmm:
    case Routine::trsm:
      return m * n * square * products;
    case Routine::syr2k:
    case Routine::her2k:
      return 2 * n * n * k * products;
    default:
      return n * n * k * products;
  }
}

double traffic_of(const Call& call) {
  Call whole = contiguous(call);
  for (auto& operand : whole.operands) operand.offset = 0;
  double bytes = 0;
  for (const Use& use : Uses(whole)) {
    std::size_t elements = 0;
    extent_of(use, whole[use.slot], elements);
    const double all = static_cast<double>(elements) * static_cast<double>(use.element);
    // Of a square matrix that has a structure, one triangle.
    const bool half = use.slot == Slot::a && use.form == Use::Form::matrix &&
                      use.length == use.lines && call.routine != Routine::gemv &&
                      call.routine != Routine::gbmv && call.routine != Routine::ger &&
                      call.routine != Routine::gerc;
    bytes += (half ? all / 2 : all) * (use.access == Use::Access::both ? 2 : 1);
  }
  return bytes;
}

}  // namespace kiln::blas
