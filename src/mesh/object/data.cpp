#include "kiln/mesh/data.hpp"

#include <fmt/format.h>

#include <cstring>

#include "device/forked.hpp"
#include "mesh/object/halo.hpp"
#include "mesh/object/numbers.hpp"
#include "mesh/object/session.hpp"

namespace kiln::mesh {
namespace {

void check_type(const char* what, const std::string& name, ScalarType has, ScalarType asked) {
  if (has != asked)
    throw Error(Errc::bad_input,
                fmt::format("{} {} is of {}, not {}", what, name, name_of(has), name_of(asked)));
}
void check_count(const char* what, const std::string& name, std::size_t dim, std::size_t count) {
  if (count != dim)
    throw Error(Errc::bad_input,
                fmt::format("{} {}: {} values, expected {}", what, name, count, dim));
}
void check_alive(const DatState& dat) {
  if (dat.data.is_free()) throw Error(Errc::bad_input, fmt::format("dat {} was freed", dat.name));
}

}  // namespace

const std::string& Dat::name() const { return state_->name; }
const Set& Dat::set() const { return state_->on.set(); }
ScalarType Dat::type() const { return state_->data.form().type; }
std::size_t Dat::dim() const { return state_->data.form().dim; }
const std::vector<std::size_t>& Dat::shape() const { return state_->on.shape(); }
DataLayout Dat::layout() const { return state_->data.form().layout; }
std::size_t Dat::bytes() const { return state_->data.bytes(); }
std::size_t Dat::components() const { return state_->data.form().elements * dim(); }

void* Dat::host(ScalarType type, bool to_write) const {
  check_alive(*state_);
  check_type("dat", name(), this->type(), type);
  Session& session = *state_->session;
  session.throw_pending();
  session.loops.run_for(state_.get(), to_write ? LoopQueue::For::writing : LoopQueue::For::reading);
  if (to_write) state_->is_halo_stale = state_->has_halo();
  return state_->data.on_host(session.queue, to_write);
}

bool Dat::is_halo_stale() const {
  check_alive(*state_);
  Session& session = *state_->session;
  session.throw_pending();
  session.loops.run_for(state_.get(), LoopQueue::For::reading);
  return state_->is_halo_stale;
}

void Dat::exchange_halo() {
  if (!is_halo_stale()) return;
  if (Handles::state(set())->exchange == nullptr)
    throw Error(Errc::bad_input,
                fmt::format("dat {}: set {} has no HaloExchange", name(), set().name()));
  const Queue& queue = state_->session->queue;
  begin_exchange(*state_, queue);
  end_exchange(*state_, queue);
}

void Dat::halo_is_fresh() {
  check_alive(*state_);
  state_->is_halo_stale = false;
}

void Dat::free() {
  Session& session = *state_->session;
  if (const auto users = session.loops.users_of(state_.get()); !users.empty())
    throw Error(Errc::bad_input,
                fmt::format("dat {} is needed by queued loops ({}), expected it to be freed after "
                            "they have run",
                            name(), users));
  if (state_->data.is_free()) return;
  session.loops.part_with(state_.get());
  if (state_->data.was_used() && !is_forked_with_drivers())
    check_cl(::clFinish(session.queue.cl()()), "clFinish");
  state_->data.free();
}

const std::string& Global::name() const { return state_->name; }
ScalarType Global::type() const { return state_->data.form().type; }
std::size_t Global::dim() const { return state_->data.form().dim; }

void Global::get(ScalarType type, void* to) const {
  check_type("global", name(), this->type(), type);
  Session& session = *state_->session;
  session.throw_pending();
  session.loops.run_for(state_.get(), LoopQueue::For::reading);
  const auto* values = state_->data.on_host(session.queue, false);
  if (state_->is_extremum && first_nan(this->type(), values, dim()) >= 0)
    throw Error(Errc::bad_input, fmt::format("global {}: MIN or MAX met a NaN", name()));
  std::memcpy(to, values, state_->data.bytes());
}

void Global::put(ScalarType type, const void* from, std::size_t count) {
  check_type("global", name(), this->type(), type);
  check_count("global", name(), dim(), count);
  Session& session = *state_->session;
  session.throw_pending();
  session.loops.run_for(state_.get(), LoopQueue::For::writing);
  state_->data.overwrite(session.queue, from);
  state_->is_extremum = false;
  state_->given_nan = first_nan(type, static_cast<const std::byte*>(from), count);
}

const std::string& Const::name() const { return state_->name; }
ScalarType Const::type() const { return state_->type; }
std::size_t Const::dim() const { return state_->dim; }

void Const::put(ScalarType type, const void* from, std::size_t count) {
  check_type("constant", name(), state_->type, type);
  check_count("constant", name(), state_->dim, count);
  const auto session = state_->session.lock();
  if (!session) return;
  session->throw_pending();
  session->loops.run_all();  // loops that were called before see the old value
  std::memcpy(state_->data.on_host(session->queue, true), from, state_->data.bytes());
  ++state_->version;
}

}  // namespace kiln::mesh
