// A mesh file as plain data: its parts by name, whether they fit one another, OP2's known names.
#include "mesh/io/mesh_file.hpp"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <set>

#include "base/data/bytes.hpp"

namespace kiln::mesh {
namespace {

template <class T>
const T* find(const std::vector<T>& list, std::string_view name) {
  for (const T& one : list)
    if (one.name == name) return &one;
  return nullptr;
}

Expected<void> bad_file(std::string message) { return fail(Errc::bad_input, std::move(message)); }

/// Sets, maps, dats and constants share their names: in a file each is the name of a dataset.
class Names {
 public:
  Expected<void> add(const char* kind, const std::string& name) {
    if (name.empty()) return bad_file(fmt::format("a {} has no name", kind));
    if (!names_.insert(name).second)
      return bad_file(fmt::format("{} {}: the name stands twice", kind, quote(name)));
    return {};
  }

 private:
  std::set<std::string_view> names_;
};

Expected<void> check_set(const FileSet& set) {
  // Maps hold 32-bit numbers, so larger sets could not be pointed into.
  if (set.size < 0 || set.size > std::numeric_limits<std::int32_t>::max())
    return bad_file(fmt::format("set {}: found {} elements, expected 0 to 2147483647",
                                quote(set.name), set.size));
  return {};
}

Expected<const FileSet*> known_set(const MeshFile& mesh, const char* kind, const std::string& name,
                                   const std::string& set) {
  if (const FileSet* found = mesh.find_set(set)) return found;
  return fail(Errc::bad_input, fmt::format("{} {}: there is no set {}", kind, quote(name),
                                           set.empty() ? "without a name" : quote(set)));
}

std::string text_of(const std::optional<std::size_t>& size) {
  return size ? std::to_string(*size) : "more than any memory holds";
}

Expected<void> check_map(const MeshFile& mesh, const FileMap& map) {
  const auto from = known_set(mesh, "map", map.name, map.from);
  if (!from) return tl::unexpected(from.error());
  const auto to = known_set(mesh, "map", map.name, map.to);
  if (!to) return tl::unexpected(to.error());
  if (map.arity < 1)
    return bad_file(
        fmt::format("map {}: found arity {}, expected at least 1", quote(map.name), map.arity));
  const auto arity = static_cast<std::size_t>(map.arity);
  const auto expected = (CheckedSize::of_signed((*from)->size) * arity).get();
  if (map.values.size() != expected)
    return bad_file(fmt::format("map {}: found {} entries, expected {} ({} for each of the {} {})",
                                quote(map.name), map.values.size(), text_of(expected), arity,
                                (*from)->size, quote(map.from)));
  // Negative numbers are too large ones here, so that the loop has one comparison.
  const auto bound = static_cast<std::uint32_t>((*to)->size);
  for (std::size_t at = 0; at < map.values.size(); ++at)
    if (static_cast<std::uint32_t>(map.values[at]) >= bound)
      return bad_file(
          fmt::format("map {}: entry {} of element {} is {}, expected 0 to {} ({} has {} "
                      "elements)",
                      quote(map.name), at % arity, at / arity, map.values[at], (*to)->size - 1,
                      quote(map.to), (*to)->size));
  return {};
}

template <class Data>
Expected<void> check_bytes(const char* kind, const Data& data, std::int64_t elements) {
  if (data.dim < 1)
    return bad_file(fmt::format("{} {}: found {} components, expected at least 1", kind,
                                quote(data.name), data.dim));
  const auto expected =
      (CheckedSize::of_signed(elements) * CheckedSize::of_signed(data.dim) * size_of(data.type))
          .get();
  if (data.bytes.size() != expected)
    return bad_file(fmt::format("{} {}: found {} bytes, expected {} ({} elements of {} {})", kind,
                                quote(data.name), data.bytes.size(), text_of(expected), elements,
                                data.dim, name_of(data.type)));
  return {};
}

}  // namespace

const FileSet* MeshFile::find_set(std::string_view name) const { return find(sets, name); }
const FileMap* MeshFile::find_map(std::string_view name) const { return find(maps, name); }
const FileDat* MeshFile::find_dat(std::string_view name) const { return find(dats, name); }
const FileConst* MeshFile::find_const(std::string_view name) const { return find(constants, name); }

Expected<void> check(const MeshFile& mesh) {
  Names names;
  for (const FileSet& set : mesh.sets) {
    if (auto added = names.add("set", set.name); !added) return added;
    if (auto checked = check_set(set); !checked) return checked;
  }
  for (const FileMap& map : mesh.maps) {
    if (auto added = names.add("map", map.name); !added) return added;
    if (auto checked = check_map(mesh, map); !checked) return checked;
  }
  for (const FileDat& dat : mesh.dats) {
    if (auto added = names.add("dat", dat.name); !added) return added;
    const auto set = known_set(mesh, "dat", dat.name, dat.set);
    if (!set) return tl::unexpected(set.error());
    if (auto checked = check_bytes("dat", dat, (*set)->size); !checked) return checked;
  }
  for (const FileConst& constant : mesh.constants) {
    if (auto added = names.add("constant", constant.name); !added) return added;
    if (auto checked = check_bytes("constant", constant, 1); !checked) return checked;
  }
  return {};
}

const FileLayout& known_names() {
  using namespace parts;
  static const FileLayout layout{{{edge_nodes, edges, nodes},
                                  {edge_cells, edges, cells},
                                  {bedge_nodes, bedges, nodes},
                                  {bedge_cells, bedges, cells},
                                  {cell_nodes, cells, nodes}},
                                 {{coordinates, nodes},
                                  {bound, bedges},
                                  // airfoil's flow
                                  {"p_q", cells},
                                  {"p_qold", cells},
                                  {"p_adt", cells},
                                  {"p_res", cells},
                                  // aero's potential and its solver
                                  {"p_phim", nodes},
                                  {"p_resm", nodes},
                                  {"p_K", cells},
                                  {"p_V", nodes},
                                  {"p_P", nodes},
                                  {"p_U", nodes}}};
  return layout;
}

}  // namespace kiln::mesh
