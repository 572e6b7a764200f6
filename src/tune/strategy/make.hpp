#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "tune/strategy/strategy.hpp"
#include "tune/strategy/transfer.hpp"

namespace kiln::tune {

/// A strategy that a user can name.
struct StrategyInfo {
  std::string_view name, summary;
  bool is_simple;  ///< a textbook's, without a model: what the default is compared with
};

/// All, the default first.
std::span<const StrategyInfo> strategies();

/// The strategy of this name ("" for the default). A transfer is used by the default, and ignored
/// by the others. Errors: no such name, with the nearest that there is.
Expected<std::unique_ptr<Strategy>> make_strategy(
    std::string_view name, const SearchSpace& space, std::uint64_t seed,
    std::shared_ptr<const Transfer> transfer = nullptr);

}  // namespace kiln::tune
