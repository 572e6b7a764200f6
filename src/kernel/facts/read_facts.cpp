#include "kernel/facts/read_facts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernel/facts/safety.hpp"
#include "kernel/source/program.hpp"

namespace kiln {
namespace {

/// The words of build options: blanks separate them, quotes keep them together.
std::vector<std::string> words_of(std::string_view options) {
  std::vector<std::string> words;
  char quote = 0;
  bool within = false;
  for (const char c : options) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (quote == 0 && blank) {
      within = false;
      continue;
    }
    if (!within) words.emplace_back();
    within = true;
    if (quote == 0 && (c == '"' || c == '\''))
      quote = c;
    else if (c == quote)
      quote = 0;
    else
      words.back() += c;
  }
  return words;
}

/// Options after which the compiler does not read the text that Kiln reads.
bool changes_the_text(std::string_view word) {
  for (const std::string_view option : {"-cl-std=CLC++", "-include", "-imacros", "-x", "-Xclang",
                                        "-fmacro", "-trigraphs", "-ftrigraphs", "@"})
    if (word.starts_with(option)) return true;
  return false;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> macros_of(std::string_view options) {
  std::vector<std::pair<std::string, std::string>> macros;
  const auto words = words_of(options);
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string_view word = words[i];
    const bool defines = word.starts_with("-D");
    if (!defines && !word.starts_with("-U")) continue;
    word.remove_prefix(2);
    if (word.empty() && i + 1 < words.size()) word = words[++i];  // "-D NAME=1"
    const auto equals = word.find('=');
    const std::string name(word.substr(0, equals));
    if (defines)
      macros.emplace_back(
          name, equals == std::string_view::npos ? "1" : std::string(word.substr(equals + 1)));
    else
      std::erase_if(macros, [&](const auto& macro) { return macro.first == name; });
  }
  return macros;
}

Expected<std::vector<KernelFacts>> read_kernel_facts(std::string_view text,
                                                     std::string_view options,
                                                     const std::vector<std::string>& kernels,
                                                     const TargetMacros&) {
  const auto macros = macros_of(options);
  std::vector<std::string> names = kernels;
  if (names.empty()) {
    const Preprocessed source = preprocess(text, macros);
    for (const auto& function : parse_program(source).functions) {
      const std::string name(source.symbols.name(function.name));
      if (function.is_kernel && std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
    }
  }
  std::vector<KernelFacts> all;
  for (const auto& name : names) {
    KernelFacts& facts = all.emplace_back(analyse_split(text, name, macros));
    facts.name = name;
    for (const auto& word : words_of(options)) {
      if (!changes_the_text(word)) continue;
      facts.reasons.push_back(
          fmt::format("the build option {} may change what the source says", word));
      facts.splittable = false;
      for (auto& parameter : facts.parameters) parameter.layout = {};
    }
  }
  return all;
}

}  // namespace kiln
