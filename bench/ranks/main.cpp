// bench-ranks: what meshes over MPI cost on the devices of a machine, a device a rank.
//
//   mpirun -np N bench-ranks airfoil ALONG OUT STEPS [--staged] [--all-ways]
//   mpirun -np 2 bench-ranks exchange BYTES ROUNDS [--staged]
//
// Prints from rank 0; times are those of the slowest rank. --staged: halos go by kernels and
// transfers, as with a device that has memory of its own, whatever the device. --all-ways: in each
// of the ways in which transfers may be ordered, with and without times of the loops.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "ranks/cases.hpp"

namespace kiln::bench::ranks {

Rank::Rank(const mpi::Environment& environment, bool is_staged)
    : mpi(environment),
      staged(is_staged),
      transport(mpi::transport(environment.comm())),
      runtime(mpi::runtime_for_rank(environment.comm())),
      mesh(runtime, transport) {
  mesh::Handles::session(mesh)->stages_halos = is_staged;
}

std::vector<double> Rank::all(double mine) const {
  std::vector<double> values(static_cast<std::size_t>(mpi.size()));
  transport->gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(values)),
                    "bench-ranks: figures");
  return values;
}

double Rank::slowest(double mine) const { return std::ranges::max(all(mine)); }

void Rank::say(const std::string& line) const {
  if (mpi.rank() != 0) return;
  std::fputs((line + '\n').c_str(), stdout);
  std::fflush(stdout);
}

namespace {

std::size_t number(const std::vector<std::string>& words, std::size_t at, const char* what) {
  char* end = nullptr;
  const long value = at < words.size() ? std::strtol(words[at].c_str(), &end, 10) : 0;
  if (value <= 0 || *end != '\0')
    throw Error(Errc::bad_input,
                fmt::format("bench-ranks: found '{}', expected {}, a number above 0",
                            at < words.size() ? words[at] : "", what));
  return static_cast<std::size_t>(value);
}

void run(const mpi::Environment& mpi, std::vector<std::string> words) {
  const bool all_ways = std::erase(words, "--all-ways") > 0;
  const bool staged = std::erase(words, "--staged") > 0;
  const std::string what = words.empty() ? "" : words.front();
  Rank rank(mpi, staged);
  if (what == "airfoil")
    return airfoil(rank, {static_cast<int>(number(words, 1, "cells along")),
                          static_cast<int>(number(words, 2, "cells out")),
                          number(words, 3, "steps"), all_ways});
  if (what == "exchange")
    return exchange(rank, {number(words, 1, "bytes"), number(words, 2, "rounds")});
  throw Error(Errc::bad_input,
              fmt::format("bench-ranks: found '{}', expected airfoil or exchange", what));
}

}  // namespace
}  // namespace kiln::bench::ranks

int main(int count, char** words) {
  const kiln::mpi::Environment mpi(count, words);
  mpi.run([&] { kiln::bench::ranks::run(mpi, {words + 1, words + count}); });
  return 0;
}
