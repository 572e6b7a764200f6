#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "kiln/mesh/mixed.hpp"
#include "kiln/mesh/par_loop.hpp"
#include "mesh/model/session.hpp"

namespace kiln::mesh {

/// The kernels of conjugate gradients for elements of `dim` components of one floating-point type.
/// Scalars are Globals: `s` is (r D r, r r) of an iteration, `next` that of the one after it; D is
/// the inverse diagonal or, without a preconditioner, 1.
struct CgKernels {
  CgKernels(ScalarType type, std::size_t dim, bool has_diagonal);

  Kernel invert;     ///< (d, lowest): d := 1 / d, lowest MIN |d|
  Kernel begin;      ///< (b, q, [d], r, p, s, bb): r := b - q, p := D r, s and bb = b b summed
  Kernel product;    ///< (p, q, pq): pq = p q summed
  Kernel update;     ///< (s, pq, goal, p, q, [d], x, r, next): a step along p, next summed
  Kernel direction;  ///< (s, next, [d], r, p): p := D r + beta p
};

/// Iterations between two looks at the residual: a few at first, then ever more up to this. A look
/// waits for the device, which then waits for the host; each iteration beyond the last one is for
/// nothing.
inline constexpr std::size_t first_look = 4, looks_apart = 16;

/// Vectors and scalars for the sets, dimensions and type of a solution.
struct Workspace {
  Workspace(const MixedDat& like, bool with_diagonal)
      : session(Handles::state(like[0])->session),
        has_diagonal(with_diagonal),
        r(vectors(like, "r")),
        p(vectors(like, "p")),
        q(vectors(like, "q")),
        d(vectors(like, "d")),
        bb(scalar(like[0], 1)),
        goal(scalar(like[0], 1)),
        lowest(scalar(like[0], 1, "least entry of the diagonal")) {
    for (const Dat& part : like) kernels.emplace_back(part.type(), part.dim(), with_diagonal);
    for (std::size_t i = 0; i <= looks_apart; ++i) s.push_back(scalar(like[0], 2));
    for (std::size_t i = 0; i < looks_apart; ++i) pq.push_back(scalar(like[0], 1));
  }
  bool fits(const MixedDat& x, bool with_diagonal) const {
    return std::equal(r.begin(), r.end(), x.begin(), x.end(),
                      [](const Dat& mine, const Dat& other) {
                        return mine.set() == other.set() && mine.dim() == other.dim() &&
                               mine.type() == other.type();
                      }) &&
           with_diagonal == has_diagonal;
  }
  std::size_t parts() const { return r.size(); }

  SessionPtr session;
  bool has_diagonal;
  std::vector<CgKernels> kernels;  ///< by part
  MixedDat r, p, q, d;
  Global bb, goal, lowest;
  std::vector<Global> s, pq;  ///< of the iterations since the last look; s[0] is what came before

 private:
  static MixedDat vectors(const MixedDat& like, const char* name) {
    std::vector<Dat> made;
    for (const Dat& part : like) {
      const auto& state = *Handles::state(part);
      auto form = state.data.form();
      form.layout = DataLayout::aos;
      made.push_back(Handles::make<Dat>(state.session->keep(std::unique_ptr<DatState>(
          new DatState{state.session, name, state.on, next_identity(), Residence(form)}))));
    }
    return MixedDat(std::move(made));
  }
  static Global scalar(const Dat& like, std::size_t dim, const char* name = "scalar") {
    const auto& session = Handles::state(like)->session;
    return Handles::make<Global>(session->keep(std::unique_ptr<GlobalState>(new GlobalState{
        session, name, next_identity(), Residence({like.type(), 1, dim, DataLayout::aos})})));
  }
};

}  // namespace kiln::mesh
