#include "cli/store_settings.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "base/text.hpp"

namespace kiln::cli {

namespace {

/// The value of an option; empty where the sub-command lacks it.
std::string asked(const Context& context, std::string_view name) {
  const auto& options = context.command().options;
  const bool known = std::any_of(options.begin(), options.end(),
                                 [&](const Option& option) { return option.name == name; });
  return known ? context.text(name) : std::string();
}

std::optional<std::uint64_t> limit_asked(const Context& context) {
  const std::string size = asked(context, "store-size");
  if (size.empty()) return std::nullopt;
  if (size == "off") return 0;
  const auto bytes = parse_byte_count(size);
  if (!bytes) throw Error(Errc::bad_input, "--store-size: " + bytes.error().message());
  return *bytes;
}

}  // namespace

StoreSettings store_settings_of(const Context& context) {
  // Before the environment's own: what is wrong there is wrong here, too, and is said once.
  const auto limit = limit_asked(context);
  StoreSettings settings = default_store_settings();
  const auto use = [&](std::string_view name, std::string& into) {
    const std::string value = asked(context, name);
    if (!value.empty()) into = value == "off" ? "" : value;
  };
  use("store", settings.local);
  use("system-store", settings.system);
  use("shared-store", settings.shared);
  if (!asked(context, "shared-timeout").empty())
    settings.shared_timeout = std::chrono::milliseconds(context.integer("shared-timeout"));
  if (limit) settings.limit = *limit;
  return settings;
}

}  // namespace kiln::cli
