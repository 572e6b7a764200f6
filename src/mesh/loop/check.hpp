#pragma once

#include "mesh/model/loop_shape.hpp"
#include "mesh/model/state.hpp"

namespace kiln::mesh {

/// Whether everything that arguments point to is still there: they may have outlived a Map or a
/// Dat. Throws Error (bad_input) naming the loop and the argument (from 0).
void check_alive(const Kernel& kernel, std::span<const Arg> arguments);

/// Holds a call against its objects: accesses, sets, Maps, iteration indices, constants' session.
/// Throws Error (bad_input) naming the loop, the argument (from 0) and its data.
void check_call(const Session& session, const Kernel& kernel, const Iteration& over,
                std::span<const Arg> arguments);

/// Again of a call that was checked: Globals under MIN and MAX may have got a NaN meanwhile.
void check_extrema(const Kernel& kernel, std::span<const Arg> arguments);

/// What of a checked call decides the generated code, with all constants of the Session: those that
/// the kernel does not name are for its messages.
LoopShape describe(const Session& session, const Kernel& kernel, const Iteration& over,
                   std::span<const Arg> arguments);

/// All constants of a Session, as kernels see them.
std::vector<ConstShape> constants_of(const Session& session);

}  // namespace kiln::mesh
