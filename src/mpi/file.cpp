// MeshFileBlock::read and write.
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "mesh/io/dataset_meaning.hpp"
#include "mpi/agree.hpp"
#include "mpi/file_block.hpp"
#include "mpi/parallel_hdf5.hpp"
#include "mpi/watch.hpp"

namespace kiln::mpi {

using mesh::quote;
using mesh::refuse;

#ifdef KILN_WITH_PARALLEL_HDF5
namespace {

using mesh::ScalarType;
using mesh::hdf5::Meaning;

Watch watch_for(const Communicator& comm) { return {comm, stall_limit({})}; }

/// Whether it is there, and begins as an HDF5 file does (also after a user block).
void check_signature(const std::filesystem::path& path) {
  constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
  constexpr std::size_t first_block = 512;
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    throw Error(Errc::not_found, fmt::format("{}: no such file", path.string()));
  // Not opened: a pipe would wait.
  if (std::filesystem::is_directory(path, error))
    refuse("{} is a folder; a file was expected", path.string());
  if (!std::filesystem::is_regular_file(path, error))
    refuse("{} is not a regular file", path.string());
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(Errc::io, fmt::format("{}: {}", path.string(), std::strerror(errno)));
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) throw Error(Errc::io, fmt::format("{}: {}", path.string(), error.message()));
  for (std::uintmax_t at = 0; at + signature.size() <= size; at = at == 0 ? first_block : 2 * at) {
    std::string begin(signature.size(), '\0');
    file.seekg(static_cast<std::streamoff>(at));
    if (file.read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin == signature)
      return;
  }
  refuse(
      "{}: no HDF5 file: its signature is missing (ranks read no other; 'kiln mesh convert' makes "
      "one)",
      path.string());
}

template <class T>
std::vector<T> numbers_of(const std::vector<std::byte>& bytes) {
  std::vector<T> numbers(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

Rows rows_of(const SetBlock& set) {
  return {static_cast<std::uint64_t>(set.first), static_cast<std::uint64_t>(set.count)};
}

class BlockReader {
 public:
  BlockReader(const Communicator& comm, const ParallelFile& file, const mesh::FileLayout& layout)
      : comm_(comm), file_(file), layout_(layout) {}

  MeshFileBlock read() {
    const auto datasets = file_.datasets();
    std::vector<mesh::FileSet> sets;
    for (const Dataset& dataset : datasets) {
      if (!mesh::hdf5::is_set(dataset)) continue;
      const auto size =
          numbers_of<std::int64_t>(file_.read(dataset, ScalarType::i64, {0, 1})).front();
      if (size < 0)
        refuse("set {}: found {} elements, expected 0 or more", quote(dataset.path), size);
      sets.push_back({dataset.path, size});
      block_.sets.push_back(block_of(dataset.path, size, comm_.rank(), comm_.size()));
    }
    const mesh::hdf5::Meanings meanings(sets, layout_);
    for (const Dataset& dataset : datasets)
      if (!mesh::hdf5::is_set(dataset)) read_other(dataset, meanings.of(dataset));
    return std::move(block_);
  }

 private:
  void read_other(const Dataset& dataset, const Meaning& meaning) {
    const auto columns = static_cast<int>(mesh::hdf5::columns_of(dataset));
    switch (meaning.kind) {
      case Meaning::Kind::map: {
        if (block_.find_set(meaning.to) == nullptr)
          refuse("map {}: the file has no set {}", quote(dataset.path), quote(meaning.to));
        const SetBlock& from = *block_.find_set(meaning.from);
        block_.maps.push_back(
            {dataset.path, meaning.from, meaning.to, columns,
             numbers_of<std::int64_t>(file_.read(dataset, ScalarType::i64, rows_of(from)))});
        return;
      }
      case Meaning::Kind::dat: {
        const SetBlock& set = *block_.find_set(meaning.set);
        block_.dats.push_back({dataset.path, meaning.set, columns, *dataset.type,
                               file_.read(dataset, *dataset.type, rows_of(set)),
                               dataset.type_text});
        return;
      }
      case Meaning::Kind::constant: {
        const std::uint64_t dim = mesh::hdf5::rows_of(dataset);
        block_.constants.push_back({dataset.path, *dataset.type, static_cast<int>(dim),
                                    file_.read(dataset, *dataset.type, {0, dim}),
                                    dataset.type_text});
        return;
      }
      case Meaning::Kind::left_out:
        block_.left_out.push_back(fmt::format("{}: {}", dataset.path, meaning.why));
    }
  }

  const Communicator& comm_;
  const ParallelFile& file_;
  const mesh::FileLayout& layout_;
  MeshFileBlock block_;
};

/// What all ranks must have alike: names, sets, dimensions and types, constants.
std::string heads_of(const MeshFileBlock& block) {
  std::string text;
  for (const SetBlock& set : block.sets) text += fmt::format("set {}\n", set.name);
  for (const MapBlock& map : block.maps)
    text += fmt::format("map {} from {} to {} by {}\n", map.name, map.from, map.to, map.arity);
  for (const DatBlock& dat : block.dats)
    text += fmt::format("dat {} on {} of {} {} {}\n", dat.name, dat.set, dat.dim, name_of(dat.type),
                        dat.type_text);
  for (const mesh::FileConst& constant : block.constants)
    text += fmt::format("constant {} of {} {} {} {}\n", constant.name, constant.dim,
                        name_of(constant.type), constant.type_text,
                        std::string_view(reinterpret_cast<const char*>(constant.bytes.data()),
                                         constant.bytes.size()));
  return text;
}

void check_same_heads(Watch& watch, const MeshFileBlock& block) {
  const auto digest = static_cast<std::int64_t>(std::hash<std::string>()(heads_of(block)));
  const auto all = gather(watch, "writing a mesh: the parts of all ranks", digest);
  for (std::size_t rank = 1; rank < all.size(); ++rank)
    if (all[rank] != all[0])
      refuse(
          "writing a mesh: rank {} has other sets, maps, dats or constants than rank 0, expected "
          "the same on all ranks",
          rank);
}

/// The blocks of the sets as they follow from all ranks' counts.
void place(Watch& watch, std::vector<SetBlock>& sets) {
  for (SetBlock& set : sets) {
    const auto counts = gather(watch, "writing a mesh: sizes of sets", set.count);
    set.first = set.size = 0;
    for (std::size_t rank = 0; rank < counts.size(); ++rank) {
      if (rank < static_cast<std::size_t>(watch.rank())) set.first += counts[rank];
      set.size += counts[rank];
    }
  }
}

/// One that is known to be there.
const SetBlock& placed_set(const std::vector<SetBlock>& sets, const std::string& name) {
  return *std::ranges::find(sets, name, &SetBlock::name);
}

ScalarType type_for(std::int64_t largest) {
  return largest <= std::numeric_limits<std::int32_t>::max() ? ScalarType::i32 : ScalarType::i64;
}

std::vector<std::byte> numbers_as(const std::vector<std::int64_t>& numbers, ScalarType type) {
  if (type == ScalarType::i64) return mesh::bytes_of_values(std::span(numbers));
  const std::vector<std::int32_t> narrow(numbers.begin(), numbers.end());
  return mesh::bytes_of_values(std::span(narrow));
}

/// In the order and with the attributes of files that one process writes. `sets`: the block's, with
/// their places. Values are written from where they lie.
void write_parts(const ParallelFile& file, const MeshFileBlock& block,
                 const std::vector<SetBlock>& sets, bool is_first_rank) {
  const Rows whole = is_first_rank ? Rows{0, 1} : Rows{0, 0};
  for (const SetBlock& set : sets) {
    const ScalarType type = type_for(set.size);
    file.add({.path = set.name, .extents = {1}, .type = type}, whole,
             is_first_rank ? numbers_as({set.size}, type) : std::vector<std::byte>());
  }
  for (const MapBlock& map : block.maps) {
    const SetBlock& from = placed_set(sets, map.from);
    const ScalarType type = type_for(placed_set(sets, map.to).size);
    file.add(
        {.path = map.name,
         .extents = {static_cast<std::uint64_t>(from.size), static_cast<std::uint64_t>(map.arity)},
         .type = type,
         .type_text = mesh::hdf5::type_text("", type),
         .from = map.from,
         .to = map.to,
         .size = from.size,
         .dim = map.arity},
        rows_of(from), numbers_as(map.values, type));
  }
  for (const DatBlock& dat : block.dats) {
    const SetBlock& set = placed_set(sets, dat.set);
    file.add(
        {.path = dat.name,
         .extents = {static_cast<std::uint64_t>(set.size), static_cast<std::uint64_t>(dat.dim)},
         .type = dat.type,
         .type_text = mesh::hdf5::type_text(dat.type_text, dat.type),
         .set = dat.set,
         .size = dat.dim * static_cast<std::int64_t>(size_of(dat.type)),
         .dim = dat.dim},
        rows_of(set), dat.bytes);
  }
  for (const mesh::FileConst& constant : block.constants) {
    const auto dim = static_cast<std::uint64_t>(constant.dim);
    file.add({.path = constant.name,
              .extents = {dim},
              .type = constant.type,
              .type_text = mesh::hdf5::type_text(constant.type_text, constant.type),
              .dim = constant.dim},
             is_first_rank ? Rows{0, dim} : Rows{0, 0},
             is_first_rank ? constant.bytes : std::vector<std::byte>());
  }
}

/// A name next to the file, the same on all ranks.
std::filesystem::path name_aside(Watch& watch, const std::filesystem::path& path) {
  const auto process =
      gather(watch, "writing a mesh: a name", static_cast<std::int64_t>(::getpid())).front();
  return path.string() + fmt::format(".{}.part", process);
}

}  // namespace

MeshFileBlock MeshFileBlock::read(const Communicator& comm, const std::filesystem::path& path,
                                  const mesh::FileLayout& layout) {
  Watch watch = watch_for(comm);
  const std::string what = fmt::format("reading {}", path.string());
  agree(watch, what, [&] {
    if (comm.rank() == 0) check_signature(path);
  });
  MeshFileBlock block;
  agree(watch, what, [&] {
    try {
      const WatchedCall watched(watch, what);
      const ParallelFile file(comm.handle(), path.string(), ParallelFile::Mode::read);
      block = BlockReader(comm, file, layout).read();
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("{}: {}", path.string(), error.message()));
    }
  });
  agree(watch, what, [&] {
    for (const MapBlock& map : block.maps) {
      try {
        check_entries(map, *block.find_set(map.from), *block.find_set(map.to));
      } catch (const Error& error) {
        throw Error(error.code(), fmt::format("{}: {}", path.string(), error.message()));
      }
    }
  });
  return block;
}

void MeshFileBlock::write(const Communicator& comm, const std::filesystem::path& path) const {
  Watch watch = watch_for(comm);
  const std::string what = fmt::format("writing {}", path.string());
  agree(watch, what, [&] { check_block(*this); });
  check_same_heads(watch, *this);
  std::vector<SetBlock> placed = sets;
  place(watch, placed);
  agree(watch, what, [&] {
    for (const MapBlock& map : maps)
      check_entries(map, placed_set(placed, map.from), placed_set(placed, map.to));
  });
  const std::filesystem::path aside = name_aside(watch, path);
  const auto remove_aside = [&] {
    std::error_code ignored;
    if (comm.rank() == 0) std::filesystem::remove(aside, ignored);
  };
  try {
    agree(watch, what, [&] {
      try {
        const WatchedCall watched(watch, what);
        ParallelFile file(comm.handle(), aside.string(), ParallelFile::Mode::create);
        write_parts(file, *this, placed, comm.rank() == 0);
        file.close();
      } catch (const Error& error) {
        throw Error(error.code(), fmt::format("{}: {}", path.string(), error.message()));
      }
    });
    agree(watch, what, [&] {
      std::error_code error;
      if (comm.rank() == 0) std::filesystem::rename(aside, path, error);
      if (error) throw Error(Errc::io, fmt::format("{}: {}", path.string(), error.message()));
    });
  } catch (...) {
    remove_aside();
    throw;
  }
}

#else

MeshFileBlock MeshFileBlock::read(const Communicator&, const std::filesystem::path& path,
                                  const mesh::FileLayout&) {
  throw Error(Errc::unsupported,
              fmt::format("{}: Kiln was built without parallel HDF5 (Debian: libhdf5-openmpi-dev)",
                          path.string()));
}

void MeshFileBlock::write(const Communicator&, const std::filesystem::path& path) const {
  throw Error(Errc::unsupported,
              fmt::format("{}: Kiln was built without parallel HDF5 (Debian: libhdf5-openmpi-dev)",
                          path.string()));
}

#endif

}  // namespace kiln::mpi
