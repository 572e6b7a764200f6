#include "rival/onednn.hpp"

#include <utility>

#include "kiln/error.hpp"

namespace kiln::rival {

using blas::Slot;

const Onednn& Onednn::get() {
  static const Onednn one;
  return one;
}

void Onednn::run(const blas::Call& call, const std::array<void*, blas::slot_count>& memory) const {
  if (call.routine != blas::Routine::gemm || call.precision != blas::Precision::s)
    throw Error(Errc::unsupported, "oneDNN has sgemm alone");
  using Sgemm = int(char, char, std::int64_t, std::int64_t, std::int64_t, float, const float*,
                    std::int64_t, const float*, std::int64_t, float, float*, std::int64_t);
  const auto letter = [](blas::Transpose trans) {
    return trans == blas::Transpose::none ? 'N' : 'T';
  };
  // It takes rows: by columns, the transposed product is that of the factors in turn.
  Slot first = Slot::a, second = Slot::b;
  char trans_first = letter(call.trans_a), trans_second = letter(call.trans_b);
  auto rows = static_cast<std::int64_t>(call.m), columns = static_cast<std::int64_t>(call.n);
  if (call.order == blas::Order::column_major) {
    std::swap(first, second);
    std::swap(trans_first, trans_second);
    std::swap(rows, columns);
  }
  const auto data = [&](Slot slot) {
    return static_cast<float*>(memory[static_cast<std::size_t>(slot)]);
  };
  const int status = library_.function<Sgemm>("dnnl_sgemm")(
      trans_first, trans_second, rows, columns, static_cast<std::int64_t>(call.k),
      static_cast<float>(call.alpha.real()), data(first), call[first].stride, data(second),
      call[second].stride, static_cast<float>(call.beta.real()), data(Slot::c),
      call[Slot::c].stride);
  if (status != 0) throw Error(Errc::internal, "dnnl_sgemm: " + std::to_string(status));
}

}  // namespace kiln::rival
