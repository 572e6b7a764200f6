#include "kernel/source/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <climits>
#include <fstream>
#include <map>
#include <optional>
#include <set>

#include "base/expected.hpp"
#include "base/os/file.hpp"
#include "kernel/source/lexer.hpp"

namespace kiln {
namespace {

constexpr std::uint64_t max_bytes = 16u << 20;
constexpr std::size_t max_depth = 64;

/// One file as read: its text (newlines \n, no byte order mark) and what the expander asks of it.
struct SourceFile {
  std::string text, name;
  std::filesystem::path folder;  ///< where its own #include "…" look first; empty: nowhere
  Lexed lexed;                   ///< views into text
  std::size_t number = 0;        ///< in the order of reading
  bool pragma_once = false;
  bool has_guard = false;  ///< #ifndef X, #define X … #endif around all of it
};

/// Old and foreign line ends as \n: the driver sees the same lines, and the digest is the same.
void normalise(std::string& text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  if (text.find('\r') == text.npos) return;
  std::size_t to = 0;
  for (std::size_t from = 0; from < text.size(); ++from) {
    const bool pair = text[from] == '\r' && from + 1 < text.size() && text[from + 1] == '\n';
    if (!pair) text[to++] = text[from] == '\r' ? '\n' : text[from];
  }
  text.resize(to);
}

bool is_directive(const Token& token, std::string_view name) {
  return token.kind == TokenKind::directive && token.text == name;
}

/// X of `#ifndef X`, `#if !defined X` or `#if !defined(X)`; empty for anything else.
std::string_view guard_name(const std::vector<Token>& tokens) {
  const Token* operand = tokens.data() + 1;
  if (is_directive(tokens[0], "ifndef") && tokens[0].extent == 1) return operand[0].text;
  if (!is_directive(tokens[0], "if") || tokens[0].extent < 3) return {};
  if (operand[0].text != "!" || operand[1].text != "defined") return {};
  if (tokens[0].extent == 3) return operand[2].text;
  const bool bracketed = tokens[0].extent == 5 && operand[2].text == "(" && operand[4].text == ")";
  return bracketed ? operand[3].text : std::string_view{};
}

/// Whether the conditional at tokens[0] ends with the last token and has no other branch.
bool spans_file(const std::vector<Token>& tokens) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < tokens.size(); i += 1 + tokens[i].extent) {
    if (tokens[i].kind != TokenKind::directive) continue;
    if (tokens[i].text.starts_with("if")) ++depth;
    if (depth == 1 && tokens[i].text.starts_with("el")) return false;
    if (tokens[i].text == "endif" && depth > 0 && --depth == 0)
      return i + 1 + tokens[i].extent == tokens.size();
  }
  return false;
}

bool has_include_guard(const std::vector<Token>& tokens) {
  if (tokens.empty()) return false;
  const std::string_view name = guard_name(tokens);
  const std::size_t second = 1 + tokens[0].extent;
  return !name.empty() && second < tokens.size() && is_directive(tokens[second], "define") &&
         tokens[second].extent >= 1 && tokens[second + 1].text == name && spans_file(tokens);
}

bool has_pragma_once(const std::vector<Token>& tokens) {
  for (std::size_t i = 0; i < tokens.size(); i += 1 + tokens[i].extent)
    if (is_directive(tokens[i], "pragma") && tokens[i].extent == 1 && tokens[i + 1].text == "once")
      return true;
  return false;
}

/// What is written by habit of C, where OpenCL C has it built in or not at all.
std::string_view habit(std::string_view name) {
  if (name == "math.h" || name == "tgmath.h") return "; math functions need no #include";
  for (const std::string_view header : {"stdio.h", "stdlib.h", "string.h", "stdint.h", "stddef.h",
                                        "stdbool.h", "float.h", "limits.h", "assert.h"})
    if (name == header) return "; OpenCL C has no headers of C's library";
  return {};
}

/// Replaces #include directives by the files' text. Each file is read once and found again by its
/// canonical path. One object expands one program. Not thread-safe.
class IncludeExpander {
 public:
  explicit IncludeExpander(const std::vector<std::filesystem::path>& folders) : folders_(folders) {}

  /// A file, whose name for people is `name`. It lives as long as this object.
  SourceFile& open(const std::filesystem::path& path, std::string name) {
    std::error_code error;
    const std::string key = std::filesystem::weakly_canonical(path, error).string();
    if (const auto known = by_path_.find(key); !error && known != by_path_.end())
      return *known->second;
    return hold_file(path, std::move(name), value_or_throw(read_text(path, max_bytes)));
  }

  /// A file that was read.
  SourceFile& hold_file(const std::filesystem::path& path, std::string name, std::string text) {
    std::error_code error;
    const std::string key = std::filesystem::weakly_canonical(path, error).string();
    const auto folder = folder_of_input(path);
    return hold(std::move(text), std::move(name), key,
                folder.empty() ? std::filesystem::path(".") : folder);
  }

  /// A text; no canonical path is `key`.
  SourceFile& hold(std::string text, std::string name, const std::string& key = " text",
                   std::filesystem::path folder = {}) {
    if (text.size() > max_bytes)
      throw Error(Errc::bad_input,
                  fmt::format("{} has {} bytes; at most 16 MiB were expected", name, text.size()));
    auto file = std::make_unique<SourceFile>();
    file->text = std::move(text);
    normalise(file->text);
    if (const std::size_t nul = file->text.find('\0'); nul != std::string::npos)
      throw Error(Errc::bad_input,
                  fmt::format("{}:{}: a NUL byte (byte {}); OpenCL C text was expected", name,
                              1 + newlines(std::string_view(file->text).substr(0, nul)), nul));
    file->name = std::move(name);
    file->lexed = lex(file->text, file->name);
    file->has_guard = has_include_guard(file->lexed.tokens);
    file->pragma_once = has_pragma_once(file->lexed.tokens);
    file->number = by_path_.size();
    file->folder = std::move(folder);
    return *(by_path_[key] = std::move(file));
  }

  /// The whole program, beginning with a #line directive. Call once.
  SourcePtr expand(const SourceFile& main) {
    out_.reserve(main.text.size() + main.text.size() / 4 + 64);
    if (main.pragma_once) done_once_.insert(&main);
    stack_.push_back({&main, main.name});
    expand_file(main, main.name, false);
    std::vector<std::filesystem::path> paths;
    for (const auto& [key, file] : by_path_)
      if (!key.starts_with(' ')) paths.emplace_back(key);
    return std::make_shared<const ExpandedSource>(std::move(out_), main.name, std::move(paths));
  }

 private:
  struct Level {
    const SourceFile* file;
    std::string name;  ///< as written by whoever includes it
  };
  /// Where an #include stands.
  struct Place {
    const SourceFile& file;
    const Token& directive;
    const Token* operands;  ///< directive.extent of them
    std::string shown;      ///< "a.cl:12", for messages
    bool conditional;       ///< within an #if that is no include guard, here or further out
  };

  static std::size_t newlines(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count(text, '\n'));
  }
  void end_line() {
    if (!out_.empty() && out_.back() != '\n') out_ += '\n';
  }
  void line_directive(std::size_t line, const std::string& name) {
    end_line();
    out_ += fmt::format("#line {} \"", line);
    for (const char c : name) {
      if (c == '"' || c == '\\') out_ += '\\';
      out_ += c;
    }
    out_ += "\"\n";
  }

  void expand_file(const SourceFile& file, const std::string& name, bool conditional) {
    line_directive(1, name);
    const std::vector<Token>& tokens = file.lexed.tokens;
    const std::string_view text = file.text;
    const std::size_t guard_depth = file.has_guard ? 1 : 0;
    std::size_t copied = 0, depth = 0;
    for (std::size_t i = 0; i < tokens.size(); i += 1 + tokens[i].extent) {
      const Token& token = tokens[i];
      if (token.kind != TokenKind::directive) continue;
      if (token.text == "if" || token.text == "ifdef" || token.text == "ifndef") ++depth;
      if (token.text == "endif" && depth > 0) --depth;
      const bool once = token.text == "pragma" && token.extent == 1 && tokens[i + 1].text == "once";
      const bool includes = is_inclusion(token);
      if (!once && !includes) continue;

      out_ += text.substr(copied, token.begin - copied);
      copied = token.end;
      check_size();
      const std::size_t lines = newlines(text.substr(token.begin, token.end - token.begin));
      if (once) {  // all is one file now, where the driver would warn; its lines stay
        out_.append(lines, '\n');
        continue;
      }
      // A #line of the user's own renames what follows it.
      const std::string& file_now = token.file == 0 ? name : file.lexed.files[token.file];
      const std::size_t before = out_.size();
      include({file, token, tokens.data() + i + 1, fmt::format("{}:{}", file_now, token.line),
               conditional || depth > guard_depth});
      if (out_.size() != before && out_.back() == '\n') {
        line_directive(token.line + lines + 1, file_now);
        copied = std::min(copied + 1, text.size());  // its newline stands before the #line already
      } else {
        out_.append(out_.size() == before ? lines : 0, '\n');
      }
    }
    out_ += text.substr(copied);
    end_line();
    check_size();
  }

  void check_size() const {
    if (out_.size() > max_bytes)
      throw Error(Errc::bad_input,
                  stack_.front().name + ": expands to more than 16 MiB with its includes");
  }

  /// Writes the included text, ending with a newline; or the directive as it is, without one; or
  /// nothing.
  void include(const Place& place) {
    const auto bad = [&](const std::string& what) {
      return Error(Errc::bad_input, place.shown + ": " + what);
    };
    if (place.directive.text != "include" || place.directive.extent != 1 ||
        place.operands[0].kind != TokenKind::header)
      throw bad(fmt::format(
          "this #{} cannot be tracked: #include \"file\" or #include <file> was expected",
          place.directive.text));
    const std::string_view operand = place.operands[0].text;
    if (operand.size() > PATH_MAX)
      throw bad(fmt::format("this #include names a path of {} characters, expected at most {}",
                            operand.size(), PATH_MAX));
    const std::string name(operand.substr(1, operand.size() - 2));
    const bool quoted = operand[0] == '"';
    const auto path = find(name, quoted, place.file.folder);
    if (!path) return not_found(place, operand, name, quoted);
    const std::filesystem::path written(name);
    const std::string shown = written.is_absolute() ? written.filename().string() : name;
    const auto file = expected_from([&] { return &open(*path, shown); });
    if (!file) throw Error(file.error().code(), place.shown + ": " + file.error().message());
    insert(**file, shown, place);
  }

  void not_found(const Place& place, std::string_view operand, const std::string& name,
                 bool quoted) {
    if (place.conditional) {
      out_ += std::string_view(place.file.text)
                  .substr(place.directive.begin, place.directive.end - place.directive.begin);
      return;
    }
    const auto& own = place.file.folder;
    std::string searched = quoted ? own.string() : "";
    for (const auto& folder : folders_)
      if (!quoted || folder != own) searched += (searched.empty() ? "" : ", ") + folder.string();
    throw Error(
        Errc::not_found,
        fmt::format("{}: no file {} for this #include; {}{}", place.shown, operand,
                    searched.empty() ? "no folder to search was given" : "searched " + searched,
                    habit(name)));
  }

  void insert(const SourceFile& file, const std::string& name, const Place& place) {
    const bool recursive =
        std::ranges::any_of(stack_, [&](const Level& level) { return level.file == &file; });
    if (recursive && (file.has_guard || file.pragma_once)) return;
    if (recursive) {
      std::string chain;
      for (const Level& level : stack_) chain += level.name + " > ";
      throw Error(Errc::bad_input,
                  fmt::format("{}: recursive include of \"{}\", which has no include guard ({}{})",
                              place.shown, name, chain, name));
    }
    if (stack_.size() >= max_depth)
      throw Error(Errc::bad_input,
                  fmt::format("{}: #include within #include more than {} levels deep", place.shown,
                              max_depth));
    if (done_once_.contains(&file)) return;

    // Whether a conditional #include takes place is the compiler's to know, and so is then whether
    // a later one of a #pragma once file comes second: a guard of our own lets it decide.
    const bool guard = file.pragma_once && (place.conditional || guarded_once_.contains(&file));
    if (file.pragma_once) (place.conditional ? guarded_once_ : done_once_).insert(&file);
    if (guard) {
      const std::string macro = "kiln_once_" + std::to_string(file.number);
      end_line();
      out_ += "#ifndef " + macro + "\n#define " + macro + "\n";
    }
    stack_.push_back({&file, name});
    expand_file(file, name, place.conditional);
    stack_.pop_back();
    if (guard) out_ += "#endif\n";
  }

  std::optional<std::filesystem::path> find(const std::string& name, bool quoted,
                                            const std::filesystem::path& own) const {
    const auto is_file = [](const std::filesystem::path& path) {
      std::error_code error;
      return std::filesystem::is_regular_file(path, error);
    };
    if (name.empty()) return std::nullopt;
    if (std::filesystem::path(name).is_absolute())
      return is_file(name) ? std::optional<std::filesystem::path>(name) : std::nullopt;
    if (quoted && !own.empty() && is_file(own / name)) return own / name;
    for (const auto& folder : folders_)
      if (is_file(folder / name)) return folder / name;
    return std::nullopt;
  }

  const std::vector<std::filesystem::path>& folders_;
  std::map<std::string, std::unique_ptr<SourceFile>> by_path_;
  std::vector<Level> stack_;
  std::set<const SourceFile*> done_once_;     ///< #pragma once, and included for certain
  std::set<const SourceFile*> guarded_once_;  ///< #pragma once, and included under a condition
  std::string out_;
};

}  // namespace

ExpandedSource::ExpandedSource(std::string text, std::string name,
                               std::vector<std::filesystem::path> files)
    : text_(std::move(text)),
      name_(std::move(name)),
      files_(std::move(files)),
      digest_(blake2b(as_bytes(text_))) {}

ExpandedSource::ExpandedSource(ByteView bytes, spirv::Module module, std::string name,
                               std::vector<std::filesystem::path> files)
    : ExpandedSource(std::string(as_text(bytes)), std::move(name), std::move(files)) {
  module_ = std::make_shared<const spirv::Module>(std::move(module));
}

namespace {

bool is_named_module(const std::filesystem::path& file) { return file.extension() == ".spv"; }

}  // namespace

bool is_module_file(const std::filesystem::path& file) {
  if (is_named_module(file)) return true;
  std::array<char, 4> begin{};
  std::ifstream stream(file, std::ios::binary);
  if (!stream.read(begin.data(), begin.size())) return false;
  return spirv::is_module(as_bytes(std::string_view(begin.data(), begin.size())));
}

Expected<SourcePtr> load_source(const std::filesystem::path& path,
                                const std::vector<std::filesystem::path>& include_folders) {
  return expected_from([&] {
    auto content = value_or_throw(read_text(path, max_bytes));
    std::string name = path.filename().string();
    // A damaged module is no OpenCL C.
    if (is_named_module(path) || spirv::is_module(as_bytes(content))) {
      std::error_code error;
      return value_or_throw(
          from_module(as_bytes(content), name, {std::filesystem::weakly_canonical(path, error)}));
    }
    IncludeExpander expander(include_folders);
    return expander.expand(expander.hold_file(path, std::move(name), std::move(content)));
  });
}

Expected<SourcePtr> from_module(ByteView bytes, const std::string& name,
                                std::vector<std::filesystem::path> files) {
  auto module = spirv::parse(bytes);
  if (!module)
    return fail(module.error().code(), fmt::format("{}: {}", name, module.error().message()));
  return std::make_shared<const ExpandedSource>(spirv::little_endian(bytes), *std::move(module),
                                                name, std::move(files));
}

Expected<SourcePtr> from_text(std::string text, std::string name,
                              const std::vector<std::filesystem::path>& include_folders) {
  return expected_from([&] {
    IncludeExpander expander(include_folders);
    const std::filesystem::path written(name);
    return expander.expand(
        expander.hold(std::move(text), written.is_absolute() ? written.filename().string() : name));
  });
}

}  // namespace kiln
