#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <random>

#include "cases.hpp"

namespace kiln::testing {
namespace {

using mesh::Transport;
using Bytes = std::vector<std::byte>;

/// What `from` sends to `to` in a round: the same on both sides.
Bytes content(unsigned seed, int round, int from, int to, std::size_t most) {
  std::seed_seq sequence{seed, static_cast<unsigned>(round), static_cast<unsigned>(from),
                         static_cast<unsigned>(to)};
  std::mt19937 random(sequence);
  // Nothing at all, a few bytes, or more than a transport sends at once.
  const unsigned kind = random() % 4;
  const std::size_t size = kind == 0 ? 0 : kind == 1 ? random() % 40 : random() % most;
  Bytes bytes(size);
  for (auto& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

unsigned seed_of(const Environment& mpi, const Words& words) {
  const auto seed = static_cast<unsigned>(std::stoul(words.at(0)));
  if (mpi.rank() == 0) say("seed " + std::to_string(seed));
  return seed;
}

}  // namespace

void random_messages(const Environment& mpi, const Words& words) {
  const unsigned seed = seed_of(mpi, words);
  const auto transport = mpi::transport(mpi.comm());
  const int rounds = long_or(200, 50);
  for (int round = 0; round < rounds; ++round) {
    std::map<int, Bytes> sent, expected, received;
    for (int other = 0; other < mpi.size(); ++other) {
      sent[other] = content(seed, round, mpi.rank(), other, 100'000);
      expected[other] = content(seed, round, other, mpi.rank(), 100'000);
      received[other].resize(expected[other].size());
    }
    std::vector<Transport::Message> receives, sends;
    for (auto& [rank, bytes] : received) receives.push_back({rank, bytes});
    for (auto& [rank, bytes] : sent) sends.push_back({rank, bytes});
    transport->start(receives, sends, "a round");
    transport->finish("a round");
    expect(received == expected, "round ", round, ": other bytes than were sent");
  }
}

void repeated_starts(const Environment& mpi, const Words&) {
  mpi::TransportOptions options;
  options.kept = 3;
  const auto transport = mpi::transport(mpi.comm(), options);
  const int next = (mpi.rank() + 1) % mpi.size(),
            before = (mpi.rank() + mpi.size() - 1) % mpi.size();
  // More exchanges than are kept, some of which come again and again.
  constexpr std::size_t patterns = 5;
  std::vector<std::vector<std::int64_t>> to(patterns), from(patterns);
  for (std::size_t at = 0; at < patterns; ++at)
    to[at].resize(1 + at * 3000), from[at].resize(1 + at * 3000);
  for (std::int64_t round = 0; round < 400; ++round) {
    const auto at = static_cast<std::size_t>(round % 7 < 4 ? 1 : round % 5);
    std::fill(to[at].begin(), to[at].end(), 1000 * round + mpi.rank());
    std::fill(from[at].begin(), from[at].end(), -1);
    const Transport::Message receive{before, std::as_writable_bytes(std::span(from[at]))};
    const Transport::Message send{next, std::as_writable_bytes(std::span(to[at]))};
    transport->start({&receive, 1}, {&send, 1}, "a ring");
    transport->finish("a ring");
    for (const std::int64_t value : from[at])
      expect(value == 1000 * round + before, "round ", round, ": ", value);
  }
}

void large_messages(const Environment& mpi, const Words&) {
  mpi::TransportOptions options;
  options.largest_count = 1000;  // as 2^30 in a message of gigabytes
  const auto transport = mpi::transport(mpi.comm(), options);
  const int next = (mpi.rank() + 1) % mpi.size(),
            before = (mpi.rank() + mpi.size() - 1) % mpi.size();
  for (const std::size_t size : {999, 1000, 1001, 2000, 123'457, 3'000'000}) {
    Bytes to(size, static_cast<std::byte>(mpi.rank())), from(size, std::byte{77});
    to.back() = std::byte{99};
    Bytes expected(size, static_cast<std::byte>(before));
    expected.back() = std::byte{99};
    const Transport::Message receive{before, from}, send{next, to};
    transport->start({&receive, 1}, {&send, 1}, "large messages");
    transport->finish("large messages");
    expect(from == expected, "exchange of ", size, " bytes");
    std::vector<Transport::Packet> packets;
    packets.push_back({next, to});
    const auto received = transport->deliver(std::move(packets), "large packets");
    expect(received.size() == 1 && received[0].rank == before && received[0].bytes == expected,
           "delivery of ", size, " bytes");
  }
}

void deliveries(const Environment& mpi, const Words& words) {
  const unsigned seed = seed_of(mpi, words);
  const auto transport = mpi::transport(mpi.comm());
  const auto is_sent = [&](int round, int from, int to) {
    std::seed_seq sequence{seed + 1, static_cast<unsigned>(round), static_cast<unsigned>(from),
                           static_cast<unsigned>(to)};
    return std::mt19937(sequence)() % 3 == 0;
  };
  // More rounds than there are tags for deliveries, 1024.
  const int rounds = long_or(1500, 1100);
  for (int round = 0; round < rounds; ++round) {
    const std::size_t most = round % 100 == 0 ? 200'000 : 300;
    std::vector<Transport::Packet> packets;
    std::map<int, Bytes> expected, received;
    for (int other = mpi.size(); other-- > 0;) {
      if (is_sent(round, mpi.rank(), other))
        packets.push_back({other, content(seed, round, mpi.rank(), other, most)});
      if (is_sent(round, other, mpi.rank()))
        expected[other] = content(seed, round, other, mpi.rank(), most);
    }
    int last = -1;
    for (auto& packet : transport->deliver(std::move(packets), "a delivery")) {
      expect(packet.rank > last, "round ", round, ": packets are not in the order of ranks");
      last = packet.rank;
      received[packet.rank] = std::move(packet.bytes);
    }
    expect(received == expected, "round ", round, ": ", received.size(), " packets, expected ",
           expected.size());
  }
}

void gathers(const Environment& mpi, const Words&) {
  const auto transport = mpi::transport(mpi.comm());
  for (std::size_t count : {0, 1, 3, 5000}) {
    const std::vector<double> mine(count, mpi.rank() + 0.5);
    std::vector<double> all(count * static_cast<std::size_t>(mpi.size()), -1);
    transport->gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)),
                      "numbers");
    for (std::size_t at = 0; at < all.size(); ++at)
      expect(all[at] == static_cast<double>(at / count) + 0.5, "number ", at, " of ", count, ": ",
             all[at]);
  }
}

/// Each rank in turn is done with a communicator while the others still have theirs, as Python's
/// garbage collector may have it, and all go on with others.
void early_ends(const Environment& mpi, const Words&) {
  const auto transport = mpi::transport(mpi.comm());
  for (int round = 0; round < 40; ++round) {
    auto comm = std::make_optional<mpi::Communicator>(mpi.comm().handle());
    auto brief = mpi::transport(*comm);
    const auto use = [&](mesh::Transport& one) {
      const int mine = mpi.rank() + round;
      std::vector<int> all(static_cast<std::size_t>(mpi.size()), -1);
      one.gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)),
                 "numbers");
      for (std::size_t at = 0; at < all.size(); ++at)
        expect(all[at] == static_cast<int>(at) + round, "round ", round, ": number ", at, " is ",
               all[at]);
    };
    use(*brief);
    if (mpi.rank() == round % mpi.size()) {
      brief.reset();
      comm.reset();
    }
    use(*transport);
    const mpi::Communicator next(mpi.comm().handle());
    use(*mpi::transport(next));
  }
}

void wrong_size(const Environment& mpi, const Words& words) {
  const auto transport = mpi::transport(mpi.comm());
  const int other = 1 - mpi.rank();
  Bytes to(mpi.rank() == 0 ? std::stoul(words.at(0)) : 100), from(100);
  const Transport::Message receive{other, from}, send{other, to};
  transport->start({&receive, 1}, {&send, 1}, "halo of q before res_calc");
  transport->finish("halo of q before res_calc");
  // Rank 0 has what it expects, and waits for the end.
  transport->gather({}, {}, "the end");
}

}  // namespace kiln::testing
