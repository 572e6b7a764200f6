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

/// Holds the parts of a file against one another. Throws bad_input.
class PartsCheck {
 public:
  explicit PartsCheck(const MeshFile& mesh) : mesh_(mesh) {}

  void run() {
    for (const FileSet& set : mesh_.sets) {
      check_name("set", set.name);
      // Maps hold 32-bit numbers, so larger sets could not be pointed into.
      if (set.size < 0 || set.size > std::numeric_limits<std::int32_t>::max())
        refuse("set {}: found {} elements, expected 0 to 2147483647", quote(set.name), set.size);
    }
    for (const FileMap& map : mesh_.maps) {
      check_name("map", map.name);
      check_map(map);
    }
    for (const FileDat& dat : mesh_.dats) {
      check_name("dat", dat.name);
      check_bytes("dat", dat, known_set("dat", dat.name, dat.set).size);
    }
    for (const FileConst& constant : mesh_.constants) {
      check_name("constant", constant.name);
      check_bytes("constant", constant, 1);
    }
  }

 private:
  /// Sets, maps, dats and constants share their names: in a file each is the name of a dataset.
  void check_name(const char* kind, const std::string& name) {
    if (name.empty()) refuse("a {} has no name", kind);
    if (!names_.insert(name).second) refuse("{} {}: the name stands twice", kind, quote(name));
  }

  const FileSet& known_set(const char* kind, const std::string& name,
                           const std::string& set) const {
    if (const FileSet* found = mesh_.find_set(set)) return *found;
    refuse("{} {}: there is no set {}", kind, quote(name),
           set.empty() ? "without a name" : quote(set));
  }

  void check_map(const FileMap& map) const {
    const FileSet& from = known_set("map", map.name, map.from);
    const FileSet& to = known_set("map", map.name, map.to);
    if (map.arity < 1)
      refuse("map {}: found arity {}, expected at least 1", quote(map.name), map.arity);
    const auto arity = static_cast<std::size_t>(map.arity);
    const auto expected = (CheckedSize::of_signed(from.size) * arity).get();
    if (map.values.size() != expected)
      refuse("map {}: found {} entries, expected {} ({} for each of the {} {})", quote(map.name),
             map.values.size(), text_of(expected), arity, from.size, quote(map.from));
    // Negative numbers are too large ones here, so that the loop has one comparison.
    const auto bound = static_cast<std::uint32_t>(to.size);
    for (std::size_t at = 0; at < map.values.size(); ++at)
      if (static_cast<std::uint32_t>(map.values[at]) >= bound)
        refuse("map {}: entry {} of element {} is {}, expected 0 to {} ({} has {} elements)",
               quote(map.name), at % arity, at / arity, map.values[at], to.size - 1, quote(map.to),
               to.size);
  }

  template <class Data>
  void check_bytes(const char* kind, const Data& data, std::int64_t elements) const {
    if (data.dim < 1)
      refuse("{} {}: found {} components, expected at least 1", kind, quote(data.name), data.dim);
    const auto expected =
        (CheckedSize::of_signed(elements) * CheckedSize::of_signed(data.dim) * size_of(data.type))
            .get();
    if (data.bytes.size() != expected)
      refuse("{} {}: found {} bytes, expected {} ({} elements of {} {})", kind, quote(data.name),
             data.bytes.size(), text_of(expected), elements, data.dim, name_of(data.type));
  }

  static std::string text_of(const std::optional<std::size_t>& size) {
    return size ? std::to_string(*size) : "more than any memory holds";
  }

  const MeshFile& mesh_;
  std::set<std::string_view> names_;
};

}  // namespace

const FileSet* MeshFile::find_set(std::string_view name) const { return find(sets, name); }
const FileMap* MeshFile::find_map(std::string_view name) const { return find(maps, name); }
const FileDat* MeshFile::find_dat(std::string_view name) const { return find(dats, name); }
const FileConst* MeshFile::find_const(std::string_view name) const { return find(constants, name); }

Expected<void> check(const MeshFile& mesh) {
  return expected_from([&] { PartsCheck(mesh).run(); });
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
