#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/bytes.hpp"
#include "kiln/error.hpp"

/// NumPy's array files (.npy). Pure functions over byte spans: no files. Thread-safe.
///
/// The grammar (docs/formats/npy.md shows a file byte by byte); lengths are little-endian:
///
///     npy    = 0x93 "NUMPY"  u8 major  u8 minor  length  header  data   ; and nothing after it
///     length = u16 (version 1.0) | u32 (versions 2.0 and 3.0)
///     header = blank* dict blank*                       ; length bytes; UTF-8 in version 3.0
///     dict   = "{" (entry ("," entry)* ","?)? "}"       ; the three keys, each once, any order
///     entry  = "'descr'" ":" string | "'fortran_order'" ":" ("True" | "False")
///            | "'shape'" ":" "(" (int ("," int)* ","?)? ")"    ; (3) is no tuple, (3,) is
///     string = "'" … "'" | '"' … '"'                    ; no escapes; keys may use both quotes too
///     data   = the elements, the last index fastest
namespace kiln::npy {

enum class Type { boolean, i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64 };

/// Bytes of one element.
KILN_API std::size_t size_of(Type type);
/// How NumPy writes the type: "<f4", "|u1", "|b1".
KILN_API std::string_view descr_of(Type type);
/// The type of a descr; also takes '=' and no prefix (this machine's order, as all that Kiln runs
/// on is little-endian), and '|' for one byte. Nothing for every other text.
KILN_API std::optional<Type> type_of(std::string_view descr);

/// An array; `data` views the file's bytes and need not be aligned for the element type.
struct Npy {
  std::string descr;  ///< as the file has it
  std::size_t element_size = 0;
  Type type = Type::boolean;
  bool fortran_order = false;      ///< true only where the order makes no difference (rank <= 1)
  std::vector<std::size_t> shape;  ///< empty for a scalar
  ByteView data;                   ///< exactly the product of shape times element_size bytes
};

/// Reads and strictly verifies a file of version 1.0, 2.0 or 3.0. Errors say the byte offset, the
/// field and what was expected: Errc::bad_input for what is not a sound file, Errc::unsupported for
/// a sound one that is not read (another version, big-endian, structured or other element types,
/// column-major of rank 2 and more).
KILN_API Expected<Npy> parse(ByteView bytes);

/// A file of version 1.0 whose data begins at a multiple of 64 bytes. `data` holds the elements in
/// C order, product of `shape` (at most 64 dimensions) times size_of(type) bytes.
KILN_API Bytes write(Type type, std::span<const std::size_t> shape, ByteView data);

// Parts of parse, for its tests.

/// More dimensions than NumPy's own limit has ever allowed.
inline constexpr std::size_t most_dimensions = 64;

/// What the header's dictionary says, and where in the file (for errors about its meaning).
struct HeaderDict {
  std::string_view descr;
  bool fortran_order = false;
  std::vector<std::size_t> shape;
  std::size_t descr_at = 0, fortran_order_at = 0, shape_at = 0;
};

/// Parses the dictionary (its grammar is above). `offset` is that of the text in the file, for the
/// errors' byte numbers. The result views `text`.
KILN_API Expected<HeaderDict> parse_header(std::string_view text, std::size_t offset);

}  // namespace kiln::npy
