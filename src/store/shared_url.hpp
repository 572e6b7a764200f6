#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kiln/error.hpp"

namespace kiln {

/// Where the fleet's store is:
///     redis://[[user]:password@]host[:port][/db]     host may be an IPv6 address in brackets
///     unix://[[user]:password@]/path[?db=N]
/// In user, password and path %XX stands for a byte.
struct SharedUrl {
  std::string host;    ///< a name or an address; empty: a socket of this machine
  std::string socket;  ///< its path
  std::uint16_t port = 6379;
  std::string user, password;
  int database = 0;

  /// For messages: without user and password.
  std::string shown() const;
};

/// Errors: bad_input, one line that says at which byte what was expected. It repeats nothing of the
/// text, because any part of a mistyped URL may be the password.
Expected<SharedUrl> parse_shared_url(std::string_view text);

/// The text as it may be shown to people: without its password, "off" and "" as they are.
std::string shown_shared_url(std::string_view text);

}  // namespace kiln
