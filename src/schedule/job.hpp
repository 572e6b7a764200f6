#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "kernel/request.hpp"
#include "kernel/variant.hpp"

namespace kiln {

/// A buffer argument. `data` is the caller's memory, which outlives the run: the input's contents,
/// or where the result goes. 128-byte aligned memory is used by CPU devices without a copy.
struct BufferArgument {
  enum class Access {
    in,     ///< read by the kernel, never given back
    out,    ///< zero-filled before every run, given back
    inout,  ///< uploaded and given back; every run starts from the contents at the Job's making
  };
  Access access = Access::in;
  std::span<std::byte> data;
  /// Of the kernel's pointer type: the unit of a conflict. 0: the caller does not say; CoRun takes
  /// what the kernel says (take_element_sizes).
  std::size_t element_bytes = 0;
  /// May be cut along dimension 0 in proportion to the NDRange (the specification's `break`).
  bool may_slice = false;
  bool elements_are_sized = false;  ///< the kernel's elements must have just element_bytes
};
struct ScalarArgument {
  Bytes value;
};
struct LocalArgument {
  std::size_t bytes = 0;
};

/// Argument i of the kernel is arguments[i].
using Argument = std::variant<BufferArgument, ScalarArgument, LocalArgument>;

/// One kernel run over an NDRange, before it is placed anywhere.
struct Job {
  Request request;
  std::string kernel;
  std::vector<Argument> arguments;
  std::vector<std::string> names;  ///< of the arguments, for the timeline; may be shorter
  NDRange range;
};

}  // namespace kiln
