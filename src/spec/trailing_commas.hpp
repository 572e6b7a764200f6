#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "spec/json_tree.hpp"

namespace kiln::spec {

/// The text with every comma that stands before a closing bracket turned into a blank; one remark
/// each. Published files have them.
std::string without_trailing_commas(std::string_view text, std::vector<JsonRemark>& remarks);

}  // namespace kiln::spec
