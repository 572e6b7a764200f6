// How `kiln` becomes kiln-mesh: where that program is, and the words that it gets.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "cli/command/context.hpp"
#include "cli/mesh/commands.hpp"
#include "cli/output/output.hpp"
#include "kernel/apart/helper.hpp"

namespace kiln::cli {
namespace {

namespace fs = std::filesystem;

fs::path find_program() {
  const char* named = std::getenv("KILN_MESH_PROGRAM");
  return named != nullptr ? fs::path(named) : find_helper("kiln-mesh");
}

void add_option(const Context& context, const Option& option, std::vector<std::string>& words) {
  if (context.origin(option.name).from == Origin::From::fallback || option.name == "config") return;
  if (option.kind == Kind::flag)
    words.push_back(fmt::format("--{}{}", context.flag(option.name) ? "" : "no-", option.name));
  else
    for (const std::string& value : option.repeat == Repeat::yes
                                        ? context.list(option.name)
                                        : std::vector{context.text(option.name)})
      words.push_back(fmt::format("--{}={}", option.name, value));
}

/// All options that were given, on the command line, in the environment or in the config file, as
/// words. The config file is not read again: it may name sub-commands that the other program does
/// not know.
std::vector<std::string> program_words_of(const Context& context) {
  std::vector<std::string> words;
  const std::string_view name = context.command().name;
  const auto blank = name.find(' ');
  words.emplace_back(name.substr(0, blank));
  if (blank != name.npos) words.emplace_back(name.substr(blank + 1));
  for (const auto list : {context.command().options, common_options()})
    for (const Option& option : list) add_option(context, option, words);
  words.emplace_back("--config=off");
  words.emplace_back("--");
  words.insert(words.end(), context.arguments().begin(), context.arguments().end());
  return words;
}

}  // namespace

int run_mesh_program(Context& context) {
  const fs::path program = find_program();
  std::vector<std::string> words = program_words_of(context);
  std::string own_name = program.string();
  std::vector<char*> pointers{own_name.data()};
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  flush_output();
  join_results();
  if (!program.empty()) ::execv(program.c_str(), pointers.data());
  throw Error(Errc::unsupported,
              program.empty()
                  ? "missing program kiln-mesh, expected it next to kiln or in libexec/kiln"
                  : fmt::format("cannot start {}: {}", program.string(), std::strerror(errno)));
}

}  // namespace kiln::cli
