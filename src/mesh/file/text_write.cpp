#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "mesh/file/decimals.hpp"
#include "mesh/file/quote.hpp"
#include "mesh/file/text.hpp"
#include "mesh/file/text_parts.hpp"

namespace kiln::mesh {
namespace {

/// Appends lines of numbers to bytes that grow ahead of them.
class LineWriter {
 public:
  void number(std::int32_t value) {
    char* to = room();
    written(std::to_chars(to, to + longest, value).ptr);
  }
  void number(double value) { written(write_decimals(room(), value)); }
  void end_line() { at_[-1] = '\n'; }

  Bytes take() {
    bytes_.resize(static_cast<std::size_t>(at_ - begin()));
    return std::move(bytes_);
  }

 private:
  static constexpr std::size_t longest = longest_decimals + 2;
  static constexpr std::size_t step = 1u << 20;

  char* begin() { return reinterpret_cast<char*>(bytes_.data()); }
  char* room() {
    if (const auto used = static_cast<std::size_t>(at_ - begin()); bytes_.size() - used < longest) {
      bytes_.resize(bytes_.size() + bytes_.size() / 2 + step);
      at_ = begin() + used;
    }
    return at_;
  }
  void written(char* end) {
    *end = ' ';
    at_ = end + 1;
  }

  Bytes bytes_;
  char* at_ = begin();
};

tl::unexpected<Error> not_as_text(std::string message) {
  return fail(Errc::bad_input, "no text file can hold this mesh: " + std::move(message));
}

std::int32_t size_of_set(const MeshFile& mesh, const char* name) {
  const FileSet* set = mesh.find_set(name);
  return set == nullptr ? 0 : static_cast<std::int32_t>(set->size);
}

/// The map of this name, which has to be as the file needs it.
Expected<const std::int32_t*> map(const MeshFile& mesh, const char* name, const char* from,
                                  const char* to, int arity) {
  const FileMap* found = mesh.find_map(name);
  if (found != nullptr && found->from == from && found->to == to && found->arity == arity)
    return found->values.data();
  return not_as_text(
      fmt::format("expected a map {} from {} to {} of them in {}", quote(name), from, arity, to));
}

Expected<void> append_nodes(LineWriter& out, const MeshFile& mesh) {
  const FileDat* dat = mesh.find_dat(parts::coordinates);
  if (dat == nullptr || dat->set != parts::nodes || dat->dim != 2 || !is_floating(dat->type))
    return not_as_text(fmt::format("expected a dat {} of two floats or doubles on {}",
                                   quote(parts::coordinates), parts::nodes));
  const auto append = [&](const auto values) {
    for (std::size_t at = 0; at < values.size(); at += 2) {
      out.number(static_cast<double>(values[at]));
      out.number(static_cast<double>(values[at + 1]));
      out.end_line();
    }
  };
  if (dat->type == ScalarType::f64)
    append(values_of<double>(*dat));
  else
    append(values_of<float>(*dat));
  return {};
}

/// A line an element: the targets of each map, one after another.
struct Column {
  const std::int32_t* values;
  int arity;
};

void append_lines(LineWriter& out, std::int32_t elements, std::initializer_list<Column> columns) {
  for (std::int32_t n = 0; n < elements; ++n) {
    for (const Column& column : columns)
      for (int k = 0; k < column.arity; ++k)
        out.number(
            column.values[static_cast<std::size_t>(n) * static_cast<std::size_t>(column.arity) +
                          static_cast<std::size_t>(k)]);
    out.end_line();
  }
}

Expected<void> append_airfoil(LineWriter& out, const MeshFile& mesh) {
  const auto edge = map(mesh, parts::edge_nodes, parts::edges, parts::nodes, 2);
  if (!edge) return tl::unexpected(edge.error());
  const auto edge_cell = map(mesh, parts::edge_cells, parts::edges, parts::cells, 2);
  if (!edge_cell) return tl::unexpected(edge_cell.error());
  const auto bedge = map(mesh, parts::bedge_nodes, parts::bedges, parts::nodes, 2);
  if (!bedge) return tl::unexpected(bedge.error());
  const auto bedge_cell = map(mesh, parts::bedge_cells, parts::bedges, parts::cells, 1);
  if (!bedge_cell) return tl::unexpected(bedge_cell.error());
  const FileDat* bound = mesh.find_dat(parts::bound);
  if (bound == nullptr || bound->set != parts::bedges || bound->dim != 1 ||
      bound->type != ScalarType::i32)
    return not_as_text(
        fmt::format("expected a dat {} of one int on {}", quote(parts::bound), parts::bedges));
  append_lines(out, size_of_set(mesh, parts::edges), {{*edge, 2}, {*edge_cell, 2}});
  append_lines(out, size_of_set(mesh, parts::bedges),
               {{*bedge, 2}, {*bedge_cell, 1}, {values_of<std::int32_t>(*bound).data(), 1}});
  return {};
}

Expected<void> append_aero(LineWriter& out, const MeshFile& mesh) {
  const auto node = map(mesh, parts::bedge_nodes, parts::bedges, parts::nodes, 1);
  if (!node) return tl::unexpected(node.error());
  append_lines(out, size_of_set(mesh, parts::bedges), {{*node, 1}});
  return {};
}

bool is_airfoil(const MeshFile& mesh) { return mesh.find_set(parts::edges) != nullptr; }

}  // namespace

Expected<Bytes> write_text(const MeshFile& mesh) {
  if (auto checked = check(mesh); !checked) return tl::unexpected(checked.error());
  const bool airfoil = is_airfoil(mesh);
  const auto cell = map(mesh, parts::cell_nodes, parts::cells, parts::nodes, 4);
  if (!cell) return tl::unexpected(cell.error());
  LineWriter out;
  out.number(size_of_set(mesh, parts::nodes));
  out.number(size_of_set(mesh, parts::cells));
  if (airfoil) out.number(size_of_set(mesh, parts::edges));
  out.number(size_of_set(mesh, parts::bedges));
  out.end_line();
  if (auto nodes = append_nodes(out, mesh); !nodes) return tl::unexpected(nodes.error());
  append_lines(out, size_of_set(mesh, parts::cells), {{*cell, 4}});
  if (auto rest = airfoil ? append_airfoil(out, mesh) : append_aero(out, mesh); !rest)
    return tl::unexpected(rest.error());
  return out.take();
}

std::vector<std::string> lost_in_text(const MeshFile& mesh) {
  const bool airfoil = is_airfoil(mesh);
  std::vector<std::string> lost;
  const auto keep = [&](const std::string& name, std::initializer_list<const char*> kept) {
    for (const char* one : kept)
      if (name == one) return;
    lost.push_back(name);
  };
  for (const FileSet& set : mesh.sets)
    keep(set.name, {parts::nodes, parts::edges, parts::bedges, parts::cells});
  for (const FileMap& one : mesh.maps)
    if (airfoil)
      keep(one.name, {parts::edge_nodes, parts::edge_cells, parts::bedge_nodes, parts::bedge_cells,
                      parts::cell_nodes});
    else
      keep(one.name, {parts::bedge_nodes, parts::cell_nodes});
  for (const FileDat& dat : mesh.dats)
    if (airfoil)
      keep(dat.name, {parts::coordinates, parts::bound});
    else
      keep(dat.name, {parts::coordinates});
  for (const FileConst& constant : mesh.constants) lost.push_back(constant.name);
  return lost;
}

}  // namespace kiln::mesh
