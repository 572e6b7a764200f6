#include "kiln/mesh/mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/checked_size.hpp"
#include "base/log.hpp"
#include "device/pinned_workers.hpp"
#include "mesh/loop/prepared_loop.hpp"
#include "mesh/matrix/matrix_work.hpp"
#include "mesh/object/copy_bandwidth.hpp"
#include "mesh/object/map_values.hpp"
#include "mesh/object/numbers.hpp"
#include "mesh/object/session.hpp"

namespace kiln::mesh {
namespace {

/// Sets and Maps are numbered by int in kernels.
constexpr std::size_t most_elements = std::numeric_limits<std::int32_t>::max();

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

/// Loops name what they are about: everything has a name.
void check_name(const char* what, const std::string& name) {
  if (name.empty()) throw Error(Errc::bad_input, fmt::format("{}: no name, expected one", what));
}

/// Kernels number the components of Globals and constants by int.
void check_values(const char* what, const std::string& name, std::size_t count) {
  if (count == 0)
    throw Error(Errc::bad_input, fmt::format("{} {}: no values, expected 1 or more", what, name));
  if (count > most_elements)
    throw Error(Errc::bad_input, fmt::format("{} {}: {} values, expected at most {}", what, name,
                                             count, most_elements));
}

/// From the device's events, as far as they were not yet.
void collect_times(Session& session) {
  for (const auto& loop : session.loops.all()) loop->report();
  for (const auto& work : session.matrix_work) work->now();
}

/// Handles of two Meshes do not go together.
void check_owner(const SessionPtr& owner, const char* what, const std::string& name,
                 const Set& set) {
  if (Handles::state(set)->session != owner)
    throw Error(Errc::bad_input, fmt::format("{} {}: set {} belongs to another Mesh, expected one "
                                             "of this",
                                             what, name, set.name()));
}

}  // namespace

Mesh::Mesh(const Options& options)
    : session_(std::make_shared<Session>(options,
                                         value_or_throw(select_devices(options.device)).front())) {}

Mesh::Mesh(Mesh&&) noexcept = default;

Mesh::~Mesh() {
  if (!session_) return;
  // Nobody is left to ask for the results of what waits, but those who hold handles.
  try {
    finish();
  } catch (...) {
    // What failed may be the user's own: an exchange of halos. Who wants to know calls finish().
    log_failure("a Mesh's last loops");
  }
}

Set Mesh::set(std::string name, std::size_t size) {
  return set(std::move(name), {size, size, size, size});
}

Set Mesh::set(std::string name, const std::array<std::size_t, 4>& sizes,
              std::shared_ptr<HaloExchange> exchange) {
  check_name("set", name);
  if (!std::is_sorted(sizes.begin(), sizes.end()))
    throw Error(Errc::bad_input,
                fmt::format("set {}: sizes {} {} {} {}, expected rising numbers (core, owned, with "
                            "exec halo, with all of the halo)",
                            name, sizes[0], sizes[1], sizes[2], sizes[3]));
  if (sizes[3] > most_elements)
    throw Error(Errc::bad_input,
                fmt::format("set {}: {} elements{}, expected at most {}", name, sizes[3],
                            // A negative number of C++ arrives as one of these.
                            sizes[3] > PTRDIFF_MAX ? " (a negative number, read as unsigned)" : "",
                            most_elements));
  return Handles::make<Set>(not_moved(session_)->keep(std::unique_ptr<SetState>(
      new SetState{session_, std::move(name), sizes, next_identity(), std::move(exchange)})));
}

Map Mesh::map(std::string name, const Set& from, const Set& to, std::size_t arity,
              std::span<const std::int32_t> values, std::span<const std::int32_t> offsets) {
  check_name("map", name);
  check_owner(not_moved(session_), "map", name, from);
  check_owner(session_, "map", name, to);
  check_map_values(name, from, to, arity, values);
  if (!offsets.empty() && offsets.size() != arity)
    throw Error(Errc::bad_input, fmt::format("map {}: {} vertical offsets, expected none or {}",
                                             name, offsets.size(), arity));
  Residence data({ScalarType::i32, from.total_size(), arity, DataLayout::aos});
  std::copy(values.begin(), values.end(), reinterpret_cast<std::int32_t*>(data.initial().data()));
  std::optional<Residence> device_offsets;
  if (!offsets.empty()) {
    device_offsets.emplace(Residence::Form{ScalarType::i32, 1, arity, DataLayout::aos});
    std::copy(offsets.begin(), offsets.end(),
              reinterpret_cast<std::int32_t*>(device_offsets->initial().data()));
  }
  return Handles::make<Map>(
      session_->keep(std::unique_ptr<MapState>(new MapState{session_,
                                                            std::move(name),
                                                            from,
                                                            to,
                                                            arity,
                                                            {offsets.begin(), offsets.end()},
                                                            next_identity(),
                                                            0,
                                                            std::move(data),
                                                            std::move(device_offsets)})));
}

Dat Mesh::dat(std::string name, const DataSet& on, ScalarType type, const void* values,
              std::size_t count, DataLayout layout) {
  check_name("dat", name);
  check_owner(not_moved(session_), "dat", name, on.set());
  const std::size_t elements = on.set().total_size(), dim = on.dim();
  if (!(CheckedSize(elements) * dim * size_of(type)).fits())
    throw Error(Errc::bad_input,
                fmt::format("dat {}: {} elements of {} with {} components each are more than any "
                            "memory holds",
                            name, elements, on.set().name(), dim));
  if (count != 0 && count != elements * dim)
    throw Error(Errc::bad_input,
                fmt::format("dat {}: {} values, expected none or {} ({} elements of {} with {} "
                            "each)",
                            name, count, elements * dim, elements, on.set().name(), dim));
  Residence data({type, elements, dim, layout});
  if (count != 0) std::memcpy(data.initial().data(), values, data.bytes());
  return Handles::make<Dat>(session_->keep(std::unique_ptr<DatState>(
      new DatState{session_, std::move(name), on, next_identity(), std::move(data)})));
}

Global Mesh::global(std::string name, ScalarType type, const void* values, std::size_t count) {
  check_name("global", name);
  check_values("global", name, count);
  Residence data({type, 1, count, DataLayout::aos});
  std::memcpy(data.initial().data(), values, data.bytes());
  const std::ptrdiff_t nan = first_nan(type, data.initial().data(), count);
  return Handles::make<Global>(not_moved(session_)->keep(std::unique_ptr<GlobalState>(
      new GlobalState{session_, std::move(name), next_identity(), std::move(data), false, nan})));
}

Const Mesh::constant(std::string name, ScalarType type, const void* values, std::size_t count) {
  check_values("constant", name, count);
  if (!is_identifier(name))
    throw Error(
        Errc::bad_input,
        fmt::format("constant '{}': expected a name that C takes: letters, digits, _", name));
  if (is_reserved(name))
    throw Error(
        Errc::bad_input,
        fmt::format("constant {}: the word is taken in kernels, expected another name", name));
  auto& all = not_moved(session_)->constants;
  const auto at = std::lower_bound(
      all.begin(), all.end(), name,
      [](const auto& known, const std::string& wanted) { return known->name < wanted; });
  if (at != all.end() && (*at)->name == name)
    throw Error(Errc::bad_input, fmt::format("constant {} is there already, expected a new name, "
                                             "or Const::set() for a new value",
                                             name));
  Residence data({type, 1, count, DataLayout::aos});
  std::memcpy(data.initial().data(), values, data.bytes());
  auto state =
      std::make_shared<ConstState>(ConstState{session_, name, type, count, 1, std::move(data)});
  all.insert(at, state);
  return Handles::make<Const>(std::move(state));
}

void Mesh::flush() {
  not_moved(session_)->throw_pending();
  session_->loops.run_all();
  check_cl(::clFlush(session_->queue.cl()()), "clFlush");
}

void Mesh::finish() {
  not_moved(session_)->throw_pending();
  session_->loops.run_all();
  check_cl(::clFinish(session_->queue.cl()()), "clFinish");
}

std::size_t Mesh::queued() const { return not_moved(session_)->loops.waiting(); }

std::vector<LoopReport> Mesh::report() {
  finish();
  const double bandwidth = session_->options.timing ? copy_bandwidth() : 0;
  std::vector<LoopReport> all = session_->loops.past();
  for (const auto& loop : session_->loops.all()) all.push_back(loop->report());
  for (const auto& work : session_->matrix_work) all.push_back(work->now());
  std::erase_if(all, [](const LoopReport& report) { return report.count == 0; });
  for (LoopReport& report : all) {
    if (report.seconds <= 0) continue;
    report.gigabytes_per_second = 1e-9 * static_cast<double>(report.bytes) / report.seconds;
    if (bandwidth > 0) report.share = 1e9 * report.gigabytes_per_second / bandwidth;
  }
  return all;
}

std::vector<TimelineSpan> Mesh::timeline() {
  if (not_moved(session_)->recording == nullptr) return {};
  finish();
  collect_times(*session_);
  return session_->recording->spans(device_name());
}

void Mesh::clear_report() {
  finish();
  session_->loops.clear_past();
  for (const auto& loop : session_->loops.all()) loop->clear_report();
  for (const auto& work : session_->matrix_work) work->clear();
}

double Mesh::copy_bandwidth() { return not_moved(session_)->copy_bandwidth(); }

std::string Mesh::device_name() const { return not_moved(session_)->device()->name; }

}  // namespace kiln::mesh
