// Shapes of loops as facts, and back.
#include "mesh/model/loop_shape.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <sstream>

#include "base/data/text.hpp"
#include "mesh/model/basics.hpp"

namespace kiln::mesh {
namespace {

/// Calls `each(name, get, set)` for the numbers of an argument, in the order of their fact.
template <class Argument, class Each>
void each_number(Argument& a, const Each& each) {
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
  each_number(argument, [&](const char* name, const auto& value) {
    text += fmt::format("{}{} {}", text.empty() ? "" : " ", name, static_cast<int>(value));
  });
  return text;
}

Expected<ArgShape> argument_of(const std::string& text) {
  std::istringstream words(text);
  ArgShape argument;
  bool is_right = true;
  each_number(argument, [&](const char* name, auto& value) {
    std::string found;
    int number = 0;
    is_right = is_right && words >> found >> number && found == name;
    value = static_cast<std::remove_reference_t<decltype(value)>>(number);
  });
  if (is_right) return argument;
  return fail(Errc::bad_input, fmt::format("'{}' is no argument", one_line(text)));
}

std::string text_of(const ConstShape& constant) {
  return fmt::format("{} {} {} {}", constant.name, static_cast<int>(constant.type), constant.dim,
                     static_cast<int>(constant.scalar));
}

Expected<ConstShape> constant_of(const std::string& text) {
  std::istringstream words(text);
  ConstShape constant;
  int type = 0, scalar = 0;
  if (!(words >> constant.name >> type >> constant.dim >> scalar))
    return fail(Errc::bad_input, fmt::format("'{}' is no constant", one_line(text)));
  constant.type = static_cast<ScalarType>(type);
  constant.scalar = scalar != 0;
  return constant;
}

}  // namespace

void fields(FactFields& to, LoopShape& shape) {
  std::string file, text, extents = fmt::format("{}", fmt::join(shape.extents, " "));
  if (shape.source) file = shape.source->name(), text = shape.source->text();
  to.text("kernel", shape.kernel, "a function's name");
  to.text("file", file);
  to.text("text", text, "the function's text");
  to.text("extents", extents);
  const auto text_of_one = [](const auto& one) { return text_of(one); };
  to.list("argument", shape.arguments, text_of_one, argument_of);
  to.list("constant", shape.constants, text_of_one, constant_of);
  to.integer("subset", shape.subset, 0, 1);
  to.integer("extruded", shape.extruded, 0, 1);
  if (!to.reads()) return;
  shape.source = std::make_shared<const ExpandedSource>(text, file);
  std::istringstream words(extents);
  for (int extent = 0; words >> extent;) shape.extents.push_back(extent);
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
