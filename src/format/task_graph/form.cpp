#include "format/task_graph/form.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "base/data/number.hpp"
#include "base/data/text.hpp"

namespace kiln::task_graph {

std::string place_of(std::string_view name, std::uint32_t line) {
  const std::string shown = one_line(name);
  return line == 0 ? shown : fmt::format("{}:{}", shown, line);
}

std::string shown(std::string_view text) { return '"' + shortened(text, 60) + '"'; }

void refuse(std::string_view name, std::uint32_t line, std::string_view found,
            std::string_view expected, Errc code) {
  throw Error(code,
              fmt::format("{}: found {}, expected {}", place_of(name, line), found, expected));
}

std::optional<int> partition_of(const expr::Value& value) {
  std::optional<std::int64_t> number;
  if (const auto* integer = std::get_if<std::int64_t>(&value.data())) {
    number = *integer;
  } else if (const auto* real = std::get_if<double>(&value.data())) {
    const bool is_integer = *real >= 0 && *real <= 10 && *real == static_cast<int>(*real);
    if (is_integer) number = static_cast<int>(*real);
  } else if (const auto* text = std::get_if<std::string>(&value.data())) {
    number = parse_number<std::int64_t>(*text);
  }
  if (!number || *number < 0 || *number > 10) return std::nullopt;
  return static_cast<int>(*number);
}

namespace {

/// Up to so many symbols, comparing all is faster than any table.
constexpr std::size_t few = 16;

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> repeated(const std::vector<Symbol>& symbols) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  if (symbols.size() <= few) {
    for (std::size_t i = 1; i < symbols.size(); ++i)
      for (std::size_t first = 0; first < i; ++first)
        if (symbols[first].first == symbols[i].first) {
          pairs.emplace_back(i, first);
          break;
        }
    return pairs;
  }
  std::unordered_map<std::string_view, std::size_t> seen;
  for (std::size_t i = 0; i < symbols.size(); ++i)
    if (const auto [first, is_new] = seen.try_emplace(symbols[i].first, i); !is_new)
      pairs.emplace_back(i, first->second);
  return pairs;
}

TaskSymbols without_partition(std::vector<Symbol>& symbols) {
  const auto again = repeated(symbols);
  TaskSymbols result;
  result.symbols.reserve(symbols.size());
  auto next = again.begin();
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    if (next != again.end() && next->first == i) {
      ++next;
    } else if (symbols[i].first == "partition") {
      result.partition = std::move(symbols[i].second);
    } else {
      result.symbols.push_back(std::move(symbols[i]));
    }
  }
  return result;
}

bool is_graph_key(std::string_view key) {
  constexpr std::string_view keys[] = {"id", "symbolicVariables", "depends", "partition", "task"};
  return std::find(std::begin(keys), std::end(keys), key) != std::end(keys);
}

bool is_fed_buffers(std::string_view key) {
  return std::find(std::begin(fed_buffers), std::end(fed_buffers), key) != std::end(fed_buffers);
}

namespace {

/// A buffer without the edge that feeds it.
void append_buffer(std::string& to, const JsonValue& buffer) {
  if (!buffer.is(JsonValue::Kind::object)) return append_json(to, buffer);
  JsonValue alone = buffer;
  std::erase_if(alone.members, [](const JsonMember& member) { return member.key == "from"; });
  append_json(to, alone);
}

void append_buffers(std::string& to, const JsonValue& buffers) {
  if (!buffers.is(JsonValue::Kind::list)) return append_json(to, buffers);
  to += '[';
  for (const JsonValue& buffer : buffers.items) {
    if (&buffer != &buffers.items.front()) to += ", ";
    append_buffer(to, buffer);
  }
  to += ']';
}

}  // namespace

std::string spec_text(const JsonValue& kernel) {
  std::string text = "{";
  for (const JsonMember* member : counting_members(kernel)) {
    if (is_graph_key(member->key)) continue;
    if (text.size() > 1) text += ", ";
    append_json(text, std::string_view(member->key));
    text += ": ";
    if (is_fed_buffers(member->key)) {
      append_buffers(text, member->value);
    } else {
      append_json(text, member->value);
    }
  }
  return text + '}';
}

}  // namespace kiln::task_graph
