#include "format/task_graph/json_node.hpp"

#include <fmt/format.h>

namespace kiln::task_graph {

JsonNode JsonNode::required(std::string_view key, std::string_view expected) const {
  const JsonMember* const found = value_.find(key);
  if (!found) wrong(fmt::format("no '{}'", key), expected);
  return member(*found);
}

std::int64_t JsonNode::integer(std::string_view expected) const {
  if (!is(JsonValue::Kind::integer)) wrong(expected);
  return value_.integer;
}

std::uint32_t JsonNode::position() const {
  constexpr std::string_view expected = "an argument's position, 0 or more";
  const std::int64_t number = integer(expected);
  if (number < 0 || number > UINT32_MAX) wrong(expected);
  return static_cast<std::uint32_t>(number);
}

expr::Value JsonNode::scalar(std::string_view expected) const {
  switch (value_.kind) {
    case JsonValue::Kind::boolean:
      return value_.boolean;
    case JsonValue::Kind::integer:
      return value_.integer;
    case JsonValue::Kind::string:
      return value_.text;
    case JsonValue::Kind::real:
      if (value_.text.find_first_of(".eE") == std::string::npos) wrong("an integer of 64 bits");
      return value_.real;
    default:
      wrong(expected);
  }
}

int JsonNode::partition() const {
  const auto partition = partition_of(scalar(partition_words));
  if (!partition) wrong(partition_words);
  return *partition;
}

TaskSymbols JsonNode::symbols() const {
  expect_object("an object of symbols");
  std::vector<Symbol> symbols;
  symbols.reserve(value_.members.size());
  for (const JsonMember& one : value_.members) {
    if (one.key.empty()) member(one).wrong("a symbol without a name", "a name");
    symbols.emplace_back(one.key, member(one).scalar("a number, a string, true or false"));
  }
  // The same value twice is what the parser has warned of.
  for (const auto& [index, first] : repeated(symbols))
    if (!(symbols[index].second == symbols[first].second))
      member(value_.members[index])
          .wrong(describe(value_.members[index].value) + " and before " +
                     describe(value_.members[first].value),
                 "each symbol once");
  return without_partition(symbols);
}

void JsonNode::wrong(std::string_view found, std::string_view expected, Errc code) const {
  const std::string way = path();
  refuse(file_.name, line(),
         way.empty() ? std::string(found) : fmt::format("{} at '{}'", found, way), expected, code);
}

std::string JsonNode::path() const {
  if (!parent_) return "";
  const std::string way = parent_->path();
  if (key_.empty()) return fmt::format("{}[{}]", way, index_);
  std::string name = shown(key_);  // names come from the file
  name = name.substr(1, name.find_last_of('"') - 1);
  return way.empty() ? name : way + "." + name;
}

}  // namespace kiln::task_graph
