// A rank's part of a mesh file: which rows it has, and whether the parts fit one another.
#include "mpi/file_block.hpp"

#include <cstring>
#include <limits>
#include <set>

namespace kiln::mpi {

using mesh::quote;
using mesh::refuse;

namespace {

template <class T>
const T* find(const std::vector<T>& list, std::string_view name) {
  for (const T& one : list)
    if (one.name == name) return &one;
  return nullptr;
}

}  // namespace

const SetBlock* MeshFileBlock::find_set(std::string_view name) const { return find(sets, name); }
const MapBlock* MeshFileBlock::find_map(std::string_view name) const { return find(maps, name); }
const DatBlock* MeshFileBlock::find_dat(std::string_view name) const { return find(dats, name); }

SetBlock block_of(std::string name, std::int64_t size, int rank, int ranks) {
  const auto begin_of = [&](std::int64_t part) {
    return size / ranks * part + size % ranks * part / ranks;
  };
  const std::int64_t first = begin_of(rank);
  return {std::move(name), size, first, begin_of(rank + 1) - first};
}

void check_entries(const MapBlock& map, const SetBlock& from, const SetBlock& to) {
  const auto arity = static_cast<std::size_t>(map.arity);
  for (std::size_t at = 0; at < map.values.size(); ++at)
    if (map.values[at] < 0 || map.values[at] >= to.size)
      refuse("map {}: entry {} of element {} is {}, expected 0 to {} (the last of {})",
             quote(map.name), at % arity, from.first + static_cast<std::int64_t>(at / arity),
             map.values[at], to.size - 1, quote(to.name));
}

namespace {

/// Holds the parts of a block against one another. Throws bad_input.
class BlockCheck {
 public:
  explicit BlockCheck(const MeshFileBlock& block) : block_(block) {}

  void run() {
    for (const SetBlock& set : block_.sets) {
      check_name("set", set.name);
      if (set.count < 0)
        refuse("set {}: found {} elements, expected 0 or more", quote(set.name), set.count);
    }
    for (const MapBlock& map : block_.maps) {
      check_name("map", map.name);
      const SetBlock& from = known_set("map", map.name, map.from);
      known_set("map", map.name, map.to);
      if (map.arity < 1)
        refuse("map {}: found arity {}, expected 1 or more", quote(map.name), map.arity);
      check_length("map", map.name, map.values.size(), from.count * map.arity, "numbers");
    }
    for (const DatBlock& dat : block_.dats) {
      check_name("dat", dat.name);
      const SetBlock& set = known_set("dat", dat.name, dat.set);
      if (dat.dim < 1)
        refuse("dat {}: found {} components, expected 1 or more", quote(dat.name), dat.dim);
      check_length("dat", dat.name, dat.bytes.size(),
                   set.count * dat.dim * static_cast<std::int64_t>(size_of(dat.type)), "bytes");
    }
    for (const mesh::FileConst& constant : block_.constants) {
      check_name("constant", constant.name);
      check_length("constant", constant.name, constant.bytes.size(),
                   constant.dim * static_cast<std::int64_t>(size_of(constant.type)), "bytes");
    }
  }

 private:
  void check_name(const char* kind, const std::string& name) {
    if (name.empty()) refuse("a {} has no name", kind);
    if (!names_.insert(name).second) refuse("{} {}: the name stands twice", kind, quote(name));
  }
  const SetBlock& known_set(const char* kind, const std::string& name,
                            const std::string& set) const {
    if (const SetBlock* found = block_.find_set(set)) return *found;
    refuse("{} {}: there is no set {}", kind, quote(name), quote(set));
  }
  static void check_length(const char* kind, const std::string& name, std::size_t found,
                           std::int64_t expected, const char* unit) {
    if (found != static_cast<std::size_t>(expected))
      refuse("{} {}: found {} {}, expected {}", kind, quote(name), found, unit, expected);
  }

  const MeshFileBlock& block_;
  std::set<std::string> names_;
};

/// Rows of a list that a rank has.
template <class T>
std::span<const T> rows_of(const std::vector<T>& all, const SetBlock& set, std::size_t row) {
  return std::span(all).subspan(static_cast<std::size_t>(set.first) * row,
                                static_cast<std::size_t>(set.count) * row);
}

}  // namespace

void check_block(const MeshFileBlock& block) { BlockCheck(block).run(); }

MeshFileBlock MeshFileBlock::of(const Communicator& comm, const mesh::MeshFile& file) {
  return rows_of(file, comm.rank(), comm.size());
}

MeshFileBlock rows_of(const mesh::MeshFile& file, int rank, int ranks) {
  MeshFileBlock block;
  for (const mesh::FileSet& set : file.sets)
    block.sets.push_back(block_of(set.name, set.size, rank, ranks));
  const auto set_of = [&](const char* kind, const std::string& name, const std::string& set,
                          std::size_t length, std::size_t row) -> const SetBlock& {
    const SetBlock* found = block.find_set(set);
    if (found == nullptr) refuse("{} {}: there is no set {}", kind, quote(name), quote(set));
    if (length != static_cast<std::size_t>(found->size) * row)
      refuse("{} {}: found {} numbers or bytes, expected {}", kind, quote(name), length,
             static_cast<std::size_t>(found->size) * row);
    return *found;
  };
  for (const mesh::FileMap& map : file.maps) {
    const auto arity = static_cast<std::size_t>(map.arity);
    const auto rows =
        rows_of(map.values, set_of("map", map.name, map.from, map.values.size(), arity), arity);
    block.maps.push_back({map.name, map.from, map.to, map.arity, {rows.begin(), rows.end()}});
  }
  for (const mesh::FileDat& dat : file.dats) {
    const std::size_t row = static_cast<std::size_t>(dat.dim) * size_of(dat.type);
    const auto rows =
        rows_of(dat.bytes, set_of("dat", dat.name, dat.set, dat.bytes.size(), row), row);
    block.dats.push_back(
        {dat.name, dat.set, dat.dim, dat.type, {rows.begin(), rows.end()}, dat.type_text});
  }
  block.constants = file.constants;
  block.left_out = file.left_out;
  return block;
}

}  // namespace kiln::mpi
