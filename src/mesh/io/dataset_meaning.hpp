#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "mesh/io/dataset.hpp"
#include "mesh/io/mesh_file.hpp"

/// What a dataset of a mesh file is (docs/formats/mesh-hdf5.md), by its head alone: the same
/// whether one process reads the file or many ranks do.
namespace kiln::mesh::hdf5 {

inline constexpr std::uint64_t most_in_a_row = std::numeric_limits<std::int32_t>::max();

inline bool is_integer(const Dataset& dataset) {
  return dataset.type && !is_floating(*dataset.type);
}

/// A set is one integer with no attributes, as a list (OP2) or alone (h5py's `f[name] = n`);
/// a constant of OP2's has its `dim`.
inline bool is_set(const Dataset& dataset) {
  const bool is_one = dataset.extents.empty() || dataset.extents == std::vector<std::uint64_t>{1};
  return is_integer(dataset) && is_one && !dataset.dim && !dataset.size && dataset.set.empty() &&
         dataset.from.empty();
}

inline std::uint64_t rows_of(const Dataset& dataset) {
  return dataset.extents.empty() ? 1 : dataset.extents[0];
}
inline std::uint64_t columns_of(const Dataset& dataset) {
  return dataset.extents.size() < 2 ? 1 : dataset.extents[1];
}

/// What one of the datasets that are no sets is.
struct Meaning {
  enum class Kind : std::uint8_t { map, dat, constant, left_out };
  Kind kind = Kind::left_out;
  std::string from = {}, to = {};  ///< of a map
  std::string set = {};            ///< of a dat
  std::string why = {};            ///< it is left out
};

/// Holds datasets against the sets of their file. Throws bad_input for what cannot be.
class Meanings {
 public:
  Meanings(const std::vector<FileSet>& sets, const FileLayout& layout)
      : sets_(sets), layout_(layout) {}

  Meaning of(const Dataset& dataset) const {
    if (!dataset.type) return left_out("it holds no numbers of a known type");
    if (dataset.extents.size() > 2)
      return left_out(
          fmt::format("it has {} dimensions, expected at most 2", dataset.extents.size()));
    if (!dataset.from.empty() || !dataset.to.empty()) return map(dataset, dataset.from, dataset.to);
    if (!dataset.set.empty()) return dat(dataset, dataset.set);
    if (dataset.extents.size() < 2 && !dataset.size && (dataset.dim || dataset.extents.empty()))
      return constant(dataset);
    for (const FileLayout::Map& known : layout_.maps)
      if (known.name == dataset.path) return map(dataset, known.from, known.to);
    for (const FileLayout::Dat& known : layout_.dats)
      if (known.name == dataset.path) return dat(dataset, known.set);
    return by_shape(dataset);
  }

 private:
  static Meaning left_out(std::string why) { return {.why = std::move(why)}; }

  /// Nothing says what it is. Floating-point numbers belong to the one set of their length;
  /// integers could be a map.
  Meaning by_shape(const Dataset& dataset) const {
    if (is_integer(dataset))
      return left_out(
          fmt::format("nothing says which sets it joins: attributes 'from' and 'to' "
                      "would ('set' for data), or --map {0}=FROM:TO (--on {0}=SET)",
                      one_line(dataset.path)));
    const FileSet* found = nullptr;
    for (const FileSet& set : sets_) {
      if (static_cast<std::uint64_t>(set.size) != rows_of(dataset)) continue;
      if (found != nullptr)
        return left_out(
            fmt::format("nothing says whether it is on {} or {}: an attribute 'set' "
                        "would, or --on {}=SET",
                        quote(found->name), quote(set.name), one_line(dataset.path)));
      found = &set;
    }
    if (found == nullptr) return left_out(fmt::format("no set has {} elements", rows_of(dataset)));
    return dat(dataset, found->name);
  }

  /// The set's size and the extents' first number agree, and a row has a sane length.
  void check_extents(const char* kind, const Dataset& dataset, const std::string& set) const {
    const FileSet* known = nullptr;
    for (const FileSet& one : sets_)
      if (one.name == set) known = &one;
    if (known == nullptr)
      refuse("{} {}: the file has no set {}", kind, quote(dataset.path), quote(set));
    if (rows_of(dataset) != static_cast<std::uint64_t>(known->size))
      refuse("{} {}: found {} rows, expected {} (the size of {})", kind, quote(dataset.path),
             rows_of(dataset), known->size, quote(set));
    if (columns_of(dataset) < 1 || columns_of(dataset) > most_in_a_row)
      refuse("{} {}: found {} numbers in a row, expected 1 to {}", kind, quote(dataset.path),
             columns_of(dataset), most_in_a_row);
  }

  Meaning map(const Dataset& dataset, const std::string& from, const std::string& to) const {
    check_extents("map", dataset, from);
    if (!is_integer(dataset))
      refuse("map {}: found numbers with a fraction, expected whole ones", quote(dataset.path));
    return {.kind = Meaning::Kind::map, .from = from, .to = to};
  }

  Meaning dat(const Dataset& dataset, const std::string& set) const {
    check_extents("dat", dataset, set);
    return {.kind = Meaning::Kind::dat, .set = set};
  }

  static Meaning constant(const Dataset& dataset) {
    const std::uint64_t dim = rows_of(dataset);
    if (dim < 1 || dim > most_in_a_row ||
        (dataset.dim && static_cast<std::uint64_t>(*dataset.dim) != dim))
      refuse("constant {}: found {} values, expected {}", quote(dataset.path), dim,
             dataset.dim ? fmt::to_string(*dataset.dim) : fmt::format("1 to {}", most_in_a_row));
    return {.kind = Meaning::Kind::constant};
  }

  const std::vector<FileSet>& sets_;
  const FileLayout& layout_;
};

/// The type as OP2 words it, which goes by the names of C.
inline std::string type_text(const std::string& known, ScalarType type) {
  if (!known.empty()) return known;
  constexpr const char* names[] = {"char",  "unsigned char", "short", "unsigned short",
                                   "int",   "unsigned int",  "long",  "unsigned long",
                                   "float", "double"};
  return names[static_cast<std::size_t>(type)];
}

}  // namespace kiln::mesh::hdf5
