// Pictures of distributed meshes: a piece from each part, and the file that names them.
#include <algorithm>
#include <optional>

#include "base/os/file.hpp"
#include "kiln/mesh/file.hpp"
#include "mesh/distributed/mail.hpp"
#include "mesh/io/mesh_io.hpp"
#include "mesh/model/basics.hpp"
#include "mesh/model/session.hpp"

namespace kiln::mesh {
namespace {

constexpr const char* partition_name = "partition";
constexpr const char* number_name = "cell_number";

/// The elements that owned cells lead to get numbers without gaps: these, and for each number the
/// element.
struct PiecePoints {
  std::vector<std::int32_t> cell_points;
  std::vector<std::size_t> elements;

  PiecePoints(std::span<const std::int32_t> cell_nodes, std::size_t nodes) {
    std::vector<std::int32_t> number(nodes, -1);
    for (const std::int32_t node : cell_nodes) number[static_cast<std::size_t>(node)] = 0;
    for (std::size_t node = 0; node < nodes; ++node) {
      if (number[node] < 0) continue;
      number[node] = static_cast<std::int32_t>(elements.size());
      elements.push_back(node);
    }
    cell_points.reserve(cell_nodes.size());
    for (const std::int32_t node : cell_nodes)
      cell_points.push_back(number[static_cast<std::size_t>(node)]);
  }
};

class Piece {
 public:
  Piece(const Session& session, const Map& cells, const Dat& coordinates)
      : session_(session), cells_(cells), coordinates_(coordinates) {}

  /// Throws bad_input for what belongs to another Mesh, or is not on the cells or the points.
  void check(const std::vector<Dat>& dats) const {
    check_mine("map", cells_.name(), Handles::state(cells_)->session);
    check_mine("dat", coordinates_.name(), Handles::state(coordinates_)->session);
    if (!(coordinates_.set() == cells_.to()))
      refuse("picture: dat {} is on {}, expected coordinates on {}, to which map {} leads",
             coordinates_.name(), coordinates_.set().name(), cells_.to().name(), cells_.name());
    for (const Dat& dat : dats) {
      check_mine("dat", dat.name(), Handles::state(dat)->session);
      if (!(dat.set() == cells_.to()) && !(dat.set() == cells_.from()))
        refuse("picture: dat {} is on {}, expected one on the points ({}) or the cells ({})",
               dat.name(), dat.set().name(), cells_.to().name(), cells_.from().name());
      if (dat.name() == partition_name || dat.name() == number_name)
        refuse("picture: dat {}: the picture has a field of this name by itself", dat.name());
    }
    for (const Set& set : {cells_.from(), cells_.to()})
      if (session_.transport != nullptr && Handles::state(set)->part == nullptr)
        refuse("picture: set {}: not partitioned yet, expected Mesh::partition() before",
               set.name());
  }

  MeshFile file(const std::vector<Dat>& dats) const {
    const Set from = cells_.from(), to = cells_.to();
    const PiecePoints points(cells_.values().first(from.size() * cells_.arity()), to.total_size());
    MeshFile file;
    file.sets = {{from.name(), static_cast<std::int64_t>(from.size())}};
    if (from.name() != to.name())
      file.sets.push_back({to.name(), static_cast<std::int64_t>(points.elements.size())});
    file.maps = {{cells_.name(), from.name(), to.name(), static_cast<int>(cells_.arity()),
                  points.cell_points}};
    file.dats.push_back(rows(coordinates_, points));
    for (const Dat& dat : dats)
      if (!(dat == coordinates_)) file.dats.push_back(rows(dat, points));
    if (const SetPart* part = Handles::state(from)->part.get(); part != nullptr) {
      const std::vector<std::int32_t> owner(from.size(), session_.transport->rank());
      const std::span numbers = std::span(part->numbers).first(from.size());
      file.dats.push_back({partition_name, from.name(), 1, ScalarType::i32,
                           bytes_of_values(std::span<const std::int32_t>(owner))});
      file.dats.push_back({number_name, from.name(), 1, ScalarType::i64, bytes_of_values(numbers)});
    }
    return file;
  }

 private:
  void check_mine(const char* kind, const std::string& name, const SessionPtr& owner) const {
    if (owner.get() != &session_)
      refuse("picture: {} {} belongs to another Mesh, expected one of this", kind, name);
  }

  /// What owned cells have, or the points.
  FileDat rows(const Dat& dat, const PiecePoints& points) const {
    const DatState& state = *Handles::state(dat);
    const std::size_t row = dat.dim() * size_of(dat.type());
    std::span<const std::byte> all;
    with_type(dat.type(), [&]<class T>(T) { all = std::as_bytes(dat.read<T>()); });
    FileDat made{dat.name(), dat.set().name(), static_cast<int>(state.data.form().dim), dat.type()};
    if (dat.set() == cells_.from() && !(cells_.from() == cells_.to())) {
      const auto owned = all.first(dat.set().size() * row);
      made.bytes.assign(owned.begin(), owned.end());
      return made;
    }
    made.bytes.reserve(points.elements.size() * row);
    for (const std::size_t element : points.elements) {
      const auto one = all.subspan(element * row, row);
      made.bytes.insert(made.bytes.end(), one.begin(), one.end());
    }
    return made;
  }

  const Session& session_;
  const Map& cells_;
  const Dat& coordinates_;
};

}  // namespace

void write_vtu(const Mesh& mesh, const std::filesystem::path& path, const Map& cells,
               const Dat& coordinates, const std::vector<Dat>& dats,
               std::optional<CellShape> shape) {
  const Session& session = *not_moved(Handles::session(mesh));
  const Piece piece(session, cells, coordinates);
  VtuChoice choice{coordinates.name(), cells.name(), {}, shape};
  const auto make = [&] {
    MeshFile file = piece.file(dats);
    for (const FileDat& dat : file.dats)
      if (dat.name != coordinates.name()) choice.dats.push_back(dat.name);
    return file;
  };
  if (!session.is_distributed()) {
    piece.check(dats);
    return make().write_vtu(path, choice);
  }
  Transport& transport = *session.transport;
  const std::string what = "picture " + path.filename().string();
  together(transport, what, [&] { piece.check(dats); });
  for (Dat dat : dats) dat.exchange_halo();
  Dat(coordinates).exchange_halo();
  const auto name_of_piece = [&](int rank) {
    return fmt::format("{}_{}.vtu", path.stem().string(), rank);
  };
  MeshFile file;
  std::optional<AtomicFile> piece_file;
  const auto own = path.parent_path() / name_of_piece(transport.rank());
  together(transport, what, [&] {
    file = make();
    piece_file.emplace(value_or_throw(AtomicFile::create(own)));
    value_or_throw(piece_file->write(value_or_throw(write_vtu(file, choice))));
  });
  // All pieces are written: they get their names, and then the file that names them.
  try {
    together(transport, what, [&] { value_or_throw(piece_file->commit()); });
    together(transport, what, [&] {
      if (transport.rank() > 0) return;
      std::vector<std::string> names;
      for (int rank = 0; rank < transport.size(); ++rank) names.push_back(name_of_piece(rank));
      auto whole = path;
      whole.replace_extension(".pvtu");
      value_or_throw(write_file(whole, value_or_throw(write_pvtu(file, choice, names))));
    });
  } catch (const Error&) {
    std::error_code ignored;
    std::filesystem::remove(own, ignored);
    throw;
  }
}

}  // namespace kiln::mesh
