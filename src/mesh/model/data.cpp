// Dats, Globals and constants: how they are made, read and written.
#include "kiln/mesh/data.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/data/bytes.hpp"
#include "device/opencl.hpp"
#include "mesh/model/basics.hpp"
#include "mesh/model/session.hpp"

namespace kiln::mesh {
namespace {

/// Kernels number components by int.
constexpr std::size_t most_numbers = std::numeric_limits<std::int32_t>::max();

void check_type(const char* what, const std::string& name, ScalarType has, ScalarType asked) {
  if (has != asked) refuse("{} {} is of {}, not {}", what, name, name_of(has), name_of(asked));
}
void check_count(const char* what, const std::string& name, std::size_t dim, std::size_t count) {
  if (count != dim) refuse("{} {}: {} values, expected {}", what, name, count, dim);
}
void check_alive(const DatState& dat) {
  if (dat.is_left_out)
    refuse("dat {}: it was gone on another part when the mesh was partitioned", dat.name);
  if (dat.data.is_free()) refuse("dat {} was freed", dat.name);
}

template <class T>
std::ptrdiff_t first_nan_of(const std::byte* values, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    T number;  // values of callers may have any alignment
    std::memcpy(&number, values + k * sizeof(T), sizeof(T));
    if (std::isnan(number)) return static_cast<std::ptrdiff_t>(k);
  }
  return -1;
}

/// The place of the first value that is no number (NaN), or -1. Integers all are.
std::ptrdiff_t first_nan(ScalarType type, const std::byte* values, std::size_t count) {
  if (type == ScalarType::f64) return first_nan_of<double>(values, count);
  if (type == ScalarType::f32) return first_nan_of<float>(values, count);
  return -1;
}

void check_values(const char* what, const std::string& name, std::size_t count) {
  if (count == 0) refuse("{} {}: no values, expected 1 or more", what, name);
  if (count > most_numbers)
    refuse("{} {}: {} values, expected at most {}", what, name, count, most_numbers);
}

Residence resident_numbers(ScalarType type, const void* values, std::size_t count) {
  Residence data({type, 1, count, DataLayout::aos});
  std::memcpy(data.initial().data(), values, data.bytes());
  return data;
}

bool is_identifier(const std::string& name) {
  const auto is_letter = [](char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  return !name.empty() && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

/// Words that C or OpenCL C gives another meaning: a constant of such a name could not be used.
bool is_reserved(const std::string& name) {
  static constexpr std::string_view words[] = {
      "auto",     "bool",      "break",     "case",      "char",    "const",     "constant",
      "continue", "default",   "do",        "double",    "else",    "enum",      "event_t",
      "extern",   "float",     "for",       "generic",   "global",  "goto",      "half",
      "if",       "image1d_t", "image2d_t", "image3d_t", "inline",  "int",       "intptr_t",
      "kernel",   "local",     "long",      "pipe",      "private", "ptrdiff_t", "register",
      "restrict", "return",    "sampler_t", "short",     "signed",  "size_t",    "sizeof",
      "static",   "struct",    "switch",    "typedef",   "uchar",   "uint",      "uintptr_t",
      "ulong",    "union",     "unsigned",  "ushort",    "void",    "volatile",  "while"};
  return std::ranges::find(words, name) != std::end(words) || name.starts_with("__") ||
         name.starts_with("kiln_");
}

}  // namespace

Dat Mesh::dat(std::string name, const DataSet& on, ScalarType type, const void* values,
              std::size_t count, DataLayout layout) {
  check_name("dat", name);
  check_owner(not_moved(session_), "dat", name, on.set());
  const std::size_t elements = on.set().total_size(), dim = on.dim();
  if (!(CheckedSize(elements) * dim * size_of(type)).fits())
    refuse("dat {}: {} elements of {} with {} components each are more than any memory holds", name,
           elements, on.set().name(), dim);
  if (count != 0 && count != elements * dim)
    refuse("dat {}: {} values, expected none or {} ({} elements of {} with {} each)", name, count,
           elements * dim, elements, on.set().name(), dim);
  Residence data({type, elements, dim, layout});
  if (count != 0) std::memcpy(data.initial().data(), values, data.bytes());
  return Handles::keep<Dat>(
      DatState{session_, std::move(name), on, next_identity(), std::move(data)});
}

Dat Mesh::wrap(std::string name, const DataSet& on, ScalarType type, cl_mem memory,
               std::size_t offset, DataLayout layout) {
  check_name("dat", name);
  check_owner(not_moved(session_), "dat", name, on.set());
  // partition() moves rows to other parts: no buffer has room for what comes.
  if (session_->takes_declarations() && Handles::state(on.set())->part == nullptr)
    refuse(
        "dat {}: set {} is not partitioned yet, expected Mesh::partition() before a buffer of the "
        "application",
        name, on.set().name());
  const std::size_t elements = on.set().total_size(), dim = on.dim();
  if (elements == 0) refuse("dat {}: set {} has no elements, expected some", name, on.set().name());
  const auto begin = (CheckedSize(offset) * size_of(type)).get();
  if (!begin || !(CheckedSize(elements) * dim * size_of(type)).fits())
    refuse("dat {}: more components than any memory holds", name);
  cl_context context = nullptr;
  if (memory == nullptr ||
      ::clGetMemObjectInfo(memory, CL_MEM_CONTEXT, sizeof context, &context, nullptr) != CL_SUCCESS)
    refuse("dat {}: the handle is not that of a buffer", name);
  if (context != session_->context()->cl()())
    refuse("dat {}: the buffer is of another context than the Mesh", name);
  return Handles::keep<Dat>(
      DatState{session_, std::move(name), on, next_identity(),
               Residence({type, elements, dim, layout}, memory, *begin, session_->queue)});
}

Global Mesh::global(std::string name, ScalarType type, const void* values, std::size_t count) {
  check_name("global", name);
  check_values("global", name, count);
  Residence data = resident_numbers(type, values, count);
  const std::ptrdiff_t nan = first_nan(type, data.initial().data(), count);
  return Handles::keep<Global>(GlobalState{not_moved(session_), std::move(name), next_identity(),
                                           std::move(data), false, nan});
}

Const Mesh::constant(std::string name, ScalarType type, const void* values, std::size_t count) {
  check_values("constant", name, count);
  if (!is_identifier(name))
    refuse("constant '{}': expected a name that C takes: letters, digits, _", name);
  if (is_reserved(name))
    refuse("constant {}: the word is taken in kernels, expected another name", name);
  auto& all = not_moved(session_)->constants;
  const auto at = std::lower_bound(
      all.begin(), all.end(), name,
      [](const auto& known, const std::string& wanted) { return known->name < wanted; });
  if (at != all.end() && (*at)->name == name)
    refuse("constant {} is there already, expected a new name, or Const::set() for a new value",
           name);
  auto state = std::make_shared<ConstState>(
      ConstState{session_, name, type, count, 1, resident_numbers(type, values, count)});
  all.insert(at, state);
  return Handles::make<Const>(std::move(state));
}

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
  session.settle(state_.get(), to_write ? Session::For::writing : Session::For::reading);
  if (to_write) state_->halo_changed();
  return state_->data.on_host(session.queue, to_write);
}

cl_mem Dat::buffer() {
  check_alive(*state_);
  Session& session = *state_->session;
  session.settle(state_.get(), Session::For::writing);
  state_->halo_changed();
  const cl_mem memory = state_->data.lend(session.queue);
  check_cl(::clFlush(session.queue.cl()()), "clFlush");
  return memory;
}

bool Dat::is_halo_stale() const {
  check_alive(*state_);
  state_->session->settle(state_.get(), Session::For::reading);
  return state_->is_halo_stale;
}

void Dat::exchange_halo() {
  if (!is_halo_stale()) return;
  if (state_->is_in_parts()) return state_->session->exchange_all(*state_);
  if (Handles::state(set())->exchange == nullptr)
    refuse("dat {}: set {} has no HaloExchange", name(), set().name());
  const Queue& queue = state_->session->queue;
  state_->begin_exchange(queue);
  state_->end_exchange(queue);
}

void Dat::halo_is_fresh() {
  check_alive(*state_);
  state_->halo_is_fresh();
}

void Dat::free() {
  Session& session = *state_->session;
  if (const auto users = session.users_of(state_.get()); !users.empty())
    refuse("dat {} is needed by queued loops ({}), expected it to be freed after they have run",
           name(), users);
  if (state_->data.is_free()) return;
  session.forget_loops(state_.get());
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
  session.settle(state_.get(), Session::For::reading);
  if (state_->share != GlobalState::Share::whole) session.bring_together(*state_);
  const auto* values = state_->data.on_host(session.queue, false);
  if (state_->is_extremum && first_nan(this->type(), values, dim()) >= 0)
    refuse("global {}: MIN or MAX met a NaN", name());
  std::memcpy(to, values, state_->data.bytes());
}

void Global::put(ScalarType type, const void* from, std::size_t count) {
  check_type("global", name(), this->type(), type);
  check_count("global", name(), dim(), count);
  Session& session = *state_->session;
  session.settle(state_.get(), Session::For::writing);
  if (state_->share != GlobalState::Share::whole) session.forget_share(*state_);
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
  session->run_all();  // loops that were called before see the old value
  std::memcpy(state_->data.on_host(session->queue, true), from, state_->data.bytes());
  ++state_->version;
}

}  // namespace kiln::mesh
