// Reports and timelines of all parts: packed, brought to part 0, and put together there.
#include "mesh/distributed/parts_report.hpp"

#include <algorithm>

#include "mesh/distributed/mail.hpp"
#include "mesh/distributed/report_packing.hpp"
#include "mesh/model/basics.hpp"

namespace kiln::mesh {
namespace {

// How reports of several parts become one. While they are put together OverParts::mean is a sum.

struct Sums {
  static void add(OverParts& to, const OverParts& from) {
    to.least = std::min(to.least, from.least);
    to.mean += from.mean;
    if (from.greatest > to.greatest) to.greatest = from.greatest, to.rank = from.rank;
  }

  static void add(HaloTraffic& to, const HaloTraffic& from) {
    to.exchanges = std::max(to.exchanges, from.exchanges);
    to.messages += from.messages;
    to.bytes += from.bytes;
    to.wait_seconds = std::max(to.wait_seconds, from.wait_seconds);
    to.seconds = std::max(to.seconds, from.seconds);
  }

  /// Each of `from` to that of the same name, or behind the others.
  template <class Value, class Name>
  static void add_by_name(std::vector<Value>& to, const std::vector<Value>& from,
                          const Name& name) {
    for (const Value& one : from) {
      const auto same = std::ranges::find(to, name(one), name);
      same == to.end() ? to.push_back(one) : add(*same, one);
    }
  }

  static void add(LoopReport& to, const LoopReport& from) {
    to.count = std::max(to.count, from.count);
    to.seconds = std::max(to.seconds, from.seconds);
    to.plan_seconds = std::max(to.plan_seconds, from.plan_seconds);
    to.compile_seconds = std::max(to.compile_seconds, from.compile_seconds);
    to.bytes += from.bytes;
    to.share += from.share;
    to.plan_hits = std::max(to.plan_hits, from.plan_hits);
    to.program_hits = std::max(to.program_hits, from.program_hits);
    to.colours = std::max(to.colours, from.colours);
    to.lanes = std::max(to.lanes, from.lanes);
    to.redundant += from.redundant;
    add(to.halo, from.halo);
    add_by_name(to.halos, from.halos, [](const HaloTraffic& one) { return one.dat; });
  }

  static void add(PartsLoopReport& to, const PartsLoopReport& from) {
    add(to.all, from.all);
    add(to.seconds, from.seconds);
    add(to.exchange_seconds, from.exchange_seconds);
    add(to.wait_seconds, from.wait_seconds);
  }

  static void add(PartsSetReport& to, const PartsSetReport& from) {
    add(to.owned, from.owned);
    add(to.exec_halo, from.exec_halo);
    add(to.halo, from.halo);
    add(to.neighbours, from.neighbours);
  }

  static void add(PartsMapReport& to, const PartsMapReport& from) { to.cut += from.cut; }

  static void add(PartsReport& to, const PartsReport& from) {
    to.parts += from.parts;
    add_by_name(to.loops, from.loops, [](const PartsLoopReport& one) { return one.all.name; });
    add_by_name(to.sets, from.sets, [](const PartsSetReport& one) { return one.name; });
    add_by_name(to.maps, from.maps, [](const PartsMapReport& one) { return one.name; });
    to.reductions = std::max(to.reductions, from.reductions);
    add(to.reduction_seconds, from.reduction_seconds);
  }
};

/// Sums become means.
void finish(PartsReport& report) {
  const auto divide = [&](auto&... figures) { ((figures.mean /= report.parts), ...); };
  for (PartsLoopReport& loop : report.loops) {
    divide(loop.seconds, loop.exchange_seconds, loop.wait_seconds);
    loop.all.share /= report.parts;
    if (loop.all.seconds > 0)
      loop.all.gigabytes_per_second = 1e-9 * static_cast<double>(loop.all.bytes) / loop.all.seconds;
  }
  for (PartsSetReport& set : report.sets)
    divide(set.owned, set.exec_halo, set.halo, set.neighbours);
  divide(report.reduction_seconds);
}

// What a part knows of itself.

OverParts figure(double value, int rank) { return {value, value, value, rank}; }

/// Of several runs of one name: as several loops, or a loop with several forms.
void add_loop(std::vector<LoopReport>& loops, LoopReport& loop) {
  const auto same = std::ranges::find(loops, loop.name, &LoopReport::name);
  if (same == loops.end()) return void(loops.push_back(std::move(loop)));
  add_report(*same, loop);
}

PartsSetReport set_report(const SetState& set, int rank) {
  const SetPart& part = *set.part;
  const auto count = [&](std::size_t begin, std::size_t end) {
    return figure(static_cast<double>(part.sizes[end] - part.sizes[begin]), rank);
  };
  return {set.name,    part.global_size, figure(static_cast<double>(part.sizes[1]), rank),
          count(1, 2), count(1, 3),      figure(static_cast<double>(part.neighbours.size()), rank)};
}

/// Owned elements whose targets are of several parts.
std::int64_t cut_of(MapState& map) {
  const SetState& from = *Handles::state(map.from);
  const SetState& to = *Handles::state(map.to);
  std::vector<std::int32_t> owners(to.sizes[3] - to.sizes[1], -1);
  for (const HaloNeighbour& neighbour : to.part->neighbours)
    for (const std::int32_t element : neighbour.imports)
      owners[static_cast<std::size_t>(element) - to.sizes[1]] = neighbour.rank;
  const auto owner = [&](std::int32_t target) {
    const auto at = static_cast<std::size_t>(target);
    return at < to.sizes[1] ? -1 : owners[at - to.sizes[1]];
  };
  const auto values = map.view();
  std::int64_t cut = 0;
  // From core elements no map leads to others.
  for (std::size_t row = from.sizes[0]; row < from.sizes[1]; ++row) {
    const auto targets = values.subspan(row * map.arity, map.arity);
    cut += std::ranges::any_of(
        targets, [&](std::int32_t target) { return owner(target) != owner(targets.front()); });
  }
  return cut;
}

}  // namespace

PartsReport report_of_part(Session& session, std::vector<LoopReport> loops, std::size_t reductions,
                           double reduction_seconds) {
  const int rank = session.transport == nullptr ? 0 : session.transport->rank();
  PartsReport report;
  std::vector<LoopReport> by_name;
  for (LoopReport& loop : loops) add_loop(by_name, loop);
  for (LoopReport& loop : by_name) {
    const auto seconds = figure(loop.seconds, rank), exchange = figure(loop.halo.seconds, rank),
               wait = figure(loop.halo.wait_seconds, rank);
    report.loops.push_back({std::move(loop), seconds, exchange, wait});
  }
  for (const auto& declared : session.declared.sets)
    if (const auto set = declared.lock(); set != nullptr && set->part != nullptr)
      report.sets.push_back(set_report(*set, rank));
  for (const auto& declared : session.declared.maps) {
    const auto map = declared.lock();
    if (map == nullptr) continue;
    const auto from = Handles::state(map->from), to = Handles::state(map->to);
    if (from->part != nullptr && to->part != nullptr)
      report.maps.push_back({map->name, from->part->global_size, cut_of(*map)});
  }
  report.reductions = reductions;
  report.reduction_seconds = figure(reduction_seconds, rank);
  return report;
}

PartsReport bring_together(Transport& transport, const PartsReport& mine) {
  constexpr std::string_view what = "report of all parts";
  const auto send = [&](std::vector<Transport::Packet> packets) {
    return transport.deliver(std::move(packets), what);
  };
  if (transport.rank() > 0) {
    send({{0, packed(mine)}});
    return unpacked<PartsReport>(send({}).at(0));
  }
  PartsReport all = mine;
  for (const auto& packet : send({})) Sums::add(all, unpacked<PartsReport>(packet));
  finish(all);
  const std::vector<std::byte> bytes = packed(all);
  std::vector<Transport::Packet> packets;
  for (int rank = 1; rank < transport.size(); ++rank) packets.push_back({rank, bytes});
  send(std::move(packets));
  return all;
}

std::vector<TimelineSpan> bring_together(Transport& transport, const CommonClock& clock,
                                         std::vector<TimelineSpan> mine) {
  constexpr std::string_view what = "timeline of all parts";
  for (TimelineSpan& span : mine) {
    span.rank = transport.rank();
    span.start_ns = clock.on_first_part(span.start_ns);
    span.end_ns = clock.on_first_part(span.end_ns);
  }
  if (transport.rank() > 0) {
    transport.deliver({{0, packed(std::move(mine))}}, what);
    return {};
  }
  for (const auto& packet : transport.deliver({}, what)) {
    auto spans = unpacked<std::vector<TimelineSpan>>(packet);
    std::ranges::move(spans, std::back_inserter(mine));
  }
  std::ranges::stable_sort(mine, {}, &TimelineSpan::start_ns);
  return mine;
}

}  // namespace kiln::mesh
