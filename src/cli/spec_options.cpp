#include "cli/spec_options.hpp"

#include <fmt/format.h>

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

}  // namespace kiln::cli
