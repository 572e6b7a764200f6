#pragma once

#include "kiln/mesh/data.hpp"
#include "kiln/mesh/matrix.hpp"

namespace kiln::mesh {

struct KernelState;

/// A function in plain C that a loop calls for each element, with its helpers. Its parameters are
/// the loop's arguments: a pointer to an element's components; for a Map with all components an
/// array of such pointers; constants are used by name. The same text and name are the same kernel.
/// Read when its first loop is compiled. Thread-safe.
class KILN_API Kernel : public Handle<const KernelState> {
 public:
  /// `code`: the text; `name`: the function in it. Throws bad_input where either is empty.
  Kernel(std::string code, std::string name);
  const std::string& name() const;
  const std::string& code() const;
};

/// One argument of a loop. Made by arg().
struct Arg {
  using Kind = ArgKind;
  void* data = nullptr;  ///< DatState, GlobalState or MatState
  MapState* map = nullptr;
  MapState* column_map = nullptr;  ///< of matrices
  Kind kind = Kind::dat;
  Access access = Access::read;
  bool is_flat = false;
  std::int32_t component = MapUse::none, index = MapUse::none;
  std::int32_t column_index = MapUse::none;  ///< of matrices

  /// The kernel gets a pointer to each component of each target, component by component.
  Arg flatten() const {
    Arg flat = *this;
    flat.is_flat = true;
    return flat;
  }
  bool operator==(const Arg&) const = default;
};

KILN_API Arg arg(const Dat& dat, Access access);                     ///< of the element itself
KILN_API Arg arg(const Dat& dat, const MapUse& map, Access access);  ///< through a Map
KILN_API Arg arg(const Global& global, Access access);
KILN_API Arg arg(const Mat& mat, const MapUse& rows, const MapUse& columns, Access access);

/// Checks the loop and queues it: it runs when its results are asked for, or with Mesh::flush(), in
/// the order of the calls as far as loops depend on each other. Throws bad_input, naming the loop
/// and the argument, and queues nothing, where a Map does not lead from the loop's set to the
/// Dat's, a direct Dat is on another set, an access does not fit, two iteration indices have
/// different extents, a Dat was freed, one argument changes a Dat that another uses and one of
/// them goes through a Map (but through Maps alone all may change it), a kernel does not parse or
/// does not fit its arguments (with its line and column); build where the device's compiler refuses
/// it. All of that at the loop's first call, where it is planned and compiled.
KILN_API void par_loop(const Kernel& kernel, const Iteration& over, std::span<const Arg> arguments);

template <class... Args>
void par_loop(const Kernel& kernel, const Iteration& over, const Args&... arguments) {
  const std::array<Arg, sizeof...(Args)> all{arguments...};
  par_loop(kernel, over, std::span<const Arg>(all));
}

}  // namespace kiln::mesh
