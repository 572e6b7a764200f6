#pragma once

#include <cstddef>

#include "base/data/bytes.hpp"

namespace kiln::mesh {

/// The most characters that write_decimals needs: 309 digits before the point.
inline constexpr std::size_t longest_decimals = 320;

/// Writes a number with 6 decimals, to the letter as printf's "%f" does, and gives the end. Numbers
/// of a mesh's size take a tenth of the time.
char* write_decimals(char* to, double value);

/// What reading the text of write_decimals gives: the number rounded to 6 decimals, the sign of a
/// zero kept.
double rounded_to_decimals(double value);

/// Appends bytes in base64 (RFC 4648, padded), by libsodium.
void append_base64(Bytes& out, ByteView bytes);

}  // namespace kiln::mesh
