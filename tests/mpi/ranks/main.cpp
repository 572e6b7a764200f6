// mpi_ranks CASE [WORDS…]
#include <unistd.h>

#include <map>

#include "cases.hpp"

int main(int count, char** words) {
  using namespace kiln::testing;
  static const std::map<std::string, void (*)(const Environment&, const Words&)> cases{
      {"random_messages", random_messages},
      {"repeated_starts", repeated_starts},
      {"large_messages", large_messages},
      {"deliveries", deliveries},
      {"gathers", gathers},
      {"early_ends", early_ends},
      {"wrong_size", wrong_size},
      {"throwing", throwing},
      {"all_throwing", all_throwing},
      {"aborting", aborting},
      {"killed", killed},
      {"stalling", stalling},
      {"elsewhere", elsewhere},
      {"places", places},
      {"stalled_call", stalled_call},
      {"collectives", collectives},
      {"traced", traced},
      {"partitions", partitions},
      {"small_graphs", small_graphs},
      {"copy_file", copy_file},
      {"write_file", write_file},
      {"cut_file", cut_file},
      {"missing_parts", missing_parts},
      {"both_libraries", both_libraries},
      {"airfoil_messages", airfoil_messages},
      {"late_messages", late_messages},
      {"solves", solves},
      {"herd", herd},
      {"threads", threads},
      {"shares", shares},
      {"balancing", balancing}};
  say("process " + std::to_string(::getpid()));
  const Environment mpi(count, words);
  const Words all(words + 1, words + count);
  mpi.run([&] {
    const auto found = cases.find(all.empty() ? "" : all.front());
    if (found == cases.end()) throw kiln::Error(kiln::Errc::bad_input, "no such case");
    found->second(mpi, Words(all.begin() + 1, all.end()));
  });
  if (mpi.rank() == 0) say("passed");
}
