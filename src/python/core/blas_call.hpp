#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kiln/blas.hpp"
#include "python/core/runtime.hpp"

namespace kiln::python {

/// Whose arrays a call of BLAS has: all are of one kind.
enum class ArrayKind : std::uint8_t { numpy, kiln, pyopencl };

/// A call of BLAS with Python's arrays: kiln.blas has read their shapes and strides.
class BlasCall {
 public:
  explicit BlasCall(blas::Call call) : call_(call) {}

  /// A matrix or vector: `extent` elements of an array, the first of which is `first` elements from
  /// the array's first one on (negative where strides are). Elements of int4 are two in one of the
  /// array's. `item_stride`: from an item of a batch to the next. Throws Error: bad_input for
  /// memory that does not begin at an element.
  void add(blas::Slot slot, const py::object& array, ArrayKind kind, std::int64_t first,
           std::int64_t stride, std::size_t extent, std::size_t element_bytes, Access access,
           blas::Storage stored = blas::Storage::native, std::int64_t item_stride = 0);

  /// Enqueues it after the events that its arrays and the caller have. Compiles without the
  /// interpreter's lock where this process has not run its like.
  PendingEvent run(const std::optional<Runtime>& runtime, cl_command_queue queue,
                   std::vector<Event> after);
  /// The same by a plan of its shape.
  PendingEvent run(blas::Plan& plan, const std::optional<Runtime>& runtime, cl_command_queue queue,
                   std::vector<Event> after);
  /// A plan of its shape. Compiles without the interpreter's lock.
  std::shared_ptr<blas::Plan> plan(const std::optional<Runtime>& runtime,
                                   cl_command_queue queue) const;
  /// The call without memory.
  const blas::Call& shape() const { return call_; }
  blas::Call& shape() { return call_; }

 private:
  struct HostOperand {
    blas::Slot slot{};
    std::span<std::byte> memory;
    std::size_t element = 0;
    Access access = Access::in;
  };
  struct ArrayOperand {
    blas::Slot slot{};
    Array<std::byte> array;
    Access access = Access::in;
  };
  /// All that is needed without the interpreter's lock.
  struct Work {
    blas::Call call;
    std::vector<HostOperand> hosts;
    std::vector<ArrayOperand> arrays;
    std::optional<Runtime> runtime;
    cl_command_queue queue = nullptr;
    std::vector<Event> after;

    void lend(MemoryUse& use);
    void lend_hosts(MemoryUse& use);
    template <class Enqueue>
    Event with_memory(const Enqueue& enqueue);
    Event run();
    Event run(blas::Plan& plan);
    std::shared_ptr<blas::Plan> plan();
  };
  Work work(const std::optional<Runtime>& runtime, cl_command_queue queue,
            std::vector<Event> after) const;

  blas::Call call_;
  std::vector<HostOperand> hosts_;
  std::vector<ArrayOperand> arrays_;
  std::vector<Event> after_;
  py::list uses_;
};

}  // namespace kiln::python
