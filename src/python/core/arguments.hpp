#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "kiln/kernel.hpp"
#include "python/core/runtime.hpp"

namespace kiln::python {

/// What a kernel does with an array, where the caller says it: kiln.In, kiln.Out, kiln.InOut.
struct DeclaredAccess {
  py::object array;
  Access access = Access::in;
};

/// An argument of a kernel, as what it is and where it lies: whether two calls have the same one is
/// known by comparing.
struct KernelArgument {
  enum class Kind : std::uint8_t { array, host, value, number, local };
  Kind kind = Kind::value;
  const void* memory = nullptr;  ///< of an array or of the host
  std::size_t bytes = 0;
  Access access = Access::derived;
  std::vector<std::byte> value;
  CallArgument::Number number{};
  std::string_view number_type = {};  ///< of the elements or the value; of static storage
  bool operator==(const KernelArgument& other) const;
};

/// What OpenCL C calls the numbers of a type of NumPy; empty for what may be anything: bytes, truth
/// values, structures.
const char* number_type(const py::dtype& type);

/// One argument as Kiln takes it, and the object whose memory it uses (null: none).
struct ReadArgument {
  KernelArgument identity;
  CallArgument argument;
  py::object uses;
  bool is_foreign = false;  ///< memory of another library, made anew for each use
};

/// What may be an argument: an Array, a NumPy array in C order, memory of pyopencl, a NumPy scalar,
/// a number, bytes, LocalMemory, or a DeclaredAccess. Throws Error: bad_input, naming the argument
/// by its position.
ReadArgument read_argument(const Runtime& runtime, const py::handle& object, std::size_t position);

void bind_arguments(py::module_& module);

}  // namespace kiln::python
