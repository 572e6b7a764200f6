// `kiln man`: hidden, for the build, which compiles its output with scdoc.
#include <fmt/format.h>

#include <filesystem>

#include "base/file.hpp"
#include "cli/context.hpp"
#include "cli/man.hpp"
#include "cli/output.hpp"

namespace kiln::cli {
namespace {

constexpr Option man_options[] = {
    {.name = "every-page",
     .kind = Kind::folder,
     .value_name = "DIR",
     .help = "Writes the source of every page, PAGE.1.scd, into this folder."},
};

void write_page(const std::filesystem::path& folder, const std::string& page,
                const std::string& text) {
  value_or_throw(write_file(folder / (page + ".1.scd"), as_bytes(text)));
}

void write_all(const std::filesystem::path& folder) {
  write_page(folder, "kiln", main_man_page());
  for (const Entry& entry : command_list())
    if (entry.shown == Entry::Shown::yes)
      write_page(folder, page_name(*entry.command), man_page(*entry.command));
}

}  // namespace

constinit const Command man_command{
    .name = "man",
    .summary = "print the source of a man page",
    .description = "Prints the scdoc text of kiln(1), or of a command's page.",
    .options = man_options,
    .positional = {.value_name = "COMMAND", .help = "The command.", .least = 0, .most = 2},
};

int write_man_pages(Context& context) {
  if (context.has("every-page")) {
    write_all(context.text("every-page"));
    return 0;
  }
  if (context.arguments().empty()) {
    print(main_man_page());
    return 0;
  }
  const std::string name = fmt::format("{}", fmt::join(context.arguments(), " "));
  const Entry* entry = find_command(name);
  if (entry == nullptr) throw Error(Errc::bad_input, fmt::format("unknown command '{}'", name));
  print(man_page(*entry->command));
  return 0;
}

}  // namespace kiln::cli
