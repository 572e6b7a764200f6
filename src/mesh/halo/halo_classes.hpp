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

/// The halo classes of a distributed Mesh. All parts ask for the same in the same order. A class is
/// kept as long as a loop or a product holds it. One thread.
class HaloClasses {
 public:
  explicit HaloClasses(Transport& transport) : transport_(transport) {}

  /// A class for each need; what others have to send is found out with them, and that all parts are
  /// at the same: `what` and `details` as for Agreement::gather(). Throws as that does.
  std::vector<HaloClassPtr> get(const std::string& what, const std::string& details,
                                std::span<const HaloNeed> needs);
  /// All of a set's halo. Waits for no other part.
  HaloClassPtr whole(const SetState& set);

 private:
  using Recipe = std::pair<std::uint64_t, std::vector<std::uint64_t>>;  ///< with the set's number
  using Made = std::vector<std::shared_ptr<HaloClass>>;
  Made make(const std::string& what, std::span<const HaloNeed* const> needs);
  void share_equal_ones(const std::string& what, Made& made);
  void forget_gone();

  Transport& transport_;
  std::vector<std::weak_ptr<HaloClass>> all_;  ///< in the order of their making, as on all parts
  std::map<Recipe, std::weak_ptr<HaloClass>> by_recipe_;
  std::uint64_t last_ = 0;
};

}  // namespace kiln::mesh
