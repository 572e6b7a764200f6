#include "kernel/source/expand.hpp"

#include <algorithm>
#include <climits>

namespace kiln {

namespace {

/// What is written by habit of C, where OpenCL C has it built in or not at all.
std::string_view habit(std::string_view name) {
  if (name == "math.h" || name == "tgmath.h") return "; math functions need no #include";
  for (const std::string_view header : {"stdio.h", "stdlib.h", "string.h", "stdint.h", "stddef.h",
                                        "stdbool.h", "float.h", "limits.h", "assert.h"})
    if (name == header) return "; OpenCL C has no headers of C's library";
  return {};
}

}  // namespace

/// Where an #include stands.
struct IncludeExpander::Place {
  const SourceFile& file;
  const Token& directive;
  const Token* operands;  ///< directive.extent of them
  std::string shown;      ///< "a.cl:12", for messages
  bool conditional;       ///< within an #if that is no include guard, here or further out
};

Expected<std::string> IncludeExpander::expand(const SourceFile& main) {
  out_.reserve(main.text.size() + main.text.size() / 4 + 64);
  if (main.pragma_once) done_once_.insert(&main);
  stack_.push_back({&main, main.name});
  if (auto done = expand_file(main, main.name, false); !done)
    return tl::unexpected(std::move(done).error());
  return std::move(out_);
}

void IncludeExpander::end_line() {
  if (!out_.empty() && out_.back() != '\n') out_ += '\n';
}

void IncludeExpander::line_directive(std::size_t line, const std::string& name) {
  end_line();
  out_ += "#line " + std::to_string(line) + " \"";
  for (const char c : name) {
    if (c == '"' || c == '\\') out_ += '\\';
    out_ += c;
  }
  out_ += "\"\n";
}

Expected<void> IncludeExpander::expand_file(const SourceFile& file, const std::string& name,
                                            bool conditional) {
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
    const bool includes = token.text == "include" || token.text == "include_next" ||
                          token.text == "import" || token.text == "embed";
    if (!once && !includes) continue;

    copy(text.substr(copied, token.begin - copied));
    copied = token.end;
    if (out_.size() > SourceFiles::max_bytes)
      return fail(Errc::bad_input,
                  stack_.front().name + ": expands to more than 16 MiB with its includes");
    if (once) {  // all is one file now, where the driver would warn; its lines stay
      out_.append(static_cast<std::size_t>(
                      std::count(text.begin() + token.begin, text.begin() + token.end, '\n')),
                  '\n');
      continue;
    }
    // A #line of the user's own renames what follows it.
    const std::string& file_now = token.file == 0 ? name : file.lexed.files[token.file];
    const Place place{file, token, tokens.data() + i + 1,
                      file_now + ":" + std::to_string(token.line),
                      conditional || depth > guard_depth};
    const std::size_t before = out_.size();
    if (auto done = include(place); !done) return done;
    const auto lines = static_cast<std::size_t>(
        std::count(text.begin() + token.begin, text.begin() + token.end, '\n'));
    if (out_.size() != before && out_.back() == '\n') {
      line_directive(token.line + lines + 1, file_now);
      copied = std::min(copied + 1, text.size());  // its newline stands before the #line already
    } else {
      out_.append(out_.size() == before ? lines : 0, '\n');
    }
  }
  copy(text.substr(copied));
  end_line();
  if (out_.size() > SourceFiles::max_bytes)
    return fail(Errc::bad_input,
                stack_.front().name + ": expands to more than 16 MiB with its includes");
  return {};
}

/// Writes the included text, ending with a newline; or the directive as it is, without one; or
/// nothing.
Expected<void> IncludeExpander::include(const Place& place) {
  const std::string directive(place.directive.text);
  if (directive != "include" || place.directive.extent != 1 ||
      place.operands[0].kind != TokenKind::header)
    return fail(Errc::bad_input,
                place.shown + ": this #" + directive +
                    " cannot be tracked: #include \"file\" or #include <file> was expected");
  const std::string_view operand = place.operands[0].text;
  if (operand.size() > PATH_MAX)
    return fail(Errc::bad_input, place.shown + ": this #include names a path of " +
                                     std::to_string(operand.size()) + " characters, expected at " +
                                     "most " + std::to_string(PATH_MAX));
  const std::string name(operand.substr(1, operand.size() - 2));
  const bool quoted = operand[0] == '"';
  const auto path = find(name, quoted, place.file.folder);
  if (!path) {
    if (place.conditional) {
      copy(std::string_view(place.file.text)
               .substr(place.directive.begin, place.directive.end - place.directive.begin));
      return {};
    }
    const auto& own = place.file.folder;
    std::string searched = quoted ? own.string() : "";
    for (const auto& folder : folders_)
      if (!quoted || folder != own) searched += (searched.empty() ? "" : ", ") + folder.string();
    return fail(Errc::not_found,
                place.shown + ": no file " + std::string(operand) + " for this #include; " +
                    (searched.empty() ? "no folder to search was given" : "searched " + searched) +
                    std::string(habit(name)));
  }
  const std::filesystem::path written(name);
  const std::string shown = written.is_absolute() ? written.filename().string() : name;
  const auto file = files_.open(*path, shown);
  if (!file) return fail(file.error().code(), place.shown + ": " + file.error().message());
  return insert(**file, shown, place);
}

Expected<void> IncludeExpander::insert(const SourceFile& file, const std::string& name,
                                       const Place& place) {
  const bool recursive = std::any_of(stack_.begin(), stack_.end(),
                                     [&](const Level& level) { return level.file == &file; });
  if (recursive && (file.has_guard || file.pragma_once)) return {};
  if (recursive) {
    std::string chain;
    for (const Level& level : stack_) chain += level.name + " > ";
    return fail(Errc::bad_input, place.shown + ": recursive include of \"" + name +
                                     "\", which has no include guard (" + chain + name + ")");
  }
  if (stack_.size() >= max_depth)
    return fail(Errc::bad_input, place.shown + ": #include within #include more than " +
                                     std::to_string(max_depth) + " levels deep");
  if (done_once_.contains(&file)) return {};

  // Whether a conditional #include takes place is the compiler's to know, and so is then whether a
  // later one of a #pragma once file comes second: a guard of our own lets it decide.
  const bool guard = file.pragma_once && (place.conditional || guarded_once_.contains(&file));
  if (file.pragma_once) (place.conditional ? guarded_once_ : done_once_).insert(&file);
  if (guard) {
    const std::string macro = "kiln_once_" + std::to_string(file.number);
    end_line();
    out_ += "#ifndef " + macro + "\n#define " + macro + "\n";
  }
  stack_.push_back({&file, name});
  if (auto done = expand_file(file, name, place.conditional); !done) return done;
  stack_.pop_back();
  if (guard) out_ += "#endif\n";
  return {};
}

std::optional<std::filesystem::path> IncludeExpander::find(const std::string& name, bool quoted,
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

}  // namespace kiln
