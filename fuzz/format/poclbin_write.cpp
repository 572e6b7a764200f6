#include <cstdlib>
#include <deque>

#include "base/data/bytes.hpp"
#include "kiln/formats/poclbin.hpp"

using namespace kiln;
using namespace kiln::poclbin;

// The other direction: a model made of the input, within the grammar of some version, is written
// and read back. Texts are arbitrary, so that what must not be allowed is tried, too.
namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

/// Makes a model of bytes; after the last byte everything is 0 or empty.
class Maker {
 public:
  explicit Maker(ByteView bytes) : left_(bytes) {}

  Archive archive() {
    Archive made;
    made.version = 1 + small() % newest_version;
    made.device_id = number();
    made.flags = flags(made.version);
    hash_ = build_hash(bytes_of(number()));
    made.build_hash = hash_;
    if (made.version >= 10 && small() % 2 == 1) {
      made.flags |= 2;
      made.program_scope_bytes = number();
    }
    const unsigned roots = made.version == 1 ? 0 : made.version < 10 ? 1 : small() % 3;
    for (unsigned i = 0; i < roots; ++i)
      made.root.push_back(files("/r" + std::to_string(i), made.version < 9 ? 1 : 1 + small() % 3));
    for (unsigned i = small() % 4; i > 0; --i)
      made.kernels.push_back(kernel("k" + std::to_string(i), made.version));
    return made;
  }

 private:
  unsigned small() {
    if (left_.empty()) return 0;
    const auto byte = std::to_integer<unsigned>(left_.front());
    left_ = left_.subspan(1);
    return byte;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned i = small() % 9; i > 0; --i) value = value << 8 | small();
    return value;
  }
  ByteView bytes() {
    const std::size_t size = std::min<std::size_t>(small(), left_.size());
    const ByteView taken = left_.first(size);
    left_ = left_.subspan(size);
    return taken;
  }
  std::string_view text() { return as_text(bytes()); }
  std::string_view keep(std::string text) { return texts_.emplace_back(std::move(text)); }

  std::uint64_t flags(std::uint32_t version) {
    const std::uint64_t type = std::uint64_t{1} << small() % 3;
    if (version < 3) return 0;
    return (small() & 1) | (version < 5 ? 0 : type << (version < 9 ? 1 : 32));
  }

  std::vector<File> files(const std::string& folder, unsigned count) {
    std::vector<File> made;
    for (unsigned i = 0; i < count; ++i) {
      // A text of the input as a name is seldom one that is allowed.
      const bool wild = small() == 0xff;
      made.push_back(
          {wild ? keep(folder + "/" + std::string(text())) : keep(folder + "/" + std::to_string(i)),
           bytes()});
      wild_ = wild_ || wild;
    }
    return made;
  }

  Argument argument(std::uint32_t version) {
    Argument made;
    made.access = static_cast<std::uint32_t>(number());
    made.address = static_cast<std::uint32_t>(number());
    made.type_qualifier = number();
    made.type = static_cast<std::uint32_t>(number());
    made.type_size = version < 7 ? number() : static_cast<std::uint32_t>(number());
    made.name = text();
    made.type_name = text();
    if (version < 7) made.is_local = static_cast<std::uint8_t>(small());
    if (version < 7) made.is_set = static_cast<std::uint8_t>(small());
    return made;
  }

  void add_blocks(Kernel& kernel, std::uint32_t version) {
    const auto value = [&] { return static_cast<std::uint32_t>(number()); };
    const unsigned blocks = version < 11 ? 0 : small() & (version < 12 ? 6 : 14);
    kernel.metadata_flags |= std::uint64_t{blocks} << 32;
    if ((blocks & 4) != 0) kernel.sub_groups = {value(), value()};
    if ((blocks & 2) != 0) kernel.work_group = {value(), value(), value(), value(), value()};
    if ((blocks & 8) != 0) kernel.required_sub_group = value();
  }

  Kernel kernel(const std::string& name, std::uint32_t version) {
    Kernel made;
    made.name = keep(name);
    if (version >= 6) made.required_size = {number(), number(), number()};
    if (version >= 7) {
      made.attributes = text();
      made.metadata_flags = small() & 31;
    }
    for (unsigned i = small() % 4; i > 0; --i) made.local_sizes.push_back(number());
    add_blocks(made, version);
    for (unsigned i = small() % 4; i > 0; --i) made.arguments.push_back(argument(version));
    made.files = files("/" + name, small() % 4);
    return made;
  }

  ByteView left_;
  std::string hash_;
  std::deque<std::string> texts_;
  bool wild_ = false;

 public:
  /// Whether a path came from the input: then the archive may have to be refused.
  bool wild() const { return wild_; }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Maker maker({reinterpret_cast<const std::byte*>(data), size});
  const Archive archive = maker.archive();
  const Bytes bytes = write(archive);
  const auto read = parse(bytes);
  require(verify(bytes).has_value() == read.has_value());
  if (!read) {
    require(maker.wild());
    return 0;
  }
  require(*read == archive);
  require(code_id(*read) == code_id(archive));
  const auto wiki = convert_to_wiki(archive);
  const auto files = wiki::parse(wiki.bytes);
  require(files.has_value());
  const auto back = convert_from_wiki(*files, archive, archive.version);
  require(back && parse(back->bytes)->kernels == archive.kernels);
  for (auto version = oldest_version; version <= newest_version; ++version)
    if (const auto converted = convert(archive, version))
      require(parse(converted->bytes)->kernels.size() == archive.kernels.size());
  return 0;
}
