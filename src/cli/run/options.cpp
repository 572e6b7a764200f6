#include "cli/run/options.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/data/number.hpp"
#include "kiln/error.hpp"
#include "schedule/partition.hpp"

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
  const bool has_both = context.defines("set-if");
  return {values_of(context, "set"),
          has_both ? values_of(context, "set-if") : std::map<std::string, expr::Value>()};
}

std::map<std::uint32_t, std::filesystem::path> files_of(const Context& context,
                                                        std::string_view option) {
  std::map<std::uint32_t, std::filesystem::path> files;
  for (const auto& [name, file] : context.assignments(option)) {
    const auto position = parse_number<std::uint32_t>(name);
    if (!position)
      throw bad_input("--{}: found '{}={}', expected an argument's position before '='", option,
                      name, file);
    if (!files.emplace(*position, file).second)
      throw bad_input("--{}: found argument {} twice, expected one file for it", option, *position);
  }
  return files;
}

std::vector<std::pair<std::string, std::string>> macros_of(const Context& context) {
  std::vector<std::pair<std::string, std::string>> macros;
  for (const auto& text : context.list("define")) {
    const auto equals = text.find('=');
    macros.emplace_back(text.substr(0, equals),
                        equals == text.npos ? "1" : text.substr(equals + 1));
  }
  return macros;
}

std::vector<std::uint32_t> parse_local_size(const std::string& text) {
  std::vector<std::uint32_t> sizes;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    std::uint32_t size = 0;
    const auto [next, error] = std::from_chars(at, end, size);
    const bool more = next != end && (*next == 'x' || *next == ',') && next + 1 != end;
    if (error != std::errc() || size == 0 || sizes.size() == 3 || (next != end && !more))
      throw bad_input(
          "--local-size: found '{}', expected one to three positive numbers, as 64 or 16x16", text);
    sizes.push_back(size);
    at = more ? next + 1 : next;
  }
  return sizes;
}

spec::SpecRunOptions run_options_of(const Context& context) {
  spec::SpecRunOptions options;
  auto symbols = symbols_of(context);
  options.set = std::move(symbols.set);
  options.set_if = std::move(symbols.set_if);
  options.dialect = dialect_of(context);
  options.source_folders = context.paths("source-dir");
  // A typo is said before any file is read.
  options.partition = context.text("partition");
  if (context.has("partition")) value_or_throw(Partition::parse(options.partition));
  for (const auto size : parse_local_size(context.text("local-size")))
    options.local_size.push_back(size);
  for (auto& [position, file] : files_of(context, "in")) options.in.emplace(position, file);
  options.out = files_of(context, "out");
  options.expect = files_of(context, "expect");
  if (context.has("rtol")) options.rtol = context.number("rtol");
  options.seed = static_cast<std::uint64_t>(context.integer("seed"));
  options.runs = context.integer("runs");
  if (context.flag("check-bounds")) options.bounds = Bounds::checked;
  return options;
}

}  // namespace kiln::cli
