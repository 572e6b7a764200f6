#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/spec/file.hpp"
#include "spec/read/json_tree.hpp"

/// Reading a specification file's JSON: the Reader takes values out of the tree and collects
/// findings; read_spec makes a Spec of it.
namespace kiln::spec {

/// "inputBuffers[0]" + "size" → "inputBuffers[0].size".
std::string join(std::string_view path, std::string_view key);
std::string join(std::string_view path, std::size_t index);

/// Takes values out of one file's tree and collects every finding on the way, so that a reader can
/// go on after the first. The read functions return nothing where they have reported an error.
class Reader {
 public:
  Reader(std::string_view text, std::string file) : file_(std::move(file)), lines_(text) {}

  void error(std::size_t at, std::string attribute, std::string text);
  void warning(std::size_t at, std::string attribute, std::string text);
  /// "found …, expected `what`"
  void expected(const Json& found, std::string attribute, std::string_view what);

  /// The member's value; reports an absent one, with what it should be.
  const Json* required(const Json& object, std::string_view path, std::string_view key,
                       std::string_view what);
  /// The member's value; null counts as absent.
  static const Json* optional(const Json& object, std::string_view key);

  std::optional<std::string> read_string(const Json& value, std::string attribute,
                                         std::string_view what);
  std::optional<std::int64_t> read_integer(const Json& value, std::string attribute,
                                           std::int64_t least, std::int64_t most,
                                           std::string_view what);
  /// A kernel's id: a string, or a number as its digits.
  std::optional<std::string> read_id(const Json& value, std::string attribute);
  std::optional<std::uint32_t> read_position(const Json& object, std::string_view path);
  enum class EmptyType { is_error, is_double };
  /// A structure's comes from its "fields" or its size in "bytes".
  std::optional<Type> read_type(const Json& object, std::string_view path, EmptyType empty);
  /// A type and the value in the same object; a structure's in its fields, or in "bytes".
  struct Valued {
    Type type;
    Formula value;
  };
  std::optional<Valued> read_valued(const Json& object, const std::string& path);

  enum class Shape { number, number_or_list };
  /// A number or an expression; a list where `shape` allows one.
  std::optional<Formula> read_formula(const Json& value, std::string attribute, Shape shape);

  /// Warns of members that no reader knows, with the name that was probably meant.
  void warn_of_unknown(const Json& object, std::string_view path,
                       std::span<const std::string_view> known);

  std::uint32_t line(std::size_t at) const { return lines_.line(at); }
  const std::string& file() const { return file_; }
  bool has_errors() const { return errors_ != 0; }
  std::vector<Message>& messages() { return messages_; }
  /// In the file's order.
  std::vector<Message> sorted_messages() const;
  void add(Message message);

 private:
  enum class With { layout, values };
  struct Member;
  std::optional<std::string> read_type_name(const Json& object, std::string_view path);
  std::optional<Type> named_type(const Json& object, std::string_view path, const std::string& name,
                                 EmptyType empty);
  std::optional<Member> read_struct(const Json& object, const std::string& path, With with,
                                    int depth);
  std::optional<Member> read_bytes(const Json& object, const std::string& path, With with);
  std::optional<Member> read_fields(const Json& object, const std::string& path, With with,
                                    int depth);
  std::optional<Member> read_field(const Json& field, const std::string& path, With with,
                                   int depth);
  bool has_no_struct_keys(const Json& object, const std::string& path);
  std::optional<Formula> list_of_formulas(const std::vector<Formula>& items, std::size_t at,
                                          std::string attribute);
  static Expected<expr::Expression> parse_expression(const std::string& text);
  std::optional<Formula> read_expression(const Json& value, std::string attribute);
  std::optional<Formula> read_list(const Json& value, std::string attribute);
  void report(Message::Severity severity, std::size_t at, std::string attribute, std::string text);

  std::string file_;
  LineTable lines_;
  std::vector<Message> messages_;
  std::size_t errors_ = 0;
};

/// The tree as a Spec, and all findings about its structure in the reader. A Spec comes back only
/// where there is no error.
std::optional<Spec> read_spec(const Json& root, SpecDialect dialect, Reader& reader);

/// What begins a text that stands for something still to be filled in (`kiln init` writes them).
inline constexpr std::string_view fill_in_mark = "FILL IN: ";
/// Reports every mark in a file as an error, with what belongs there. True where there is one: then
/// nothing else is worth saying about the file yet.
bool report_marks(const Json& root, Reader& reader);

// The parts of read_spec that have files of their own.
void read_arguments(const Json& root, Spec& spec, Reader& reader);
void read_symbols(const Json& root, Spec& spec, Reader& reader);

// What read_spec checks once every part is there.
void check_positions(const Spec& spec, Reader& reader);
void check_names(const Spec& spec, Reader& reader);

}  // namespace kiln::spec
