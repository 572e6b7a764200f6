// A call of a loop: its arguments, and the way from the call to the queue of loops.
#include "kiln/mesh/par_loop.hpp"

#include <map>
#include <mutex>

#include "base/lifetime.hpp"
#include "mesh/loop/prepared_loop.hpp"
#include "mesh/model/basics.hpp"

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
    if (name.empty() || code.empty())
      refuse("kernel '{}': no {}, expected a function in C and its name", name,
             name.empty() ? "name" : "code");
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

Kernel::Kernel(std::string code, std::string name)
    : Handle(KernelRegistry::process().find(std::move(name), std::move(code))) {}
const std::string& Kernel::name() const { return state_->name; }
const std::string& Kernel::code() const { return state_->code; }

Arg arg(const Dat& dat, Access access) {
  return {.data = Handles::state(dat).get(), .access = access};
}
Arg arg(const Dat& dat, const MapUse& map, Access access) {
  return {.data = Handles::state(dat).get(),
          .map = map.map,
          .access = access,
          .component = map.component,
          .index = map.index};
}
Arg arg(const Global& global, Access access) {
  return {.data = Handles::state(global).get(), .kind = Arg::Kind::global, .access = access};
}
Arg arg(const Mat& mat, const MapUse& rows, const MapUse& columns, Access access) {
  if (rows.component != MapUse::none || columns.component != MapUse::none)
    refuse("mat {}: one component of a map, expected index(0) and index(1), or all components",
           mat.name());
  return {.data = Handles::state(mat).get(),
          .map = rows.map,
          .column_map = columns.map,
          .kind = Arg::Kind::mat,
          .access = access,
          .index = rows.index,
          .column_index = columns.index};
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
