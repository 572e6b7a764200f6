#pragma once

#include <optional>

#include "tune/share/messenger.hpp"

/// What a Messenger and its process say to one another.
namespace kiln::tune {

/// Of either way, in bytes.
inline constexpr std::size_t most_message = 96 << 10;

struct Question {
  Messenger::Ask what{};
  ConfigurationId id = 0;
  std::string text;
};
std::string encode_question(const Question& question);
std::optional<Question> decode_question(std::string_view message);

/// The child: answers until the other end of the channel is closed. An answer is "+" and what was
/// asked for, or "-" and why the board cannot be reached.
void serve_board(const MakeBoard& make, int channel, const Messenger::Limits& limits);

}  // namespace kiln::tune
