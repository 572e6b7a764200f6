#pragma once

#include <string>

#include "cli/profile/profile.hpp"

namespace kiln::cli::profile {

/// A roofline as SVG: operations a second over operations per byte, both logarithmic; the device's
/// roofs as lines, kernels whose operations were counted as dots with their names, larger where
/// they took more time. Empty where the device's roofs are not known or no kernel was counted.
std::string roofline_svg(const Profile& profile, std::size_t device);

}  // namespace kiln::cli::profile
