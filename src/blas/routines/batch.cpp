#include <algorithm>
#include <utility>

#include "blas/call/call.hpp"
#include "blas/generator/gemm_generator.hpp"
#include "blas/routines/normal_matrix.hpp"
#include "blas/routines/routines.hpp"
#include "blas/routines/shares.hpp"
#include "blas/routines/small_product.hpp"

// Batches: small ones of some routines are one launch, whose kernel goes through the items; any
// other call runs once for each item.
namespace kiln::blas {
namespace {

struct Items {
  unsigned queue;
  std::size_t from, to;
};

/// A share of the items for each queue, by the speed of its device; the first always has some.
std::vector<Items> item_shares(SequenceBuilder& to) {
  const Limit limit = is_compute_bound(to.call().routine) ? Limit::arithmetic : Limit::memory;
  const std::size_t batch = to.call().batch;
  const auto queues = static_cast<unsigned>(std::min<std::size_t>(to.queues(), batch));
  double all = 0, done = 0;
  for (unsigned queue = 0; queue < queues; ++queue) all += to.speed(queue, limit);
  std::vector<Items> shares;
  std::size_t from = 0;
  for (unsigned queue = 0; queue < queues; ++queue) {
    done += to.speed(queue, limit);
    std::size_t end = static_cast<std::size_t>(static_cast<double>(batch) * (done / all) + 0.5);
    if (queue == 0) end = std::max<std::size_t>(end, 1);
    end = queue + 1 == queues ? batch : std::min(end, batch);
    if (end > from) {
      to.set_part(queue, static_cast<double>(end - from) / static_cast<double>(batch));
      shares.push_back({queue, from, end});
    }
    from = std::max(from, end);
  }
  return shares;
}

bool is_plain(const Call& call) {
  return call.epilogue == Epilogue{} && !call.invariant && !call.emulated &&
         (call.group_a | call.group_b) == 0;
}

/// A gemm as a product by columns: that of a row-major call is its transpose.
SmallProduct normal_gemm(const Call& call) {
  const auto factor = [&](Slot slot, Transpose trans) {
    return SmallProduct::Matrix{slot, call[slot].stride, trans != Transpose::none,
                                trans == Transpose::conjugate && is_complex(call.precision)};
  };
  SmallProduct product{call.m,
                       call.n,
                       call.k,
                       factor(Slot::a, call.trans_a),
                       factor(Slot::b, call.trans_b),
                       factor(Slot::c, Transpose::none)};
  if (call.order == Order::row_major) {
    std::swap(product.first, product.second);
    std::swap(product.rows, product.columns);
  }
  return product;
}

/// A gemv as a product whose result is a column, or, where that has gaps, a row.
SmallProduct normal_gemv(const Call& call) {
  const NormalMatrix matrix = normal_matrix(call);
  const MatrixOp op = normal_op(matrix, call.trans_a);
  const auto m = static_cast<std::size_t>(matrix.m), n = static_cast<std::size_t>(matrix.n);
  const std::size_t results = op.transposed ? n : m, terms = op.transposed ? m : n;
  // Element i of a vector lies at i times its increment from here.
  const auto vector = [&](Slot slot, std::size_t size) {
    const std::int64_t step = call[slot].stride;
    return SmallProduct::Matrix{slot, step, false, false,
                                step < 0 ? -static_cast<std::int64_t>(size - 1) * step : 0};
  };
  SmallProduct::Matrix a{Slot::a, call[Slot::a].stride, op.transposed,
                         op.conjugated && is_complex(call.precision)};
  SmallProduct::Matrix x = vector(Slot::x, terms), y = vector(Slot::y, results);
  if (y.leading == 1) {
    x.transposed = true;
    y.leading = static_cast<std::int64_t>(results);
    return {results, 1, terms, a, x, y};
  }
  a.transposed = !a.transposed;
  return {1, results, terms, x, a, y};
}

void add_small(SequenceBuilder& to, const SmallProduct& product) {
  for (const auto& [queue, from, end] : item_shares(to))
    add_small_product(to, queue, product, from, end);
}

/// The same of halves or bfloat16, where all devices have matrix units for them.
bool add_halves(SequenceBuilder& to) {
  for (unsigned queue = 0; queue < to.queues(); ++queue)
    if (!takes_small_halves(to, queue)) return false;
  for (const auto& [queue, from, end] : item_shares(to))
    add_small_halves(to, queue, normal_gemm(to.call()), from, end);
  return true;
}

/// Adds what does a batch in one launch; false, and nothing, where there is no such kernel.
bool add_at_once(SequenceBuilder& to) {
  const Call& call = to.call();
  if (!is_plain(call)) return false;
  if (has_stored(call)) return add_halves(to);
  if (call.routine == Routine::gemm && is_small_product(call.m, call.n, call.k)) {
    add_small(to, normal_gemm(call));
    return true;
  }
  if (call.routine == Routine::gemv && is_small_product(call.m, call.n, 1)) {
    add_small(to, normal_gemv(call));
    return true;
  }
  if (call.routine == Routine::axpy && is_small_axpy(call.n, call.batch)) {
    add_axpy_batch(to);
    return true;
  }
  return false;
}

}  // namespace

bool add_small_gemm(SequenceBuilder& to) {
  // Packing would be a launch of its own; beyond this, few work-groups would do it all.
  constexpr std::size_t most = 128, most_depth = 256;
  const Call& call = to.call();
  if (call.batch != 1 || call.by_items || to.runs_items() || !is_plain(call) || has_stored(call) ||
      call.m > most || call.n > most || call.k > most_depth || is_cpu_form(to.gemm_form(0)))
    return false;
  add_small_product(to, 0, normal_gemm(call), 0, 1);
  return true;
}

void add_batch(SequenceBuilder& to, const std::function<void(SequenceBuilder&)>& add) {
  if (add_at_once(to)) return;
  // Products on GPUs go through the items of a batch by themselves.
  bool is_on_gpus = to.call().routine == Routine::gemm && !to.call().by_items &&
                    !to.call().emulated && to.call().alpha != Scalar(0) && to.call().k != 0;
  for (unsigned queue = 0; queue < to.queues(); ++queue)
    is_on_gpus = is_on_gpus && !is_cpu_form(to.gemm_form(queue));
  if (is_on_gpus) return add(to);
  for (const auto& [queue, from, end] : item_shares(to)) to.add_items(queue, from, end, add);
}

}  // namespace kiln::blas
