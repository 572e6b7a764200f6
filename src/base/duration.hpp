#pragma once

#include <string>

namespace kiln {

/// Nanoseconds for people: "12.3 us", "4.567 ms", "1.234 s".
std::string duration(double ns);

}  // namespace kiln
