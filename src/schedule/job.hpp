#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kernel/facts/kernel_facts.hpp"
#include "kernel/program/program.hpp"
#include "kernel/request/request.hpp"
#include "kiln/kernel.hpp"
#include "store/key/canonical.hpp"

/// What is to run: a kernel, its arguments and its range, before it is placed anywhere; and whether
/// the arguments fit the compiled kernel.
namespace kiln {

/// A buffer argument. `data` is the caller's memory, which outlives the run: the input's contents,
/// or where the result goes. 128-byte aligned memory is used by CPU devices without a copy.
struct BufferArgument {
  /// With inout, every run starts from the contents that the buffer had when the CoRun was made.
  using Access = kiln::Access;
  Access access = Access::in;
  std::span<std::byte> data;
  /// Of the kernel's pointer type: the unit of a conflict. 0: the caller does not say; CoRun takes
  /// what the kernel says (take_element_sizes).
  std::size_t element_bytes = 0;
  /// May be cut along dimension 0 in proportion to the NDRange (the specification's `break`).
  bool may_slice = false;
  /// Of inout: every run starts from what it finds, after CoRun::take_contents().
  bool continues = false;
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

/// Whether a Job's arguments fit the compiled kernel: their count, and for each its address space
/// and size; of a buffer, that its elements are as large where its caller says so. Sizes are those
/// of the driver's type names or else of the kernel's text (`parameters`, of its KernelFacts). The
/// error names the argument, what was given and what the kernel takes. What neither says is not
/// checked.
Expected<void> check_arguments_match(const KernelInfo& kernel, const Job& job,
                                     const std::vector<ParameterUse>& parameters);

/// The same for a Job whose program is a SPIR-V module, which says by itself what its kernel takes:
/// known before anything is compiled. Of others nothing is said. Errors: bad_input, also where the
/// module has no such kernel; unsupported where the kernel takes images or samplers.
Expected<void> check_module_takes(const Job& job);

/// Sets each buffer's element_bytes from the kernel's pointer type ("float4*" → 16), as the driver
/// or else the text says. Where neither does, what the caller says holds; without that it may be as
/// large as the largest vector.
void take_element_sizes(const KernelInfo& kernel, const std::vector<ParameterUse>& parameters,
                        Job& job);

/// How messages name an argument: "2 (result)", or "2" where its name is not known.
std::string argument_name(const KernelInfo& kernel, const std::vector<ParameterUse>& parameters,
                          std::size_t argument);

/// Refuses buffers that share memory where one of them is written: devices with memory of their own
/// could not do what those without do.
Expected<void> check_buffers_apart(const Job& job);

/// The Job's program by its content, for any device: what is kept of it holds wherever that is run.
void write_program(CanonicalWriter& writer, const Job& job);
/// All of its geometry and arguments that a run's outcome depends on, but no data.
void write_shape(CanonicalWriter& writer, const Job& job);

/// Bytes of an OpenCL scalar or vector type by a driver's name of it ("float4*"); 0 for anything
/// else (a struct, a typedef).
std::size_t type_bytes(std::string_view name);

}  // namespace kiln
