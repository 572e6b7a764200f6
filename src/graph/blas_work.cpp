#include "graph/blas_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "blas/api/library.hpp"
#include "blas/call/routine_traits.hpp"
#include "blas/call/validate.hpp"
#include "store/key/canonical.hpp"

namespace kiln::graph {
namespace {

class BlasRunner final : public Runner {
 public:
  BlasRunner(blas::Library& library, const Queue& queue) : library_(library), queue_(queue) {}

  void enqueue(const Work& work, std::span<const cl_mem> memory, std::span<const cl_event> after,
               cl_event* done) override {
    const auto& product = static_cast<const BlasWork&>(work);
    blas::Call call = product.call();
    for (std::size_t slot = 0; slot < blas::slot_count; ++slot) {
      const int use = product.use_of()[slot];
      call.operands[slot].memory = use < 0 ? nullptr : memory[static_cast<std::size_t>(use)];
    }
    const cl_command_queue handle = queue_.cl()();
    const blas::Execution execution{{&handle, 1}, after, done};
    if (!checked_.contains(&work)) {
      blas::throw_refusal(call, blas::validate(call, execution));
      checked_.insert(&work);
    }
    if (!sequence_) sequence_ = library_.build(call, execution);
    sequence_->run(call, execution);
  }

 private:
  blas::Library& library_;
  Queue queue_;
  std::unique_ptr<blas::SolutionSequence> sequence_;
  std::set<const Work*> checked_;
};

/// An alpha of 0 or 1 may have kernels of its own.
int class_of(const blas::Scalar& alpha) {
  return alpha == blas::Scalar{0} ? 0 : alpha == blas::Scalar{1} ? 1 : 2;
}

Bytes kind_of(const blas::Call& call) {
  CanonicalWriter writer("graph blas task", 3);
  const auto number = [&](std::string_view tag, auto value) {
    writer.integer(tag, static_cast<std::int64_t>(value));
  };
  writer.text("routine", name_of(call.routine));
  number("precision", call.precision);
  number("order", call.order);
  number("side", call.side);
  number("uplo", call.uplo);
  number("trans a", call.trans_a);
  number("trans b", call.trans_b);
  number("diag", call.diag);
  number("m", call.m);
  number("n", call.n);
  number("k", call.k);
  number("kl", call.kl);
  number("ku", call.ku);
  number("alpha", class_of(call.alpha));
  number("real alpha", call.real_alpha);
  for (const auto& operand : call.operands) {
    number("stride", operand.stride);
    number("stored", operand.stored);
    number("batch stride", operand.batch_stride);
  }
  number("first index", call.first_index);
  const blas::Window& window = call.window;
  for (const std::size_t size :
       {window.channels, window.height, window.width, window.kernel_h, window.kernel_w,
        window.pad_h, window.pad_w, window.stride_h, window.stride_w, window.dilation_h,
        window.dilation_w, std::size_t{window.flipped}})
    number("window", size);
  number("invariant", call.invariant);
  number("emulated", call.emulated);
  number("batch", call.batch);
  number("items in a table", call.by_items);
  number("bias", call.epilogue.bias);
  number("scale", call.epilogue.scale);
  number("activation", call.epilogue.activation);
  number("residual", call.epilogue.residual);
  number("group a", call.group_a);
  number("group b", call.group_b);
  return writer.view();
}

/// Whether a use writes all bytes of its memory.
bool fills(const blas::Use& use, const blas::Operand& operand, std::size_t bytes) {
  return operand.offset == 0 && use.items == 1 &&
         use.length * use.lines / use.in_one * use.element == bytes &&
         use.access == blas::Use::Access::write;
}

}  // namespace

BlasWork::BlasWork(const blas::Call& call, const Runtime& runtime,
                   const std::function<std::size_t(cl_mem)>& bytes_of)
    : call_(call), runtime_(runtime), name_(blas::full_name_of(call)), kind_(kind_of(call)) {
  use_of_.fill(-1);
  for (const blas::Use& use : blas::Uses(call)) {
    const auto slot = static_cast<std::size_t>(use.slot);
    const blas::Operand& operand = call.operands[slot];
    const std::size_t bytes = bytes_of(operand.memory);
    std::size_t needed = 0;
    if (!blas::bytes_of(use, operand, needed) || needed > bytes)
      throw Error(Errc::bad_input, fmt::format("{}: {}: found {} bytes of memory, expected {}",
                                               name_, blas::name_of(use.slot), bytes, needed));
    auto found = std::ranges::find(memory_, operand.memory);
    const bool is_new = found == memory_.end();
    if (is_new) {
      memory_.push_back(operand.memory);
      const Access access = use.access == blas::Use::Access::read ? Access::in
                            : fills(use, operand, bytes)          ? Access::out
                                                                  : Access::inout;
      uses_.push_back({bytes, access, std::string(blas::name_of(use.slot))});
      found = std::prev(memory_.end());
    } else if (use.access != blas::Use::Access::read) {
      // Parts of the same memory: some of it is read.
      uses_[static_cast<std::size_t>(found - memory_.begin())].access = Access::inout;
    } else if (auto& access = uses_[static_cast<std::size_t>(found - memory_.begin())].access;
               access == Access::out) {
      access = Access::inout;
    }
    use_of_[slot] = static_cast<int>(found - memory_.begin());
  }
}

std::unique_ptr<Runner> BlasWork::prepare(Resolver&, const Queue& queue) const {
  if (blas::is_double(call_.precision) && !queue.device()->doubles)
    throw Error(Errc::unsupported, name_ + ": the device has no double precision");
  return std::make_unique<BlasRunner>(blas::Library::of(runtime_.state()), queue);
}

}  // namespace kiln::graph
