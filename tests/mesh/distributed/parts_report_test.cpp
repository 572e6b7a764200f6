// Reports and timelines of all parts.
#include <numeric>

#include "base/clock.hpp"
#include "mesh/distributed/part_mesh.hpp"
#include "mesh/model/clocks.hpp"

namespace kiln::mesh::testing::distributed {
namespace {

constexpr std::int64_t ring_size = 90;

/// Edges e between nodes e and e + 1 of a ring, whose nodes have owners at random.
struct ReportedRing {
  std::vector<std::int32_t> owners;

  explicit ReportedRing(int parts) {
    std::mt19937 random(31);  // the same in each run
    for (std::int64_t k = 0; k < ring_size; ++k)
      owners.push_back(static_cast<std::int32_t>(random() % static_cast<unsigned>(parts)));
  }
  std::int64_t cut() const {
    std::int64_t count = 0;
    for (std::size_t k = 0; k < owners.size(); ++k)
      count += owners[k] != owners[(k + 1) % owners.size()];
    return count;
  }
  std::int64_t owned(int rank) const { return std::ranges::count(owners, rank); }
};

/// A part of it, declared in blocks of rows.
struct CutRingPart {
  Mesh mesh;
  Set edges, nodes;
  Map ends;
  Dat x, sum;
  Global all;

  CutRingPart(const ReportedRing& ring, const std::shared_ptr<Transport>& transport,
              bool timeline = false)
      : mesh(parts_runtime(), transport, options(timeline)),
        edges(mesh.set("edges", count(*transport))),
        nodes(mesh.set("nodes", count(*transport))),
        ends(mesh.map("ends", edges, nodes, 2, targets(*transport))),
        x(mesh.dat<double>("x", nodes, 1)),
        sum(mesh.dat<double>("sum", nodes, 1)),
        all(mesh.global("all", 0.0)) {
    const auto first = ring.owners.begin() + begin(*transport, transport->rank());
    mesh.partition(owners(nodes, {first, first + static_cast<std::ptrdiff_t>(nodes.size())}));
  }
  static Mesh::Options options(bool timeline) {
    Mesh::Options options;
    options.timing = true;
    options.timeline = timeline;
    return options;
  }
  static std::int64_t begin(const Transport& transport, int rank) {
    return ring_size * rank / transport.size();
  }
  static std::size_t count(const Transport& transport) {
    return static_cast<std::size_t>(begin(transport, transport.rank() + 1) -
                                    begin(transport, transport.rank()));
  }
  static std::vector<std::int32_t> targets(const Transport& transport) {
    std::vector<std::int32_t> values;
    const auto first = begin(transport, transport.rank());
    for (std::int64_t edge = first; edge < begin(transport, transport.rank() + 1); ++edge)
      for (const std::int64_t node : {edge, (edge + 1) % ring_size})
        values.push_back(static_cast<std::int32_t>(node));
    return values;
  }
  /// Each step makes the copies of x stale, and reads them.
  void run(int steps) {
    const Kernel grow("void grow(double *x) { *x += 1; }", "grow");
    const Kernel gather(
        "void gather(const double *a, const double *b, double *s, double *t, double *all) {\n"
        "  *s += *a + *b; *t += *a; *all += *a; }",
        "gather");
    for (int step = 0; step < steps; ++step) {
      par_loop(grow, nodes, arg(x, RW));
      par_loop(gather, edges, arg(x, ends[0], READ), arg(x, ends[1], READ), arg(sum, ends[0], INC),
               arg(sum, ends[1], INC), arg(all, INC));
    }
  }
};

const PartsLoopReport& loop_of(const PartsReport& report, const std::string& name) {
  const auto found = std::ranges::find_if(
      report.loops, [&](const PartsLoopReport& loop) { return loop.all.name == name; });
  EXPECT_NE(found, report.loops.end()) << name;
  return *found;
}

class PartsReports : public ::testing::TestWithParam<int> {};

TEST_P(PartsReports, add_up_what_each_part_has_and_are_the_same_on_all) {
  const int parts = GetParam();
  const ReportedRing ring(parts);
  std::vector<PartsReport> reports(static_cast<std::size_t>(parts));
  std::vector<LoopReport> own(reports.size());
  std::vector<std::size_t> messages(reports.size()), bytes(reports.size());
  in_parts(parts, [&](const auto& transport) {
    CutRingPart part(ring, transport);
    part.run(7);
    const auto rank = static_cast<std::size_t>(transport->rank());
    EXPECT_EQ(part.all.template value<double>(), ring_size * (1 + 2 + 3 + 4 + 5 + 6 + 7));
    for (const LoopReport& loop : part.mesh.report())
      if (loop.name == "gather") own[rank] = loop;
    reports[rank] = part.mesh.report_of_parts();
    for (const auto& sent : transport->sent)
      if (sent.what == "halo of x before gather") {
        ++messages[rank];
        bytes[rank] += sent.bytes;
      }
  });
  const PartsReport& first = reports[0];
  EXPECT_EQ(first.parts, parts);
  const PartsLoopReport& gather = loop_of(first, "gather");
  EXPECT_EQ(gather.all.count, 7u);
  EXPECT_EQ(gather.all.halo.messages, std::accumulate(messages.begin(), messages.end(), 0u));
  EXPECT_EQ(gather.all.halo.bytes, std::accumulate(bytes.begin(), bytes.end(), 0u));
  EXPECT_EQ(gather.all.halo.exchanges, parts > 1 ? 7u : 0u);
  EXPECT_EQ(first.reductions, parts > 1 ? 1u : 0u);
  double seconds = 0, waited = 0;
  for (const LoopReport& loop : own) {
    seconds += loop.seconds;
    waited += loop.halo.wait_seconds;
    EXPECT_LE(loop.halo.wait_seconds, loop.halo.seconds);
    EXPECT_LE(loop.seconds, gather.seconds.greatest);
    EXPECT_GE(loop.seconds, gather.seconds.least);
  }
  EXPECT_NEAR(gather.seconds.mean * parts, seconds, 1e-12);
  EXPECT_NEAR(gather.wait_seconds.mean * parts, waited, 1e-12);
  EXPECT_EQ(own[static_cast<std::size_t>(gather.seconds.rank)].seconds, gather.seconds.greatest);
  EXPECT_GE(gather.seconds.imbalance(), 1);
  for (const PartsReport& report : reports) {
    EXPECT_EQ(report.parts, parts);
    ASSERT_EQ(report.loops.size(), first.loops.size());
    EXPECT_EQ(loop_of(report, "gather").seconds.mean, gather.seconds.mean);
    EXPECT_EQ(loop_of(report, "grow").all.seconds, loop_of(first, "grow").all.seconds);
    EXPECT_EQ(report.maps.at(0).cut, first.maps.at(0).cut);
  }
}

TEST_P(PartsReports, say_how_the_mesh_lies_over_the_parts) {
  const int parts = GetParam();
  const ReportedRing ring(parts);
  in_parts(parts, [&](const auto& transport) {
    CutRingPart part(ring, transport);
    const PartsReport report = part.mesh.report_of_parts();
    ASSERT_EQ(report.sets.size(), 2u);
    const PartsSetReport& nodes = report.sets[1];
    EXPECT_EQ(nodes.name, "nodes");
    EXPECT_EQ(nodes.elements, ring_size);
    std::int64_t most = 0, least = ring_size;
    for (int rank = 0; rank < parts; ++rank) {
      most = std::max(most, ring.owned(rank));
      least = std::min(least, ring.owned(rank));
    }
    EXPECT_EQ(nodes.owned.greatest, static_cast<double>(most));
    EXPECT_EQ(nodes.owned.least, static_cast<double>(least));
    EXPECT_EQ(ring.owned(nodes.owned.rank), most);
    EXPECT_DOUBLE_EQ(nodes.owned.mean, static_cast<double>(ring_size) / parts);
    EXPECT_EQ(nodes.exec_halo.greatest, 0);
    EXPECT_LE(nodes.neighbours.greatest, parts - 1);
    EXPECT_EQ(nodes.halo.greatest > 0, parts > 1);
    // Each cut edge is owned by one part, and computed by the other, too.
    EXPECT_NEAR(report.sets[0].exec_halo.mean * parts, static_cast<double>(ring.cut()), 1e-9);
    ASSERT_EQ(report.maps.size(), 1u);
    EXPECT_EQ(report.maps[0].name, "ends");
    EXPECT_EQ(report.maps[0].elements, ring_size);
    EXPECT_EQ(report.maps[0].cut, ring.cut());
  });
}

TEST_P(PartsReports, begin_anew) {
  const ReportedRing ring(GetParam());
  in_parts(GetParam(), [&](const auto& transport) {
    CutRingPart part(ring, transport);
    part.run(3);
    part.all.template value<double>();
    part.mesh.clear_report();
    EXPECT_EQ(part.mesh.report_of_parts().loops.size(), 0u);
    EXPECT_EQ(part.mesh.report_of_parts().reductions, 0u);
  });
}

TEST_P(PartsReports, timelines_have_all_parts_and_their_exchanges) {
  const int parts = GetParam();
  const ReportedRing ring(parts);
  const std::int64_t start = now_ns();
  std::vector<std::vector<TimelineSpan>> timelines(static_cast<std::size_t>(parts));
  in_parts(parts, [&](const auto& transport) {
    CutRingPart part(ring, transport, true);
    part.run(5);
    part.all.template value<double>();
    timelines[static_cast<std::size_t>(transport->rank())] = part.mesh.timeline_of_parts();
  });
  const std::int64_t end = now_ns();
  for (int rank = 1; rank < parts; ++rank)
    EXPECT_TRUE(timelines[static_cast<std::size_t>(rank)].empty());
  const auto& spans = timelines[0];
  EXPECT_TRUE(std::ranges::is_sorted(spans, {}, &TimelineSpan::start_ns));
  for (int rank = 0; rank < parts; ++rank) {
    std::map<std::string, int> count;  // by category and name
    std::int64_t first = end;
    for (const TimelineSpan& span : spans) {
      if (span.rank != rank) continue;
      ++count[span.category + ": " + span.name];
      first = std::min(first, span.start_ns);
      EXPECT_LE(span.start_ns, span.end_ns);
      if (span.category == "exchange") {
        EXPECT_EQ(span.lane, "messages");
      }
    }
    // Clocks of one machine are one: what differs is half of the quickest message's way at most.
    EXPECT_GE(first, start - (end - start));
    EXPECT_EQ(count["kernel: grow"], 5);
    const int exchanges = parts > 1 ? 5 : 0;
    EXPECT_EQ(count["exchange: halo of x before gather"], exchanges);
    EXPECT_EQ(count["wait: halo of x before gather"], exchanges);
    EXPECT_EQ(count["kernel: gather (rest)"], exchanges);
    EXPECT_EQ(count["kernel: gather"], 5 - exchanges);
    EXPECT_EQ(count["wait: global all"], parts > 1 ? 1 : 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Parts, PartsReports, ::testing::Values(1, 2, 3, 4));

TEST(PartsReportOfOnePart, needs_no_transport) {
  Mesh mesh(parts_runtime());
  const Set nodes = mesh.set("nodes", 10);
  const Dat x = mesh.dat<double>("x", nodes, 1);
  par_loop(Kernel("void one(double *x) { *x = 1; }", "one"), nodes, arg(x, WRITE));
  const PartsReport report = mesh.report_of_parts();
  EXPECT_EQ(report.parts, 1);
  EXPECT_EQ(loop_of(report, "one").all.count, 1u);
  EXPECT_TRUE(report.sets.empty());
}

TEST(ClocksOfParts, are_read_to_within_the_time_that_it_takes) {
  in_parts(3, [&](const auto& transport) {
    const std::int64_t start = now_ns();
    const ClockReading reading = read_clocks(*transport);
    const std::int64_t took = now_ns() - start;
    EXPECT_LE(std::abs(reading.ahead_ns), took);
    if (transport->rank() == 0) return;
    EXPECT_GE(reading.at_ns, start);
    EXPECT_LE(reading.at_ns, start + took);
  });
}

TEST(ClocksOfParts, drift_evenly_between_two_readings) {
  const CommonClock clock({1000, 50}, {2000, 70});
  EXPECT_EQ(clock.on_first_part(1000), 1050);
  EXPECT_EQ(clock.on_first_part(1500), 1560);
  EXPECT_EQ(clock.on_first_part(2000), 2070);
  EXPECT_EQ(CommonClock({1000, 50}, {1000, 50}).on_first_part(7), 57);
}

}  // namespace
}  // namespace kiln::mesh::testing::distributed
