#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/data/cursor.hpp"
#include "kiln/store/pack.hpp"
#include "store/layer/layer.hpp"

// An entry as it leaves the machine, in packs and in the shared store: what is kept of its
// metadata, its head, which is signed, and the whole. The same entry gives the same bytes
// everywhere: neither times nor uses are in it. docs/formats/pack.md describes it.
namespace kiln {

/// The text with each absolute path of two parts or more ("/home/me/blur.cl") cut to its last part:
/// what is stored may leave the machine, and folders tell users' names.
std::string without_folders(std::string_view text);

/// The metadata as the store keeps them: texts without folders and of bounded length, a cost that
/// is finite and not negative.
Metadata kept_metadata(const Metadata& given);

/// With the metadata as the store keeps them. Canonical bytes, label and fingerprint that the store
/// would refuse for their length make a head that decode_head() refuses.
EntryHead head_of(Kind kind, ByteView canonical, ByteView content, const Metadata& metadata);

/// Deterministic; what signatures are over. It begins with words that nothing else which may be
/// signed begins with.
Bytes encode_head(const EntryHead& head);
/// Safe on any bytes; takes all of them, or says at which offset what was found instead. Takes one
/// encoding of a head only: encode_head() gives these bytes again. Errors: corrupt; unsupported for
/// one of another version.
Expected<EntryHead> decode_head(ByteView bytes);

/// A whole entry in one piece: its head, its signature if it has one, its content.
Bytes encode_entry(const EntryHead& head, const std::optional<Signature>& signature,
                   ByteView content);

struct DecodedEntry {
  EntryHead head;
  std::optional<Signature> signature;  ///< not verified: that is Trust's to do
  Bytes head_bytes;                    ///< what it is over
  Bytes content;                       ///< of the head's size and digest
};
/// As decode_head(): any bytes, one encoding, same errors. A changed byte is always found.
Expected<DecodedEntry> decode_entry(ByteView bytes);

/// The metadata under which an entry that came from elsewhere is stored: its head's, marked so.
Metadata metadata_from_elsewhere(const EntryHead& head, const std::optional<Signature>& signature);

}  // namespace kiln

// What single entries and packs have in common.
namespace kiln::entry_form {

/// The next head, which follows its 32-bit length, and the bytes that it was read from. What is
/// wrong is recorded in the cursor.
struct Head {
  EntryHead head;
  ByteView bytes;
};
Head take_head(Cursor& cursor);

/// 0, or 1 and a signature.
std::optional<Signature> take_signature(Cursor& cursor);
void append_signature(Bytes& to, const std::optional<Signature>& signature);

/// The smallest head there is, with its length: bounds the number of entries in a pack.
inline constexpr std::size_t smallest_head = 4 + 16 + 4 + 1 + 4 + 8 + 1 + 5 * 4 + 8 + 32;

}  // namespace kiln::entry_form
