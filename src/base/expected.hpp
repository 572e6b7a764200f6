#pragma once

#include "kiln/error.hpp"

namespace kiln {

/// What a call returns, or the Error that it throws: the way back from value_or_throw(), for
/// functions whose steps are many and may each fail. Other exceptions pass.
template <class Call>
auto expected_from(Call&& call) -> Expected<decltype(call())> {
  try {
    if constexpr (std::is_void_v<decltype(call())>) {
      call();
      return {};
    } else {
      return call();
    }
  } catch (const Error& error) {
    return tl::unexpected<Error>(error);
  }
}

}  // namespace kiln
