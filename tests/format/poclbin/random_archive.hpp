#pragma once

#include <fmt/format.h>
#include <rapidcheck.h>

#include <deque>

#include "base/data/bytes.hpp"
#include "format/poclbin/archives.hpp"
#include "kiln/formats/poclbin.hpp"

namespace kiln::poclbin::testing {

/// Random models that obey the grammar of a random version. Owns the texts that they view.
class RandomArchive {
 public:
  Archive archive() { return archive(*rc::gen::inRange(oldest_version, newest_version + 1)); }

  Archive archive(std::uint32_t version) {
    Archive archive{.device_id = number(), .version = version};
    archive.flags = flags(version);
    archive.build_hash = keep(build_hash(bytes_of(number())));
    if (version >= 10 && coin()) {
      archive.flags |= 2;
      archive.program_scope_bytes = number();
    }
    const int fewest = version == 1 || version >= 10 ? 0 : 1, most = version >= 10 ? 2 : fewest;
    const auto roots = *rc::gen::inRange(fewest, most + 1);
    for (int i = 0; i < roots; ++i)
      archive.root.push_back(files(fmt::format("/r{}", i), 1, version < 9 ? 1 : 3));
    const auto kernels = *rc::gen::inRange(0, 4);
    for (int i = 0; i < kernels; ++i)
      archive.kernels.push_back(kernel(fmt::format("k{}", i), version));
    return archive;
  }

  wiki::Archive wiki_archive() {
    wiki::Archive archive;
    archive.base = coin() ? keep("AB/cd") : std::string_view();
    archive.files = files("k0", 0, 4);
    return archive;
  }

 private:
  bool coin() { return *rc::gen::arbitrary<bool>(); }
  std::uint64_t number() { return *rc::gen::arbitrary<std::uint64_t>(); }
  std::uint32_t small() { return *rc::gen::arbitrary<std::uint32_t>(); }
  std::string_view keep(std::string text) { return texts_.emplace_back(std::move(text)); }
  std::string_view text() { return keep(*rc::gen::arbitrary<std::string>()); }

  std::uint64_t flags(std::uint32_t version) {
    const std::uint64_t type = *rc::gen::element(1u, 2u, 4u);
    if (version < 3) return 0;
    const unsigned shift = version < 9 ? 1 : 32;
    return (number() & 1) | (version < 5 ? 0 : type << shift);
  }

  std::vector<File> files(const std::string& folder, int fewest, int most) {
    std::vector<File> made;
    const auto count = *rc::gen::inRange(fewest, most + 1);
    for (int i = 0; i < count; ++i)
      made.push_back({keep(fmt::format("{}/{}", folder, i)), as_bytes(text())});
    return made;
  }

  Argument argument(std::uint32_t version) {
    Argument made{small(), small(), number(), small(), small(), text(), text()};
    if (version >= 7) return made;
    made.type_size = number();
    made.is_local = *rc::gen::arbitrary<std::uint8_t>();
    made.is_set = *rc::gen::arbitrary<std::uint8_t>();
    return made;
  }

  void add_blocks(Kernel& kernel, std::uint32_t version) {
    const auto flag = [&](std::uint64_t bit) {
      const bool set = coin();
      if (set) kernel.metadata_flags |= bit << 32;
      return set;
    };
    if (version >= 11 && flag(4)) kernel.sub_groups = {small(), small()};
    if (version >= 11 && flag(2)) kernel.work_group = {small(), small(), small(), small(), small()};
    if (version >= 12 && flag(8)) kernel.required_sub_group = small();
  }

  Kernel kernel(const std::string& name, std::uint32_t version) {
    Kernel made{.name = keep(name)};
    made.local_sizes = *rc::gen::arbitrary<std::vector<std::uint64_t>>();
    if (version >= 6) made.required_size = {number(), number(), number()};
    if (version >= 7) {
      made.attributes = text();
      made.metadata_flags = number() & 31;
    }
    add_blocks(made, version);
    const auto arguments = *rc::gen::inRange(0, 4);
    for (int i = 0; i < arguments; ++i) made.arguments.push_back(argument(version));
    made.files = files(fmt::format("/{}", name), 0, 3);
    return made;
  }

  std::deque<std::string> texts_;
};

}  // namespace kiln::poclbin::testing
