#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "store/redis/stream.hpp"

namespace kiln::redis {

/// Finds the addresses of a host; may take as long as it likes. Errors: io.
using Resolve =
    std::function<Expected<std::vector<Address>>(const std::string& host, std::uint16_t port)>;

/// Asks the system (getaddrinfo).
Expected<std::vector<Address>> resolve_by_system(const std::string& host, std::uint16_t port);
/// The address itself, where the text is one; takes no time. Empty where it is a name.
std::vector<Address> numeric_address(const std::string& host, std::uint16_t port);
/// Of a socket in the file system; its path fits (SharedUrl).
Address socket_address(const std::string& path);

/// A look-up of a name under way or done, in a thread of its own because the system's has no
/// deadline. The thread outlives this object if it must. Thread-safe.
class NameLookup {
 public:
  NameLookup(const std::string& host, std::uint16_t port, const Resolve& resolve);

  /// Waits for the answer, which may come for a later caller. Errors: timeout, io.
  Expected<std::vector<Address>> addresses(const Deadline& deadline) const;
  /// Done, with or without success.
  bool done() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace kiln::redis
