#pragma once

#include <map>
#include <span>
#include <string_view>

#include "mesh/code/syntax.hpp"

namespace kiln::mesh {

/// Whether an expression may differ between elements that are worked on at once: it uses real
/// numbers other than literals and constants of the mesh. Whole numbers are the same for all.
bool is_wide(const Syntax& syntax, const Node& node);

bool is_comparison(std::string_view operation);
bool is_real(const CType& type);  ///< one float or double
bool is_assignment(const Node& node);
bool is_logical(const Node& node);  ///< && and ||
bool is_truth(const Node& node);    ///< an operator whose result is 0 or 1
bool steps(const Node& node);       ///< ++ and --

/// Name of the function that a call means, as it is written.
std::string_view called_name(const Syntax& syntax, const Node& call);
/// Built-in functions that do to each lane what they do to a scalar.
bool is_elementwise(std::string_view function);
std::span<const std::string_view> elementwise_built_ins();
/// … whose last argument is a whole number for each lane, as pown's.
bool takes_whole_number(std::string_view function);
/// Built-in functions whose result is a truth value for each lane.
bool is_question(std::string_view function);

/// Node kinds that hand on their operand's value.
bool passes_on(const Node& node);
/// What stands within parentheses and conversions that clang adds.
const Node& core(const Node& node);
/// for, while, do.
bool is_loop(const Node& node);

/// What a loop or if is made of; absent parts are null.
struct ControlParts {
  const Node* first = nullptr;  ///< for: what is done before
  const Node* condition = nullptr;
  const Node* step = nullptr;
  const Node* body = nullptr;  ///< if: what is chosen
  const Node* otherwise = nullptr;
  std::uint32_t open = 0, close = 0;  ///< the parentheses behind its keyword
};
ControlParts control_parts(const Syntax& syntax, const Node& node);

/// Where control flow parts the lanes of one function.
struct LaneControl {
  struct Loop {
    bool parts = false;      ///< lanes leave it one by one
    bool continues = false;  ///< lanes begin its next round one by one
  };
  std::map<const Node*, Loop> loops;
  bool returns = false;                 ///< lanes return one by one
  const Node* broken_switch = nullptr;  ///< lanes would leave this switch one by one
};
LaneControl lane_control(const Syntax& syntax, const Function& function);

}  // namespace kiln::mesh
