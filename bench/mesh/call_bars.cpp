// What a par_loop costs that was called before: its look-up and book-keeping, above the enqueues
// that it comes to.
#include <fmt/format.h>

#include "base/clock.hpp"
#include "frame/statistics.hpp"
#include "kiln/mesh.hpp"
#include "mesh/bars.hpp"
#include "mesh/loop/loop_session.hpp"
#include "mesh/loop/prepared_loop.hpp"

namespace kiln::bench {
namespace {

using namespace kiln::mesh;

/// A loop like res_calc over a few edges: eight arguments, two Maps, one conflict.
class SmallLoop {
 public:
  explicit SmallLoop(bool has_halo)
      : mesh_(options()),
        edges_(has_halo ? mesh_.set("edges", {16, 24, 28, 32}) : mesh_.set("edges", 32)),
        cells_(mesh_.set("cells", 33)),
        map_(mesh_.map("pecell", edges_, cells_, 2, values())),
        q_(mesh_.dat<double>("q", cells_, 4)),
        adt_(mesh_.dat<double>("adt", cells_, 1)),
        res_(mesh_.dat<double>("res", cells_, 4)),
        w_(mesh_.dat<double>("w", edges_, 2)),
        kernel_(
            "void small(const double *w, const double *v, const double *q1, const double *q2, "
            "const double *a1, const double *a2, double *r1, double *r2) "
            "{ r1[0] += w[0] * q1[0] * a1[0] + v[1]; r2[0] += q2[0] * a2[0]; }",
            "small") {
    call();
    mesh_.finish();
  }
  void call() {
    par_loop(kernel_, edges_, arg(w_, READ), arg(w_, READ), arg(q_, map_[0], READ),
             arg(q_, map_[1], READ), arg(adt_, map_[0], READ), arg(adt_, map_[1], READ),
             arg(res_, map_[0], INC), arg(res_, map_[1], INC));
  }
  /// The same launches, by hand.
  void enqueue() {
    LoopSession& session = LoopSession::of(*Handles::session(mesh_));
    session.loops.all().front()->enqueue_only(session.queue);
  }
  void finish() { mesh_.finish(); }

 private:
  static Mesh::Options options() {
    Mesh::Options options;
    options.store = "off";
    options.queued = 0;
    return options;
  }
  static std::vector<std::int32_t> values() {
    std::vector<std::int32_t> values;
    for (int edge = 0; edge < 32; ++edge) values.push_back(edge), values.push_back(edge + 1);
    return values;
  }
  Mesh mesh_;
  Set edges_, cells_;
  Map map_;
  Dat q_, adt_, res_, w_;
  mesh::Kernel kernel_;
};

Outcome call_cost(bool has_halo) {
  SmallLoop loop(has_halo);
  constexpr int calls = 200;
  const auto timed = [&](auto&& body) -> Sample {
    return [&loop, body]() -> tl::expected<double, std::string> {
      const Stopwatch watch;
      for (int i = 0; i < calls; ++i) body();
      const double spent = watch.seconds();
      loop.finish();
      return 1e6 * spent / calls;
    };
  };
  const auto pairs =
      interleave(timed([&] { loop.call(); }), timed([&] { loop.enqueue(); }), 101, 10);
  if (!pairs) return not_measured(pairs.error());
  return difference(*pairs, "us");
}

}  // namespace

std::vector<Bar> call_bars() {
  return {{"mesh/call", "a par_loop of 8 arguments that was called before, above its enqueues",
           Holds::at_most, 2, "us more", [](const Context&) { return call_cost(false); }},
          {"mesh/call-halo", "the same of a set with core, owned and halo parts", Holds::at_most, 5,
           "us more", [](const Context&) { return call_cost(true); }}};
}

}  // namespace kiln::bench
