// The specification loader on arbitrary bytes: reading, checking and binding must end
// in a value or an error, and agree with one another.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "kiln/spec/file.hpp"

namespace {

using namespace kiln::spec;

void require(bool holds) {
  if (!holds) std::abort();
}

bool has_error(const std::vector<Message>& messages) {
  for (const auto& message : messages) {
    if (message.severity == Message::Severity::error) return true;
  }
  return false;
}

void check_bound(const Spec& spec, const BoundSpec& bound) {
  require(bound.global.size() == static_cast<std::size_t>(spec.work_dimension));
  require(bound.local.size() == bound.global.size());
  for (std::size_t i = 0; i < bound.global.size(); ++i) {
    require(bound.local[i] > 0 && bound.global[i] % bound.local[i] == 0);
  }
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const auto& argument = bound.arguments[i];
    require(argument.position == i);
    require(argument.bytes > 0 && argument.bytes <= std::uint64_t{1} << 40);
    require(argument.kind != ArgumentKind::scalar || argument.value.size() == argument.bytes);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // The first byte chooses the dialect; the rest is the file.
  const auto dialect = static_cast<SpecDialect>(data[0] % 3);
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto messages = check_text(text, "fuzz.json", dialect);
  for (const auto& message : messages) require(message.render().size() < 20'000);
  const auto spec = parse_spec(text, "fuzz.json", dialect);
  if (!spec) {
    require(has_error(messages));
    return 0;
  }
  Symbols symbols;
  for (const auto& name : known_symbols(*spec)) symbols.set_if[name] = kiln::expr::Value(data[0]);
  for (const auto& given : {Symbols{}, symbols}) {
    const auto bound = bind(*spec, given);
    if (!bound) continue;
    check_bound(*spec, *bound);
  }
  // What binds by itself must have been called right.
  require(!bind(*spec) || !has_error(messages));
  return 0;
}
