#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <variant>
#include <vector>

#include "kiln/error.hpp"

// What front ends ask for, typed, and the same as facts: names with integers, numbers and texts,
// which Keys and records of calls are made of.
namespace kiln {

/// A fact that changes the generated code: "precision" = "s", "transpose" = 1.
struct Fact {
  std::string name;
  std::variant<std::int64_t, double, std::string> value;
  bool operator==(const Fact&) const = default;
};
using Facts = std::vector<Fact>;

/// Facts are their own payload: of families that have no type for them.
inline const Facts& facts_of(const Facts& facts) { return facts; }

/// What a family's Generator is asked for, typed as its front end has it: any type that has a
/// function facts_of(), which gives all of it in the family's fixed order. Copies share the value,
/// which never changes. Default: none.
class Payload {
 public:
  Payload() = default;
  template <class T>
  requires(!std::is_same_v<T, Payload>) Payload(T value)
      : type_(&typeid(T)),
        value_(std::make_shared<const T>(std::move(value))),
        facts_([](const void* held) { return facts_of(*static_cast<const T*>(held)); }) {}

  Facts facts() const { return value_ ? facts_(value_.get()) : Facts(); }

  /// Null where it is of another type.
  template <class T>
  const T* get_if() const {
    return value_ && *type_ == typeid(T) ? static_cast<const T*>(value_.get()) : nullptr;
  }
  /// Throws internal instead.
  template <class T>
  const T& as() const {
    if (const T* value = get_if<T>()) return *value;
    throw Error(Errc::internal, "a Request's payload is not of the type that its family takes");
  }

 private:
  const std::type_info* type_ = nullptr;
  std::shared_ptr<const void> value_;
  Facts (*facts_)(const void*) = nullptr;
};

/// The fields of a value as facts. One function for a type names its fields, in their order; with
/// this it writes them, or reads them, whatever order the facts have. What cannot be read throws
/// bad_input, with the name of the field, what was found and what was expected.
class FactFields {
 public:
  /// How the entries of lists are named.
  enum class Lists {
    repeated,  ///< all of them as the list: in Keys
    numbered,  ///< "argument 0", "argument 1": in records, where each name is there once
  };
  /// Writes.
  explicit FactFields(Lists lists = Lists::numbered) : lists_(lists) {}
  /// Reads facts of numbered lists. They outlive this.
  explicit FactFields(const Facts& from) : from_(&from) {}

  /// `expected`: what an empty text is refused with; none: it may be empty or absent.
  void text(std::string_view name, std::string& value, std::string_view expected = {});

  /// An integer, enumerator or bool within bounds. The value `otherwise` is not written; a
  /// fact that is absent is read as it.
  template <class T>
  void integer(std::string_view name, T& value, std::int64_t least, std::int64_t most,
               std::optional<std::int64_t> otherwise = {}) {
    value = static_cast<T>(
        integer_of(name, static_cast<std::int64_t>(value), {least, most}, otherwise));
  }

  /// An enumerator by its word; `words` has them in the enumerators' order. `all`: what the words
  /// are, where a message should not list them.
  template <class E>
  void choice(std::string_view name, E& value, std::span<const std::string_view> words,
              std::optional<E> otherwise = {}, std::string_view all = {}) {
    const auto place =
        otherwise ? std::optional(static_cast<std::size_t>(*otherwise)) : std::nullopt;
    value = static_cast<E>(choice_of(name, static_cast<std::size_t>(value), words, place, all));
  }

  /// A value that has a text of its own: what `parse`, from a text to Expected<T>, takes back.
  /// Nothing is written where `text` is empty, and what is absent leaves `value` as it is.
  template <class T, class Parse>
  void parsed(std::string_view name, T& value, std::string text, const Parse& parse) {
    if (!reads()) {
      if (!text.empty()) put(name, std::move(text));
    } else if (find(name) != nullptr) {
      value = taken(name, parse(text_of(name)));
    }
  }

  /// A list of such values.
  template <class T, class Text, class Parse>
  void list(std::string_view name, std::vector<T>& values, const Text& text, const Parse& parse) {
    for (std::size_t i = 0; !reads() && i < values.size(); ++i)
      put(entry_name(name, i), text(values[i]));
    for (const auto& [key, found] : entries(name))
      values.push_back(taken(std::string(name) + " " + key, parse(found)));
  }

  /// A map of them, by names that follow the map's: "set width".
  template <class T, class Text, class Parse>
  void map(std::string_view name, std::map<std::string, T>& values, const Text& text,
           const Parse& parse) {
    if (!reads())
      for (const auto& [key, value] : values) put(std::string(name) + " " + key, text(value));
    for (const auto& [key, found] : entries(name))
      values.insert_or_assign(key, taken(std::string(name) + " " + key, parse(key, found)));
  }

  bool reads() const { return from_ != nullptr; }
  /// Those that were written.
  Facts take() { return std::move(written_); }

 private:
  const Fact* find(std::string_view name) const;
  /// Empty where there is no such fact, or no text.
  std::string text_of(std::string_view name) const;
  /// Names behind the list's, and texts; those alone that are read.
  std::vector<std::pair<std::string, std::string>> entries(std::string_view list) const;
  std::string entry_name(std::string_view list, std::size_t place) const;
  void put(std::string_view name, decltype(Fact::value) value) {
    written_.push_back({std::string(name), std::move(value)});
  }
  std::int64_t integer_of(std::string_view name, std::int64_t value,
                          std::pair<std::int64_t, std::int64_t> bounds,
                          std::optional<std::int64_t> otherwise);
  std::size_t choice_of(std::string_view name, std::size_t value,
                        std::span<const std::string_view> words,
                        std::optional<std::size_t> otherwise, std::string_view all);
  [[noreturn]] static void refuse(std::string_view name, std::string_view message);
  template <class T>
  static T taken(std::string_view name, Expected<T> parsed) {
    if (!parsed) refuse(name, parsed.error().message());
    return *std::move(parsed);
  }

  Lists lists_ = Lists::numbered;
  const Facts* from_ = nullptr;
  Facts written_;
};

/// A value as facts, and back; `fields` is its type's function. Error: bad_input.
template <class T>
Facts to_facts(T value, void (*fields)(FactFields&, T&),
               FactFields::Lists lists = FactFields::Lists::numbered) {
  FactFields writer(lists);
  fields(writer, value);
  return writer.take();
}
template <class T>
Expected<T> from_facts(const Facts& facts, void (*fields)(FactFields&, T&)) {
  try {
    FactFields reader(facts);
    T value{};
    fields(reader, value);
    return value;
  } catch (const Error& error) {
    return tl::unexpected(error);
  }
}

}  // namespace kiln
