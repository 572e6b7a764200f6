#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "spec/tune/tuned_binding.hpp"

namespace kiln::spec {
namespace {

void write(CanonicalWriter& writer, std::string_view tag, const Formula& formula) {
  writer.text(tag, formula.expression ? formula.expression->canonical() : formula.literal.text());
}

void write_arguments(CanonicalWriter& writer, const Spec& spec) {
  writer.begin("arguments");
  for (const auto& buffer : spec.buffers) {
    writer.integer("role", static_cast<std::int64_t>(buffer.role))
        .integer("position", buffer.position)
        .text("type", buffer.type.opencl_name());
    write(writer, "size", buffer.size);
  }
  for (const auto& argument : spec.var_arguments) {
    writer.integer("value", argument.position).text("type", argument.type.opencl_name());
    write(writer, "value", argument.value);
  }
  for (const auto& argument : spec.local_arguments) {
    writer.integer("local", argument.position).text("type", argument.type.opencl_name());
    write(writer, "size", argument.size);
  }
  writer.end();
}

void write_definitions(CanonicalWriter& writer, const Spec& spec) {
  writer.begin("definitions");
  if (spec.symbolic_variables)
    for (const auto& [name, formula] : *spec.symbolic_variables) {
      writer.text("symbol", name);
      write(writer, "value", formula);
    }
  for (const auto& macro : spec.macros) writer.text("macro", macro.name).text("text", macro.text);
  for (const auto& [constant, value] : spec.specialization) {
    writer.text("constant", constant);
    write(writer, "value", value);
  }
  for (const auto& function : spec.functions) {
    writer.text("function", function.name);
    for (const auto& parameter : function.parameters) writer.text("parameter", parameter);
    write(writer, "body", function.body);
  }
  writer.end();
}

/// Symbols whose value depends on a tuned one: they belong to the configuration, not the problem.
std::set<std::string> made_by(const Spec& spec, const Parameters& tuned) {
  std::set<std::string> names;
  for (const auto& [name, value] : tuned) names.insert(name);
  if (!spec.symbolic_variables) return names;
  for (bool grows = true; grows;) {
    grows = false;
    for (const auto& [name, formula] : *spec.symbolic_variables) {
      if (!formula.expression) continue;
      const auto needs = formula.expression->free_names();
      if (std::any_of(needs.begin(), needs.end(), [&](auto& each) { return names.contains(each); }))
        grows |= names.insert(name).second;
    }
  }
  return names;
}

/// The product of the values' sizes; 0, which everything divides, where it is too large.
std::int64_t product_of(const Parameters& parameters) {
  std::int64_t product = 1;
  for (const auto& [name, value] : parameters)
    if (value != 0 && __builtin_mul_overflow(product, value, &product)) return 0;
  return product;
}

}  // namespace

std::string text_of_values(const Parameters& values) {
  std::string text;
  for (const auto& [name, value] : values)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  return text;
}

Request record_request(const Spec& spec, const ExpandedSource& source) {
  CanonicalWriter writer("spec kernel", 1);
  writer.text("kernel", spec.name)
      .text("dialect", name_of(spec.dialect))
      .integer("dialect was asked", spec.dialect_was_asked ? 1 : 0)
      .integer("dimensions", spec.work_dimension)
      .digest("source", source.digest());
  write(writer, "global", spec.global_work_size);
  if (spec.local_work_size) write(writer, "local", *spec.local_work_size);
  write_arguments(writer, spec);
  write_definitions(writer, spec);
  Request request;
  request.family = "spec";
  request.problem_class = fmt::format("{} {}", spec.name, writer.key().hex());
  request.label = spec.name;
  return request;
}

std::int64_t problem_size(const BoundSpec& bound) {
  std::uint64_t bytes = 0;  // at most 2^40, as bind() has it
  for (const auto& argument : bound.arguments)
    if (argument.is_buffer()) bytes += argument.bytes;
  return static_cast<std::int64_t>(bytes);
}

Parameters problem_symbols(const Spec& spec, const BoundSpec& bound, const Parameters& tuned) {
  const auto made = made_by(spec, tuned);
  const auto uses = known_symbols(spec);
  Parameters symbols;
  for (const auto& [name, value] : bound.symbols) {
    const auto* whole = std::get_if<std::int64_t>(&value.data());
    // `dataset` has a value in every file, whether the file uses it or not.
    if (whole == nullptr || made.contains(name) ||
        !std::binary_search(uses.begin(), uses.end(), name))
      continue;
    symbols.set(name, *whole);
  }
  return symbols;
}

Measurement measurement_of(const Spec& spec, const BoundSpec& bound, const Parameters& parameters,
                           double seconds) {
  Measurement measurement{parameters, problem_size(bound), seconds * 1e3, {}, {}, {}};
  measurement.original = problem_symbols(spec, bound, parameters);
  const std::string sizes = text_of_values(measurement.original);
  measurement.from = spec.name + (sizes.empty() ? "" : " with " + sizes);
  return measurement;
}

bool scales_to(const Measurement& measurement, const BoundSpec& bound) {
  const std::int64_t product = product_of(measurement.parameters);
  for (const auto& [name, measured] : measurement.original) {
    const auto found = bound.symbols.find(name);
    if (found == bound.symbols.end()) return false;
    const auto* now = std::get_if<std::int64_t>(&found->second.data());
    if (now == nullptr) return false;
    const std::int64_t common = std::gcd(measured, product);
    if (*now != measured && (common == 0 || *now % common != 0)) return false;
  }
  return true;
}

}  // namespace kiln::spec
