#pragma once

#include "base/cursor.hpp"
#include "store/entry_form.hpp"

/// What single entries and packs have in common.
namespace kiln::entry_form {

/// The next head, which follows its 32-bit length, and the bytes that it was read from. What is
/// wrong is recorded in the cursor.
struct Head {
  EntryHead head;
  ByteView bytes;
};
Head take_head(Cursor& cursor);
void append_head(Bytes& to, ByteView head_bytes);

/// 0, or 1 and a signature.
std::optional<Signature> take_signature(Cursor& cursor);
void append_signature(Bytes& to, const std::optional<Signature>& signature);

Digest take_digest(Cursor& cursor, std::string_view field);

/// The smallest head there is, with its length: bounds the number of entries in a pack.
inline constexpr std::size_t smallest_head = 4 + 16 + 4 + 1 + 4 + 8 + 1 + 5 * 4 + 8 + 32;

}  // namespace kiln::entry_form
