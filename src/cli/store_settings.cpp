#include "cli/store_settings.hpp"

#include <algorithm>

#include "base/byte_count.hpp"

namespace kiln::cli {

StoreSettings store_settings_of(const Context& context) {
  StoreSettings settings = default_store_settings();
  const auto asked = [&](std::string_view name) {
    const auto& options = context.command().options;
    const bool known = std::any_of(options.begin(), options.end(),
                                   [&](const Option& option) { return option.name == name; });
    return known ? context.text(name) : std::string();
  };
  const auto use = [&](std::string_view name, std::string& into) {
    const std::string value = asked(name);
    if (!value.empty()) into = value == "off" ? "" : value;
  };
  use("store", settings.local);
  use("system-store", settings.system);
  use("shared-store", settings.shared);
  if (!asked("shared-timeout").empty())
    settings.shared_timeout = std::chrono::milliseconds(context.integer("shared-timeout"));
  const std::string size = asked("store-size");
  if (size == "off") {
    settings.limit = 0;
  } else if (!size.empty()) {
    const auto bytes = parse_byte_count(size);
    if (!bytes) throw Error(Errc::bad_input, "--store-size: " + bytes.error().message());
    settings.limit = *bytes;
  }
  return settings;
}

}  // namespace kiln::cli
