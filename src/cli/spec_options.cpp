#include "cli/spec_options.hpp"

#include <fmt/format.h>

#include <charconv>

namespace kiln::cli {
namespace {

std::map<std::string, expr::Value> values_of(const Context& context, std::string_view option) {
  std::map<std::string, expr::Value> values;
  for (const std::string& text : context.list(option)) {
    auto symbol = spec::parse_symbol(text);
    if (!symbol)
      throw Error(symbol.error().code(),
                  fmt::format("--{} {}: {} (from {})", option, text, symbol.error().message(),
                              context.origin(option).text()));
    values.insert_or_assign(std::move(symbol->first), std::move(symbol->second));
  }
  return values;
}

}  // namespace

spec::SpecDialect dialect_of(const Context& context) {
  return value_or_throw(spec::parse_dialect(context.text("dialect")));
}

spec::Symbols symbols_of(const Context& context) {
  return {values_of(context, "set"), values_of(context, "set-if")};
}

spec::Files files_of(const Context& context, std::string_view option) {
  spec::Files files;
  for (const auto& [name, file] : context.assignments(option)) {
    std::uint32_t position = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), position);
    if (error != std::errc() || end != name.data() + name.size())
      throw Error(Errc::bad_input,
                  fmt::format("--{}: found '{}={}', expected an argument's position before '='",
                              option, name, file));
    if (!files.emplace(position, file).second)
      throw Error(
          Errc::bad_input,
          fmt::format("--{}: found argument {} twice, expected one file for it", option, position));
  }
  return files;
}

}  // namespace kiln::cli
