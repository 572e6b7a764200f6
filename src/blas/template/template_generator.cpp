#include "blas/template/template_generator.hpp"

#include <fmt/format.h>

#include "blas/class_neighbours.hpp"
#include "blas/template/template_text.hpp"

namespace kiln::blas {
namespace {

// Raised when generate() changes.
constexpr std::int64_t own_version = 1;

std::string capitals(std::string_view name) {
  std::string text(name);
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

std::string text_of(const Fact& fact) {
  if (const auto* number = std::get_if<std::int64_t>(&fact.value)) return std::to_string(*number);
  if (const auto* real = std::get_if<double>(&fact.value)) return fmt::format("{}", *real);
  return std::get<std::string>(fact.value);
}

}  // namespace

TemplateGenerator::TemplateGenerator(std::string name, Defaults defaults,
                                     std::vector<std::string> shared)
    : name_(std::move(name)),
      version_(version_of(own_version, {template_mark("prelude"), template_mark(name_)})),
      defaults_(std::move(defaults)),
      shared_(std::move(shared)) {
  for (const auto& file : shared_) version_ = version_of(version_, {template_mark(file)});
}

bool TemplateGenerator::accepts(const Request& request, const Parameters& parameters) const {
  const Parameters known = defaults_(request);
  for (const auto& [name, value] : parameters)
    if (value <= 0 || known.get(name, -1) < 0) return false;
  for (const auto& [name, value] : known)
    if (parameters.get(name, -1) < 0) return false;
  return true;
}

std::string TemplateGenerator::generate(const Request& request,
                                        const Parameters& parameters) const {
  std::string text;
  for (const auto& fact : request.facts)
    text += fmt::format("#define {} {}\n", capitals(fact.name), text_of(fact));
  for (const auto& [name, value] : parameters)
    text += fmt::format("#define {} {}\n", capitals(name), value);
  text += template_text("prelude");
  for (const auto& name : shared_) text += template_text(name);
  text += template_text(name_);
  return text;
}

std::vector<std::string> TemplateGenerator::classes_like(const std::string& problem_class) const {
  return blas::classes_like(problem_class);
}

}  // namespace kiln::blas
