#pragma once

#include <cstring>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "base/data/bytes.hpp"

namespace kiln::spirv::testing {

using Words = std::vector<std::uint32_t>;

/// The words of a text in an instruction.
inline Words text_words(std::string_view text) {
  Words words(text.size() / 4 + 1);
  std::memcpy(words.data(), text.data(), text.size());
  return words;
}

/// Modules put together by hand, independently of what reads them: opcodes and operands are the
/// specification's numbers.
class ModuleBuilder {
 public:
  /// SPIR-V 1.0 with all that a module of kernels begins with.
  explicit ModuleBuilder(std::uint32_t version = 0x00010000)
      : words_{0x07230203, version, 0, 1000, 0} {}

  ModuleBuilder& op(std::uint32_t opcode, const Words& operands) {
    words_.push_back(static_cast<std::uint32_t>(operands.size() + 1) << 16 | opcode);
    words_.insert(words_.end(), operands.begin(), operands.end());
    return *this;
  }
  /// Operands, a text, operands behind it.
  ModuleBuilder& op(std::uint32_t opcode, Words operands, std::string_view text,
                    const Words& behind = {}) {
    const Words words = text_words(text);
    operands.insert(operands.end(), words.begin(), words.end());
    operands.insert(operands.end(), behind.begin(), behind.end());
    return op(opcode, operands);
  }
  ModuleBuilder& word(std::size_t place, std::uint32_t value) {
    words_[place] = value;
    return *this;
  }

  // Often used.
  ModuleBuilder& kernels(std::uint32_t addressing = 2) {
    return op(17, {6}).op(14, {addressing, 2});
  }
  ModuleBuilder& entry(std::uint32_t function, std::string_view name) {
    return op(15, {6, function}, name);
  }
  ModuleBuilder& name(std::uint32_t id, std::string_view name) { return op(5, {id}, name); }
  /// A function of a type (of void, which is `type - 1`) with parameters (type, id).
  ModuleBuilder& function(std::uint32_t id, std::uint32_t type,
                          const std::vector<std::pair<std::uint32_t, std::uint32_t>>& parameters) {
    op(54, {type - 1, id, 0, type});
    for (const auto& [of, parameter] : parameters) op(55, {of, parameter});
    return op(56, {});
  }

  Bytes bytes() const {
    const auto* begin = reinterpret_cast<const std::byte*>(words_.data());
    return {begin, begin + words_.size() * 4};
  }
  Bytes swapped() const {
    Words words = words_;
    for (auto& word : words) word = __builtin_bswap32(word);
    const auto* begin = reinterpret_cast<const std::byte*>(words.data());
    return {begin, begin + words.size() * 4};
  }

 private:
  Words words_;
};

/// A module with a kernel `k` whose parameters have these types, declared by `types` with ids from
/// 40 on; ids of parameters are 80, 81 …
inline ModuleBuilder kernel_of(const std::vector<std::pair<std::uint32_t, Words>>& types,
                               const Words& parameters, const ModuleBuilder& head) {
  ModuleBuilder module = head;
  module.op(19, {20});
  for (const auto& [opcode, operands] : types) module.op(opcode, operands);
  Words function{21, 20};
  function.insert(function.end(), parameters.begin(), parameters.end());
  module.op(33, function);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> named;
  for (const auto type : parameters)
    named.emplace_back(type, 80 + static_cast<std::uint32_t>(named.size()));
  return module.function(10, 21, named);
}

/// A module that has all kinds of specialization constants: 0 an int, 1 a float, 2 a bool, 3 a
/// long, 4 a char, 5 a double.
inline ModuleBuilder constants_module() {
  ModuleBuilder module;
  module.kernels().entry(10, "k").name(60, "tile");
  for (std::uint32_t i = 0; i < 6; ++i) module.op(71, {60 + i, 1, i});
  module.op(21, {40, 32, 0}).op(22, {41, 32}).op(20, {42}).op(21, {43, 64, 0});
  module.op(21, {44, 8, 0}).op(22, {45, 64});
  module.op(50, {40, 60, 4}).op(50, {41, 61, 0x3f000000}).op(48, {42, 62});
  module.op(50, {43, 63, 7, 1}).op(50, {44, 64, 3}).op(50, {45, 65, 0, 0x40000000});
  return module.op(19, {20}).op(33, {21, 20}).function(10, 21, {});
}

}  // namespace kiln::spirv::testing
