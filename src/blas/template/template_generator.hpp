#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernel/generator.hpp"

namespace kiln::blas {

/// Makes kernels from a template: plain OpenCL C in which precision, vector width and whatever else
/// the Request's facts and the Parameters say are macros. The text is a line
/// `#define NAME value` for each fact and Parameter (names in capitals), then the prelude (types
/// and arithmetic of the four precisions) and what else it shares with others, then the template
/// itself. So an editor highlights a template and oclgrind runs it, with a few -D.
class TemplateGenerator : public Generator {
 public:
  using Defaults = std::function<Parameters(const Request&)>;
  /// `name`: templates/NAME.cl, family "blas.NAME". `defaults` must be a pure function. `shared`:
  /// templates whose text comes between the prelude and its own.
  TemplateGenerator(std::string name, Defaults defaults, std::vector<std::string> shared = {});

  std::string family() const override { return "blas." + name_; }
  /// A digest of the texts: another one when a text is.
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

}  // namespace kiln::blas
