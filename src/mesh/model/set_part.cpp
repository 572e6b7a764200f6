// Parts of sets that were distributed before, held against themselves.
#include <algorithm>

#include "mesh/model/basics.hpp"
#include "mesh/model/session.hpp"

namespace kiln::mesh {
namespace {

class PartCheck {
 public:
  PartCheck(const std::string& name, const SetPart& part, const Transport& transport)
      : name_(name), part_(part), transport_(transport) {}

  /// Throws bad_input.
  void check() const {
    const auto& at = part_.sizes;
    if (part_.numbers.size() != at[3])
      refuse("set {}: {} global numbers, expected {}, one for each element", name_,
             part_.numbers.size(), at[3]);
    for (const std::int64_t number : part_.numbers)
      if (number < 0 || number >= part_.global_size)
        refuse("set {}: global number {}, expected 0 to {}", name_, number, part_.global_size - 1);
    if (part_.exec_maps.size() != at[2] - at[1])
      refuse("set {}: maps of {} elements of the exec halo, expected {}", name_,
             part_.exec_maps.size(), at[2] - at[1]);
    check_neighbours();
  }

 private:
  void check_neighbours() const {
    std::vector<std::int32_t> copies;
    int last = -1;
    for (const HaloNeighbour& neighbour : part_.neighbours) {
      if (neighbour.rank <= last || neighbour.rank >= transport_.size() ||
          neighbour.rank == transport_.rank())
        refuse("set {}: neighbour {} after {}, expected rising ranks below {} other than {}", name_,
               neighbour.rank, last, transport_.size(), transport_.rank());
      last = neighbour.rank;
      check_list("export", neighbour.exports, 0, part_.sizes[1]);
      check_list("import", neighbour.imports, part_.sizes[1], part_.sizes[3]);
      copies.insert(copies.end(), neighbour.imports.begin(), neighbour.imports.end());
    }
    std::ranges::sort(copies);
    const std::size_t halo = part_.sizes[3] - part_.sizes[1];
    if (copies.size() != halo || std::ranges::adjacent_find(copies) != copies.end())
      refuse("set {}: {} imports of a halo of {} elements, expected each of them once", name_,
             copies.size(), halo);
  }

  void check_list(const char* what, const std::vector<std::int32_t>& list, std::size_t begin,
                  std::size_t end) const {
    for (const std::int32_t element : list)
      if (element < static_cast<std::int64_t>(begin) || element >= static_cast<std::int64_t>(end))
        refuse("set {}: {} of element {}, expected {} to {}", name_, what, element, begin,
               static_cast<std::int64_t>(end) - 1);
  }

  const std::string& name_;
  const SetPart& part_;
  const Transport& transport_;
};

}  // namespace

Set Mesh::set_part(std::string name, SetPart part) {
  if (not_moved(session_)->transport == nullptr)
    refuse("set {}: a part of it, expected a Mesh with a Transport", name);
  const Set made = set(name, part.sizes);
  PartCheck(name, part, *session_->transport).check();
  Handles::state(made)->part = std::make_shared<const SetPart>(std::move(part));
  return made;
}

}  // namespace kiln::mesh
