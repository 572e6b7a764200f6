#pragma once

#include <string>
#include <vector>

#include "mesh/codegen/helper_text.hpp"
#include "mesh/codegen/layout.hpp"
#include "mesh/codegen/reduction_text.hpp"
#include "mesh/codegen/user_kernel.hpp"
#include "mesh/codegen/user_text.hpp"
#include "mesh/plan/mesh_plan.hpp"

namespace kiln::mesh {

/// How increments reach their targets.
enum class Commit : std::uint8_t {
  plain,    ///< += : no other work-item has the target now
  atomic,   ///< indirect ones by atomic operations
  coloured  ///< staged form: kept in private arrays, added by ElementText::write_increments()
};

/// Where the staged form finds the targets of (pair, component).
struct StagedRows {
  explicit StagedRows(const LoopShape& shape)
      : pairs(plan_pairs(shape)), layout(staging_layout(pairs)) {}
  /// The row of loc_map.
  int row(int pair, int component) const;
  std::vector<PlanPair> pairs;
  StagingLayout layout;
};

/// What the text of one element, or of a group of `lanes` elements, depends on.
struct ElementForm {
  int lanes = 1;
  Commit commit = Commit::plain;
  bool ordered = false;  ///< positions are those of a list of elements by colour (coloured)
  const StagedRows* staged = nullptr;  ///< indirect Dats lie in local memory
  Spaces in_place;         ///< by argument; not empty: the kernel's copy for these spaces is called
  bool streaming = false;  ///< what is only written is written by non-temporal stores
  bool pieces = false;     ///< elements and rows of Maps move by 16 bytes, as GPUs like it
};

/// OpenCL C for a group of elements: private copies of what the kernel reads, the call of the
/// user's function, and what it wrote back to memory. Names begin with kiln_, as in:
/// kiln_d0 Dat 0, kiln_s0 its stride, kiln_map1 Map 1, kiln_e the position, kiln_el2 the element
/// of lane 2, kiln_m1_0_2 its target through component 0 of Map 1, kiln_a3 argument 3's copy,
/// kiln_r0 what a reduction has so far (kiln_v0 in lanes), kiln_g0 a Global that is read.
class ElementText {
 public:
  ElementText(KernelWriter& out, const LoopShape& shape, const UserKernel& kernel,
              const ConstantUse& constants, ElementForm form)
      : out_(out), shape_(shape), kernel_(kernel), constants_(constants), form_(form) {}

  /// What stands in front of a loop over elements, cells of a column or iteration indices: where
  /// they share targets, no compiler may take several at once. (LLVM 15's vectoriser would: it
  /// forgets that a[i[k]] += 1 depends on itself once it checks at run time whether other arrays
  /// overlap, as the components of an SoA Dat do.)
  void one_by_one() const;

  /// All for the elements at positions kiln_e … kiln_e + lanes - 1.
  void write() const;
  /// Staged: whether there are private increments, their declarations, which outlive the call, and
  /// what adds an element's to local memory.
  bool has_increments() const;
  void declare_increments() const;
  void write_increments() const;

  /// Whether an argument's elements can be written by non-temporal stores.
  static bool streams(const ArgShape& argument);

 private:
  using Via = ArgShape::Via;
  using Kind = ArgShape::Kind;

  // Where the data of an argument are
  std::string type(ScalarType scalar) const { return type_text(scalar, form_.lanes); }
  std::string component_of(const ArgShape& argument) const;
  std::string target(const ArgShape& argument, const std::string& component, int lane) const;
  std::string row(const ArgShape& argument, const std::string& target) const;
  std::string place(const ArgShape& argument, const std::string& target,
                    const std::string& k) const;
  std::string value(const std::string& name, const std::string& k, int lane) const;
  std::string values(const std::string& name, int first, int count, int lane) const;
  bool contiguous(const ArgShape& argument) const;
  bool wide(const ArgShape& argument) const;
  int piece(const ArgShape& argument) const;
  Transpose transpose_of(const ArgShape& argument) const;
  bool is_private_increment(const ArgShape& argument) const;
  bool is_inner(const ArgShape& argument) const;
  bool is_in_place(std::size_t argument) const {
    return !form_.in_place.empty() && form_.in_place[argument] != Space::private_;
  }
  bool is_stored(std::size_t argument) const;
  template <class Each>
  void for_arrays(std::size_t argument, const Each& each) const;

  void elements() const;
  void map_target(int map, int arity, const std::string& component, const std::string& name) const;
  void map_targets(bool indexed) const;
  void declare(std::size_t argument) const;
  void load(std::size_t argument) const;
  void load_array(const ArgShape& argument, const std::string& name,
                  const std::string& component) const;
  void load_lanes(const ArgShape& argument, const std::string& name,
                  const std::string& component) const;
  void loads(bool inner) const;
  void call() const;
  void store(std::size_t argument, int lane) const;
  void store_array(const ArgShape& argument, const std::string& name, const std::string& target,
                   int lane) const;
  void store_lanes(std::size_t argument) const;
  void store_non_temporal(std::size_t argument) const;
  void stores(bool indexed) const;
  void store_matrix(std::size_t argument) const;

  KernelWriter& out_;
  const LoopShape& shape_;
  const UserKernel& kernel_;
  const ConstantUse& constants_;
  ElementForm form_;
};

/// Calls each(name, component of the Map) for every private array of an argument.
template <class Each>
void ElementText::for_arrays(std::size_t i, const Each& each) const {
  const ArgShape& a = shape_.arguments[i];
  const std::string name = fmt::format("kiln_a{}", i);
  if (a.via != Via::all) return each(name, component_of(a));
  for (int c = 0; c < a.arity; ++c) each(fmt::format("{}[{}]", name, c), std::to_string(c));
}

}  // namespace kiln::mesh
