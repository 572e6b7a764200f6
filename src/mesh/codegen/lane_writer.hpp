#pragma once

#include <fmt/format.h>

#include <compare>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/mesh/types.hpp"
#include "mesh/codegen/lanes.hpp"

namespace kiln::mesh {

/// A function that calls a built-in one for each lane: one whose vector version is not known to
/// keep lanes apart.
struct ByLane {
  std::string function;
  ScalarType type = ScalarType::f64;
  int lanes = 1;
  int arguments = 1;
  bool integer_last = false;  ///< the last argument is an int for each lane

  std::string name() const;
  std::string definition() const;
  friend auto operator<=>(const ByLane&, const ByLane&) = default;
};

/// What must not be evaluated where C would not evaluate it: with no active lane, a division of
/// integers may be by 0, an index beyond its array, and a loop of a function without end.
class LaneRisks {
 public:
  explicit LaneRisks(const Syntax& syntax);
  /// Whether an expression, evaluated with no active lane, may end the program or never end.
  bool of(const Node& expression) const;
  /// Whether a function must know which lanes are active: the values of the others could lead it
  /// where no active lane goes, or keep it in a loop.
  bool needs_mask(int function) const { return needs_mask_[static_cast<std::size_t>(function)]; }

 private:
  bool is_steady(const Node& pointer) const;
  bool is_steady_place(const Node& place) const;
  void find_moving();
  void find_moving(const Node& node);
  void set_moving(const Node& pointer);
  bool may_go_wrong(int function) const;

  const Syntax& syntax_;
  /// Pointers that may point to nothing: they get more than arrays and fixed places in these.
  std::set<int> moving_;
  std::vector<bool> needs_mask_;
};

/// Why a kernel has no lanes where an integer depends on floating-point numbers.
constexpr const char* varying_integer = "an integer that depends on floating-point numbers";

/// Why a kernel cannot work on several elements at once, and at which byte of its text.
struct LaneObstacle {
  std::string reason;
  std::uint32_t at = 0;
};

/// Writes one function for `lanes` elements at once. Floating-point numbers become vectors. Where
/// control flow diverges (an if, a loop or a return that depends on floating-point numbers), a mask
/// says which lanes are active, and what outlives the place is changed for those only: kiln_mask0
/// for the function, kiln_mask1 for what is within one such place, and so on. Text runs only where
/// a lane is active: no mask of those around it is empty. One use.
class LaneWriter {
 public:
  /// @param edits of the whole text, in_order(): the plain ones, types made vectors, names with
  /// their suffix.
  /// @param masked functions that get a mask as their last parameter: numbers in Syntax::functions.
  /// @param on_vectors built-in functions that are called on vectors; others, for each lane.
  LaneWriter(const Syntax& syntax, const LaneRisks& risks, const std::vector<Edit>& edits,
             const std::set<int>& masked, const BuiltIns& on_vectors, int function, int lanes,
             ScalarType mask);

  std::string prototype() const;
  std::string definition();
  const std::optional<LaneObstacle>& obstacle() const { return obstacle_; }
  /// Functions that need a mask, since they are called where not all lanes are active.
  const std::set<int>& called_masked() const { return called_masked_; }
  /// Functions that the text calls and that must stand in front of it.
  const std::set<ByLane>& by_lane() const { return by_lane_; }

 private:
  static constexpr int nothing_emptied = std::numeric_limits<int>::max();
  struct Loop {
    std::uint32_t end = 0;
    int level = 0;
    Divergence::Loop control;
    bool is_switch = false;
  };
  struct Home {
    int level = 0;          ///< of masks where a variable is declared
    std::size_t loops = 0;  ///< around it
  };

  // The text between nodes, statements, declarations: lane_writer.cpp
  std::string slice(std::uint32_t from, std::uint32_t to) const {
    return edited(syntax_.text(), from, to, edits_);
  }
  std::string line_breaks(std::uint32_t from, std::uint32_t to) const;
  std::uint32_t statement_end(const Node& node);
  std::string statement(const Node& node);
  std::string statements(const Node& node);
  std::string declarations(const Node& node);
  std::string initial(const Node& node, const clang::Type* type);
  std::string within(const Node& node);
  void check_verbatim(const Node& node);
  void check_type(const clang::Type* type, std::uint32_t from, std::uint32_t to);

  // Where control flow diverges: lane_control_flow.cpp
  std::string masked_if(const Node& node, const ControlParts& parts);
  std::string plain_if(const Node& node, const ControlParts& parts);
  std::string loop(const Node& node);
  std::string loop_condition(const Node* condition, const Loop& loop);
  std::string until_empty(const std::string& body) const;
  std::string for_head(const Node& node, const ControlParts& parts, const std::string& first,
                       const std::string& asked);
  std::string loop_body(const ControlParts& parts, const Loop& loop);
  std::string leave(int first);
  std::string jump(const Node& node);
  std::string return_statement(const Node& node);

  // Expressions: lane_expressions.cpp
  std::string expression(const Node& node);
  std::string converted(const Node& node);
  std::string cast(const Node& node);
  std::string call(const Node& node);
  std::string built_in(const Node& node);

  // What depends on conditions
  std::string condition(const Node& node);
  std::string logical(const Node& node);
  std::string second_side(const Node& node, const std::string& first);
  std::string as_mask(const Node& side);
  std::string choice(const Node& node, ScalarType type);
  std::string chosen(const Node& side, ScalarType type, const std::string& mask);
  std::string number_of_condition(const Node& node, ScalarType type);
  std::string as_vector(const Node& node, ScalarType type);

  // Changes of variables
  std::string assignment(const Node& node);
  std::string step_by_one(const Node& node);
  int base(const Node& node) const;
  bool outlives(int declaration) const;
  void check_uniform_change(const Node& target, const Node& node);

  std::string vector(ScalarType type) const;
  std::string mask_type() const { return vector(mask_); }
  std::string mask(int level) const;
  std::string mask_for(ScalarType type, const std::string& mask) const;
  bool is_masked() const { return level_ > 0 || has_mask_; }
  std::string active_mask() const;
  std::string new_mask() { return fmt::format("kiln_when{}", ++whens_); }
  std::string refuse(std::uint32_t at, std::string reason);
  bool fits(const Node& child, std::uint32_t from, std::uint32_t to) const;

  const Syntax& syntax_;
  const LaneRisks& risks_;
  const std::vector<Edit>& edits_;
  const std::set<int>& masked_;
  const BuiltIns& on_vectors_;
  const Function& function_;
  int lanes_;
  ScalarType mask_;
  Divergence control_;
  bool has_mask_ = false;       ///< the function has kiln_mask0
  bool has_parameter_ = false;  ///< … as a parameter
  int level_ = 0;
  bool may_not_assign_ = false;  ///< within what is evaluated though it may not be chosen
  std::string chosen_;  ///< the lanes that choose what is written now; empty: all active ones
  int whens_ = 0;       ///< masks of such choices: kiln_when1 …
  /// The lowest level whose mask may be empty behind what was just written, all lanes having left.
  int emptied_ = nothing_emptied;
  std::vector<Loop> loops_;
  std::map<int, Home> homes_;
  std::map<int, std::uint32_t> last_mentions_;
  std::set<int> called_masked_;
  std::set<ByLane> by_lane_;
  std::optional<LaneObstacle> obstacle_;
};

}  // namespace kiln::mesh
