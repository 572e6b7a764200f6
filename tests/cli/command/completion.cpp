#include <gmock/gmock.h>

#include <sstream>

#include "cli/command/help.hpp"
#include "cli/command_process.hpp"

namespace {

using kiln::ProcessResult;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

using Words = std::vector<std::string>;

class Completion : public kiln::testing::CommandTest {
 protected:
  Words lines_of(const ProcessResult& result) {
    EXPECT_EQ(result.errors, "");
    Words lines;
    std::istringstream text(result.output);
    for (std::string line; std::getline(text, line);)
      if (!line.empty()) lines.push_back(line.substr(0, line.find('\t')));
    return lines;
  }

  /// What bash offers for these words, the last of which is being typed. Bash itself has split
  /// them at = before.
  Words bash_offers(const Words& words) {
    std::string script = "source <($KILN completion bash); COMP_WORDS=(";
    for (const auto& word : words) script += " '" + word + "'";
    script += "); COMP_CWORD=" + std::to_string(words.size() - 1) +
              "; _kiln kiln; printf '%s\\n' \"${COMPREPLY[@]}\"";
    return lines_of(bash(script));
  }

  /// What fish offers for a command line.
  Words fish_offers(const std::string& line) {
    return lines_of(
        bash("$KILN completion fish > kiln.fish; fish --no-config -c \"source kiln.fish; "
             "complete -C '" +
             line + "'\""));
  }
};

TEST_F(Completion, bash_offers_commands) {
  EXPECT_THAT(bash_offers({"kiln", "co"}), UnorderedElementsAre("config", "completion"));
  EXPECT_THAT(bash_offers({"kiln", ""}), Contains("--version"));
  EXPECT_THAT(bash_offers({"kiln", ""}), Not(Contains("man")));
  EXPECT_THAT(bash_offers({"kiln", "help", "ch"}), ElementsAre("check"));
}

TEST_F(Completion, bash_offers_options_and_their_values) {
  EXPECT_THAT(bash_offers({"kiln", "check", "--di"}), ElementsAre("--dialect"));
  EXPECT_THAT(bash_offers({"kiln", "check", "--dialect", ""}),
              ElementsAre("auto", "base", "concurrent"));
  EXPECT_THAT(bash_offers({"kiln", "check", "--dialect", "=", "b"}), ElementsAre("base"));
  EXPECT_THAT(bash_offers({"kiln", "check", "--dialect", "="}),
              ElementsAre("auto", "base", "concurrent"));
  EXPECT_THAT(bash_offers({"kiln", "completion", "z"}), ElementsAre("zsh"));
}

TEST_F(Completion, bash_offers_files_with_blanks_in_their_names) {
  write("my spec.json", "{}");
  EXPECT_THAT(bash_offers({"kiln", "check", "my"}), ElementsAre("my spec.json"));
  EXPECT_THAT(bash_offers({"kiln", "check", "--json", "my"}), ElementsAre("my spec.json"));
  EXPECT_THAT(bash_offers({"kiln", "check", "--config", "my"}), ElementsAre("my spec.json"));
}

TEST_F(Completion, bash_offers_nothing_for_free_text) {
  write("a=1", "");
  EXPECT_THAT(bash_offers({"kiln", "check", "--set", "a"}), ElementsAre());
  EXPECT_THAT(bash_offers({"kiln", "nothing", "a"}), ElementsAre());
}

// Bash splits `--in 0=in` into --in 0 = in; fish gives the whole word.
TEST_F(Completion, the_file_of_a_file_assignment_is_completed) {
  if (kiln::cli::find_command("run") == nullptr) GTEST_SKIP() << "this build has no kiln run";
  write("in.npy", "");
  EXPECT_THAT(bash_offers({"kiln", "run", "--in", "0", "=", "in"}), ElementsAre("in.npy"));
  EXPECT_THAT(bash_offers({"kiln", "run", "--in", "=", "0", "=", "in"}), ElementsAre("in.npy"));
  EXPECT_THAT(bash_offers({"kiln", "run", "--set", "n", "=", "in"}), ElementsAre());
  if (find_program("fish").empty()) return;
  EXPECT_THAT(fish_offers("kiln run --in 0=in"), ElementsAre("0=in.npy"));
}

TEST_F(Completion, bash_registers_itself) {
  const auto result = bash("source <($KILN completion bash); complete -p kiln");
  EXPECT_EQ(result.output, "complete -F _kiln kiln\n");
}

TEST_F(Completion, fish_offers_commands_options_and_values) {
  if (find_program("fish").empty()) GTEST_SKIP() << "fish is not installed";
  write("my.json", "{}");
  EXPECT_THAT(fish_offers("kiln co"), UnorderedElementsAre("config", "completion"));
  EXPECT_THAT(fish_offers("kiln check --di"), ElementsAre("--dialect"));
  EXPECT_THAT(fish_offers("kiln check --dialect "),
              UnorderedElementsAre("auto", "base", "concurrent"));
  EXPECT_THAT(fish_offers("kiln check my"), ElementsAre("my.json"));
  EXPECT_THAT(fish_offers("kiln completion z"), ElementsAre("zsh"));
  EXPECT_THAT(fish_offers("kiln config --di"), ElementsAre());
}

TEST_F(Completion, zsh_reads_its_script) {
  if (find_program("zsh").empty()) GTEST_SKIP() << "zsh is not installed";
  const auto result = bash(
      "$KILN completion zsh > _kiln; zsh -n _kiln && zsh -f -c 'fpath=($PWD $fpath); autoload -Uz "
      "compinit; compinit -D -u; whence -w _kiln; print -r -- $_comps[kiln]'");
  EXPECT_EQ(result.output, "_kiln: function\n_kiln\n") << result.errors;
}

TEST_F(Completion, other_shells_are_refused) {
  kiln::testing::expect_refusal(kiln({"completion", "csh"}), 2, "expected one of bash, zsh, fish");
  kiln::testing::expect_refusal(kiln({"completion"}), 2, "missing SHELL");
}

TEST(CompletionText, descriptions_are_first_sentences) {
  EXPECT_EQ(kiln::cli::first_sentence("One. Two."), "One");
  EXPECT_EQ(kiln::cli::first_sentence("Reads a .npy file."), "Reads a .npy file");
  EXPECT_EQ(kiln::cli::first_sentence(""), "");
}

}  // namespace
