#pragma once

#include "mesh/loop/loop_plan.hpp"
#include "mesh/model/loop_shape.hpp"
#include "mesh/model/session.hpp"

/// The arguments of loops: what depends on their kind is here and in check.cpp. A new kind begins
/// as an Arg::Kind (kiln/mesh/types.hpp), with an arg() in par_loop.cpp; codegen/layout.hpp says
/// which parameters of kernels it becomes, and loop_maker.cpp sets these.
namespace kiln::mesh {

// What an argument of the kind at hand stands for.
inline DatState& dat_of(const Arg& arg) { return *static_cast<DatState*>(arg.data); }
inline GlobalState& global_of(const Arg& arg) { return *static_cast<GlobalState*>(arg.data); }
inline MatState& mat_of(const Arg& arg) { return *static_cast<MatState*>(arg.data); }
inline SparsityState& sparsity_of(const Arg& arg) { return *Handles::state(mat_of(arg).sparsity); }

/// The numbers of any argument.
Residence& data_of(const Arg& arg);
/// "dat p_q": for messages.
std::string label_of(const Arg& arg);
/// Whether what it stands for is still there.
bool is_alive(const LiveStates::Lookup& live, const Arg& arg);
/// MIN or MAX.
inline bool is_extremum(const Arg& arg) { return arg.access >= Access::min; }

/// Adds to a list what it lacks.
template <class T>
void add_once(std::vector<T>& list, T one) {
  if (std::find(list.begin(), list.end(), one) == list.end()) list.push_back(one);
}

/// What of a checked call decides the generated code, with all constants of the Session: those that
/// the kernel does not name are for its messages.
LoopShape describe(const Session& session, const Kernel& kernel, const Iteration& over,
                   std::span<const Arg> arguments);

/// All constants of a Session, as kernels see them.
std::vector<ConstShape> constants_of(const Session& session);

/// What a run over so many elements moves: each datum once; what is read and written twice; of a
/// set that Maps reach no more than they name.
std::size_t bytes_moved(const LoopShape& shape, std::span<const Arg> arguments,
                        std::size_t elements);

// Checks of a call (check.cpp). All throw Error (bad_input), naming the loop, the argument (from 0)
// and its data.

/// Whether everything that arguments point to is still there: they may have outlived a Map or a
/// Dat.
void check_alive(const Kernel& kernel, std::span<const Arg> arguments);

/// Holds a call against its objects: accesses, sets, Maps, iteration indices, constants' session.
void check_call(const Session& session, const Kernel& kernel, const Iteration& over,
                std::span<const Arg> arguments);

/// Again of a call that was checked: Globals under MIN and MAX may have got a NaN meanwhile.
void check_extrema(const Kernel& kernel, std::span<const Arg> arguments);

}  // namespace kiln::mesh
