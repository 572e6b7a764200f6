#pragma once

#include <string>

#include "kernel/parameters.hpp"

namespace kiln {

/// The Parameters that a program is made with, and where they are from.
struct ChosenParameters {
  Parameters parameters;
  /// "default", "store record", or the name of a ParameterSource.
  std::string origin = "default";
  std::string from;  ///< which record; empty for defaults
};
/// "columns 12, rows 32 (store record)"; empty where there are no Parameters.
std::string text_of(const ChosenParameters& chosen);

}  // namespace kiln
