#include "cli/command/session.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>

#include "base/data/text.hpp"

namespace kiln::cli {
namespace {

/// The value of an option; empty where the sub-command lacks it.
std::string asked(const Context& context, std::string_view name) {
  return context.defines(name) ? context.text(name) : "";
}

std::optional<std::uint64_t> limit_asked(const Context& context) {
  const std::string size = asked(context, "store-size");
  if (size.empty()) return std::nullopt;
  if (size == "off") return 0;
  return bytes_option(context, "store-size");
}

}  // namespace

std::uint64_t bytes_option(const Context& context, std::string_view option) {
  const auto bytes = parse_byte_count(context.text(option));
  if (!bytes) throw bad_input("--{}: {}", option, bytes.error().message());
  return *bytes;
}

CompilePolicy compile_policy_of(const Context& context) {
  const std::string& how = context.text("compile");
  return how == "background" ? CompilePolicy::background
         : how == "here"     ? CompilePolicy::here
                             : CompilePolicy::apart;
}

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
  std::error_code error;
  const bool is_named = context.defines("system-store") && context.has("system-store");
  if (is_named && !settings.system.empty() && !std::filesystem::exists(settings.system, error))
    complain("warning: {}: no such folder, expected a system store", one_line(settings.system));
  use("shared-store", settings.shared);
  if (!asked(context, "shared-timeout").empty())
    settings.shared_timeout = std::chrono::milliseconds(context.integer("shared-timeout"));
  if (limit) settings.limit = *limit;
  return settings;
}

std::unique_ptr<Resolver> make_resolver(const Context& context) {
  return make_resolver(context, value_or_throw(open_store(store_settings_of(context))));
}

std::unique_ptr<Resolver> make_resolver(const Context& context, std::unique_ptr<Layer> store) {
  return std::make_unique<Resolver>(std::move(store), compile_policy_of(context),
                                    &ShippedRecords::process());
}

std::unique_ptr<Runtime::State> make_runtime(const Context& context,
                                             Runtime::State::Single single) {
  const bool by_default = context.origin("devices").from == Origin::From::fallback;
  return std::make_unique<Runtime::State>(make_resolver(context), context.text("devices"),
                                          by_default ? single : Runtime::State::Single::whole);
}

Failure failure_of(const Error& error, Runtime::State& runtime, std::size_t left) {
  const std::string lost = error.code() == Errc::device ? runtime.lost_device() : "";
  if (lost.empty()) return {error};
  Failure told{Error(error.code(), fmt::format("{}; {} takes no more work of this process",
                                               error.message(), lost))};
  if (left > 0)
    told.end.emplace(
        Errc::device,
        fmt::format("{} more {} left out, since {} takes no more work (kiln run --isolate "
                    "has a process for each)",
                    left, left == 1 ? "run was" : "runs were", lost));
  return told;
}

}  // namespace kiln::cli
