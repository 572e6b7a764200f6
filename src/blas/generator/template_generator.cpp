#include "blas/generator/template_generator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "blas/call/problem_class.hpp"

namespace kiln::blas {

namespace {

// Raised when generate() changes.
constexpr std::int64_t own_version = 1;

}  // namespace

std::string capitals(std::string_view name) {
  std::string text(name);
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

Facts facts_of(const TemplatePayload& payload) {
  Facts facts{{"precision", std::string(1, letter(payload.precision))},
              {"on_cpu", std::int64_t{payload.on_cpu}},
              {"native_floats", payload.native_floats}};
  facts.insert(facts.end(), payload.more.begin(), payload.more.end());
  return facts;
}

namespace {

constexpr std::int64_t most_parameter = 1 << 15;  // they are lengths of arrays in private memory

}  // namespace

TemplateGenerator::TemplateGenerator(std::string name, Defaults defaults,
                                     std::vector<std::string> shared)
    : name_(std::move(name)),
      version_(version_of(own_version, {template_mark("prelude"), template_mark(name_)})),
      defaults_(std::move(defaults)),
      shared_(std::move(shared)) {
  for (const auto& other : shared_) version_ = version_of(version_, {template_mark(other)});
}

bool TemplateGenerator::accepts(const Request& request, const Parameters& parameters) const {
  const Parameters known = defaults_(request);
  return std::equal(known.begin(), known.end(), parameters.begin(), parameters.end(),
                    [](const auto& a, const auto& b) {
                      return a.first == b.first && b.second > 0 && b.second <= most_parameter;
                    });
}

std::string TemplateGenerator::generate(const Request& request,
                                        const Parameters& parameters) const {
  std::string text;
  for (const auto& fact : request.payload.facts())
    std::visit(
        [&](const auto& value) {
          text += fmt::format("#define {} {}\n", capitals(fact.name), value);
        },
        fact.value);
  for (const auto& [name, value] : parameters)
    text += fmt::format("#define {} {}\n", capitals(name), value);
  text += template_text("prelude");
  for (const auto& other : shared_) text += template_text(other);
  text += template_text(name_);
  return text;
}

std::vector<std::string> TemplateGenerator::classes_like(const std::string& problem_class) const {
  return blas::classes_like(problem_class);
}

namespace {

Parameters nothing(const Request&) { return {}; }

/// Elements of a Request's precision that so many bytes hold.
std::int64_t elements_in(std::size_t bytes, const Request& request) {
  return static_cast<std::int64_t>(bytes /
                                   size_of(request.payload.as<TemplatePayload>().precision));
}

/// The results that a CPU's work-item sums at a time fill most of the nearest cache, or where it
/// reads x again for each of them a quarter.
Parameters block_of_long_results(const Request& request) {
  return {{"block", elements_in(32768, request)}};
}
Parameters block_of_results(const Request& request) {
  return {{"block", elements_in(16384, request)}};
}

/// `rows`: unknowns that are solved for between two updates of the rest; `sums`: how many of the
/// rest a CPU's work-item updates at a time. A GPU's are 64: the template says.
Parameters rows_of_solution(const Request& request) {
  const std::int64_t sums = elements_in(8192, request);
  if (!request.payload.as<TemplatePayload>().on_cpu) return {{"rows", 64}, {"sums", 64}};
  return {{"rows", std::min<std::int64_t>(512, sums)}, {"sums", sums}};
}

}  // namespace

std::vector<std::unique_ptr<Generator>> template_generators() {
  std::vector<std::unique_ptr<Generator>> made;
  const auto add = [&](const char* name, TemplateGenerator::Defaults defaults = nothing,
                       std::vector<std::string> shared = {}) {
    made.push_back(
        std::make_unique<TemplateGenerator>(name, std::move(defaults), std::move(shared)));
  };
  // level 1
  for (const auto* name : {"swap", "rot", "rotm"}) add(name, nothing, {"vectors", "pairs"});
  for (const auto* name : {"scal", "copy", "axpy", "had"}) add(name, nothing, {"vectors"});
  for (const auto* name : {"dot_product", "nrm2", "asum", "sum", "iamax"})
    add(name, nothing, {"vectors", "reduction"});
  add("rotg");
  add("rotmg");
  // level 2
  add("pack_vector");
  add("mv_n", block_of_long_results, {"matrix", "lanes"});
  add("mv_t", block_of_results, {"matrix", "lanes"});
  add("mv_sum", nothing, {"matrix"});
  add("mv_sym", nothing, {"matrix", "lanes", "strips"});
  add("mv_sym_sum", nothing, {"matrix", "strips"});
  add("mv_sym_few", nothing, {"matrix"});
  add("rank_update", nothing, {"matrix", "lanes"});
  add("solve", rows_of_solution, {"quotient", "matrix", "lanes"});
  add("omatcopy");
  add("patches");
  // level 3
  add("invert_triangles", nothing, {"quotient"});
  add("scale_matrix");
  add("emulated");
  add("skinny_cpu", nothing, {"stored", "cpu_vectors", "epilogue", "skinny"});
  add("skinny_gpu", nothing, {"stored", "epilogue", "skinny"});
  add("skinny_units", nothing, {"stored", "epilogue", "skinny"});
  // operands of other kinds
  add("widen", nothing, {"stored"});
  add("narrow", nothing, {"stored"});
  // batches
  add("small_product");
  add("small_halves");
  add("axpy_batch", nothing, {"vectors"});
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
