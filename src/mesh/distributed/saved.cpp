// A partition in a file, by global numbers (docs/formats/mesh-partition.md):
//
//   8 bytes   "KILNPART"
//   uint32    1, the version of the format
//   uint32    parts
//   int64     elements of the set
//   uint64    digest of the mesh: of the sizes of all sets and the values of all maps
//   uint64    checksum: of the fields above, plus a number for each element and its part
//   int32 …   the part of each element
//
// All numbers are little-endian. The checksum is a sum over the elements, so that each part takes
// and checks its share of it: no part reads all of a file.
#include "mesh/distributed/saved.hpp"

#include <algorithm>
#include <bit>
#include <fstream>

#include "base/os/file.hpp"
#include "mesh/distributed/mail.hpp"
#include "mesh/distributed/mixing.hpp"
#include "mesh/model/basics.hpp"

namespace kiln::mesh {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::array<char, 8> magic{'K', 'I', 'L', 'N', 'P', 'A', 'R', 'T'};

struct Header {
  std::array<char, 8> magic = mesh::magic;
  std::uint32_t version = 1, parts = 0;
  std::int64_t elements = 0;
  std::uint64_t mesh = 0, checksum = 0;

  std::uint64_t own_checksum() const {
    return mixed(mixed(mixed(parts) ^ static_cast<std::uint64_t>(elements)) ^ mesh);
  }
};
static_assert(sizeof(Header) == 40);

/// The sum of a block's numbers over all parts.
std::uint64_t checksum_of(Transport& transport, std::int64_t first,
                          std::span<const std::int32_t> owners) {
  std::uint64_t mine = 0;
  for (std::size_t at = 0; at < owners.size(); ++at)
    mine += mixed(mixed(static_cast<std::uint64_t>(first) + at) ^
                  static_cast<std::uint64_t>(static_cast<std::uint32_t>(owners[at])));
  std::uint64_t sum = 0;
  for (const std::uint64_t part :
       gather_values<std::uint64_t>(transport, std::array{mine}, "checksum of a partition"))
    sum += part;
  return sum;
}

class Reader {
 public:
  Reader(const std::filesystem::path& path, const SetState& set)
      : path_(path), set_(set), transport_(*set.session->transport) {}

  std::vector<std::int32_t> read(const PartitionInput& input) {
    std::vector<std::int32_t> owners;
    Header header;
    together(transport_, "partition of a file", [&] {
      std::ifstream file(path_, std::ios::binary);
      if (!file) throw io_error("cannot open", path_, errno);
      file.read(reinterpret_cast<char*>(&header), sizeof header);
      check(file.gcount() == sizeof header, header);
      const Blocks& blocks = *set_.blocks;
      owners.resize(blocks.count(transport_.rank()));
      file.seekg(static_cast<std::streamoff>(sizeof header) +
                 static_cast<std::streamoff>(input.first) * 4);
      file.read(reinterpret_cast<char*>(owners.data()),
                static_cast<std::streamsize>(owners.size() * 4));
      if (static_cast<std::size_t>(file.gcount()) != owners.size() * 4)
        refuse("{}: the file ends within the parts of {} elements", path_.string(),
               header.elements);
    });
    const std::uint64_t sum = checksum_of(transport_, input.first, owners);
    together(transport_, "partition of a file", [&] {
      if (sum + header.own_checksum() != header.checksum)
        throw Error(Errc::corrupt, fmt::format("{}: its checksum does not hold", path_.string()));
    });
    return owners;
  }

 private:
  void check(bool is_complete, const Header& header) const {
    const std::string name = path_.string();
    if (!is_complete || header.magic != magic)
      refuse("{}: no partition of a mesh, expected a file of Mesh::save_partition()", name);
    if (header.version != 1) refuse("{}: format {}, expected 1", name, header.version);
    if (header.elements != set_.blocks->size())
      refuse("{}: the partition of a set with {} elements, expected {} (set {})", name,
             header.elements, set_.blocks->size(), set_.name);
    if (header.mesh != set_.session->mesh_digest)
      refuse(
          "{}: the partition of another mesh than that of set {}: sizes of sets or values of "
          "maps differ",
          name, set_.name);
    if (static_cast<int>(header.parts) != transport_.size())
      refuse("{}: a partition into {} parts, expected {}", name, header.parts, transport_.size());
  }

  const std::filesystem::path& path_;
  const SetState& set_;
  Transport& transport_;
};

}  // namespace

void save_partition(const SetState& set, const std::filesystem::path& path) {
  Transport& transport = *set.session->transport;
  const auto owners = owners_in_blocks(set);
  Header header;
  header.parts = static_cast<std::uint32_t>(transport.size());
  header.elements = set.blocks->size();
  header.mesh = set.session->mesh_digest;
  header.checksum =
      header.own_checksum() + checksum_of(transport, set.blocks->first(transport.rank()), owners);
  // Part 0 writes; the others send their blocks in turn, so that it holds one at a time.
  std::optional<Error> failed;
  std::optional<AtomicFile> file;
  const auto attempt = [&](const auto& what) {
    if (transport.rank() != 0 || failed) return;
    if (Expected<void> done = what(); !done) failed = done.error();
  };
  attempt([&]() -> Expected<void> {
    auto made = AtomicFile::create(path);
    if (!made) return tl::unexpected(made.error());
    file.emplace(*std::move(made));
    return file->write(std::as_bytes(std::span<const Header>(&header, 1)));
  });
  for (int rank = 0; rank < transport.size(); ++rank) {
    Outbox<std::int32_t> block;
    if (rank == transport.rank()) block.box(0) = owners;
    for (const auto& [from, parts] : block.deliver(transport, "a partition to a file"))
      attempt([&] { return file->write(std::as_bytes(std::span(parts))); });
  }
  attempt([&] { return file->commit(); });
  agree(transport, failed ? &*failed : nullptr, "a partition in a file");
}

Partitioner saved_partition(const Set& primary, std::filesystem::path path) {
  return {.name = "saved partition",
          .primary = primary,
          .adjacency = {},
          .cut = [primary, path = std::move(path)](const PartitionInput& input) {
            return Reader(path, *Handles::state(primary)).read(input);
          }};
}

}  // namespace kiln::mesh
