// `kiln store verify`: is every entry whole?
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/json_line.hpp"
#include "cli/output.hpp"
#include "cli/store/commands.hpp"
#include "cli/store/open.hpp"
#include "store/store_check.hpp"

namespace kiln::cli {
namespace {

constexpr Option repair{.name = "repair",
                        .help = "Removes what is not whole: it is made anew when it is needed."};
constexpr Option store_verify_options[] = {options::store, repair, options::json};
constexpr Example store_verify_examples[] = {{"kiln store verify", "Is every entry whole?"}};

std::string fault_name(const StoreFault& fault) {
  return fault.file ? fault.file->hex() : fault.key.hex();
}

}  // namespace

constinit const Command store_verify_command{
    .name = "store verify",
    .summary = "check every entry of the store",
    .description =
        "Reads every entry and checks what a hit checks (row, length and checksum of the content, "
        "signature where this machine asks for one), and that keys and file names are the digests "
        "of what they name. A fault is never dangerous, since a hit would find it, too: it is a "
        "miss then. The exit code is 1 where there is one that --repair has not removed.",
    .options = store_verify_options,
    .examples = store_verify_examples,
};

int store_verify(Context& context) {
  const auto store = open_local(context);
  std::vector<StoreFault> faults;
  const StoreCheck check = value_or_throw(
      check_store(*store, [&](const StoreFault& fault) { faults.push_back(fault); }));
  const bool mend = context.flag("repair");
  if (mend) {
    for (const auto& fault : faults) {
      if (fault.file)
        store->remove_file(*fault.file);
      else
        value_or_throw(store->remove(fault.kind, fault.key));
    }
    value_or_throw(store->gc({}));
  }
  if (context.flag("json")) {
    for (const auto& fault : faults)
      print_json({{fault.file ? "file" : "key", fault_name(fault)},
                  {"kind", name_of(fault.kind)},
                  {"label", fault.label},
                  {"reason", fault.reason}});
    print_json({{"entries", check.entries},
                {"bytes", check.bytes},
                {"faults", check.faults},
                {"damaged_rows", check.damaged_rows},
                {"unused_files", check.unused_files},
                {"repaired", mend}});
  } else {
    for (const auto& fault : faults)
      print(fmt::format("{} {} {}: {}\n", name_of(fault.kind), fault_name(fault),
                        one_line(fault.label), one_line(fault.reason)));
    if (check.damaged_rows > 0)
      print(fmt::format("{} rows whose checksum differs\n", check.damaged_rows));
    print(fmt::format("{} entries, {}: {}{}\n", check.entries, byte_count_text(check.bytes),
                      check.faults == 0 ? "all whole" : fmt::format("{} faults", check.faults),
                      mend && check.faults > 0 ? ", removed" : ""));
    if (check.unused_files > 0 && !mend)
      print(fmt::format("{} files that no entry uses: kiln store gc removes them\n",
                        check.unused_files));
  }
  return check.faults == 0 || mend ? 0 : 1;
}

}  // namespace kiln::cli
