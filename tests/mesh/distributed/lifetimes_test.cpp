// Objects that go sooner on one part than on others: what parts agree on does not depend on it.
#include <optional>

#include "mesh/distributed/part_mesh.hpp"
#include "mesh/distributed/whole_mesh.hpp"
#include "mesh/loop/loop_session.hpp"

namespace kiln::mesh::testing {
namespace {

/// A ring of points, each joined to the next and to the one across it, cut at random.
class Ring {
 public:
  static constexpr std::size_t size = 40;
  Mesh mesh;
  Set points, edges;
  std::optional<Map> ends, across;

  Ring(const std::shared_ptr<ThreadTransport>& transport, const Mesh::Options& options, bool cuts)
      : mesh(parts_runtime(), transport, options),
        points(mesh.set("points", rows(*transport))),
        edges(mesh.set("edges", rows(*transport))),
        transport_(transport) {
    std::vector<std::int32_t> both, far;
    for (std::size_t e = first(transport->rank()); e < first(transport->rank() + 1); ++e) {
      both.insert(both.end(),
                  {static_cast<std::int32_t>(e), static_cast<std::int32_t>((e + 1) % size)});
      far.push_back(static_cast<std::int32_t>((e + size / 2) % size));
    }
    ends = mesh.map("ends", edges, points, 2, both);
    across = mesh.map("across", edges, points, 1, far);
    if (cuts) cut(1);
  }
  bool is_first() const { return transport_->rank() == 0; }

  void cut(unsigned seed) {
    std::mt19937 random(seed);
    std::vector<std::int32_t> parts;
    for (std::size_t k = 0; k < size; ++k)
      parts.push_back(
          static_cast<std::int32_t>(random() % static_cast<unsigned>(transport_->size())));
    mesh.partition(owners(
        points, {parts.begin() + static_cast<std::ptrdiff_t>(first(transport_->rank())),
                 parts.begin() + static_cast<std::ptrdiff_t>(first(transport_->rank() + 1))}));
  }

  /// On the points: their numbers, which copies have to be asked for.
  Dat numbers(const char* name) {
    Dat made = mesh.dat<double>(name, points, 1);
    const auto& known = mesh.part(points).numbers;
    auto values = made.write<double>();
    for (std::size_t k = 0; k < points.size(); ++k) values[k] = static_cast<double>(known[k]);
    return made;
  }
  /// Each edge adds what the point across it has to its ends.
  void spread(const Dat& from, const Dat& to) {
    par_loop(kernel(), edges, arg(from, (*across)[0], READ), arg(to, (*ends)[0], INC),
             arg(to, (*ends)[1], INC));
  }
  /// Of spread() from numbers().
  void expect_spread(const Dat& to, double times = 1) {
    const auto& known = mesh.part(points).numbers;
    const auto values = to.read<double>();
    for (std::size_t k = 0; k < points.size(); ++k) {
      const auto number = static_cast<std::size_t>(known[k]);
      const auto edge = [&](std::size_t at) {
        return static_cast<double>((at % size + size / 2) % size);
      };
      ASSERT_EQ(values[k], times * (edge(number) + edge(number + size - 1))) << number;
    }
  }
  static const Kernel& kernel() {
    static const Kernel made(
        "void spread(const double *a, double *b, double *c) { *b += *a; *c += *a; }", "spread");
    return made;
  }

 private:
  std::size_t first(int rank) const {
    return size * static_cast<std::size_t>(rank) / static_cast<std::size_t>(transport_->size());
  }
  static std::size_t rows(const Transport& transport) {
    const auto at = [&](int rank) {
      return size * static_cast<std::size_t>(rank) / static_cast<std::size_t>(transport.size());
    };
    return at(transport.rank() + 1) - at(transport.rank());
  }
  std::shared_ptr<ThreadTransport> transport_;
};

class Lifetimes : public ::testing::TestWithParam<int> {
 protected:
  static Mesh::Options options() {
    Mesh::Options options;
    options.check = true;
    return options;
  }
  void on_ring(const std::function<void(Ring&)>& run, const Mesh::Options& options_ = options(),
               bool cuts = true) const {
    in_parts(GetParam(), [&](const auto& transport) {
      Ring ring(transport, options_, cuts);
      run(ring);
      ring.mesh.finish();
    });
  }
};

const Kernel& copy() {
  static const Kernel made("void copy(const double *a, double *b) { *b = *a; }", "copy");
  return made;
}
const Kernel& sum() {
  static const Kernel made("void sum(const double *a, double *s) { *s += *a; }", "sum");
  return made;
}

TEST_P(Lifetimes, a_dat_that_goes_on_one_part_leaves_queued_loops_where_they_are) {
  on_ring([](Ring& ring) {
    std::optional<Dat> a = ring.numbers("a");
    const Dat b = ring.mesh.dat<double>("b", ring.points, 1);
    ring.spread(*a, b);
    EXPECT_EQ(ring.mesh.queued(), 1u);
    if (ring.is_first()) a.reset();
    EXPECT_EQ(ring.mesh.queued(), ring.mesh.transport()->size() > 1 ? 1u : 0u);
    // Another loop is prepared, which all parts do together, before the one that waits runs.
    const Dat c = ring.numbers("c"), d = ring.mesh.dat<double>("d", ring.edges, 1);
    par_loop(copy(), ring.edges, arg(c, (*ring.ends)[1], READ), arg(d, WRITE));
    ring.expect_spread(b);
    a.reset();
    ring.mesh.finish();
    EXPECT_EQ(ring.mesh.queued(), 0u);
  });
}

TEST_P(Lifetimes, nothing_is_left_of_a_mesh_whose_loops_were_queued_to_its_end) {
  in_parts(GetParam(), [](const auto& transport) {
    std::weak_ptr<Session> session;
    {
      Ring ring(transport, options(), true);
      session = Handles::session(ring.mesh);
      // The last of their handles go while the loop waits; a Dat's Set and scratch go with it.
      Dat a = ring.numbers("a");
      a += 1;
      ring.spread(a, ring.mesh.dat<double>("b", ring.points, 1));
    }
    EXPECT_TRUE(session.expired());
  });
}

TEST_P(Lifetimes, loops_that_go_on_one_part_leave_its_halo_lists_known) {
  on_ring([](Ring& ring) {
    for (int round = 0; round < 4; ++round) {
      std::optional<Dat> a = ring.numbers("a"), b = ring.mesh.dat<double>("b", ring.points, 1);
      std::optional<Subset> some = ring.edges.subset(Indices{});
      par_loop(copy(), *some, arg(*a, (*ring.across)[0], READ),
               arg(ring.mesh.dat<double>("e", ring.edges, 1), WRITE));
      ring.spread(*a, *b);
      ring.expect_spread(*b);
      if (ring.is_first()) a.reset(), b.reset(), some.reset();
      const Dat c = ring.numbers("c"), d = ring.mesh.dat<double>("d", ring.points, 1);
      par_loop(copy(), ring.edges, arg(c, (*ring.ends)[round % 2], READ),
               arg(ring.mesh.dat<double>("f", ring.edges, 1), WRITE));
      ring.spread(c, d);
      ring.expect_spread(d);
    }
  });
}

TEST_P(Lifetimes, loops_go_for_being_old_on_all_parts_at_once) {
  auto few = options();
  few.prepared = 3;
  on_ring(
      [](Ring& ring) {
        std::vector<Dat> kept;
        for (int k = 0; k < 3; ++k) kept.push_back(ring.mesh.dat<double>("kept", ring.points, 1));
        const Dat a = ring.numbers("a");
        std::optional<Dat> early = ring.mesh.dat<double>("early", ring.points, 1);
        ring.spread(a, kept[0]);
        ring.spread(a, *early);
        ring.spread(a, kept[1]);
        ring.mesh.finish();
        if (ring.is_first()) early.reset();
        ring.spread(a, kept[2]);  // for this one a loop goes where there are three still
        ring.mesh.finish();
        for (int k = 0; k < 3; ++k) ring.spread(a, kept[static_cast<std::size_t>(k)]);
        for (const Dat& dat : kept) ring.expect_spread(dat, 2);
      },
      few);
}

TEST_P(Lifetimes, a_global_that_goes_on_one_part_is_still_its_share) {
  on_ring([](Ring& ring) {
    const Dat a = ring.numbers("a");
    std::optional<Global> first = ring.mesh.global("first", 1.0);
    const Global second = ring.mesh.global("second", 2.0);
    par_loop(sum(), ring.points, arg(a, READ), arg(*first, INC));
    par_loop(sum(), ring.points, arg(a, READ), arg(second, INC));
    ring.mesh.finish();
    if (ring.is_first()) first.reset();
    constexpr double all = Ring::size * (Ring::size - 1) / 2.0;
    EXPECT_EQ(second.value<double>(), all + 2);
    if (!ring.is_first()) {
      EXPECT_EQ(first->value<double>(), all + 1);
    }
    // These are never asked for.
    for (int k = 0; k < 600; ++k) {
      const Global unread = ring.mesh.global("unread", 0.0);
      par_loop(sum(), ring.points, arg(a, READ), arg(unread, INC));
    }
    EXPECT_EQ(second.value<double>(), all + 2);
  });
}

TEST_P(Lifetimes, an_equal_sparsity_is_there_on_one_part) {
  on_ring([](Ring& ring) {
    const Dat x = ring.numbers("x"), y = ring.mesh.dat<double>("y", ring.points, 1);
    const Kernel ones("void ones(double *a) { for (int k = 0; k < 4; ++k) a[k] += 1; }", "ones");
    std::optional<Sparsity> kept;
    for (int round = 0; round < 3; ++round) {
      const Sparsity sparsity = ring.mesh.sparsity(*ring.ends, *ring.ends);
      if (!ring.is_first()) kept = sparsity;
      Mat mat = ring.mesh.mat<double>("mat", sparsity);
      par_loop(ones, ring.edges, arg(mat, *ring.ends, *ring.ends, INC));
      multiply(mat, x, y);
      const auto& known = ring.mesh.part(ring.points).numbers;
      const auto values = y.read<double>();
      for (std::size_t k = 0; k < ring.points.size(); ++k) {
        const auto n = static_cast<std::size_t>(known[k]);
        EXPECT_EQ(values[k], static_cast<double>(2 * n + (n + 1) % Ring::size +
                                                 (n + Ring::size - 1) % Ring::size));
      }
      // So that the halo is stale again.
      par_loop(Kernel("void same(double *x) { x[0] += 0; }", "same"), ring.points, arg(x, RW));
    }
  });
}

TEST_P(Lifetimes, meshes_are_cut_with_what_all_parts_still_have) {
  on_ring(
      [](Ring& ring) {
        std::optional<Map> spare =
            ring.mesh.map("spare", ring.edges, ring.points, 1, Indices(ring.edges.size(), 0));
        std::optional<Dat> early = ring.mesh.dat<double>("early", ring.points, 1);
        const bool goes = ring.mesh.transport()->rank() == ring.mesh.transport()->size() - 1;
        if (goes) early.reset(), spare.reset();
        for (unsigned seed = 1; seed < 4; ++seed) {
          std::optional<Dat> temporary = ring.mesh.dat<double>("temporary", ring.edges, 1);
          if (ring.is_first()) temporary.reset();
          ring.cut(seed);
          const Dat a = ring.numbers("a"), b = ring.mesh.dat<double>("b", ring.points, 1);
          ring.spread(a, b);
          ring.expect_spread(b);
        }
        if (goes || ring.mesh.transport()->size() == 1) return;
        EXPECT_EQ(refused([&] { early->read<double>(); }),
                  "dat early: it was gone on another part when the mesh was partitioned");
        EXPECT_EQ(refused([&] { spare->values(); }),
                  "map spare: it was gone on another part when the mesh was partitioned");
        EXPECT_EQ(refused([&] {
                    const Dat a = ring.mesh.dat<double>("a", ring.points, 1);
                    par_loop(copy(), ring.edges, arg(a, (*spare)[0], READ),
                             arg(ring.mesh.dat<double>("e", ring.edges, 1), WRITE));
                  }),
                  "loop copy, argument 0 (dat a): map spare was gone on another part when the mesh "
                  "was partitioned");
      },
      options(), false);
}

TEST_P(Lifetimes, halo_lists_that_nobody_needs_do_not_stay) {
  on_ring([](Ring& ring) {
    const Dat a = ring.numbers("a"), e = ring.mesh.dat<double>("e", ring.edges, 1);
    std::size_t most = 0;
    for (std::int32_t k = 0; k < 300; ++k) {
      Indices some;
      for (std::int32_t at = 0; at < static_cast<std::int32_t>(ring.edges.size()); ++at)
        if ((at + k) % (2 + k % 7) == 0) some.push_back(at);
      const Subset part = ring.edges.subset(some);
      par_loop(copy(), part, arg(a, (*ring.across)[0], READ), arg(e, WRITE));
      ring.mesh.finish();
      if (ring.mesh.transport()->size() > 1)
        most = std::max(most, LoopSession::of(*Handles::session(ring.mesh)).parts().classes.size());
    }
    EXPECT_LE(most, 70u);
  });
}

INSTANTIATE_TEST_SUITE_P(Parts, Lifetimes, ::testing::Values(1, 2, 3, 4));

}  // namespace
}  // namespace kiln::mesh::testing
