#include "mutations/mutator.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <set>
#include <string_view>

namespace kiln::mutations {
namespace {

using Random = std::mt19937_64;

/// Inputs do not grow beyond this however often parts are repeated.
constexpr std::size_t most_bytes = std::size_t{1} << 22;

std::uint64_t below(Random& random, std::uint64_t bound) {
  return bound == 0 ? 0 : random() % bound;
}

/// Part of a sequence: where it begins and how long it is. Short ones are as likely as long ones.
std::pair<std::size_t, std::size_t> part_of(std::size_t size, Random& random) {
  const std::size_t begin = below(random, size);
  const std::size_t bound = std::size_t{1} << below(random, 14);
  return {begin, std::min(size - begin, 1 + below(random, bound))};
}

/// Numbers at which counts, sizes and offsets go wrong.
std::uint64_t telling_number(std::size_t size, Random& random) {
  constexpr std::array<std::uint64_t, 18> numbers{
      0,          1,          2,          0x7f,        0x80,        0xff,
      0x7fff,     0x8000,     0xffff,     0x10000,     0x7fffffff,  0x80000000,
      0xfffffffe, 0xffffffff, 1ull << 32, ~0ull >> 1u, 1ull << 63u, ~0ull};
  switch (below(random, 4)) {
    case 0:
      return size + below(random, 5) - 2;
    case 1:
      return below(random, 300);
    default:
      return numbers[below(random, numbers.size())];
  }
}

std::string random_text(Random& random) {
  std::string text(below(random, 24), ' ');
  for (char& c : text) c = static_cast<char>(below(random, 256));
  return text;
}

/// Words that readers of numbers, strings and structure stumble over.
std::string telling_word(Random& random) {
  static const std::vector<std::string> words{
      "0",
      "-1",
      "-0",
      "1",
      "2",
      "1e999",
      "-1e999",
      "1e-400",
      "0.1",
      "1.5",
      "NaN",
      "Infinity",
      "2147483647",
      "2147483648",
      "-2147483649",
      "4294967296",
      "9007199254740993",
      "9223372036854775807",
      "9223372036854775808",
      "-9223372036854775809",
      "18446744073709551615",
      "18446744073709551616",
      "340282366920938463463374607431768211456",
      "00",
      "0x10",
      "1e5",
      "1.",
      "null",
      "true",
      "false",
      "\"\"",
      "\"a\"",
      "\"\\u0000\"",
      "\"\\ud800\"",
      "\"\\u001b[2J\"",
      "\"../../../etc/passwd\"",
      "\"/\"",
      "\"%s%n\"",
      "\"1e999\"",
      "\"-1\"",
      "\"\xff\"",
      "\"1/0\"",
      "\"2**10000\"",
      "\"[1]*1000000000\"",
      "\"dataset\"",
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      "{}",
      "[]",
      "[[]]",
      "{\"a\":1}",
      "\n",
      "//",
      "\xef\xbb\xbf",
      "\\",
      "'",
      "\"",
  };
  switch (below(random, 12)) {
    case 0:
      return '"' + std::string(1 + below(random, 6000), 'a') + '"';
    case 1: {
      const std::size_t depth = 1 + below(random, 3000);
      return std::string(depth, '[') + std::string(depth, ']');
    }
    case 2:
      return std::to_string(random());
    case 3:
      return random_text(random);
    default:
      return words[below(random, words.size())];
  }
}

bool is_word_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-' ||
         c == '+';
}

/// Where the word that begins at `at` ends: a string with its quotes, a run of letters and digits,
/// a run of blanks, else one character.
std::size_t word_end(std::string_view text, std::size_t at) {
  const auto run = [&](auto belongs) {
    std::size_t end = at + 1;
    while (end < text.size() && belongs(text[end])) ++end;
    return end;
  };
  if (text[at] == '"') {
    std::size_t end = at + 1;
    while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
    return std::min(end + 1, text.size());
  }
  if (is_word_letter(text[at])) return run(is_word_letter);
  if (text[at] == ' ' || text[at] == '\n') return run([](char c) { return c == ' ' || c == '\n'; });
  return at + 1;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = word_end(text, at);
    words.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

}  // namespace

Mutator::Mutator(std::vector<Seed> seeds, Form form, std::uint64_t start)
    : seeds_(std::move(seeds)), form_(form), start_(start) {
  if (form_ == Form::binary) return;
  std::set<std::string> words;
  for (const Seed& seed : seeds_)
    for (auto& word : words_of(as_text(seed.bytes))) words.insert(std::move(word));
  words_.assign(words.begin(), words.end());
}

Bytes Mutator::input(std::uint64_t number) const {
  // Neighbouring numbers must not give neighbouring sequences.
  std::seed_seq sequence{start_ & 0xffffffffu, start_ >> 32, number & 0xffffffffu, number >> 32};
  Random random(sequence);
  Bytes bytes = any(random).bytes;
  if (below(random, 16) == 0) return bytes;
  // Of texts that were changed byte by byte a parser reads the beginning alone.
  if (form_ == Form::text && below(random, 4) != 0)
    bytes = changed_words(bytes, random);
  else
    bytes = changed_bytes(std::move(bytes), random);
  return bytes;
}

const Seed& Mutator::any(Random& random) const { return seeds_[below(random, seeds_.size())]; }

Bytes Mutator::changed_bytes(Bytes bytes, Random& random) const {
  const std::uint64_t changes = std::uint64_t{1} << below(random, 5);
  for (std::uint64_t i = 0; i < changes; ++i) change_once(bytes, random);
  if (bytes.size() > most_bytes) bytes.resize(most_bytes);
  return bytes;
}

void Mutator::change_once(Bytes& bytes, Random& random) const {
  const auto at = [&](std::size_t index) {
    return bytes.begin() + static_cast<std::ptrdiff_t>(index);
  };
  if (bytes.empty()) return bytes.push_back(static_cast<std::byte>(random()));
  const auto [begin, length] = part_of(bytes.size(), random);
  switch (below(random, 10)) {
    case 0:
      bytes[begin] ^= static_cast<std::byte>(1u << below(random, 8));
      break;
    case 1:
      bytes[begin] = static_cast<std::byte>(random());
      break;
    case 2:
    case 3: {
      const std::size_t width = std::min(std::size_t{1} << below(random, 4), bytes.size() - begin);
      std::uint64_t number = telling_number(bytes.size(), random);
      for (std::size_t i = 0; i < width; ++i, number >>= 8u)
        bytes[begin + i] = static_cast<std::byte>(number);
      break;
    }
    case 4:
      bytes.erase(at(begin), at(begin + length));
      break;
    case 5: {
      const Bytes part(at(begin), at(begin + length));
      bytes.insert(at(below(random, bytes.size() + 1)), part.begin(), part.end());
      break;
    }
    case 6:
      bytes.resize(begin);
      break;
    case 7: {  // goes on as another seed does
      const Bytes& other = any(random).bytes;
      const std::size_t from =
          std::min(below(random, 2) == 0 ? begin : below(random, other.size()), other.size());
      bytes.resize(begin);
      bytes.insert(bytes.end(), other.begin() + static_cast<std::ptrdiff_t>(from), other.end());
      break;
    }
    case 8: {  // a part moves over another
      const std::size_t to = below(random, bytes.size());
      const std::size_t count = std::min(length, bytes.size() - to);
      const Bytes part(at(begin), at(begin + std::min(count, bytes.size() - begin)));
      std::copy(part.begin(), part.end(), at(to));
      break;
    }
    default: {
      const std::string text = random_text(random);
      const ByteView more = as_bytes(text);
      bytes.insert(at(begin), more.begin(), more.end());
    }
  }
}

Bytes Mutator::changed_words(const Bytes& bytes, Random& random) const {
  std::vector<std::string> words = words_of(as_text(bytes));
  const std::uint64_t changes = std::uint64_t{1} << below(random, 4);
  for (std::uint64_t i = 0; i < changes && !words.empty(); ++i) {
    const std::size_t index = below(random, words.size());
    switch (below(random, 7)) {
      case 0:
      case 1:
        words[index] = telling_word(random);
        break;
      case 2:
      case 3:
        words[index] = words_[below(random, words_.size())];
        break;
      case 4:
        words.erase(words.begin() + static_cast<std::ptrdiff_t>(index));
        break;
      case 5:
        std::swap(words[index], words[below(random, words.size())]);
        break;
      default: {
        const auto [begin, length] = part_of(words.size(), random);
        const std::vector<std::string> part(
            words.begin() + static_cast<std::ptrdiff_t>(begin),
            words.begin() + static_cast<std::ptrdiff_t>(begin + std::min<std::size_t>(length, 64)));
        words.insert(words.begin() + static_cast<std::ptrdiff_t>(index), part.begin(), part.end());
      }
    }
  }
  Bytes changed;
  for (const std::string& word : words) {
    const ByteView part = as_bytes(word);
    changed.insert(changed.end(), part.begin(), part.end());
    if (changed.size() > most_bytes) break;
  }
  return changed;
}

}  // namespace kiln::mutations
