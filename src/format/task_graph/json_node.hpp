#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "format/json_tree.hpp"
#include "format/task_graph/form.hpp"

namespace kiln::task_graph {

/// A value of a graph's JSON with the way to it, which only messages need: "tasks[3].symbols.n". It
/// views its parent, which must stay.
class JsonNode {
 public:
  JsonNode(const JsonValue& value, const LineTable& lines, const File& file)
      : value_(value), lines_(lines), file_(file) {}

  const JsonValue& value() const { return value_; }
  bool is(JsonValue::Kind kind) const { return value_.is(kind); }
  std::uint32_t line() const { return lines_.line(value_.at); }

  JsonNode item(std::size_t index) const { return {value_.items[index], *this, {}, index}; }
  JsonNode member(const JsonMember& member) const { return {member.value, *this, member.key, 0}; }

  /// The member that counts; it must be there.
  JsonNode required(std::string_view key, std::string_view expected) const;
  /// Calls `use` with the member where it is there; null counts as absent.
  template <class Use>
  void optional(std::string_view key, Use&& use) const {
    const JsonMember* const found = value_.find(key);
    if (found && !found->value.is(JsonValue::Kind::null)) use(member(*found));
  }
  /// Calls `use` with each item of a list.
  template <class Use>
  void each(std::string_view expected, Use&& use) const {
    if (!is(JsonValue::Kind::list)) wrong(expected);
    for (std::size_t i = 0; i < value_.items.size(); ++i) use(item(i));
  }
  void expect_object(std::string_view expected) const {
    if (!is(JsonValue::Kind::object)) wrong(expected);
  }

  std::int64_t integer(std::string_view expected) const;
  std::uint32_t position() const;
  /// A Boolean, number or string: what a symbol may be.
  expr::Value scalar(std::string_view expected) const;
  int partition() const;
  /// An object's members, in order. One that is there twice must have one value.
  TaskSymbols symbols() const;

  /// "file:line: 'tasks[3].id': found …, expected …"
  [[noreturn]] void wrong(std::string_view expected) const { wrong(describe(value_), expected); }
  [[noreturn]] void wrong(std::string_view found, std::string_view expected,
                          Errc code = Errc::bad_input) const;

 private:
  JsonNode(const JsonValue& value, const JsonNode& parent, std::string_view key, std::size_t index)
      : value_(value),
        lines_(parent.lines_),
        file_(parent.file_),
        parent_(&parent),
        key_(key),
        index_(index) {}
  std::string path() const;

  const JsonValue& value_;
  const LineTable& lines_;
  const File& file_;
  const JsonNode* parent_ = nullptr;
  std::string_view key_;  ///< empty: an item of a list
  std::size_t index_ = 0;
};

}  // namespace kiln::task_graph
