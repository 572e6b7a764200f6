// What goes out, counted by a layer below that knows nothing of Kiln (tests/mpi/delay), against
// what the partition says.
#include <dlfcn.h>

#include <array>
#include <chrono>
#include <random>
#include <set>

#include "airfoil.hpp"
#include "cases.hpp"
#include "kiln/mesh.hpp"

namespace kiln::testing {
namespace {

using namespace mesh;

template <class Function>
Function* layer_function(const char* name) {
  auto* found = reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
  expect(found != nullptr, "libkiln-mpi-delay.so is not preloaded");
  return found;
}

struct Count {
  long long messages = 0, bytes = 0;
};
/// What this rank has started to send to each other one by persistent requests.
std::vector<Count> started(int ranks) {
  auto* const ask = layer_function<void(int, long long*, long long*)>("kiln_mpi_started_to");
  std::vector<Count> counts(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    Count& count = counts[static_cast<std::size_t>(rank)];
    ask(rank, &count.messages, &count.bytes);
  }
  return counts;
}

/// The owner of each cell of the whole mesh.
std::vector<int> owners_of(Transport& transport, const SetPart& part) {
  std::vector<Transport::Packet> packets;
  const auto bytes = std::as_bytes(std::span(part.numbers).first(part.sizes[1]));
  for (int rank = 0; rank < transport.size(); ++rank)
    packets.push_back({rank, {bytes.begin(), bytes.end()}});
  std::vector<int> owners(static_cast<std::size_t>(part.global_size), -1);
  for (const auto& packet : transport.deliver(std::move(packets), "owners")) {
    const auto* numbers = reinterpret_cast<const std::int64_t*>(packet.bytes.data());
    for (std::size_t at = 0; at < packet.bytes.size() / sizeof *numbers; ++at)
      owners[static_cast<std::size_t>(numbers[at])] = packet.rank;
  }
  return owners;
}

/// A rank's rows of the mesh of airfoil.
struct Rows {
  std::map<std::string, std::vector<std::int32_t>> maps;
  std::vector<std::int32_t> bound;
  std::vector<double> x;
  airfoil::Grid grid;

  Rows(const Environment& mpi, const MeshFile& whole) {
    const auto block = mpi::MeshFileBlock::of(mpi.comm(), whole);
    for (const auto& map : block.maps) maps[map.name] = {map.values.begin(), map.values.end()};
    const auto copy = [&]<class T>(const char* name, std::vector<T>& to) {
      const auto& bytes = block.find_dat(name)->bytes;
      to.resize(bytes.size() / sizeof(T));
      std::copy_n(bytes.data(), bytes.size(), reinterpret_cast<std::byte*>(to.data()));
    };
    copy("p_bound", bound);
    copy("p_x", x);
    grid = {static_cast<std::size_t>(block.find_set("nodes")->count),
            static_cast<std::size_t>(block.find_set("cells")->count),
            static_cast<std::size_t>(block.find_set("cells")->size),
            maps["pcell"],
            maps["pedge"],
            maps["pecell"],
            maps["pbedge"],
            maps["pbecell"],
            bound,
            x};
  }
};

}  // namespace

void airfoil_messages(const Environment& mpi, const Words& words) {
  const std::string& cut = words.at(0);
  const MeshFile whole = MeshFile::make({.along = 20, .out = 30});
  const auto transport = mpi::transport(mpi.comm());
  Mesh mesh(mpi::runtime_for_rank(mpi.comm(), {.devices = "cpu"}), transport);
  const Rows rows(mpi, whole);
  airfoil::Airfoil<double> flow(mesh, rows.grid);
  if (cut == "scotch") {
    mesh.partition(mpi::scotch(flow.cells(), {flow.edge_cells()}));
  } else {
    std::mt19937 random(static_cast<unsigned>(std::stoul(words.at(1))) +
                        static_cast<unsigned>(mpi.rank()));
    std::vector<std::int32_t> parts(rows.grid.cells);
    for (auto& part : parts) part = std::uniform_int_distribution<int>(0, mpi.size() - 1)(random);
    mesh.partition(owners(flow.cells(), parts));
  }
  const auto owner = owners_of(*transport, mesh.part(flow.cells()));
  // An edge between two parts is computed by both, and each reads the other's cell.
  std::vector<std::set<std::int32_t>> read(static_cast<std::size_t>(mpi.size()));
  const auto& cells = whole.find_map("pecell")->values;
  for (std::size_t at = 0; at < cells.size(); at += 2)
    for (const auto& [own, other] :
         {std::pair(cells[at], cells[at + 1]), std::pair(cells[at + 1], cells[at])}) {
      const int reader = owner[static_cast<std::size_t>(other)];
      if (owner[static_cast<std::size_t>(own)] == mpi.rank() && reader != mpi.rank())
        read[static_cast<std::size_t>(reader)].insert(own);
    }
  flow.step();  // before its end q is as it was at the start
  mesh.finish();
  const auto before = started(mpi.size());
  constexpr long long steps = 5;
  for (long long step = 0; step < steps; ++step) flow.step();
  mesh.finish();
  const auto after = started(mpi.size());
  long long pairs = 0;
  for (std::size_t rank = 0; rank < read.size(); ++rank) {
    const auto copies = static_cast<long long>(read[rank].size());
    const Count found{after[rank].messages - before[rank].messages,
                      after[rank].bytes - before[rank].bytes};
    // q and adt, before each of the two calls of res_calc: 5 doubles.
    expect(found.messages == (copies > 0 ? 2 * steps : 0), "rank ", mpi.rank(), " sent ",
           found.messages, " messages to ", rank, ", which reads ", copies, " of its cells");
    expect(found.bytes == 2 * steps * copies * 40, "rank ", mpi.rank(), " sent ", found.bytes,
           " bytes to ", rank, ", which reads ", copies, " of its cells");
    pairs += copies > 0 ? 1 : 0;
  }
  std::vector<long long> all(static_cast<std::size_t>(mpi.size()));
  transport->gather(std::as_bytes(std::span(&pairs, 1)), std::as_writable_bytes(std::span(all)),
                    "pairs");
  long long sum = 0;
  for (const long long one : all) sum += one;
  if (mpi.rank() == 0) say("messages of a step: " + std::to_string(2 * sum));
}

void late_messages(const Environment& mpi, const Words&) {
  using Clock = std::chrono::steady_clock;  // one for all processes of a machine
  auto* const delay = layer_function<void(double)>("kiln_mpi_delay");
  const auto transport = mpi::transport(mpi.comm());
  const int other = (mpi.rank() + 1) % 2;
  std::array<Clock::rep, 1> sent{}, received{};
  const Transport::Message out{other, std::as_writable_bytes(std::span(sent))},
      in{other, std::as_writable_bytes(std::span(received))};
  for (const auto late : {std::chrono::milliseconds(0), std::chrono::milliseconds(20),
                          std::chrono::milliseconds(50)}) {
    delay(std::chrono::duration<double>(late).count());
    const auto own = Clock::now();
    sent[0] = own.time_since_epoch().count();
    transport->start({&in, 1}, {&out, 1}, "a message");
    transport->finish("a message");
    const auto taken = Clock::now().time_since_epoch() - Clock::duration(received[0]);
    expect(taken >= late, "a message that takes ", late.count(), " ms came after ",
           std::chrono::duration<double>(taken).count(), " s");
    expect(Clock::now() - own >= late, "a message was sent before its time");
  }
}

}  // namespace kiln::testing
