#pragma once

#include <memory>
#include <span>

#include "kiln/blas/call.hpp"
#include "kiln/error.hpp"
#include "kiln/kernel.hpp"

/// Many calls at once, in three ways:
///
///     // Items at equal distances, which is part of the call. Small products are one launch.
///     run(batched(gemm<float>(…, {a, 0, 8}, {b, 0, 8}, 0, {c, 0, 8}), 100'000,
///                 {.a = 64, .b = 64, .c = 64}), queue);
///     // Products of one shape at places of their own, with an alpha and a beta each.
///     Batch batch(gemm<float>(…), items, queue);
///     batch.run();
///     // Calls of any kind.
///     run(std::span<const Call>(calls), queues);
namespace kiln::blas {

// ---- Items at equal distances
/// Elements from an item to the next, by the operand. 0: all items read the same one.
struct BatchStrides {
  std::int64_t a = 0, b = 0, c = 0, x = 0, y = 0, z = 0, w = 0;
};

/// `count` calls in one: item i has its operands i * stride elements further. Any routine may be
/// called so; the items may run in any order or at once, so that none may write what another one
/// reads or writes. run(), Plan, explain() and graphs take the result as any other call.
///
/// One launch, whatever `count` is: gemm with m and n up to 256 and k up to 512, gemv with m and n
/// up to 256, axpy of up to 4096 elements. Other calls are enqueued item after item, the kernels
/// and their workspace prepared once. Several queues get a share of the items each.
[[nodiscard]] inline Call batched(Call call, std::size_t count, const BatchStrides& strides) {
  call.batch = count;
  const auto set = [&](Slot slot, std::int64_t stride) { call[slot].batch_stride = stride; };
  set(Slot::a, strides.a);
  set(Slot::b, strides.b);
  set(Slot::c, strides.c);
  set(Slot::x, strides.x);
  set(Slot::y, strides.y);
  set(Slot::z, strides.z);
  set(Slot::w, strides.w);
  return call;
}

// ---- Items at places of their own
/// What an item of a Batch has of its own: elements that are added to the offsets of the call's A,
/// B and C, and its scalars.
struct BatchItem {
  std::size_t a = 0, b = 0, c = 0;
  Scalar alpha{1}, beta{0};
};

/// A gemm for many items, prepared for many runs on the same queues.
///
/// It takes the items from the host's memory, because both sides want to know them: small products
/// are one launch, which reads a table on the device; of larger ones each is a launch of its own,
/// whose offsets are the host's to give; and only the host can say whether an item lies within its
/// buffers before something runs. The table is written to the device once, here.
///
/// A program that computes places on the device sets Call::by_items itself, for small products
/// alone: Slot::items is then memory with `batch` records, from record number `offset` on, of
///     { T alpha, beta; long a, b, c; }
/// as OpenCL C lays it out: 32 bytes of floats, 40 of doubles and of complex floats, 64 of complex
/// doubles. Nothing checks such places. An axpy reads alpha, and x's place as `a`, y's as `b`.
///
/// One thread at a time; different ones may run at once. Holds on to its queues, or to its Runtime,
/// not to the memory of the call.
class KILN_API Batch {
 public:
  /// A gemm without a batch of its own, whose alpha and beta do not count. Queues of one context,
  /// which get a share of the items each. Throws Error: bad_input for wrong arguments, an item
  /// beyond the end of a buffer or no items at all; unsupported, build, device.
  Batch(const Call& call, std::span<const BatchItem> items,
        std::span<const cl_command_queue> queues);
  Batch(const Call& call, std::span<const BatchItem> items, cl_command_queue queue)
      : Batch(call, items, std::span<const cl_command_queue>(&queue, 1)) {}
  /// On a queue of a Runtime's contexts (null: its first), with programs of its store.
  Batch(const Call& call, std::span<const BatchItem> items, const Runtime& runtime,
        cl_command_queue queue = nullptr);
  ~Batch();
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;

  /// Enqueues all items. `after` and `events` as in blas::run(). Throws Error (device).
  void run(std::span<const cl_event> after = {}, std::span<cl_event> events = {});

 private:
  struct State;
  void prepare(const Call& call, std::span<const BatchItem> items,
               std::span<const cl_command_queue> queues);
  std::unique_ptr<State> state_;
};

// ---- Calls of any kind
/// Enqueues several calls, of which none may write what another one reads or writes. Each call goes
/// to one queue as a whole, the one with the least work so far; those of one shape share what was
/// prepared for the first. All are checked before anything is enqueued. `after` and `events` as in
/// blas::run(): an event is complete when all that its queue got is done, and null for a queue
/// that got nothing. No calls are no work, and the first event is complete after `after`.
/// Thread-safe. Throws Error as blas::run(), the message beginning with the call's number.
KILN_API void run(std::span<const Call> calls, std::span<const cl_command_queue> queues,
                  std::span<const cl_event> after = {}, std::span<cl_event> events = {});
/// On a queue of a Runtime's contexts, by default its first, with programs of its store. The event
/// is complete when all calls are done. Thread-safe. Throws as the other, and bad_input for a queue
/// of another context.
KILN_API Event run(std::span<const Call> calls, const Runtime& runtime,
                   const EnqueueOptions& options = {});

}  // namespace kiln::blas
