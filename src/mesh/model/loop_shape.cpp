// Shapes of loops as facts of Requests, and back.
#include "mesh/model/loop_shape.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <sstream>

#include "mesh/model/basics.hpp"

namespace kiln::mesh {
namespace {

/// Calls `each(name, get, set)` for the numbers of an argument, in the order of their fact.
template <class Argument, class Each>
void fields(Argument& a, const Each& each) {
  each("kind", a.kind);
  each("type", a.type);
  each("dim", a.dim);
  each("access", a.access);
  each("data", a.data);
  each("soa", a.soa);
  each("via", a.via);
  each("map", a.map);
  each("pair", a.pair);
  each("arity", a.arity);
  each("component", a.component);
  each("index", a.index);
  each("flatten", a.flatten);
  each("column-map", a.column_map);
  each("column-arity", a.column_arity);
  each("column-index", a.column_index);
  each("column-dim", a.column_dim);
}

std::string text_of(const ArgShape& argument) {
  std::string text;
  fields(argument, [&](const char* name, const auto& value) {
    text += fmt::format("{}{} {}", text.empty() ? "" : " ", name, static_cast<int>(value));
  });
  return text;
}

[[noreturn]] void broken(const std::string& what) {
  throw Error(Errc::internal, fmt::format("facts of a mesh loop: {}", what));
}

ArgShape argument_of(const std::string& text) {
  std::istringstream words(text);
  ArgShape argument;
  fields(argument, [&](const char* name, auto& value) {
    std::string found;
    int number = 0;
    if (!(words >> found >> number) || found != name) broken("'" + text + "' is no argument");
    value = static_cast<std::remove_reference_t<decltype(value)>>(number);
  });
  return argument;
}

ConstShape constant_of(const std::string& text) {
  std::istringstream words(text);
  ConstShape constant;
  int type = 0, scalar = 0;
  if (!(words >> constant.name >> type >> constant.dim >> scalar))
    broken("'" + text + "' is no constant");
  constant.type = static_cast<ScalarType>(type);
  constant.scalar = scalar != 0;
  return constant;
}

}  // namespace

std::vector<Fact> facts_of(const LoopShape& shape) {
  std::vector<Fact> facts{{"kernel", shape.kernel},
                          {"file", shape.source->name()},
                          {"text", shape.source->text()},
                          {"extents", fmt::format("{}", fmt::join(shape.extents, " "))}};
  for (const auto& argument : shape.arguments) facts.push_back({"argument", text_of(argument)});
  for (const auto& c : shape.constants)
    facts.push_back({"constant", fmt::format("{} {} {} {}", c.name, static_cast<int>(c.type), c.dim,
                                             static_cast<int>(c.scalar))});
  facts.push_back({"subset", std::int64_t{shape.subset}});
  facts.push_back({"extruded", std::int64_t{shape.extruded}});
  return facts;
}

LoopShape shape_of(const Request& request) {
  LoopShape shape;
  std::string file;
  for (const auto& fact : request.facts) {
    if (const auto* number = std::get_if<std::int64_t>(&fact.value)) {
      if (fact.name == "subset") shape.subset = *number != 0;
      if (fact.name == "extruded") shape.extruded = *number != 0;
      continue;
    }
    const auto* text = std::get_if<std::string>(&fact.value);
    if (text == nullptr) broken(fact.name + " is no text");
    if (fact.name == "kernel") shape.kernel = *text;
    if (fact.name == "file") file = *text;
    if (fact.name == "text") shape.source = std::make_shared<const ExpandedSource>(*text, file);
    if (fact.name == "argument") shape.arguments.push_back(argument_of(*text));
    if (fact.name == "constant") shape.constants.push_back(constant_of(*text));
    if (fact.name != "extents") continue;
    std::istringstream words(*text);
    for (int extent = 0; words >> extent;) shape.extents.push_back(extent);
  }
  if (!shape.source) broken("there is no text");
  return shape;
}

LoopShape numbered_by_first_occurrence(LoopShape shape) {
  std::map<ArgShape::Kind, Numbered<int>> data;
  Numbered<int> maps, pairs;
  const auto number = [](Numbered<int>& numbers, int& old) {
    if (old >= 0) old = numbers(old);
  };
  for (auto& argument : shape.arguments) {
    number(data[argument.kind], argument.data);
    number(maps, argument.map);
    number(maps, argument.column_map);
    number(pairs, argument.pair);
  }
  return shape;
}

}  // namespace kiln::mesh
