#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "kiln/spec.hpp"

namespace kiln::spec {

/// What an array holds before a run, or must hold after it, as a tuning problem says. Plain data.
struct Fill {
  enum class How : std::uint8_t {
    constant,   ///< `value` everywhere
    random,     ///< uniform from 0 to `value`
    generator,  ///< an expression of the element's number
    file,       ///< its bytes
  };
  std::uint32_t position = 0;  ///< of the kernel's argument
  How how = How::constant;
  expr::Value value;
  std::optional<std::uint64_t> seed;  ///< of `random`; none: the caller's
  std::optional<expr::Expression> generator;
  std::filesystem::path file;
  std::string place;  ///< "p.json:12: attribute 'Arguments[0]'", for messages
};

/// Fills `memory`, a whole number of elements of `type`. Errors: bad_input for values that the type
/// does not hold, for an expression that fails, for a file of another size; io, not_found.
Expected<void> fill_array(const Fill& fill, const Type& type, std::uint64_t seed,
                          std::span<std::byte> memory);

}  // namespace kiln::spec
