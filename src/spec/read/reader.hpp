#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/json_tree.hpp"
#include "kiln/spec/file.hpp"

/// Reading a specification file's JSON: the Reader takes values out of the tree and collects
/// findings; read_spec makes a Spec of it.
namespace kiln::spec {

using Json = JsonValue;

/// "inputBuffers[0]" + "size" → "inputBuffers[0].size".
std::string join(std::string_view path, std::string_view key);
std::string join(std::string_view path, std::size_t index);

class Reader;

/// An attribute that an object has.
struct Attribute {
  const Json& object;
  const std::string& parent;  ///< the object's path
  const Json& value;
  std::string path;  ///< the attribute's own
};

/// One attribute of the objects that are read into a T. Tables of these say all that an object may
/// have, and how it is read.
template <class T>
struct Field {
  std::string_view key;
  /// Null where the attribute means nothing, or is read along with another one.
  void (*read)(const Attribute& found, T& into, Reader& reader) = nullptr;
  /// What it should be, where every object must have it. Of others null counts as absent.
  std::string_view required = {};
};

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
  /// A kernel argument's.
  std::optional<std::uint32_t> read_position(const Attribute& found);
  enum class EmptyType { is_error, is_double };
  /// A structure's comes from its "fields" or its size in "bytes".
  std::optional<Type> read_type(const Json& object, const std::string& path, EmptyType empty);
  /// A type and the value in the same object; a structure's in its fields, or in "bytes".
  struct Typed {
    Type type;
    std::optional<Formula> value;  ///< where values are read
  };
  std::optional<Typed> read_valued(const Json& object, const std::string& path);

  enum class Shape { number, number_or_list };
  /// A number or an expression; a list where `shape` allows one.
  std::optional<Formula> read_formula(const Json& value, std::string attribute, Shape shape);

  /// Reads every member of an object that its table names, even after an error, and warns of the
  /// others.
  template <class T, std::size_t Count>
  void read_fields(const Json& object, const std::string& path, const Field<T> (&fields)[Count],
                   T& into) {
    std::array<std::string_view, Count> known;
    std::transform(fields, fields + Count, known.begin(),
                   [](const auto& each) { return each.key; });
    warn_of_unknown(object, path, known);
    for (const Field<T>& field : fields) {
      const Json* value = field.required.empty()
                              ? optional(object, field.key)
                              : required(object, path, field.key, field.required);
      if (value != nullptr && field.read != nullptr)
        field.read({object, path, *value, join(path, field.key)}, into, *this);
    }
  }
  /// The items of a list. For another value none, and an error that says what it should be.
  std::span<const Json> items_of(const Json& list, const std::string& path, std::string_view what);
  /// The members of an object, of equal keys the last. For another value none, and an error.
  std::vector<const JsonMember*> members_of(const Json& object, const std::string& path,
                                            std::string_view what);

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
  struct TypedOptions {
    With with;
    EmptyType empty;
    int depth = 0;  ///< structures around it
  };
  std::optional<std::string> read_type_name(const Json& object, std::string_view path);
  std::optional<Type> named_type(const Json& object, std::string_view path, const std::string& name,
                                 EmptyType empty);
  std::optional<Typed> read_typed(const Json& object, const std::string& path,
                                  const TypedOptions& options);
  std::optional<Typed> read_struct(const Json& object, const std::string& path,
                                   const TypedOptions& options);
  std::optional<Typed> read_bytes(const Json& bytes, const std::string& attribute, With with);
  std::optional<Typed> read_members(const Json& object, const std::string& path,
                                    const TypedOptions& options);
  std::optional<Typed> read_member(const Json& member, const std::string& path,
                                   const TypedOptions& options);
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

constexpr std::string_view position_range = "the kernel argument's position, an integer 0..1023";

// The attributes that arguments.cpp and symbols.cpp read.
void read_buffers(const Attribute& found, Spec& spec, Reader& reader);  ///< any of the lists
void read_vars(const Attribute& found, Spec& spec, Reader& reader);
void read_locals(const Attribute& found, Spec& spec, Reader& reader);
void read_symbolic_variables(const Attribute& found, Spec& spec, Reader& reader);
void read_macros(const Attribute& found, Spec& spec, Reader& reader);
void read_specialization(const Attribute& found, Spec& spec, Reader& reader);
void read_functions(const Attribute& found, Spec& spec, Reader& reader);

// What read_spec checks once every part is there.
void check_positions(const Spec& spec, Reader& reader);
void check_names(const Spec& spec, Reader& reader);

}  // namespace kiln::spec
