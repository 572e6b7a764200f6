#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mesh/halo/agreement.hpp"
#include "mesh/halo/halo_class.hpp"

namespace kiln::mesh {

using HaloClassPtr = std::shared_ptr<const HaloClass>;

/// What something is about to read of a set's halo.
struct HaloNeed {
  const SetState* set = nullptr;  ///< in parts
  /// What `elements` depends on: needs of equal recipes are equal. By numbers of handles, which
  /// may be others on other parts; but where two are equal on one part, they are on all.
  std::vector<std::uint64_t> recipe;
  /// Elements of the halo here, rising. Called where the recipe is new.
  std::function<std::vector<std::int32_t>()> elements;
};

/// The halo classes of a distributed Mesh. All parts ask for the same in the same order, and have
/// the same classes: which ones are known depends on what was asked for, not on what a part still
/// holds, since objects may go sooner on one part than on another. Classes that no part holds any
/// more go now and then, on all parts at once. One thread.
class HaloClasses {
 public:
  explicit HaloClasses(Transport& transport) : transport_(transport) {}

  /// A class for each need; what others have to send is found out with them, and that all parts are
  /// at the same: `what` and `details` as for Agreement::gather(). Throws as that does.
  std::vector<HaloClassPtr> get(const std::string& what, const std::string& details,
                                std::span<const HaloNeed> needs);
  /// What get() gave for an equal need, if it is known still; else null. All parts find it, or none
  /// does. Waits for no other part.
  HaloClassPtr find(const HaloNeed& need) const;
  /// All of a set's halo. Waits for no other part.
  HaloClassPtr whole(const SetState& set);

  /// How many are known, on each part.
  std::size_t size() const { return all_.size(); }

 private:
  using Recipe = std::pair<std::uint64_t, std::vector<std::uint64_t>>;  ///< with the set's number
  using Made = std::vector<std::shared_ptr<HaloClass>>;
  /// A need that was asked for. Whoever got the class holds this with it.
  struct Asked {
    Recipe recipe;
    std::shared_ptr<HaloClass> made;
  };
  static HaloClassPtr given(const std::shared_ptr<Asked>& asked) {
    return {asked, asked->made.get()};
  }
  Made make(const std::string& what, std::span<const HaloNeed* const> needs);
  void share_equal_ones(const std::string& what, Made& made);
  /// Of needs and classes those that no part holds; not what was just made.
  void drop_unused(const std::vector<bool>& is_used, const Made& made);

  Transport& transport_;
  // In the order of their making, as on all parts:
  Made all_;
  std::vector<std::shared_ptr<Asked>> asked_;
  std::map<Recipe, std::size_t> by_recipe_;                     ///< places in asked_
  std::map<std::uint64_t, std::shared_ptr<HaloClass>> wholes_;  ///< by the set's number
  std::uint64_t last_ = 0;
  std::size_t most_ = 64;  ///< needs; where there are more, those that are not used are looked for
};

}  // namespace kiln::mesh
