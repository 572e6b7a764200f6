#include "blas/template/template_list.hpp"

#include <algorithm>
#include <map>

#include "blas/types.hpp"

namespace kiln::blas {
namespace {

struct Entry {
  const char* name;
  std::int64_t version;  ///< raised when the template's text changes
  TemplateGenerator::Defaults defaults;
  std::vector<std::string> shared = {};  ///< files that come before the template's own
};

Parameters nothing(const Request&) { return {}; }

Precision precision_of(const Request& request) {
  for (const auto& fact : request.facts)
    if (const auto* text = std::get_if<std::string>(&fact.value); text && fact.name == "precision")
      for (const auto precision : {Precision::s, Precision::d, Precision::c, Precision::z})
        if (*text == std::string(1, letter(precision))) return precision;
  throw Error(Errc::internal, "a kernel template without a precision");
}

/// The results that a CPU's work-item sums at a time fill a quarter of the nearest cache.
Parameters block_of_results(const Request& request) {
  return {{"block", static_cast<std::int64_t>(8192 / size_of(precision_of(request)))}};
}

/// `rows`: unknowns that are solved for between two updates of the rest; `sums`: how many of the
/// rest a CPU's work-item updates at a time. A GPU's are 64: the template says.
Parameters rows_of_solution(const Request& request) {
  const auto sums = static_cast<std::int64_t>(8192 / size_of(precision_of(request)));
  for (const auto& fact : request.facts)
    if (const auto* on_cpu = std::get_if<std::int64_t>(&fact.value);
        on_cpu != nullptr && fact.name == "on_cpu" && *on_cpu != 0)
      return {{"rows", std::min<std::int64_t>(512, sums)}, {"sums", sums}};
  return {{"rows", 64}, {"sums", 64}};
}

const std::vector<Entry>& entries() {
  // Raised with all of them when vectors.cl changes, or reduction.cl.
  constexpr std::int64_t level_1 = 2;
  static const std::vector<std::string> vectors{"vectors"}, reduction{"vectors", "reduction"};
  static const std::vector<Entry> all{
      // level 1
      {"swap", level_1, nothing, vectors},
      {"scal", level_1, nothing, vectors},
      {"copy", level_1, nothing, vectors},
      {"axpy", level_1, nothing, vectors},
      {"rot", level_1, nothing, vectors},
      {"rotm", level_1, nothing, vectors},
      {"dot_product", level_1, nothing, reduction},
      {"nrm2", level_1, nothing, reduction},
      {"asum", level_1, nothing, reduction},
      {"iamax", level_1, nothing, reduction},
      {"rotg", level_1, nothing},
      {"rotmg", level_1, nothing},
      // level 2
      {"pack_vector", 1, nothing},
      {"mv_n", 1, block_of_results, {"matrix", "lanes"}},
      {"mv_t", 1, block_of_results, {"matrix", "lanes"}},
      {"mv_sum", 1, nothing, {"matrix"}},
      {"mv_sym", 1, nothing, {"matrix", "lanes"}},
      {"rank_update", 1, nothing, {"matrix", "lanes"}},
      {"solve", 1, rows_of_solution, {"matrix", "lanes"}},
      // level 3
      {"invert_triangles", 1, nothing},
      {"scale_matrix", 1, nothing},
  };
  return all;
}

}  // namespace

std::vector<std::unique_ptr<Generator>> template_generators() {
  std::vector<std::unique_ptr<Generator>> made;
  for (const auto& [name, version, defaults, shared] : entries())
    made.push_back(std::make_unique<TemplateGenerator>(name, version, defaults, shared));
  return made;
}

std::int64_t template_version(const std::string& name) {
  static const auto versions = [] {
    std::map<std::string, std::int64_t> by_name;
    for (const auto& generator : template_generators())
      by_name[generator->family()] = generator->version();
    return by_name;
  }();
  const auto found = versions.find("blas." + name);
  if (found == versions.end()) throw Error(Errc::internal, "no kernel template " + name);
  return found->second;
}

}  // namespace kiln::blas
