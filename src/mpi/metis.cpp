#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "mpi/agree.hpp"
#include "mpi/partition.hpp"
#include "mpi/transport.hpp"

#ifdef KILN_WITH_METIS
#include <metis.h>

#include <cmath>
#endif

namespace kiln::mpi {

#ifdef KILN_WITH_METIS
namespace {

using mesh::Transport;

template <class Number>
std::vector<std::byte> bytes_of(const std::vector<Number>& numbers) {
  const auto bytes = std::as_bytes(std::span(numbers));
  return {bytes.begin(), bytes.end()};
}

template <class Number>
void append(std::vector<Number>& to, const std::vector<std::byte>& bytes) {
  const std::size_t before = to.size();
  to.resize(before + bytes.size() / sizeof(Number));
  if (!bytes.empty()) std::memcpy(to.data() + before, bytes.data(), bytes.size());
}

/// What each rank has of a list, on rank 0 and in the order of the ranks; there, also how many
/// numbers each has. Ranks that have none send none.
template <class Number>
std::vector<std::size_t> on_first_rank(Transport& transport, std::vector<Number>& list) {
  std::vector<Transport::Packet> packets;
  if (!list.empty()) packets.push_back({0, bytes_of(list)});
  const auto received = transport.deliver(std::move(packets), "the graph for metis");
  std::vector<std::size_t> counts(transport.rank() == 0 ? static_cast<std::size_t>(transport.size())
                                                        : 0);
  list.clear();
  for (const auto& packet : received) {
    counts[static_cast<std::size_t>(packet.rank)] = packet.bytes.size() / sizeof(Number);
    append(list, packet.bytes);
  }
  return counts;
}

/// The parts of a graph that this process has as a whole.
std::vector<idx_t> cut(std::vector<idx_t> degrees, std::vector<idx_t> neighbours, int parts,
                       std::span<const double> weights, const CutOptions& options) {
  auto vertices = static_cast<idx_t>(degrees.size());
  std::vector<idx_t> starts(degrees.size() + 1, 0);
  for (std::size_t at = 0; at < degrees.size(); ++at) starts[at + 1] = starts[at] + degrees[at];
  idx_t constraints = 1, part_count = parts, objective = 0;
  idx_t settings[METIS_NOPTIONS];
  METIS_SetDefaultOptions(settings);
  settings[METIS_OPTION_SEED] = options.seed;
  // In thousandths.
  settings[METIS_OPTION_UFACTOR] =
      static_cast<idx_t>(std::max(1.0, std::round(options.imbalance * 1000)));
  std::vector<real_t> shares;
  for (const double weight : weights) shares.push_back(static_cast<real_t>(weight));
  std::vector<idx_t> result(degrees.size());
  if (METIS_PartGraphKway(&vertices, &constraints, starts.data(), neighbours.data(), nullptr,
                          nullptr, nullptr, &part_count, shares.empty() ? nullptr : shares.data(),
                          nullptr, settings, &objective, result.data()) != METIS_OK)
    throw Error(Errc::io,
                fmt::format("metis: partitioning a graph of {} vertices failed", degrees.size()));
  return result;
}

}  // namespace

std::vector<std::int32_t> cut_by_metis(const mesh::PartitionInput& graph,
                                       const CutOptions& options) {
  Transport& transport = graph.transport;
  const GraphSize size = size_of(graph);
  check_numbers(size, IDXTYPEWIDTH, "metis");
  const PartsToFill to_fill(graph);
  if (is_trivial(to_fill, size)) return trivial_parts(graph, to_fill);

  const std::size_t count = vertices_of(graph);
  std::vector<idx_t> degrees(count);
  for (std::size_t at = 0; at < count; ++at)
    degrees[at] = static_cast<idx_t>(graph.starts[at + 1] - graph.starts[at]);
  std::vector<idx_t> neighbours = converted<idx_t>(graph.neighbours);
  const std::vector<std::size_t> counts = on_first_rank(transport, degrees);
  on_first_rank(transport, neighbours);

  std::vector<idx_t> parts;
  const auto cut_here = [&] {
    if (transport.rank() == 0)
      parts =
          cut(std::move(degrees), std::move(neighbours), to_fill.count(), to_fill.shares, options);
  };
  // The others wait for one that computes, and learn of its error.
  if (auto* over_mpi = dynamic_cast<MpiTransport*>(&transport)) {
    Watch patient(over_mpi->communicator(), over_mpi->watch().call_limit());
    agree(patient, "partitioning by metis", cut_here);
  } else {
    cut_here();
  }
  std::vector<Transport::Packet> packets;
  if (transport.rank() == 0) {
    std::size_t first = 0;
    for (int rank = 0; rank < transport.size(); ++rank) {
      const std::size_t own = counts[static_cast<std::size_t>(rank)];
      if (own > 0)
        packets.push_back({rank, bytes_of(std::vector<std::int32_t>(
                                     parts.begin() + static_cast<std::ptrdiff_t>(first),
                                     parts.begin() + static_cast<std::ptrdiff_t>(first + own)))});
      first += own;
    }
  }
  std::vector<std::int32_t> result;
  for (const auto& packet : transport.deliver(std::move(packets), "the parts that metis has made"))
    append(result, packet.bytes);
  return to_fill.numbers_of(std::move(result));
}

#else

std::vector<std::int32_t> cut_by_metis(const mesh::PartitionInput&, const CutOptions&) {
  throw Error(Errc::unsupported, "metis: Kiln was built without METIS (Debian: libmetis-dev)");
}

#endif

}  // namespace kiln::mpi
