#include "format/poclbin/layout.hpp"

#include <array>

#include "base/data/bytes.hpp"
#include "kiln/formats/poclbin.hpp"

namespace kiln::poclbin {
namespace {

/// Version 1; every later one is a step from the one before, as PoCL's history was.
constexpr Layout version_1{.version = 1,
                           .flags = false,
                           .binary_type_shift = 0,
                           .program_scope_flag = 0,
                           .root = Root::none,
                           .fewest_roots = 0,
                           .most_roots = 0,
                           .required_size = false,
                           .metadata = false,
                           .kernel_flags = 0,
                           .clipped_names = false,
                           .smallest_kernel = 32,
                           // 30 bytes in its record and 8 in the list of sizes
                           .smallest_argument = 38};

constexpr Layout next(Layout layout) {
  switch (++layout.version) {
    case 2:  // program.bc joins
      layout.root = Root::one_file;
      layout.fewest_roots = layout.most_roots = 1;
      break;
    case 3:
      layout.flags = true;
      break;
    case 5:
      layout.binary_type_shift = 1;
      break;
    case 6:
      layout.required_size = true;
      layout.smallest_kernel += 3 * 8;
      break;
    case 7:
      layout.metadata = true;
      layout.smallest_kernel += 4 + 8;
      layout.smallest_argument = 32;
      break;
    case 9:  // PoCL 3.1, which asserts that there is just one entry
      layout.root = Root::entries;
      layout.binary_type_shift = 32;
      break;
    case 10:
      layout.program_scope_flag = 2;
      // 4.0 and later know the bitcode and the initialiser of program-scope variables, and write
      // only those that are not empty.
      layout.fewest_roots = 0;
      layout.most_roots = 2;
      break;
    case 11:
      layout.kernel_flags = work_group_block | sub_group_block;
      layout.clipped_names = true;
      break;
    case 12:
      layout.kernel_flags |= required_sub_group;
      break;
    default:  // 4 and 8 changed what the bitcode holds, and nothing here
      break;
  }
  return layout;
}

constexpr auto layouts = [] {
  std::array<Layout, newest_version> all{version_1};
  for (std::size_t i = 1; i < all.size(); ++i) all[i] = next(all[i - 1]);
  return all;
}();

}  // namespace

const Layout* layout_of(std::uint32_t version) {
  for (const Layout& layout : layouts)
    if (layout.version == version) return &layout;
  return nullptr;
}

const Layout& writing_layout(std::uint32_t version) {
  const Layout* best = &layouts[0];
  for (const Layout& layout : layouts)
    if (layout.version <= version) best = &layout;
  return *best;
}

namespace {

constexpr std::string_view replacement_path = "/no-program.bc";

}  // namespace

// One byte, since releases before 3.1 assert that a file is not empty.
File bitcode_replacement() { return {replacement_path, as_bytes("\n")}; }

bool is_bitcode_replacement(const File& file) { return file.path == replacement_path; }

bool is_initialiser(std::string_view path) { return path.starts_with("/pocl.gvar.init/"); }

void complete_root(Archive& archive) {
  for (auto& files : archive.root) std::erase_if(files, is_bitcode_replacement);
  std::erase_if(archive.root, [](const auto& files) { return files.empty(); });
  while (archive.root.size() < writing_layout(archive.version).fewest_roots)
    archive.root.push_back({bitcode_replacement()});
}

}  // namespace kiln::poclbin
