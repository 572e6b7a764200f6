#pragma once

#include <fmt/format.h>

#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "mesh/code/lane_built_ins.hpp"
#include "mesh/code/lane_facts.hpp"
#include "mesh/code/lane_risks.hpp"
#include "mesh/code/user_text.hpp"

namespace kiln::mesh {

/// Why a kernel has no lanes where an integer depends on floating-point numbers.
constexpr const char* from_real = "an integer that depends on floating-point numbers";

/// Why a kernel cannot work on several elements at once, and at which byte of its text.
struct LaneObstacle {
  std::string reason;
  std::uint32_t at = 0;
};

/// Writes one function for `lanes` elements at once. Real numbers become vectors. Where elements
/// part (an if, a loop or a return that depends on real numbers), a mask says who is there, and
/// what outlives the place is changed for those only: kiln_mask0 for the function, kiln_mask1 for
/// what is within one such place, and so on. Text runs only where somebody is there: no mask of
/// those around it is empty. One use.
class LaneWriter {
 public:
  /// @param edits of the whole text: the plain ones, types made vectors, names with their suffix.
  /// @param masked functions that get a mask as their last parameter: numbers in Syntax::functions.
  LaneWriter(const Syntax& syntax, const LaneRisks& risks, const std::vector<Edit>& edits,
             const std::set<int>& masked, int function, int lanes, ScalarType mask);

  std::string prototype() const;
  std::string definition();
  const std::optional<LaneObstacle>& obstacle() const { return obstacle_; }
  /// Functions of `masked`'s kind that are called where not all elements are.
  const std::set<int>& called_in_part() const { return called_in_part_; }
  /// Functions that the text calls and that must stand in front of it.
  const std::set<ByLane>& by_lane() const { return by_lane_; }

 private:
  static constexpr int nothing_emptied = std::numeric_limits<int>::max();
  struct Loop {
    std::uint32_t end = 0;
    int level = 0;
    LaneControl::Loop control;
    bool is_switch = false;
  };
  struct Home {
    int level = 0;          ///< of masks where a variable is declared
    std::size_t loops = 0;  ///< around it
  };

  // The text between nodes, statements, declarations: lane_writer.cpp
  std::string slice(std::uint32_t from, std::uint32_t to) const;
  std::string breaks(std::uint32_t from, std::uint32_t to) const;
  std::uint32_t stretch(const Node& node);
  std::string statement(const Node& node);
  std::string statements(const Node& node);
  std::string declarations(const Node& node);
  std::string initial(const Node& node, const CType& type);
  std::string within(const Node& node);
  void check_verbatim(const Node& node);
  void check_type(const CType& type, std::uint32_t from, std::uint32_t to);

  // Where elements part: lane_control_flow.cpp
  std::string masked_if(const Node& node, const ControlParts& parts);
  std::string plain_if(const Node& node, const ControlParts& parts);
  std::string loop(const Node& node);
  std::string loop_question(const Node* condition, const Loop& loop);
  std::string until_empty(const std::string& body) const;
  std::string for_head(const Node& node, const ControlParts& parts, const std::string& first,
                       const std::string& asked);
  std::string loop_body(const ControlParts& parts, const Loop& loop);
  std::string leave(int first);
  std::string jump(const Node& node);
  std::string give_back(const Node& node);

  // Expressions: lane_expressions.cpp
  std::string expression(const Node& node);
  std::string converted(const Node& node);
  std::string cast(const Node& node);
  std::string call(const Node& node);
  std::string built_in(const Node& node);

  // What depends on conditions: lane_conditions.cpp
  std::string condition(const Node& node);
  std::string logical(const Node& node);
  std::string second_side(const Node& node, const std::string& first);
  std::string as_mask(const Node& side);
  std::string choice(const Node& node, ScalarType type);
  std::string chosen(const Node& side, ScalarType type, const std::string& mask);
  std::string number_of_truth(const Node& node, ScalarType type);
  std::string as_vector(const Node& node, ScalarType type);

  // Changes of variables: lane_assignments.cpp
  std::string assignment(const Node& node);
  std::string assigned(const Node& node, std::optional<ScalarType> type);
  std::string step_by_one(const Node& node);
  int base(const Node& node) const;
  bool outlives(int declaration) const;
  void check_uniform_change(int declaration, const Node& node);

  std::string vector(ScalarType type) const;
  std::string mask_type() const { return vector(mask_); }
  std::string mask(int level) const;
  std::string mask_for(ScalarType type, const std::string& mask) const;
  bool is_masked() const { return level_ > 0 || has_mask_; }
  std::string present() const;
  std::string new_mask() { return fmt::format("kiln_when{}", ++whens_); }
  std::string refuse(std::uint32_t at, std::string reason);
  bool fits(const Node& child, std::uint32_t from, std::uint32_t to) const;

  const Syntax& syntax_;
  const LaneRisks& risks_;
  const std::vector<Edit>& edits_;
  const std::set<int>& masked_;
  const Function& function_;
  int lanes_;
  ScalarType mask_;
  LaneControl control_;
  bool has_mask_ = false;       ///< the function has kiln_mask0
  bool has_parameter_ = false;  ///< … as a parameter
  int level_ = 0;
  bool may_not_assign_ = false;  ///< within what is evaluated though it may not be chosen
  std::string chosen_;  ///< the mask of those who choose what is written now; empty: all here
  int whens_ = 0;       ///< masks of such choices: kiln_when1 …
  /// The lowest level whose mask may be empty behind what was just written, as all have left.
  int emptied_ = nothing_emptied;
  std::vector<Loop> loops_;
  std::map<int, Home> homes_;
  std::map<int, std::uint32_t> last_mentions_;
  std::set<int> called_in_part_;
  std::set<ByLane> by_lane_;
  std::optional<LaneObstacle> obstacle_;
};

}  // namespace kiln::mesh
