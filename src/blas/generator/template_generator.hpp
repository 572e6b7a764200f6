#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "blas/call/call.hpp"
#include "kernel/resolver/generator.hpp"
#include "kernel/text/templates.hpp"

// Kernels from templates: the texts in templates/*.cl, the generator that puts macros before one of
// them, and the list of those that make a family of kernels each (levels 1 and 2, and parts of
// level 3).
namespace kiln::blas {

std::string_view template_text(std::string_view name);
std::uint64_t template_mark(std::string_view name);

/// A fact's name as a macro's.
std::string capitals(std::string_view name);

/// What a TemplateGenerator is asked for.
struct TemplatePayload {
  Precision precision{};
  bool on_cpu = false;
  std::int64_t native_floats = 1;  ///< of the device's vectors
  Facts more = {};                 ///< that this template alone knows
};
Facts facts_of(const TemplatePayload& payload);

/// Makes kernels from a template: plain OpenCL C in which precision, vector width and whatever else
/// the payload's facts and the Parameters say are macros. The text is a line
/// `#define NAME value` for each fact and Parameter (names in capitals), then the prelude (types
/// and arithmetic of the four precisions) and what else it shares with others, then the template
/// itself. So editors highlight templates as what they are.
class TemplateGenerator : public Generator {
 public:
  using Defaults = std::function<Parameters(const Request&)>;
  /// `name`: the template's; the family is "blas.NAME". `defaults` must be a pure function.
  /// `shared`: templates whose text comes between the prelude and this one.
  TemplateGenerator(std::string name, Defaults defaults, std::vector<std::string> shared = {});

  std::string family() const override { return "blas." + name_; }
  /// A digest of the texts, which changes with each of them.
  std::int64_t version() const override { return version_; }
  Parameters defaults(const Request& request) const override { return defaults_(request); }
  /// Names must be the defaults' own, values positive.
  bool accepts(const Request& request, const Parameters& parameters) const override;
  std::vector<std::string> classes_like(const std::string& problem_class) const override;
  std::string generate(const Request& request, const Parameters& parameters) const override;

 private:
  std::string name_;
  std::int64_t version_;
  Defaults defaults_;
  std::vector<std::string> shared_;
};

/// A generator for every template, with its version and default Parameters.
std::vector<std::unique_ptr<Generator>> template_generators();

/// The version of a template's generator, for Requests. Throws internal for an unknown name.
std::int64_t template_version(const std::string& name);

}  // namespace kiln::blas
