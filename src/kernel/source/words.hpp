#pragma once

#include <cstdint>
#include <string_view>

namespace kiln {

/// What a word of OpenCL C means to an analysis.
enum class Word : std::uint8_t {
  name,       ///< no keyword
  type,       ///< a built-in type: float4, size_t, image2d_t …
  sign,       ///< unsigned, signed, short, long: types that combine
  aggregate,  ///< struct, union, enum
  qualifier,  ///< const, restrict, inline, read_only …
  volatile_,
  const_,
  static_,
  typedef_,
  global,
  constant,
  local,
  private_,
  generic,
  kernel,
  attribute,  ///< __attribute__
  if_,
  else_,
  for_,
  while_,
  do_,
  switch_,
  case_,
  default_,
  return_,
  break_,
  continue_,
  goto_,
  sizeof_,  ///< sizeof and its like: the operand is not evaluated
  asm_,
  cpp,  ///< a keyword of C++ for OpenCL
};

Word classify_word(std::string_view word);

/// Whether a word can stand in a declaration before the declared name.
constexpr bool begins_type(Word word) { return word >= Word::type && word <= Word::attribute; }
constexpr bool is_type_word(Word word) { return word == Word::type || word == Word::sign; }

}  // namespace kiln
