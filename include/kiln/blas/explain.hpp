#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kiln/blas/call.hpp"

namespace kiln::blas {

/// One kernel of a solution sequence.
struct SequenceStep {
  std::string kernel;  ///< its entry point: "product"
  std::string family;  ///< of the generator that wrote it: "blas.gemm"
  unsigned queue = 0;  ///< index of the queue that runs it
  std::string device;  ///< that queue's
  std::vector<std::size_t> global, local;
  /// Its queue's part, 0 to 1, of the work that the queues share: of the result's elements in level
  /// 3, of the matrix's in level 2. 1 for what one queue does for all.
  double share = 1;
  std::vector<std::size_t> after;  ///< steps on other queues that it waits for
  /// How often it runs, for one item of the batch each time; 1 for what does a batch in one launch.
  std::size_t times = 1;
  /// Tiles, depths, stages and the like, and where they are from: "default" (built in for this
  /// class of devices), "store record" (measured and on record), "shipped record" (it came with
  /// Kiln), "kernel database", or "" where there are none.
  std::vector<std::pair<std::string, std::int64_t>> parameters;
  std::string parameters_from;
  /// Which record, of what size and class where these are others; of "default" why a record is not
  /// used, where there is one.
  std::string parameters_record;
  std::string key;       ///< of its program, hexadecimal
  std::string found_in;  ///< the layer that had the program ("memory", "local store"), "compile"
  std::int64_t find_ns = 0;  ///< what finding or making the program took
};

/// What a call comes to: kernels in the order in which they are enqueued. A step runs after all
/// earlier ones of its queue.
struct Sequence {
  std::vector<SequenceStep> steps;
  std::size_t workspace_bytes = 0;  ///< device memory of its own
};

/// The sequence that run() would enqueue for this call on these queues. Programs are found or made
/// as for a run, nothing is enqueued on the queues. Memory objects may be null; those that are
/// given are checked. Thread-safe. Throws Error as run() does.
KILN_API Sequence explain(const Call& call, std::span<const cl_command_queue> queues);
inline Sequence explain(const Call& call, cl_command_queue queue) {
  return explain(call, {&queue, 1});
}

/// The same on a queue of a Runtime (null: its first), with programs of its store.
KILN_API Sequence explain(const Call& call, const Runtime& runtime,
                          cl_command_queue queue = nullptr);

/// Two lines for each step ("  0  queue 0  product  2 / 1", then where its program is from) and one
/// for the whole: for people.
KILN_API std::string text_of(const Sequence& sequence);

}  // namespace kiln::blas
