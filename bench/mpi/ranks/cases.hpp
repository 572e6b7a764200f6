#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "kiln/mesh.hpp"
#include "kiln/mpi.hpp"

/// Measurements that ranks make together: bench-mpi CASE WORDS… runs one of them, and rank 0 prints
/// what it found as an object of JSON in a line. Functions are collective. Times are those of the
/// slowest rank, lists have a number of each rank in order unless something else is said.
namespace kiln::bench {

using Words = std::vector<std::string>;
using Found = nlohmann::ordered_json;

/// Numbers of all ranks.
class Figures {
 public:
  explicit Figures(mesh::Transport& transport) : transport_(transport) {}
  std::vector<double> all(double mine) const;  ///< by rank
  double largest(double mine) const;
  double sum(double mine) const;
  void meet() const { all(0); }

 private:
  mesh::Transport& transport_;
};

/// Prints by rank 0.
void print(const mpi::Environment& mpi, const Found& found);

/// Takes `--name` out of `words`: whether it was there, or what came after it.
bool take_flag(Words& words, const std::string& name);
std::string take_value(Words& words, const std::string& name, const std::string& otherwise);

/// The number in `words`. Throws bad_input: what was expected.
int number_in(const Words& words, std::size_t at, const char* what);
const std::string& word_in(const Words& words, std::size_t at, const char* what);

// partition GRID: the cut of PT-Scotch as Kiln calls it, against PT-Scotch alone.
Found partition_case(const mpi::Environment& mpi, const Words& words);
// setup GRID: from the file to the first loop, and the memory that takes.
Found setup_case(const mpi::Environment& mpi, const Words& words);
// airfoil GRID|ALONG OUT STEPS: time steps of airfoil on a mesh of a file, or on one made here of
// 3 ALONG OUT cells; where the time of exchanges goes, and that the flow is the same.
//   --rounds N      of STEPS steps each; 7
//   --devices LIST  as RuntimeOptions::devices
//   --weights LIST  of the parts: 0.97,0.03
//   --staged        halos go by kernels and transfers, as with a device that has memory of its own
//   --all-ways      a line for each way in which transfers may be ordered, with times of the loops
//                   and without; the first one is Kiln's own
Found airfoil_case(const mpi::Environment& mpi, const Words& words);
// unlike GRID|ALONG OUT STEPS: ranks with unlike devices; steps with shares by mpi::speeds(), by
// mpi::Balancing after that, and with other shares for the slowest rank, none among them, in turns.
//   --rounds N, --devices LIST  as above; by default rank 0 has a GPU, rank 1 the CPU
Found unlike_case(const mpi::Environment& mpi, const Words& words);
// duel GRID STEPS ROUNDS, of three ranks: two against the third one, which has both their cores.
Found duel_case(const mpi::Environment& mpi, const Words& words);
// delay GRID STEPS ROUNDS MICROSECONDS: steps with late messages and without, in turns; with
// libkiln-mpi-delay.so preloaded.
Found delay_case(const mpi::Environment& mpi, const Words& words);
// model GRID SMALL STEPS ROUNDS: what a step takes, predicted from constants that are measured at
// the same time; SMALL has as many cells as a part of GRID.
Found model_case(const mpi::Environment& mpi, const Words& words);
// traffic GRID PARTS FILE, of one rank: who sends how much to whom if the mesh has so many parts.
Found traffic_case(const mpi::Environment& mpi, const Words& words);
// call: a loop of 8 arguments that was called before, above its enqueues.
Found call_case(const mpi::Environment& mpi, const Words& words);
// start GRID STORE: how often the loops of airfoil are compiled.
Found start_case(const mpi::Environment& mpi, const Words& words);
// exchange BYTES ROUNDS, of two ranks: a halo of a Dat, both ways.
//   --devices LIST, --staged  as above
//   --no-times                on a queue that takes no times
Found exchange_case(const mpi::Environment& mpi, const Words& words);

}  // namespace kiln::bench
