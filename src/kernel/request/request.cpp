#include "kernel/request/request.hpp"

#include <fmt/format.h>

#include <cctype>
#include <map>

#include "base/data/text.hpp"

namespace kiln {
namespace {

void write_facts(CanonicalWriter& writer, const Facts& facts) {
  writer.begin("facts");
  for (const auto& fact : facts) {
    if (const auto* integer = std::get_if<std::int64_t>(&fact.value))
      writer.integer(fact.name, *integer);
    else if (const auto* number = std::get_if<double>(&fact.value))
      writer.number(fact.name, *number);
    else
      writer.text(fact.name, std::get<std::string>(fact.value));
  }
  writer.end();
}

void write_constants(CanonicalWriter& writer, const std::vector<spirv::Setting>& constants) {
  writer.begin("constants");
  for (const auto& constant : constants) {
    writer.begin("constant").integer("SpecId", constant.id);
    if (constant.kind == spirv::ConstantKind::floating)
      writer.number("value", constant.as_number());
    else
      writer.integer("value", constant.as_integer());
    writer.end();
  }
  writer.end();
}

}  // namespace

Bytes canonical_request(const Request& request, const Parameters& parameters,
                        const Device& device) {
  CanonicalWriter writer("program", 1);
  writer.text("family", request.family).integer("version", request.version);
  write_facts(writer, request.payload.facts());
  if (request.source) {
    const bool is_module = request.source->module() != nullptr;
    writer
        .integer(is_module ? "SPIR-V length" : "source length",
                 static_cast<std::int64_t>(request.source->text().size()))
        .digest(is_module ? "SPIR-V" : "source", request.source->digest());
    if (is_module) write_constants(writer, request.constants);
  }
  writer.text("options", request.options);
  writer.begin("kernels");
  for (const auto& kernel : request.kernels) writer.text("kernel", kernel);
  writer.end();
  writer.begin("parameters");
  for (const auto& [name, value] : parameters) writer.integer(name, value);
  writer.end();
  writer.text("device", device.fingerprint());
  return writer.view();
}

namespace {

// Drivers split options at blanks and disagree about quoting, so neither is passed on.
constexpr const char* blanks_and_quotes = " \t\n\"'\\";

bool is_bracket(char c) { return std::string_view("()[],").find(c) != std::string_view::npos; }

bool is_in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

/// Without the blanks between a word and an operator or bracket. "1e - 3" keeps them, as others of
/// its kind: in 1e-3 the sign is a part of the number.
std::string without_needless_blanks(std::string_view value) {
  if (value.find_first_of("\"'\\\n") != value.npos) return std::string(value);
  std::string text;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] != ' ' && value[i] != '\t') {
      text += value[i];
      continue;
    }
    const std::size_t next = value.find_first_not_of(" \t", i);
    if (next == value.npos || text.empty()) continue;
    const char before = text.back(), after = value[next];
    const bool may_be_exponent = (after == '+' || after == '-') &&
                                 std::string_view("eEpP").find(before) != std::string_view::npos;
    const bool may_join = is_in_word(before) == is_in_word(after) || may_be_exponent;
    if (may_join && !is_bracket(before) && !is_bracket(after)) text += ' ';
    i = next - 1;
  }
  return text;
}

std::map<std::string, std::string> sorted_macros(
    const std::vector<std::pair<std::string, std::string>>& macros) {
  std::map<std::string, std::string> sorted;
  for (const auto& [name, value] : macros) sorted[name] = without_needless_blanks(value);
  return sorted;
}

}  // namespace

Expected<std::string> build_options(const std::vector<std::pair<std::string, std::string>>& macros,
                                    const std::vector<std::string>& others) {
  std::string text;
  for (const auto& [name, value] : sorted_macros(macros)) {
    if (name.empty() || (name + value).find_first_of(blanks_and_quotes) != std::string::npos)
      return fail(Errc::bad_input,
                  fmt::format("macro {}={}: a name and a value without blanks or quotes were "
                              "expected",
                              name, value));
    text += fmt::format("{}-D{}={}", text.empty() ? "" : " ", name, value);
  }
  for (const auto& option : others) text += (text.empty() ? "" : " ") + option;
  // Without it drivers, PoCL too, answer no question about a kernel's arguments, and a buffer of
  // the wrong type would go unnoticed until the kernel writes beyond it.
  return text + (text.empty() ? "" : " ") + "-cl-kernel-arg-info";
}

Expected<void> set_source(Request& request, SourcePtr source,
                          const std::vector<std::pair<std::string, std::string>>& macros,
                          const std::vector<std::string>& others) {
  std::vector<std::pair<std::string, std::string>> plain;
  std::string defined;
  for (const auto& [name, value] : sorted_macros(macros)) {
    if (value.find_first_of(blanks_and_quotes) == std::string::npos) {
      plain.emplace_back(name, value);
      continue;
    }
    if (name.empty() || name.find_first_of(blanks_and_quotes) != std::string::npos ||
        value.find('\n') != std::string::npos)
      return fail(
          Errc::bad_input,
          fmt::format("macro {}={}: a name without blanks or quotes and a value of one line "
                      "were expected",
                      one_line(name), one_line(value)));
    defined += fmt::format("#define {} {}\n", name, value);
  }
  auto options = build_options(plain, others);
  if (!options) return tl::unexpected(options.error());
  request.options = *std::move(options);
  request.source = defined.empty() ? std::move(source)
                                   : std::make_shared<const ExpandedSource>(
                                         defined + source->text(), source->name(), source->files());
  return {};
}

}  // namespace kiln
