// Rows of a mesh that one rank has, on their way to the others.
#include <cstring>

#include "mpi/file_block.hpp"
#include "mpi/transport.hpp"

namespace kiln::mpi {
namespace {

/// A block as bytes: each list behind its length, in the order of the struct.
class RowsPacker {
 public:
  static std::vector<std::byte> bytes_of(const MeshFileBlock& block) {
    RowsPacker to;
    to.list(block.sets, [&](const SetBlock& set) {
      to.text(set.name);
      for (const std::int64_t number : {set.size, set.first, set.count}) to.number(number);
    });
    to.list(block.maps, [&](const MapBlock& map) {
      for (const std::string* text : {&map.name, &map.from, &map.to}) to.text(*text);
      to.number(map.arity);
      to.bytes(std::as_bytes(std::span(map.values)));
    });
    to.list(block.dats, [&](const DatBlock& dat) {
      for (const std::string* text : {&dat.name, &dat.set, &dat.type_text}) to.text(*text);
      to.number(dat.dim);
      to.number(static_cast<std::int64_t>(dat.type));
      to.bytes(dat.bytes);
    });
    to.list(block.constants, [&](const mesh::FileConst& constant) {
      to.text(constant.name);
      to.text(constant.type_text);
      to.number(constant.dim);
      to.number(static_cast<std::int64_t>(constant.type));
      to.bytes(constant.bytes);
    });
    to.list(block.left_out, [&](const std::string& line) { to.text(line); });
    return std::move(to.written_);
  }

 private:
  void bytes(std::span<const std::byte> some) {
    number(static_cast<std::int64_t>(some.size()));
    written_.insert(written_.end(), some.begin(), some.end());
  }
  void text(const std::string& text) { bytes(std::as_bytes(std::span(text))); }
  void number(std::int64_t value) {
    const auto some = std::as_bytes(std::span(&value, 1));
    written_.insert(written_.end(), some.begin(), some.end());
  }
  template <class T, class Write>
  void list(const std::vector<T>& all, const Write& write) {
    number(static_cast<std::int64_t>(all.size()));
    for (const T& one : all) write(one);
  }
  std::vector<std::byte> written_;
};

/// What RowsPacker has written, of the same program: not held against anything.
class RowsUnpacker {
 public:
  static MeshFileBlock block_of(std::span<const std::byte> bytes) {
    RowsUnpacker from(bytes);
    MeshFileBlock block;
    for (auto left = from.number(); left > 0; --left) {
      SetBlock& set = block.sets.emplace_back();
      set.name = from.text();
      for (std::int64_t* number : {&set.size, &set.first, &set.count}) *number = from.number();
    }
    for (auto left = from.number(); left > 0; --left) {
      MapBlock& map = block.maps.emplace_back();
      for (std::string* text : {&map.name, &map.from, &map.to}) *text = from.text();
      map.arity = static_cast<int>(from.number());
      const auto values = from.some();
      map.values.resize(values.size() / sizeof(std::int64_t));
      if (!values.empty()) std::memcpy(map.values.data(), values.data(), values.size());
    }
    for (auto left = from.number(); left > 0; --left) {
      DatBlock& dat = block.dats.emplace_back();
      for (std::string* text : {&dat.name, &dat.set, &dat.type_text}) *text = from.text();
      dat.dim = static_cast<int>(from.number());
      dat.type = static_cast<mesh::ScalarType>(from.number());
      const auto values = from.some();
      dat.bytes.assign(values.begin(), values.end());
    }
    for (auto left = from.number(); left > 0; --left) {
      mesh::FileConst& constant = block.constants.emplace_back();
      constant.name = from.text();
      constant.type_text = from.text();
      constant.dim = static_cast<int>(from.number());
      constant.type = static_cast<mesh::ScalarType>(from.number());
      const auto values = from.some();
      constant.bytes.assign(values.begin(), values.end());
    }
    for (auto left = from.number(); left > 0; --left) block.left_out.push_back(from.text());
    return block;
  }

 private:
  explicit RowsUnpacker(std::span<const std::byte> bytes) : left_(bytes) {}
  std::span<const std::byte> take(std::size_t count) {
    const auto some = left_.first(count);
    left_ = left_.subspan(count);
    return some;
  }
  std::int64_t number() {
    std::int64_t value = 0;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::span<const std::byte> some() { return take(static_cast<std::size_t>(number())); }
  std::string text() {
    const auto bytes = some();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  std::span<const std::byte> left_;
};

}  // namespace

MeshFileBlock MeshFileBlock::of_first_rank(const Communicator& comm, const mesh::MeshFile& file) {
  // Who waits, waits for one that reads a file.
  MpiTransport transport(comm, {.stall = calls_take * stall_limit({})});
  std::vector<mesh::Transport::Packet> packets;
  for (int rank = 0; comm.rank() == 0 && rank < comm.size(); ++rank)
    packets.push_back({rank, RowsPacker::bytes_of(rows_of(file, rank, comm.size()))});
  const auto received =
      transport.deliver(std::move(packets), "rows of a mesh that rank 0 has read");
  return RowsUnpacker::block_of(received.front().bytes);
}

}  // namespace kiln::mpi
