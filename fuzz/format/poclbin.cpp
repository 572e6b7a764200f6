#include "kiln/formats/poclbin.hpp"

#include <cstdlib>

#include "base/data/bytes.hpp"

using namespace kiln;
using namespace kiln::poclbin;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

bool same(ByteView a, ByteView b) { return as_text(a) == as_text(b); }

/// Whatever is done with an accepted archive gives another one.
void exercise(const Archive& archive, ByteView bytes) {
  const auto merged = merge(bytes, bytes);
  require(merged && same(*merged, bytes));
  const auto is_root = [](std::string_view path) { return path.find('/', 1) == path.npos; };
  require(parse(rewrite(archive, archive.build_hash, is_root)).has_value());
  require(diff(archive, archive).code.empty() && diff(archive, archive).other.empty());
  for (const auto& kernel : archive.kernels) {
    require(archive.find(kernel.name) == &kernel);
    (void)variants(kernel);
    for (const auto& file : kernel.files) (void)check_object(file.content, kernel.name);
  }
  for (const auto& problem : object_problems(archive, bytes)) require(!problem.reason.empty());
}

/// To a version and to the wiki's layout; what came through unchanged is the same code.
void exercise_conversion(const Archive& archive, ByteView bytes) {
  const std::uint32_t version = 1 + static_cast<std::uint32_t>(bytes.size() % newest_version);
  if (const auto converted = convert(archive, version)) {
    const auto read = parse(converted->bytes);
    require(read && read->version == version);
    require(read->kernels.size() == archive.kernels.size());
    if (converted->lost.empty()) require(diff(archive, *read).same_code());
  } else {
    require(!converted.error().message().empty());
  }
  const auto wiki = convert_to_wiki(archive);
  const auto files = wiki::parse(wiki.bytes);
  require(files.has_value());
  (void)convert_from_wiki(*files, archive, archive.version);
}

}  // namespace

// Whatever the bytes are, they are refused or written back as they were.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView bytes(reinterpret_cast<const std::byte*>(data), size);
  // Objects are seldom reached through an archive, so the bytes are tried as one, too.
  (void)check_object(bytes, "k");
  const auto archive = parse(bytes);
  const auto files = wiki::parse(bytes);
  require(!(archive && files));  // no bytes are both
  require(verify(bytes).has_value() == (archive || files));
  if (files) require(same(wiki::write(*files), bytes));
  if (!archive) {
    require(!archive.error().message().empty());
    return 0;
  }
  require(same(write(*archive), bytes));
  exercise(*archive, bytes);
  exercise_conversion(*archive, bytes);
  return 0;
}

// Only libFuzzer has it; the program that replays the corpus never mutates.
extern "C" [[gnu::weak]] std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size,
                                                      std::size_t most);

namespace {

/// A piece of the input with a change of libFuzzer's choice; at most a few bytes longer.
Bytes mutated(ByteView piece) {
  Bytes bytes(piece.begin(), piece.end());
  const std::size_t size = bytes.size();
  bytes.resize(size + 16);
  bytes.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(bytes.data()), size, bytes.size()));
  return bytes;
}

/// Changes one text, content or number of an archive and writes it anew, so that every length fits
/// and the change gets behind the first check of sizes. `keep` holds the changed piece.
Bytes change_part(Archive archive, unsigned seed, Bytes& keep) {
  if (archive.kernels.empty()) return {};
  Kernel& kernel = archive.kernels[seed / 16 % archive.kernels.size()];
  const auto text = [&](std::string_view& view) {
    keep = mutated(as_bytes(view));
    view = as_text(keep);
  };
  switch (seed % 8) {
    case 0:
      text(kernel.name);
      break;
    case 1:
      text(kernel.attributes);
      break;
    case 2:
      text(archive.build_hash);
      break;
    case 3:
      archive.version = seed / 8 % 14;
      break;
    case 4:
      archive.flags ^= std::uint64_t{1} << seed / 8 % 64;
      break;
    case 5:
      kernel.arguments.emplace_back();
      break;
    case 6:
      archive.kernels.push_back(kernel);
      break;
    default:
      if (kernel.files.empty()) return {};
      File& file = kernel.files[seed / 8 % kernel.files.size()];
      if (seed / 8 % 2 == 0) {
        text(file.path);
      } else {
        keep = mutated(file.content);
        file.content = keep;
      }
  }
  return write(archive);
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  const ByteView bytes(reinterpret_cast<const std::byte*>(data), size);
  const auto archive = parse(bytes);
  if (archive && seed % 4 != 0) {
    Bytes keep;
    const Bytes changed = change_part(*archive, seed / 4, keep);
    if (!changed.empty() && changed.size() <= most) {
      std::memcpy(data, changed.data(), changed.size());
      return changed.size();
    }
  }
  return LLVMFuzzerMutate(data, size, most);
}
