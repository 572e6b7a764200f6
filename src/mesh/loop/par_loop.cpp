// A call of a loop: its arguments, and the way from the call to the queue of loops.
#include "kiln/mesh/par_loop.hpp"

#include <map>
#include <mutex>

#include "base/lifetime.hpp"
#include "mesh/loop/prepared_loop.hpp"
#include "mesh/model/session.hpp"

namespace kiln::mesh {
namespace {

/// The kernels of a process, by name and text, as long as they are held.
class KernelRegistry {
 public:
  /// Kernels may outlive everything else that is static.
  static KernelRegistry& process() {
    static NeverDestroyed<KernelRegistry> all;
    return *all;
  }
  std::shared_ptr<const KernelState> find(std::string name, std::string code) {
    const std::lock_guard lock(mutex_);
    auto& place = known_[{name, code}];
    if (auto state = place.lock()) return state;
    const std::shared_ptr<const KernelState> made(new KernelState(std::move(name), std::move(code)),
                                                  [this](const KernelState* gone) {
                                                    forget(*gone);
                                                    delete gone;
                                                  });
    place = made;
    return made;
  }

 private:
  void forget(const KernelState& gone) {
    const std::lock_guard lock(mutex_);
    const auto place = known_.find({gone.name, gone.code});
    // Another may have been made of the same text meanwhile.
    if (place != known_.end() && place->second.expired()) known_.erase(place);
  }
  std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, std::weak_ptr<const KernelState>> known_;
};

}  // namespace

Kernel::Kernel(std::string code, std::string name) {
  if (name.empty() || code.empty())
    throw Error(Errc::bad_input, "kernel '" + name + "': no " + (name.empty() ? "name" : "code") +
                                     ", expected a function in C and its name");
  state_ = KernelRegistry::process().find(std::move(name), std::move(code));
}
const std::string& Kernel::name() const { return state_->name; }
const std::string& Kernel::code() const { return state_->code; }

Arg arg(const Dat& dat, Access access) {
  Arg made;
  made.data = Handles::state(dat).get();
  made.access = access;
  return made;
}
Arg arg(const Dat& dat, const MapUse& map, Access access) {
  Arg made = arg(dat, access);
  made.map = map.map;
  made.component = map.component;
  made.index = map.index;
  return made;
}
Arg arg(const Global& global, Access access) {
  Arg made;
  made.data = Handles::state(global).get();
  made.kind = Arg::Kind::global;
  made.access = access;
  return made;
}
Arg arg(const Mat& mat, const MapUse& rows, const MapUse& columns, Access access) {
  if (rows.component != MapUse::none || columns.component != MapUse::none)
    throw Error(Errc::bad_input,
                "mat " + mat.name() +
                    ": one component of a map, expected index(0) and index(1), or all components");
  Arg made;
  made.data = Handles::state(mat).get();
  made.kind = Arg::Kind::mat;
  made.access = access;
  made.map = rows.map;
  made.index = rows.index;
  made.column_map = columns.map;
  made.column_index = columns.index;
  return made;
}

void par_loop(const Kernel& kernel, const Iteration& over, std::span<const Arg> arguments) {
  LoopSession& session = LoopSession::of(*Handles::state(over.set())->session);
  session.throw_pending();
  PreparedLoop* loop = session.loops.find(kernel, over, arguments);
  if (loop != nullptr && loop->has_extrema()) loop->check_again();
  if (loop == nullptr)
    loop = &session.loops.add(std::make_unique<PreparedLoop>(session, kernel, over, arguments),
                              session.options.prepared);
  session.loops.push(*loop, session.options.queued);
}

}  // namespace kiln::mesh
