// Copies of kernels for several elements at once, and which of their expressions are varying.
#include "mesh/codegen/lanes.hpp"

#include <clang-c/Index.h>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "mesh/codegen/lane_writer.hpp"

namespace kiln::mesh {
bool is_varying(const Syntax& syntax, const Node& node) {
  return any_node(node, [&](const Node& n) {
    if (n.kind == CXCursor_CStyleCastExpr) return ends_in_floating(n.type);
    if (n.kind == CXCursor_CallExpr) return syntax.callee(n) >= 0 && is_floating(n.type);
    const Declaration* named = n.kind == CXCursor_DeclRefExpr ? syntax.named(n) : nullptr;
    // Tables of the file are the same for all elements.
    return named != nullptr &&
           (named->kind == Declaration::Kind::parameter ||
            (named->kind == Declaration::Kind::variable && named->is_in_function)) &&
           (!scalar_of(named->type) || ends_in_floating(named->type));
  });
}

// Of the name of a built-in function only the text is left: it stands where the call begins.
std::string_view called_name(const Syntax& syntax, const Node& call) {
  const std::size_t token = syntax.lexed.token_at(call.begin);
  return token < syntax.lexed.tokens.size() ? syntax.lexed.tokens[token].text : std::string_view();
}

namespace {

/// Finds the loops and returns at which lanes diverge. A divergent loop makes what is in it happen
/// to some lanes only, which may make further loops diverge: repeated until nothing is added.
class ControlSearch {
 public:
  ControlSearch(const Syntax& syntax, const Function& function, Divergence& control)
      : syntax_(syntax), control_(control) {
    do {
      changed_ = false;
      search(function.body, 0);
    } while (changed_);
  }

 private:
  struct Frame {
    const Node* node;
    int depth;  ///< how often lanes have diverged where its body begins
  };
  void set(bool& what) {
    changed_ = changed_ || !what;
    what = true;
  }
  void search_children(const Node& node, int depth) {
    for (const auto& child : node.children) search(child, depth);
  }
  void search(const Node& node, int depth) {
    if (is_loop(node)) return search_loop(node, depth);
    switch (node.kind) {
      case CXCursor_IfStmt: {
        const auto parts = control_parts(syntax_, node);
        const bool wide = parts.condition != nullptr && is_varying(syntax_, *parts.condition);
        return search_children(node, depth + static_cast<int>(wide));
      }
      case CXCursor_SwitchStmt:
        frames_.push_back({&node, depth});
        search_children(node, depth);
        return frames_.pop_back();
      case CXCursor_BreakStmt:
        if (frames_.empty() || frames_.back().depth >= depth) return;
        if (is_loop(*frames_.back().node)) return set(control_.loops[frames_.back().node].diverges);
        control_.broken_switch = frames_.back().node;
        return;
      case CXCursor_ContinueStmt:
        return search_continue(depth);
      case CXCursor_ReturnStmt:
        for (const auto& frame : frames_)
          if (depth > frame.depth && is_loop(*frame.node)) set(control_.loops[frame.node].diverges);
        if (depth > 0) set(control_.returns);
        return;
      default:
        return search_children(node, depth);
    }
  }
  void search_continue(int depth) {
    for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
      if (!is_loop(*frame->node)) continue;
      if (frame->depth >= depth) return;
      set(control_.loops[frame->node].diverges);
      return set(control_.loops[frame->node].continues);
    }
  }
  void search_loop(const Node& node, int depth) {
    auto& loop = control_.loops[&node];
    const auto parts = control_parts(syntax_, node);
    if (parts.condition != nullptr && is_varying(syntax_, *parts.condition)) set(loop.diverges);
    const int inside = depth + static_cast<int>(loop.diverges) + static_cast<int>(loop.continues);
    frames_.push_back({&node, inside});
    search_children(node, inside);
    frames_.pop_back();
  }

  const Syntax& syntax_;
  Divergence& control_;
  std::vector<Frame> frames_;
  bool changed_ = false;
};

}  // namespace

Divergence divergence_of(const Syntax& syntax, const Function& function) {
  Divergence control;
  ControlSearch(syntax, function, control);
  return control;
}

namespace {

/// Edits of all names of floating-point types within a function.
void widen_types(const Syntax& syntax, const Function& function, int lanes,
                 std::vector<Edit>& edits) {
  const auto& tokens = syntax.lexed.tokens;
  for (std::size_t i = syntax.lexed.token_at(function.begin);
       i < tokens.size() && tokens[i].begin < function.end; ++i) {
    if (tokens[i].kind != TokenKind::identifier) continue;
    std::string_view type = tokens[i].text;
    if (const auto found = syntax.typedefs.find(std::string(type));
        found != syntax.typedefs.end() && is_floating(found->second))
      type = name_of(*scalar_of(found->second));
    if (type == "double" || type == "float")
      edits.push_back(
          {tokens[i].begin, tokens[i].end - tokens[i].begin, fmt::format("{}{}", type, lanes)});
  }
}

/// Masks are as wide as the kernel's floating-point numbers.
ScalarType mask_type_of(const Syntax& syntax, int function) {
  for (const int parameter : syntax.function(function).parameters)
    if (scalar_of(syntax.declared(parameter).type) == ScalarType::f64) return ScalarType::i64;
  return ScalarType::i32;
}

/// The plain edits and those of the functions, sorted.
std::vector<Edit> lane_edits(const Syntax& syntax, std::vector<Edit> edits,
                             const std::vector<int>& functions, int lanes) {
  const std::string suffix = lanes_suffix(lanes);
  // Calls that macros make stay as they are; then the copies do not compile.
  for (const auto& site : call_sites(syntax)) edits.push_back({site.end, 0, suffix});
  for (const int number : functions) {
    const Function& copied = syntax.function(number);
    edits.push_back({copied.name_at + static_cast<std::uint32_t>(copied.name.size()), 0, suffix});
    widen_types(syntax, copied, lanes, edits);
  }
  return in_order(std::move(edits));
}

}  // namespace

std::string lanes_suffix(int lanes) { return fmt::format("_kiln_lanes{}", lanes); }

Expected<std::string> lane_copies(const Syntax& syntax, const std::vector<Edit>& plain,
                                  int function, int lanes, const BuiltIns& on_vectors) {
  const std::vector<int> functions = reachable(syntax, function);
  const std::vector<Edit> edits = lane_edits(syntax, plain, functions, lanes);
  const ScalarType mask = mask_type_of(syntax, function);
  const LaneRisks risks(syntax);
  // A function with a mask calls all others for its active lanes only: these may need one, too.
  std::set<int> masked;
  std::set<ByLane> by_lane;
  std::string prototypes, bodies;
  for (bool more = true; more;) {
    prototypes.clear();
    bodies.clear();
    std::set<int> called;
    for (const int number : functions) {
      LaneWriter writer(syntax, risks, edits, masked, on_vectors, number, lanes, mask);
      const auto& copied = syntax.function(number);
      prototypes += writer.prototype() + ";\n";
      bodies += line_directive(syntax, copied.begin) + writer.definition();
      if (writer.obstacle())
        return fail(Errc::unsupported, fmt::format("{}: {}", where(syntax, writer.obstacle()->at),
                                                   writer.obstacle()->reason));
      by_lane.insert(writer.by_lane().begin(), writer.by_lane().end());
      called.insert(writer.called_masked().begin(), writer.called_masked().end());
    }
    const std::size_t known = masked.size();
    masked.insert(called.begin(), called.end());
    more = masked.size() > known;
  }
  std::string copies;
  for (const ByLane& built_in : by_lane) copies += built_in.definition();
  copies += prototypes + bodies;
  // What the compiler would only warn of: a pointer to vectors that points to single numbers.
  if (const auto error = opencl_error(edited(syntax.text(), plain) + "\n" + copies,
                                      {"-Werror=incompatible-pointer-types"}))
    return fail(Errc::unsupported, error->what());
  return copies;
}

bool only_moves(const Syntax& syntax, int function) {
  const auto computes = [](const Node& node) {
    const bool has_floating = is_floating(node.type) ||
                              (!node.children.empty() && is_floating(node.children.front().type));
    const bool is_operator = node.kind == CXCursor_BinaryOperator ||
                             node.kind == CXCursor_CompoundAssignOperator ||
                             (node.kind == CXCursor_UnaryOperator && node.operation != "*");
    return (has_floating && is_operator && node.operation != "=") ||
           node.kind == CXCursor_CallExpr || node.kind == CXCursor_ConditionalOperator;
  };
  return !any_node(syntax.function(function).body, computes);
}

}  // namespace kiln::mesh
