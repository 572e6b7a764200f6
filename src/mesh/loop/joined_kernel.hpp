#pragma once

#include <string>
#include <vector>

#include "kiln/mesh/mixed.hpp"

namespace kiln::mesh {

struct Session;

/// A function in C that joins the parts of mixed arguments and calls the user's, which stands
/// before it: pointers to targets become one array of them, a local matrix is dealt out to the
/// blocks. So nothing else needs to know of joined arguments.
class JoinedKernel {
 public:
  /// The kernel is one of the Session's loops; both outlive this.
  JoinedKernel(const Session& session, const Kernel& kernel) : session_(session), kernel_(kernel) {}

  /// The next argument of the user's function. Throws bad_input for iteration indices.
  void add(const MixedArg& argument);

  /// Its arguments are all parts of all arguments, in their order.
  Kernel kernel() const;

 private:
  std::string parameter(const Arg& arg);
  std::string pointers(const MixedArg& argument);
  std::string matrix(const MixedArg& argument);
  bool wants_rows();

  const Session& session_;
  const Kernel& kernel_;
  std::string parameters_, before_, call_, after_;
  std::size_t place_ = 0;  ///< of the argument that is added, among the user's
  std::size_t parts_ = 0;
  int joined_ = 0;
};

/// The kernel for these arguments; written once for arguments that are made up alike, as long as
/// the user's Kernel lives. Throws as JoinedKernel::add() does. Thread-safe.
Kernel joined_kernel(const Session& session, const Kernel& kernel,
                     std::span<const MixedArg> arguments);

}  // namespace kiln::mesh
