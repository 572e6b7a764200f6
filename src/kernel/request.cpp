#include "kernel/request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace kiln {
namespace {

void write_facts(CanonicalWriter& writer, const std::vector<Fact>& facts) {
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

}  // namespace

Bytes canonical_request(const Request& request, const Parameters& parameters,
                        const Device& device) {
  CanonicalWriter writer("program", 1);
  writer.text("family", request.family).integer("version", request.version);
  write_facts(writer, request.facts);
  if (request.source) {
    writer.integer("source length", static_cast<std::int64_t>(request.source->text().size()))
        .digest("source", request.source->digest());
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

Expected<std::string> build_options(const std::vector<std::pair<std::string, std::string>>& macros,
                                    const std::vector<std::string>& others) {
  std::map<std::string, std::string> sorted;
  for (const auto& [name, value] : macros) sorted[name] = value;
  std::string text;
  for (const auto& [name, value] : sorted) {
    // Drivers split options at blanks and disagree about quoting, so neither is passed on.
    if (name.empty() || (name + value).find_first_of(" \t\n\"'\\") != std::string::npos)
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

}  // namespace kiln
