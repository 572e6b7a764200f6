#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/source/lexer.hpp"

namespace kiln {

/// Something that keeps an analysis from knowing all the tokens that a compiler would see.
struct Obstacle {
  enum class Kind {
    unseen_include,     ///< an #include that is still in the text
    unbalanced_branch,  ///< a branch that may or may not be compiled opens a bracket and leaves it
    malformed,          ///< a directive or macro call that is no valid C, or too much text
  };
  Kind kind;
  std::uint32_t line;
  std::uint16_t file;
  std::string what;
};

/// A program after preprocessing, as far as can be known without the compiler: text of conditionals
/// that are decided against is gone, and where nothing decides them, all their branches are there.
struct Preprocessed {
  Symbols symbols;
  std::vector<std::string> files;
  std::vector<Token> tokens;           ///< macros expanded; none of kind directive
  std::vector<Token> alternatives;     ///< what tokens marked undecided may stand for
  std::vector<std::uint32_t> defined;  ///< every macro name that the text defines
  std::vector<Obstacle> obstacles;
  std::vector<Word> words;  ///< of each symbol
  bool packs = false;       ///< a #pragma pack may change how structures are laid out

  /// A token's word; Word::name for tokens that are no identifiers.
  Word word(const Token& token) const {
    return token.kind == TokenKind::identifier ? words[token.code] : Word::name;
  }
};

/// Preprocesses an expanded text (Source::text) with the macros of the command line (name, value).
/// Never fails; what it cannot do it says in `obstacles`. Holds views into `text`. O(bytes), and
/// bounded where macros multiply.
Preprocessed preprocess(std::string_view text,
                        const std::vector<std::pair<std::string, std::string>>& macros);

}  // namespace kiln
