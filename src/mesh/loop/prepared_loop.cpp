// A loop over certain data, checked and made once, found again by its hash.
#include "mesh/loop/prepared_loop.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "kernel/resolver/entry.hpp"
#include "mesh/codegen/layout.hpp"
#include "mesh/codegen/user_kernel.hpp"
#include "mesh/loop/arguments.hpp"
#include "mesh/loop/recorded_loop.hpp"

namespace kiln::mesh {
namespace {

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 29);
}
std::uint64_t number_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

}  // namespace

std::uint64_t hash_of(const Kernel& kernel, const Iteration& over,
                      std::span<const Arg> arguments) noexcept {
  std::uint64_t hash = mixed(number_of(Handles::state(kernel).get()), over.layers());
  hash = mixed(hash, number_of(Handles::state(over.set()).get()));
  hash = mixed(hash, number_of(over.subset().get()));
  for (const Arg& arg : arguments) {
    const auto small = static_cast<std::uint64_t>(static_cast<std::uint16_t>(arg.component)) |
                       static_cast<std::uint64_t>(static_cast<std::uint16_t>(arg.index)) << 16 |
                       static_cast<std::uint64_t>(static_cast<std::uint16_t>(arg.column_index))
                           << 32 |
                       static_cast<std::uint64_t>(arg.access) << 48 |
                       static_cast<std::uint64_t>(arg.is_flat) << 56;
    hash = mixed(hash, number_of(arg.data) ^ small);
    hash = mixed(hash, number_of(arg.map) + 3 * number_of(arg.column_map));
  }
  return hash;
}

PreparedLoop::PreparedLoop(LoopSession& session, const Kernel& kernel, const Iteration& over,
                           std::span<const Arg> arguments)
    : session_(session),
      kernel_(kernel),
      over_(LoopOver::of(over)),
      arguments_(arguments.begin(), arguments.end()),
      hash_(hash_of(kernel, over, arguments)) {
  check_call(session, kernel, over, arguments);
  LoopShape with_all = describe(session, kernel, over, arguments);
  shape_ = with_used_constants(with_all);
  for (const Arg& arg : arguments_) {
    for (const void* state : std::initializer_list<const void*>{arg.data, arg.map, arg.column_map})
      if (state != nullptr) add_once(used_, state);
    if (arg.access != Access::read) add_once<const void*>(written_, arg.data);
    has_extrema_ |= is_extremum(arg);
  }
  add_once<const void*>(used_, over_.set);
  if (over_.subset != nullptr) add_once<const void*>(used_, over_.subset);
  report_.name = kernel_.name();
  parts_ = parts_of(session_, kernel_, shape_, over_, arguments_);
  const auto start = now_ns();
  try {
    made_ = make_loop(session_, shape_, over_, arguments_, parts_, report_);
  } catch (const Error& error) {
    if (error.code() != Errc::bad_input) throw;
    // With all constants a message can say which one was meant.
    value_or_throw(read_kernel(with_all));
    throw;
  }
  if (CallLog* const log = kiln_process_call_log(); log != nullptr)
    count_in(*log, now_ns() - start);
}

void PreparedLoop::count_in(CallLog& log, std::int64_t prepare_ns) {
  const RecordedLoop loop{shape_, static_cast<std::int64_t>(over_.sizes()[1])};
  counter_ = log.counter(recorded_call(loop, *session_.device(), made_->bytes()));
  if (counter_ != nullptr) counter_->add_prepare(prepare_ns);
}

PreparedLoop::~PreparedLoop() = default;

bool PreparedLoop::is(const Kernel& kernel, const Iteration& over,
                      std::span<const Arg> arguments) const {
  return kernel == kernel_ && LoopOver::of(over) == over_ &&
         std::ranges::equal(arguments, arguments_);
}

bool PreparedLoop::uses(const void* state) const {
  return std::find(used_.begin(), used_.end(), state) != used_.end();
}
bool PreparedLoop::writes(const void* state) const {
  return std::find(written_.begin(), written_.end(), state) != written_.end();
}
bool PreparedLoop::depends_on(const PreparedLoop& earlier) const {
  return std::any_of(written_.begin(), written_.end(),
                     [&](const void* state) { return earlier.uses(state); }) ||
         std::any_of(used_.begin(), used_.end(),
                     [&](const void* state) { return earlier.writes(state); });
}

void PreparedLoop::make_again() {
  report_.seconds += made_->seconds();
  made_ = make_loop(session_, shape_, over_, arguments_, parts_, report_);
}

void PreparedLoop::check_again() const { check_extrema(kernel_, arguments_); }

void PreparedLoop::run(PreparedLoop* next) {
  const auto start = counter_ != nullptr ? now_ns() : 0;
  made_->run(session_.queue, session_.options.timing, next != nullptr ? &next->parts_ : nullptr);
  ++report_.count;
  if (counter_ != nullptr) counter_->add_call(now_ns() - start);
}

void PreparedLoop::bring_inputs() {
  if (has_extrema_) check_again();
  made_->bring_inputs(session_.queue);
  check_cl(::clFinish(session_.queue.cl()()), "clFinish");
}

void PreparedLoop::launch(const Queue& queue, bool is_timed) {
  made_->launch(queue, is_timed);
  ++report_.count;
}

std::int64_t PreparedLoop::take_nanoseconds() {
  const double before = report_.seconds;
  report_.seconds += made_->seconds();
  made_->clear_seconds();
  return static_cast<std::int64_t>((report_.seconds - before) * 1e9);
}

LoopReport PreparedLoop::report() {
  LoopReport report = report_;
  report.seconds += made_->seconds();
  report.bytes = report_.count * made_->bytes();
  report.redundant = parts_.redundant;
  if (parts_.exchange) {
    report.halo = parts_.exchange->total();
    report.halos = parts_.exchange->by_dat();
  }
  return report;
}

void PreparedLoop::clear_report() {
  made_->clear_seconds();
  if (parts_.exchange) parts_.exchange->clear_counts();
  report_.count = 0;
  report_.seconds = report_.plan_seconds = report_.compile_seconds = 0;
}

}  // namespace kiln::mesh
