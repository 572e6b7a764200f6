#pragma once

#include <span>

#include "kiln/blas/batch.hpp"
#include "kiln/blas/call.hpp"
#include "kiln/blas/explain.hpp"
#include "kiln/blas/level1.hpp"
#include "kiln/blas/level2.hpp"
#include "kiln/blas/level3.hpp"
#include "kiln/blas/plan.hpp"
#include "kiln/kernel.hpp"

/// BLAS on OpenCL buffers, for C++. A routine is a function template that describes a call (plain
/// data, nothing happens yet); what is done with it is one of three:
///
///     auto product = blas::gemm<float>(Order::column_major, Transpose::none, Transpose::none,
///                                      m, n, k, 1, {a, 0, m}, {b, 0, k}, 0, {c, 0, m});
///     blas::run(product, queue);                 // enqueue it on a queue of the application
///     Event done = blas::run(product, runtime);  // or on the first device of a Runtime
///     blas::Plan plan(product, queue);           // prepare it once, run it many times
///     std::cout << text_of(explain(product, queue));  // see the kernels that it comes to
///
/// Elements are float, double and their std::complex. Sizes, offsets, leading dimensions and
/// increments count elements; results that are one number go to memory. The routines and what they
/// compute are those of clBLAS.h, and so are their refusals: a size of 0 is one, k = 0 is none.
/// docs/blas.md has examples.
namespace kiln::blas {

/// Enqueues a call and returns. The queues belong to one context and share the work; in-order and
/// out-of-order ones will do. The work begins after all of `after`. `events`: empty, or room for an
/// event for each queue, which is complete when that queue's part of the work is done; the caller's
/// to release, and null for queues that got no part (the first one always has one). Where it
/// throws, nothing was put there. What a first call of a shape has prepared is kept for the next
/// one. The memory must stay until the work is done. Thread-safe. Throws Error: bad_input for wrong
/// arguments, unsupported where a device lacks double precision, build (with the driver's log),
/// device.
KILN_API void run(const Call& call, std::span<const cl_command_queue> queues,
                  std::span<const cl_event> after = {}, std::span<cl_event> events = {});
/// On one queue, with room for one event or null.
inline void run(const Call& call, cl_command_queue queue, std::span<const cl_event> after = {},
                cl_event* event = nullptr) {
  run(call, {&queue, 1}, after, {event, event == nullptr ? std::size_t{0} : std::size_t{1}});
}

/// On a queue of a Runtime's contexts, by default its first, with programs of its store (the queues
/// above: of the process's). The event is complete when the work is done. Thread-safe. Throws as
/// the others, and bad_input for a queue of another context.
KILN_API Event run(const Call& call, const Runtime& runtime, const EnqueueOptions& options = {});

}  // namespace kiln::blas
