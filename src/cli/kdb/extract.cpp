// `kiln kdb extract`: the kernel binaries of a published database as files.
#include <fmt/format.h>

#include "base/extract_tree.hpp"
#include "cli/file_options.hpp"
#include "cli/kdb/commands.hpp"
#include "cli/kdb/files.hpp"
#include "cli/output.hpp"

namespace kiln::cli {
namespace {

constexpr Option kdb_extract_options[] = {options::directory};
constexpr Example kdb_extract_examples[] = {
    {"kiln kdb extract published.kdb -C kernels",
     "Writes kernels/PATTERN/SETTING/0-0.bin and so on."},
};

/// A name made of another one's harmless characters. What it says is for people; that names
/// differ, the number before it makes sure.
std::string folder_name(std::size_t index, int digits, std::string_view from) {
  constexpr std::size_t longest = 100;
  std::string name = fmt::format("{:0{}}-", index, digits);
  for (const char c : from.substr(0, longest)) {
    const bool harmless = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '-' || c == '+';
    name += harmless ? c : '_';
  }
  return name;
}

std::string path_of(const kdb::Database& database, const kdb::KernelSlot& slot) {
  const kdb::Pattern& pattern = database.patterns[slot.pattern];
  const kdb::Setting& setting = pattern.settings[slot.setting];
  const auto type = kdb::type_name(setting.type);
  const std::string key =
      fmt::format("{} {}", type ? std::string(*type) : std::to_string(setting.type),
                  fmt::join(kdb::flag_names(setting.flags, database.layout), "+"));
  return fmt::format("{}/{}/{}-{}.bin", folder_name(slot.pattern, 2, pattern.name),
                     folder_name(slot.setting, 3, key), slot.record, slot.slot);
}

}  // namespace

constinit const Command kdb_extract_command{
    .name = "kdb extract",
    .summary = "write the kernel binaries of a database to files",
    .description =
        "Writes each kernel binary of a database in the published layout to a file of its own, "
        "DIR/PATTERN/SETTING/RECORD-KERNEL.bin, and prints its name and size. Kernel 0 computes, 1 "
        "and 2 prepare the matrices A and B. Databases of version 3 hold none.",
    .options = kdb_extract_options,
    .positional = one_database,
    .examples = kdb_extract_examples,
};

int kdb_extract(Context& context) {
  const DatabaseFile file = read_database(context.arguments().front());
  const auto slots = kdb::kernels(file.database);
  if (slots.empty()) {
    print(fmt::format("{} holds no kernel binaries\n", file.path));
    return 0;
  }
  auto tree = value_or_throw(ExtractTree::open(context.text("directory")));
  for (const kdb::KernelSlot& slot : slots) {
    const std::string path = path_of(file.database, slot);
    value_or_throw(tree.write(path, slot.content));
    print(fmt::format("{} {}\n", path, slot.content.size()));
  }
  return 0;
}

}  // namespace kiln::cli
