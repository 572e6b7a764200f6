#include "spec/json_tree.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "spec/trailing_commas.hpp"

namespace kiln::spec {
namespace {

// Deep enough for every file with a purpose, and shallow enough that freeing the tree, which
// recurses, cannot exhaust a stack.
constexpr std::size_t deepest = 64;
// The largest published file has some hundred values; one takes 130 bytes of memory.
constexpr std::size_t most_values = 1'000'000;

/// Reads characters and tells a shared cursor how far it came: the parser reports no positions of
/// its own, but after each event the cursor stands behind the token that caused it.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, const char** cursor) : at_(at), cursor_(cursor) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    *cursor_ = ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  const char** cursor_;
};

/// "… at line 1, column 5: syntax error while parsing value - unexpected '}'; expected '['"
/// without its beginning: places and wording are ours.
std::string reason_of(std::string_view what) {
  if (const auto start = what.find("] "); start != what.npos) what.remove_prefix(start + 2);
  if (const auto start = what.find(" - "); start != what.npos) {
    what.remove_prefix(start + 3);
  } else if (const auto colon = what.find(": "); colon != what.npos) {
    what.remove_prefix(colon + 2);
  }
  return std::string(what.substr(0, 200));
}

/// Receives the parser's events and builds the tree. The parser keeps its own stack on the heap, so
/// hostile nesting costs it nothing; the depth is bounded here, where the tree is made.
class TreeBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  TreeBuilder(std::string_view text, const char** cursor, JsonDocument& document)
      : text_(text), cursor_(cursor), document_(document) {}

  bool null() override { return place({}); }
  bool boolean(bool value) override {
    return place({.kind = Json::Kind::boolean, .boolean = value});
  }
  bool number_integer(std::int64_t value) override {
    return place({.kind = Json::Kind::integer, .integer = value});
  }
  // The expression language has signed 64-bit integers: what lies above keeps its digits, so that
  // a message can show them and no reader takes a rounded number for the one in the file.
  bool number_unsigned(std::uint64_t value) override {
    if (value > INT64_MAX) {
      return place({.kind = Json::Kind::real,
                    .real = static_cast<double>(value),
                    .text = std::to_string(value)});
    }
    return number_integer(static_cast<std::int64_t>(value));
  }
  bool number_float(double value, const std::string& digits) override {
    return place({.kind = Json::Kind::real, .real = value, .text = digits});
  }
  bool string(std::string& value) override {
    return place({.kind = Json::Kind::string, .text = std::move(value)});
  }
  bool binary(nlohmann::json::binary_t&) override { return false; }  // no JSON text has one
  bool start_object(std::size_t) override { return open(Json::Kind::object); }
  bool start_array(std::size_t) override { return open(Json::Kind::list); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  // The value is put in when it arrives; until then the member holds null.
  bool key(std::string& name) override {
    open_.back().members.push_back({std::move(name), token_start(), {}});
    end_ = position();
    return true;
  }

  // Called once, for the first fault; returning false ends the parse.
  bool parse_error(std::size_t byte, const std::string&,
                   const nlohmann::detail::exception& error) override {
    document_.error = {byte == 0 ? 0 : std::min(byte, text_.size() + 1) - 1,
                       reason_of(error.what())};
    return false;
  }

 private:
  std::size_t position() const { return static_cast<std::size_t>(*cursor_ - text_.data()); }

  /// The current token begins at the first character after the last one that separates nothing.
  std::size_t token_start() const {
    const auto at = text_.find_first_not_of(" \t\r\n,:\xEF\xBB\xBF", end_);
    return at == text_.npos ? text_.size() : at;
  }

  bool place(Json value) {
    value.at = token_start();
    end_ = position();
    if (!count(value.at)) return false;
    attach(std::move(value));
    return true;
  }

  bool count(std::size_t at) {
    if (++values_ <= most_values) return true;
    document_.error = {
        at, "found more than " + std::to_string(most_values) + " values, expected some hundred"};
    return false;
  }

  /// Hands a finished value to the container around it, or makes it the root.
  void attach(Json value) {
    if (open_.empty()) {
      document_.root = std::move(value);
    } else if (open_.back().kind == Json::Kind::list) {
      open_.back().items.push_back(std::move(value));
    } else {
      open_.back().members.back().value = std::move(value);
    }
  }

  bool open(Json::Kind kind) {
    open_.push_back({.kind = kind, .at = token_start()});
    end_ = position();
    if (!count(open_.back().at)) return false;
    if (open_.size() <= deepest) return true;
    document_.error = {open_.back().at, "found values nested deeper than " +
                                            std::to_string(deepest) + ", expected a few levels"};
    return false;
  }

  bool close() {
    end_ = position();
    Json value = std::move(open_.back());
    open_.pop_back();
    warn_of_duplicates(value);
    attach(std::move(value));
    return true;
  }

  /// Sorted, because a quadratic search would let a large object keep the machine busy.
  void warn_of_duplicates(const Json& object) {
    std::vector<const JsonMember*> sorted;
    for (const auto& member : object.members) sorted.push_back(&member);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto* a, const auto* b) { return a->key < b->key; });
    for (std::size_t i = 1; i < sorted.size(); ++i) {
      if (sorted[i]->key != sorted[i - 1]->key) continue;
      document_.warnings.push_back(
          {sorted[i]->at, "found the key " + quote(sorted[i]->key) +
                              " again, expected each key once: the last one counts"});
    }
  }

  std::string_view text_;
  const char** cursor_;
  JsonDocument& document_;
  std::vector<Json> open_;  // the containers around the current token
  std::size_t end_ = 0;     // behind the last token
  std::size_t values_ = 0;
};

}  // namespace

const JsonMember* Json::find(std::string_view key) const {
  const auto last = std::find_if(members.rbegin(), members.rend(),
                                 [&](const JsonMember& member) { return member.key == key; });
  return last == members.rend() ? nullptr : &*last;
}

JsonDocument parse_json(std::string_view text) {
  JsonDocument document;
  // Blanks take the place of the commas, so that every position stays the file's.
  const std::string strict = without_trailing_commas(text, document.warnings);
  const char* cursor = strict.data();
  TreeBuilder builder(strict, &cursor, document);
  const bool whole =
      nlohmann::json::sax_parse(CountingIterator(strict.data(), &cursor),
                                CountingIterator(strict.data() + strict.size(), &cursor), &builder);
  if (!whole) document.root.reset();
  return document;
}

}  // namespace kiln::spec
