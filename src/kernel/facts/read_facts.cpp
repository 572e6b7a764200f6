#include "kernel/facts/read_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/data/text.hpp"
#include "base/expected.hpp"
#include "kernel/facts/builtins.hpp"
#include "kernel/facts/syntax.hpp"

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

namespace facts {
namespace {

/// A kernel's facts, and where it stands.
struct Found {
  KernelFacts facts;
  std::string place;
};

bool is_same_parameter(const ParameterUse& a, const ParameterUse& b) {
  return a.is_pointer == b.is_pointer && a.is_global == b.is_global &&
         a.is_constant_space == b.is_constant_space && a.is_local == b.is_local;
}

/// What holds where either does: for a compiler whose answer is not known.
void merge(const Found& from, Found& into) {
  KernelFacts& to = into.facts;
  KernelFacts other = from.facts;
  const bool same = std::equal(to.parameters.begin(), to.parameters.end(), other.parameters.begin(),
                               other.parameters.end(), is_same_parameter);
  if (!same) {
    for (auto& use : to.parameters) use.layout = {};
    other.parameters = to.parameters;
  }
  add_worse(to, other);
  if (from.place != into.place)
    add_message(to.reasons, "the kernel has several definitions, of which the compiler chooses");
  if (!same) add_message(to.reasons, "the kernel's parameters depend on what the compiler defines");
}

/// One text with its options, in all its variants.
class FactsReader {
 public:
  FactsReader(std::string_view text, std::string_view options, const TargetMacros& target)
      : lexed_(lex(text)), macros_(macros_of(options)) {
    const auto words = words_of(options);
    for (std::size_t i = 0; i < words.size(); ++i) {
      look_at_option(words[i]);
      if (words[i] == "-U" && i + 1 < words.size()) options_.push_back("-U" + words[i + 1]);
    }
    for (const auto& [name, value] : macros_) {
      const Rule rule = rule_of(name);
      if (name.empty()) refuse("a macro of the command line has no name");
      if (rule == Rule::per_dimension || rule == Rule::linear)
        refuse(fmt::format("the options define a macro named {}, a built-in function", name));
      if (!name.empty()) options_.push_back(fmt::format("-D{}={}", name, value));
    }
    if (const auto why = beyond_bounds(lexed_))
      refuse(*why);
    else
      variants_ = variants_of(text, lexed_, macros_, target);
  }

  std::vector<KernelFacts> read(const std::vector<std::string>& kernels) {
    for (const Variant& variant : variants_.all) read_variant(variant, false);
    if (!is_read_ && !variants_.all.empty())  // each ends at an #error
      read_variant(variants_.all.front(), true);
    std::vector<KernelFacts> all;
    for (const auto& name : kernels.empty() ? order_ : kernels) all.push_back(finished(name));
    return all;
  }

 private:
  void refuse(std::string why) { add_message(reasons_, std::move(why)); }

  void look_at_option(const std::string& word) {
    if (changes_the_text(word)) {
      refuse(fmt::format("the build option {} may change what the source says", word));
      layouts_hold_ = false;
    } else if (word.starts_with("-cl-std=")) {
      static constexpr std::string_view known[] = {"CL1.0", "CL1.1", "CL1.2", "CL2.0", "CL3.0"};
      const std::string_view standard = std::string_view(word).substr(8);
      if (std::ranges::find(known, standard) == std::end(known))
        refuse(fmt::format("the build option {} is not known", word));
      else
        standards_ = {word};
    } else if (word == "-cl-fast-relaxed-math" || (word.starts_with("-U") && word.size() > 2)) {
      options_.push_back(word);
    }
  }

  /// A program in one version of the language, with what is wrong with it.
  struct Reading {
    std::optional<Syntax> syntax;  ///< none: it ends at an #error
    std::vector<std::string> problems;
    bool can_be_followed = false;
  };
  Reading read_as(const std::string& standard, const Variant& variant, bool even_if_impossible,
                  const std::vector<std::string>& more = {}) {
    std::vector<std::string> options = options_;
    options.insert(options.end(), more.begin(), more.end());
    options.push_back(standard);
    auto plain = expand_macros(variant, lexed_, options);
    if (plain.impossible && !even_if_impossible) return {};
    if (plain.impossible) plain.problems.push_back(*plain.impossible);
    Reading made{read_syntax(std::move(plain), standard), {}, false};
    for (const auto* list : {&made.syntax->problems, &made.syntax->errors})
      for (const Problem& one : *list)
        add_message(made.problems, made.syntax->place(one.at) + ": " + one.what);
    made.can_be_followed = made.problems.empty();
    return made;
  }

  /// Where the text lacks only names that the command line may define: what else it says (for kiln
  /// init), under the same problems.
  void follow_with_names(Reading& made, const Variant& variant, bool even_if_impossible) {
    constexpr std::string_view start = "clang: use of undeclared identifier '";
    std::set<std::string> definitions;
    for (const Problem& one : made.syntax->errors)
      if (one.what.starts_with(start))
        definitions.insert(
            "-D" + one.what.substr(start.size(), one.what.find('\'', start.size()) - start.size()) +
            "=1");
    if (definitions.empty()) return;
    auto again = read_as(standards_.front(), variant, even_if_impossible,
                         {definitions.begin(), definitions.end()});
    if (!again.can_be_followed) return;
    made.syntax = std::move(again.syntax);
    made.can_be_followed = true;
  }

  void read_variant(const Variant& variant, bool even_if_impossible) {
    auto made = read_as(standards_.front(), variant, even_if_impossible);
    if (made.syntax && !made.can_be_followed && standards_.size() > 1) {
      auto later = read_as(standards_.back(), variant, even_if_impossible);
      if (later.can_be_followed) made = std::move(later);
    }
    if (!made.syntax) return;
    if (!made.can_be_followed) follow_with_names(made, variant, even_if_impossible);
    const Syntax& syntax = *made.syntax;
    is_read_ = true;
    for (const auto& problem : made.problems) add_message(problems_, problem);
    for (std::size_t i = 0; i < syntax.functions.size(); ++i) {
      if (!syntax.functions[i].is_kernel) continue;
      Found found = look_at(made, i);
      const std::string name = found.facts.name;
      const auto known = found_.find(name);
      if (known == found_.end()) {
        order_.push_back(name);
        found_.emplace(name, std::move(found));
      } else {
        merge(found, known->second);
      }
    }
  }

  Found look_at(const Reading& reading, std::size_t kernel) const {
    const Syntax& syntax = *reading.syntax;
    const Function& function = syntax.functions[kernel];
    Found found;
    found.place = syntax.place(function.name_at);
    KernelFacts& facts = found.facts;
    facts.name = function.name;
    facts.found = true;
    facts.parameters = parameters_of(syntax, function);
    facts.required_local_size = function.required_local_size;
    for (const auto& problem : reading.problems) add_message(facts.reasons, problem);
    check_rules(syntax, kernel, facts);
    if (reading.can_be_followed && !variants_.are_too_many)
      check_flow(syntax, kernel, facts);
    else
      assume_the_worst(syntax, kernel, facts);
    return found;
  }

  KernelFacts finished(const std::string& name) const {
    KernelFacts facts;
    if (const auto known = found_.find(name); known != found_.end()) {
      facts = known->second.facts;
    } else {
      facts.name = name;
      facts.reasons.push_back("no kernel named " + name + " is in the source");
      for (const auto& problem : problems_) add_message(facts.reasons, problem);
    }
    for (const auto& reason : reasons_) add_message(facts.reasons, reason);
    if (variants_.are_too_many)
      add_message(facts.reasons,
                  "more of its conditionals depend on what the compiler defines than Kiln follows");
    // They quote the source, which may hold anything.
    for (auto& reason : facts.reasons) reason = one_line(reason);
    for (auto& suspicion : facts.suspicions) suspicion = one_line(suspicion);
    facts.splittable = facts.reasons.empty();
    facts.suspicious = !facts.suspicions.empty();
    for (auto& use : facts.parameters)
      if (!layouts_hold_ || variants_.are_too_many) use.layout = {};
    return facts;
  }

  Lexed lexed_;
  Macros macros_;
  std::vector<std::string> options_;  ///< clang's
  /// Where options do not say, it is the last version 1 (clBuildProgram); a driver that takes a
  /// text which is none takes it as version 2.
  std::vector<std::string> standards_ = {"-cl-std=CL1.2", "-cl-std=CL2.0"};
  Variants variants_;
  std::vector<std::string> reasons_, problems_;
  bool layouts_hold_ = true;
  bool is_read_ = false;  ///< some variant
  std::map<std::string, Found> found_;
  std::vector<std::string> order_;
};

}  // namespace
}  // namespace facts

Expected<std::vector<KernelFacts>> read_kernel_facts(std::string_view text,
                                                     std::string_view options,
                                                     const std::vector<std::string>& kernels,
                                                     const TargetMacros& target) {
  return expected_from([&] { return facts::FactsReader(text, options, target).read(kernels); });
}

}  // namespace kiln
