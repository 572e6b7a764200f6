#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "kernel/clang/tree.hpp"

namespace kiln::clang {

// What is asked of a Tree's nodes.

/// Calls `visit` for a node and all below it, a node before what is below it.
void visit_nodes(const Node& node, const std::function<void(const Node&)>& visit);
/// Whether something holds for a node or one below it.
bool any_node(const Node& node, const std::function<bool(const Node&)>& holds);
/// Functions of the text that `function` calls, itself first, each once.
std::vector<int> reachable(const Tree& tree, int function);

/// Parentheses, and conversions that clang adds: they hand on their operand's value.
bool passes_on(const Node& node);
/// What stands within these.
const Node& core(const Node& node);

bool is_comparison(std::string_view operation);
bool is_assignment(const Node& node);
bool is_logical(const Node& node);  ///< && and ||
bool is_truth(const Node& node);    ///< an operator whose result is 0 or 1
bool is_step(const Node& node);     ///< ++ and --
bool is_loop(const Node& node);     ///< for, while, do

/// What a loop or if is made of; absent parts are null.
struct ControlParts {
  const Node* first = nullptr;  ///< for: what is done before
  const Node* condition = nullptr;
  const Node* step = nullptr;
  const Node* body = nullptr;  ///< if: what is chosen
  const Node* otherwise = nullptr;
  std::uint32_t open = 0, close = 0;  ///< the parentheses behind its keyword
};
ControlParts control_parts(const Tree& tree, const Node& node);

}  // namespace kiln::clang
