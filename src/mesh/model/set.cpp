// Sets and what is iterated over: subsets, columns of layers.
#include "kiln/mesh/set.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "mesh/model/basics.hpp"
#include "mesh/model/session.hpp"

namespace kiln::mesh {
namespace {

/// Sets are numbered by int in kernels.
constexpr std::size_t most_in_set = std::numeric_limits<std::int32_t>::max();

/// Indices in rising order, each once; `most` is what they must be below.
std::vector<std::int32_t> rising(std::span<const std::int32_t> indices, std::size_t most,
                                 const std::string& of) {
  for (std::size_t at = 0; at < indices.size(); ++at)
    if (indices[at] < 0 || static_cast<std::size_t>(indices[at]) >= most)
      refuse("subset of {}: index {} (number {}) is outside it, expected 0 to {}", of, indices[at],
             at, static_cast<std::int64_t>(most) - 1);
  std::vector<std::int32_t> list(indices.begin(), indices.end());
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

Subset make_subset(const Set& set, std::vector<std::int32_t> indices) {
  check_partitioned(*Handles::state(set), "a subset");
  std::array<std::size_t, 4> sizes{};
  for (std::size_t part = 0; part < 4; ++part)
    sizes[part] =
        static_cast<std::size_t>(std::lower_bound(indices.begin(), indices.end(),
                                                  static_cast<std::int32_t>(set.sizes()[part])) -
                                 indices.begin());
  Residence device = resident(indices);
  SetState& superset = *Handles::state(set);
  const auto made = Handles::keep<Subset>(SubsetState{superset.session, set, std::move(indices),
                                                      sizes, next_identity(), std::move(device)});
  add_weak(superset.subsets, Handles::state(made));
  return made;
}

}  // namespace

Set Mesh::set(std::string name, std::size_t size) {
  return set(std::move(name), {size, size, size, size});
}

Set Mesh::set(std::string name, const std::array<std::size_t, 4>& sizes,
              std::shared_ptr<HaloExchange> exchange) {
  check_name("set", name);
  if (!std::is_sorted(sizes.begin(), sizes.end()))
    refuse(
        "set {}: sizes {} {} {} {}, expected rising numbers (core, owned, with exec halo, with all "
        "of the halo)",
        name, sizes[0], sizes[1], sizes[2], sizes[3]);
  if (sizes[3] > most_in_set)
    refuse("set {}: {} elements{}, expected at most {}", name, sizes[3],
           // A negative number of C++ arrives as one of these.
           sizes[3] > PTRDIFF_MAX ? " (a negative number, read as unsigned)" : "", most_in_set);
  if (not_moved(session_)->is_partitioned)
    refuse("set {}: the mesh is partitioned already, expected sets before Mesh::partition()", name);
  const Set made = Handles::keep<Set>(
      SetState{session_, std::move(name), sizes, next_identity(), std::move(exchange)});
  if (session_->takes_declarations())
    session_->add_declared(session_->declared.sets, Handles::state(made));
  return made;
}

const std::string& Set::name() const { return state_->name; }
std::size_t Set::core_size() const { return state_->sizes[0]; }
std::size_t Set::size() const { return state_->sizes[1]; }
std::size_t Set::exec_size() const { return state_->sizes[2]; }
std::size_t Set::total_size() const { return state_->sizes[3]; }
std::array<std::size_t, 4> Set::sizes() const { return state_->sizes; }

Subset Set::subset(std::span<const std::int32_t> indices) const {
  return make_subset(*this, rising(indices, total_size(), "set " + name()));
}
ExtrudedSet Set::extruded(std::size_t layers) const { return {*this, layers}; }

const Set& Subset::superset() const { return state_->superset; }
std::span<const std::int32_t> Subset::indices() const { return state_->indices; }
std::size_t Subset::size() const { return state_->sizes[1]; }

Subset Subset::subset(std::span<const std::int32_t> positions) const {
  auto list = rising(positions, state_->indices.size(), "a subset of " + superset().name());
  for (auto& position : list) position = state_->indices[static_cast<std::size_t>(position)];
  return make_subset(superset(), std::move(list));
}

ExtrudedSet::ExtrudedSet(Set base, std::size_t layers) : base_(std::move(base)), layers_(layers) {
  constexpr std::size_t most = std::numeric_limits<std::int32_t>::max();
  if (layers < 2 || layers > most)
    refuse("extruded set over {}: {} layers, expected 2 to {}", base_.name(), layers, most);
}

DataSet::DataSet(Set set, std::vector<std::size_t> shape)
    : set_(std::move(set)), shape_(std::move(shape)) {
  if (shape_.empty() || std::count(shape_.begin(), shape_.end(), 0u) > 0)
    refuse("data on set {}: an element has no components, expected dimensions of 1 or more",
           set_.name());
  // Kernels number components by int.
  std::size_t room = std::numeric_limits<std::int32_t>::max();
  for (const std::size_t extent : shape_) room /= extent;
  if (room == 0)
    refuse("data on set {}: an element has too many components, expected at most {}", set_.name(),
           std::numeric_limits<std::int32_t>::max());
}
std::size_t DataSet::dim() const {
  return std::accumulate(shape_.begin(), shape_.end(), std::size_t{1}, std::multiplies<>());
}

Iteration::Iteration(const Subset& subset)
    : set_(subset.superset()), subset_(Handles::state(subset)) {}

}  // namespace kiln::mesh
