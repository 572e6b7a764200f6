#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>

#include "cases.hpp"
#include "kiln/mesh.hpp"

namespace kiln::testing {
namespace {

using namespace mesh;

std::int64_t sum(const Environment& mpi, std::int64_t mine) {
  const auto transport = mpi::transport(mpi.comm());
  std::vector<std::int64_t> all(static_cast<std::size_t>(mpi.size()));
  transport->gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)),
                    "a sum");
  return std::accumulate(all.begin(), all.end(), std::int64_t{0});
}

/// Clock ticks that each thread of this process has computed.
std::map<std::string, long> computed() {
  std::map<std::string, long> threads;
  DIR* tasks = ::opendir("/proc/self/task");
  while (const dirent* task = ::readdir(tasks)) {
    if (task->d_name[0] == '.') continue;
    std::ifstream file(std::string("/proc/self/task/") + task->d_name + "/stat");
    std::string line;
    std::getline(file, line);
    std::istringstream fields(line.substr(line.rfind(')') + 2));
    std::string skipped;
    for (int at = 0; at < 11; ++at) fields >> skipped;
    long user = 0;
    fields >> user;
    threads[task->d_name] = user;
  }
  ::closedir(tasks);
  return threads;
}

}  // namespace

/// Ranks with one store: each loop is compiled by one of them.
void herd(const Environment& mpi, const Words& words) {
  const Runtime runtime =
      mpi::runtime_for_rank(mpi.comm(), {.devices = "cpu", .store = words.at(0)});
  Mesh here(runtime);  // without times: for those a report measures how fast a copy is
  const Set nodes = here.set("nodes", 1000);
  const Dat x = here.dat<double>("x", nodes, 1), y = here.dat<double>("y", nodes, 1);
  const mesh::Kernel set("void herd_set(double *x) { x[0] = 3.0; }", "herd_set");
  const mesh::Kernel copy("void herd_copy(const double *x, double *y) { y[0] = 2.0 * x[0]; }",
                          "herd_copy");
  const mesh::Kernel add("void herd_add(const double *x, double *y) { y[0] += x[0]; }", "herd_add");
  par_loop(set, nodes, arg(x, WRITE));
  par_loop(copy, nodes, arg(x, READ), arg(y, WRITE));
  par_loop(add, nodes, arg(x, READ), arg(y, RW));
  expect(y.read<double>()[999] == 9.0, "y is ", y.read<double>()[999]);
  std::int64_t loops = 0, compiled = 0;
  for (const LoopReport& loop : here.report()) {
    ++loops;
    compiled += loop.program_hits == 0 ? 1 : 0;
  }
  expect(loops == 3, loops, " loops");
  runtime.finish();
  const std::int64_t all = sum(mpi, compiled);
  if (mpi.rank() == 0) say("compiled " + std::to_string(all));
}

/// How many threads of a rank compute.
void threads(const Environment& mpi, const Words& words) {
  const auto wanted = static_cast<std::size_t>(std::stoul(words.at(0)));
  const Runtime runtime = mpi::runtime_for_rank(mpi.comm(), {.devices = "cpu", .threads = wanted});
  // What is set while PoCL is loaded is not there afterwards, and what the user set stays.
  const char* const left = std::getenv("POCL_MAX_PTHREAD_COUNT");
  const std::string users = words.size() > 1 ? words[1] : "";
  expect((left == nullptr ? "" : std::string(left)) == users, "POCL_MAX_PTHREAD_COUNT is ",
         left == nullptr ? "unset" : left);
  const DeviceInfo device = runtime.devices().front();
  Mesh here(runtime);
  const Set nodes = here.set("nodes", 200'000);
  const Dat x = here.dat<double>("x", nodes, 1);
  const mesh::Kernel work(
      "void work(double *x) { double y = x[0]; for (int i = 0; i < 300; ++i) y = y * 0.999 + 0.5; "
      "x[0] = y; }",
      "work");
  par_loop(work, nodes, arg(x, RW));
  x.read<double>();
  const auto before = computed();
  long all = 0;
  std::vector<long> spent;
  // Until there is something to measure: half a second of computing.
  for (int round = 0; all < ::sysconf(_SC_CLK_TCK) / 2; ++round) {
    expect(round < 20'000, "no thread computes");
    par_loop(work, nodes, arg(x, RW));
    x.read<double>();
    spent.clear();
    all = 0;
    for (const auto& [thread, ticks] : computed()) {
      if (thread == std::to_string(::getpid())) continue;
      spent.push_back(ticks - (before.contains(thread) ? before.at(thread) : 0));
      all += spent.back();
    }
  }
  std::int64_t busy = 0;
  for (const long ticks : spent) busy += ticks > all / 10 ? 1 : 0;
  // A part of the device has fewer units than it has threads.
  say("units " + std::to_string(device.compute_units) + " busy " + std::to_string(busy) +
      (device.part ? " of more" : ""));
}

/// Parts that follow what the loops took, until they fit: as many steps each time.
void balancing(const Environment& mpi, const Words&) {
  const Runtime runtime = mpi::runtime_for_rank(mpi.comm(), {.devices = "cpu", .store = "off"});
  Mesh here(runtime, mpi::transport(mpi.comm()), {.timing = true});
  // A ring of cells; this rank's rows of it.
  constexpr std::int64_t all = 30'000;
  const std::int64_t first = all * mpi.rank() / mpi.size(),
                     end = all * (mpi.rank() + 1) / mpi.size();
  const Set cells = here.set("cells", static_cast<std::size_t>(end - first));
  std::vector<std::int64_t> nexts;
  for (std::int64_t cell = first; cell < end; ++cell) nexts.push_back((cell + 1) % all);
  const Map next = here.map("next", cells, cells, 1, nexts);
  const Dat x = here.dat<double>("x", cells, 1), sum = here.dat<double>("sum", cells, 1);
  const mesh::Kernel add("void add(const double *x, double *sum) { sum[0] = x[0] + 1; }", "add");
  const mesh::Kernel copy("void copy(const double *sum, double *x) { x[0] = sum[0]; }", "copy");
  here.partition(mpi::scotch(cells, {next}));
  mpi::Balancing balancing(mpi.comm(), here, cells);
  int steps = 0, cuts = 0;
  for (int calls = 0; !balancing.is_done(); ++calls) {
    expect(calls < 20, "it is not done after ", calls, " calls");
    for (int step = 0; step < 10; ++step, ++steps) {
      par_loop(add, cells, arg(x, next[0], READ), arg(sum, WRITE));
      par_loop(copy, cells, arg(sum, READ), arg(x, WRITE));
    }
    const auto shares = balancing.next();
    if (!shares) continue;
    ++cuts;
    expect(calls > 0, "shares before anything is measured");
    const double together = std::accumulate(shares->begin(), shares->end(), 0.0);
    expect(shares->size() == static_cast<std::size_t>(mpi.size()), shares->size(), " shares");
    expect(std::abs(together - 1) < 1e-9, "shares sum up to ", together);
    expect(std::ranges::min(*shares) >= 0, "a share of ", std::ranges::min(*shares));
    std::vector<double> theirs = *shares;
    MPI_Bcast(theirs.data(), mpi.size(), MPI_DOUBLE, 0, MPI_COMM_WORLD);
    expect(theirs == *shares, "ranks have other shares");
    here.partition(mpi::scotch(cells, {next}), *shares);
  }
  expect(cuts <= 5, cuts, " cuts");
  expect(!balancing.next(), "shares when it is done");
  for (const double value : sum.fetch<double>())
    expect(value == steps, "a sum is ", value, ", expected ", steps);
  if (mpi.rank() == 0) say("balanced");
}

/// Shares of ranks by their speed: of what they say that they did, and as measured.
void shares(const Environment& mpi, const Words&) {
  const auto ranks = static_cast<std::size_t>(mpi.size());
  const auto check = [&](const std::vector<double>& found, const std::vector<double>& expected) {
    expect(found.size() == expected.size(), found.size(), " shares");
    for (std::size_t rank = 0; rank < ranks; ++rank)
      expect(std::abs(found[rank] - expected[rank]) < 1e-12, "share of rank ", rank, " is ",
             found[rank], ", expected ", expected[rank]);
  };
  // Rank r does r + 1 elements a second, each another number of them.
  std::vector<double> expected;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    expected.push_back(2.0 * static_cast<double>(rank + 1) /
                       static_cast<double>(ranks * (ranks + 1)));
  const double speed = mpi.rank() + 1, elements = 100.0 * (mpi.size() - mpi.rank());
  check(mpi::shares_of(mpi.comm(), elements, elements / speed), expected);
  // The first one did nothing, or nearly nothing: what the others do on average, or a little.
  std::vector<double> others(ranks, 1.0 / static_cast<double>(ranks));
  check(mpi::shares_of(mpi.comm(), mpi.rank() == 0 ? 0 : 50, 2), others);
  const double all = 0.01 + static_cast<double>(ranks - 1);
  for (std::size_t rank = 0; rank < ranks; ++rank) others[rank] = (rank == 0 ? 0.01 : 1) / all;
  check(mpi::shares_of(mpi.comm(), mpi.rank() == 0 ? 1e-9 : 50, 2), others);

  const Runtime runtime = mpi::runtime_for_rank(mpi.comm(), {.devices = "cpu", .store = "off"});
  const auto measured = mpi::speeds(mpi.comm(), runtime);
  expect(measured.size() == ranks, measured.size(), " shares");
  double sum = 0;
  for (const double share : measured) {
    expect(share > 0, "a share of ", share);
    sum += share;
  }
  expect(std::abs(sum - 1) < 1e-12, "shares sum up to ", sum);
  std::vector<double> first = measured;
  MPI_Bcast(first.data(), static_cast<int>(ranks), MPI_DOUBLE, 0, MPI_COMM_WORLD);
  expect(first == measured, "ranks have other shares");
  if (mpi.rank() == 0)
    mpi::shares_of(mpi.comm(), -1, 1);
  else
    mpi::shares_of(mpi.comm(), 1, 1);
}

}  // namespace kiln::testing
