// A Session without its loops and matrices, the register of live objects, and exchanges of halos.
#include "mesh/model/session.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_map>

#include "base/data/text.hpp"
#include "base/os/environment.hpp"
#include "device/opencl.hpp"
#include "kernel/traits/driver_findings.hpp"
#include "mesh/model/basics.hpp"
#include "store/layer/fork_guard.hpp"

namespace kiln::mesh {

std::uint64_t next_identity() {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

namespace {

/// The application's, or one of its own: in order and with times, which the application's need not
/// be.
Queue queue_of(const Mesh::Options& options, const Runtime& runtime) {
  const Queue first = runtime.state().queue(nullptr);
  if (options.queue == nullptr) return {first.context(), first.device()};
  Queue given = Queue::adopt(options.queue, first.context());
  const auto properties = given.cl().getInfo<CL_QUEUE_PROPERTIES>();
  if ((properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0)
    refuse("a Mesh on a queue: it is out of order, expected one that is in order");
  if ((options.timing || options.timeline) && (properties & CL_QUEUE_PROFILING_ENABLE) == 0)
    refuse("a Mesh on a queue: it takes no times, expected CL_QUEUE_PROFILING_ENABLE");
  return given;
}

struct StateTypes final : private ForkGuarded {
  StateTypes() { watch(); }
  ~StateTypes() override { unwatch(); }
  std::mutex mutex;
  std::unordered_map<const void*, std::type_index> by_address;

 private:
  void before_fork() override { mutex.lock(); }
  void after_fork() override { mutex.unlock(); }
};

/// Handles may outlive everything else that is static.
StateTypes& state_types() {
  static NeverDestroyed<StateTypes> all;
  return *all;
}

}  // namespace

void LiveStates::add(const void* state, std::type_index type) {
  StateTypes& types = state_types();
  const std::lock_guard lock(types.mutex);
  types.by_address.insert_or_assign(state, type);
}

void LiveStates::remove(const void* state) noexcept {
  StateTypes& types = state_types();
  const std::lock_guard lock(types.mutex);
  types.by_address.erase(state);
}

LiveStates::Lookup::Lookup() : lock_(state_types().mutex) {}

bool LiveStates::Lookup::has(const void* state, std::type_index type) {
  const StateTypes& types = state_types();
  const auto found = types.by_address.find(state);
  return found != types.by_address.end() && found->second == type;
}

bool checks_halos_by_environment() {
  const std::string text = environment("KILN_MPI_CHECK");
  if (text.empty() || text == "0") return false;
  if (text != "1") refuse("KILN_MPI_CHECK: found '{}', expected 0 or 1", one_line(text));
  return true;
}

Session::Session(const Mesh::Options& given, const Runtime& holder)
    : options(given), runtime(holder), queue(queue_of(given, runtime)) {
  options.timing = options.timing || options.timeline;
  pin_workers_as_found(resolver().findings(), *queue.context(), queue.device());
}

void Session::set_transport(std::shared_ptr<Transport> of_parts) {
  transport = std::move(of_parts);
  if (is_distributed() && options.queue == nullptr && !options.timing && !device()->host_memory)
    queue = {queue.context(), queue.device(), Queue::Times::none};
}

TakesTimes::TakesTimes(Session& session) : session_(session), before_(session.queue) {
  const auto properties = before_.cl().getInfo<CL_QUEUE_PROPERTIES>();
  if ((properties & CL_QUEUE_PROFILING_ENABLE) != 0) return;
  check_cl(::clFinish(before_.cl()()), "clFinish");
  session.queue = {before_.context(), before_.device()};
}

TakesTimes::~TakesTimes() {
  if (session_.queue.cl()() == before_.cl()()) return;
  ::clFinish(session_.queue.cl()());  // what has failed there is told by whoever uses it
  session_.queue = before_;
}

const Queue& Session::transfers() {
  if (!transfers_) transfers_.emplace(queue.context(), queue.device(), Queue::Times::none);
  return *transfers_;
}

Session::~Session() = default;

Residence resident(std::span<const std::int32_t> values, std::size_t dim) {
  Residence made({ScalarType::i32, values.size() / dim, dim, DataLayout::aos});
  std::ranges::copy(std::as_bytes(values), made.initial().data());
  return made;
}

void Session::part_with(const void* state, bool may_be_written) noexcept {
  bool may_be_used = std::exchange(is_launched_, false) || may_be_written;
  const auto attempt = [&](const auto& what) {
    try {
      what();
    } catch (...) {
      may_be_used = true;
      if (!pending_) pending_ = std::current_exception();
    }
  };
  attempt([&] { may_be_used = forget_loops(state) || may_be_used; });
  // In a forked child nothing runs, and waiting for it would not end.
  if (may_be_used && !is_forked_with_drivers())
    attempt([&] { check_cl(::clFinish(queue.cl()()), "clFinish"); });
}

bool Session::put_off(const void* state, std::function<void()> end) noexcept {
  try {
    if (!is_distributed() || users_of(state).empty()) return false;
    put_off_.push_back({state, std::move(end)});
    LiveStates::remove(state);
    return true;
  } catch (...) {
    return false;
  }
}

void Session::end_put_off() noexcept {
  if (put_off_.empty()) return;
  // What ends may be the last that holds another state, which may be put off in its turn.
  std::vector<PutOff> all = std::exchange(put_off_, {}), now;
  for (PutOff& one : all) (users_of(one.state).empty() ? now : put_off_).push_back(std::move(one));
  for (PutOff& one : now) one.end();
}

void Session::throw_pending() {
  if (pending_) std::rethrow_exception(std::exchange(pending_, nullptr));
}

void check_name(const char* what, const std::string& name) {
  if (name.empty()) refuse("{}: no name, expected one", what);
}

void check_fits(const DatState& dat, const DatFit& fit, const char* what, const std::string& name) {
  const auto check = [&]<class... Parts>(bool holds, fmt::format_string<Parts...> text,
                                         Parts&&... parts) {
    if (!holds)
      refuse("{}{}{}: dat {} {}", what, name.empty() ? "" : " ", name, dat.name,
             fmt::format(text, std::forward<Parts>(parts)...));
  };
  const auto& form = dat.data.form();
  check(dat.session.get() == fit.session, "belongs to another Mesh");
  check(dat.on.set() == fit.set, "is on set {}, expected {}", dat.on.set().name(), fit.set.name());
  check(form.dim == fit.dim, "has {} components, expected {}", form.dim, fit.dim);
  check(!fit.type || form.type == *fit.type, "is of {}, expected {}", name_of(form.type),
        name_of(fit.type.value_or(form.type)));
}

void check_partitioned(const SetState& set, std::string_view before) {
  if (set.session->is_broken)
    refuse("set {}: Mesh::partition() has failed, expected a new Mesh", set.name);
  if (set.session->is_distributed() && set.part == nullptr)
    refuse("set {}: not partitioned yet, expected Mesh::partition() before {}", set.name, before);
}

void check_owner(const SessionPtr& owner, const char* what, const std::string& name,
                 const Set& set) {
  if (Handles::state(set)->session != owner)
    refuse("{} {}: set {} belongs to another Mesh, expected one of this", what, name, set.name());
}

namespace {

HaloValues values_of(DatState& dat) {
  const auto& form = dat.data.form();
  return {dat.name,      form.type,
          form.dim,      dat.on.set().size(),
          form.elements, {dat.data.initial().data(), dat.data.bytes()}};
}

}  // namespace

bool DatState::has_halo() const {
  return Handles::state(on.set())->exchange != nullptr || is_in_parts() ||
         on.set().total_size() > on.set().size();
}

bool DatState::is_in_parts() const {
  return session->is_distributed() && Handles::state(on.set())->part != nullptr;
}

void DatState::begin_exchange(const Queue& queue) {
  data.on_host(queue, false);
  Handles::state(on.set())->exchange->begin(values_of(*this));
}

void DatState::end_exchange(const Queue& queue) {
  // Not on_host(): what kernels do to owned elements meanwhile is nothing to wait for.
  Handles::state(on.set())->exchange->end(values_of(*this));
  data.upload_from(queue, on.set().size());
  halo_is_fresh();
}

void DatState::refresh_halo(const Queue& queue) {
  if (is_halo_stale && is_in_parts()) return session->exchange_all(*this);
  if (!needs_exchange()) return;
  begin_exchange(queue);
  end_exchange(queue);
}

bool DatState::needs_exchange() const {
  return is_halo_stale && Handles::state(on.set())->exchange != nullptr;
}

namespace {

void add_traffic(HaloTraffic& to, const HaloTraffic& from) {
  to.exchanges += from.exchanges;
  to.messages += from.messages;
  to.bytes += from.bytes;
  to.wait_seconds += from.wait_seconds;
  to.seconds += from.seconds;
}

}  // namespace

void add_report(LoopReport& to, const LoopReport& from) {
  to.count += from.count;
  to.seconds += from.seconds;
  to.plan_seconds += from.plan_seconds;
  to.compile_seconds += from.compile_seconds;
  to.bytes += from.bytes;
  to.share = std::max(to.share, from.share);
  to.plan_hits += from.plan_hits;
  to.program_hits += from.program_hits;
  to.redundant = std::max(to.redundant, from.redundant);
  add_traffic(to.halo, from.halo);
  for (const HaloTraffic& one : from.halos) {
    const auto known = std::ranges::find(to.halos, one.dat, &HaloTraffic::dat);
    known == to.halos.end() ? to.halos.push_back(one) : add_traffic(*known, one);
  }
}

}  // namespace kiln::mesh
