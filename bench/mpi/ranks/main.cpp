// bench-mpi CASE WORDS…, started by mpirun: cases.hpp has the cases.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <map>
#include <numeric>

#include "mpi/ranks/cases.hpp"

namespace kiln::bench {

std::vector<double> Figures::all(double mine) const {
  std::vector<double> values(static_cast<std::size_t>(transport_.size()));
  transport_.gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(values)),
                    "bench-mpi: figures");
  return values;
}
double Figures::largest(double mine) const { return std::ranges::max(all(mine)); }
double Figures::sum(double mine) const {
  const auto values = all(mine);
  return std::accumulate(values.begin(), values.end(), 0.0);
}

void print(const mpi::Environment& mpi, const Found& found) {
  if (mpi.rank() != 0) return;
  std::puts(found.dump().c_str());
  std::fflush(stdout);
}

bool take_flag(Words& words, const std::string& name) { return std::erase(words, name) > 0; }

std::string take_value(Words& words, const std::string& name, const std::string& otherwise) {
  const auto at = std::ranges::find(words, name);
  if (at == words.end()) return otherwise;
  if (at + 1 == words.end())
    throw Error(Errc::bad_input, fmt::format("bench-mpi: found nothing after {}", name));
  std::string value = at[1];
  words.erase(at, at + 2);
  return value;
}

const std::string& word_in(const Words& words, std::size_t at, const char* what) {
  if (at >= words.size())
    throw Error(Errc::bad_input,
                fmt::format("bench-mpi: found {} words, expected {}", words.size(), what));
  return words[at];
}

int number_in(const Words& words, std::size_t at, const char* what) {
  const std::string& word = word_in(words, at, what);
  int number = 0;
  const auto end = word.data() + word.size();
  const auto read = std::from_chars(word.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end || number < 0)
    throw Error(Errc::bad_input, fmt::format("bench-mpi: found '{}', expected {}", word, what));
  return number;
}

namespace {

void run(const mpi::Environment& mpi, const Words& words) {
  static const std::map<std::string, Found (*)(const mpi::Environment&, const Words&)> cases{
      {"partition", partition_case}, {"setup", setup_case},       {"airfoil", airfoil_case},
      {"duel", duel_case},           {"delay", delay_case},       {"call", call_case},
      {"start", start_case},         {"exchange", exchange_case}, {"model", model_case},
      {"traffic", traffic_case},     {"unlike", unlike_case}};
  const auto found = cases.find(word_in(words, 0, "a case"));
  if (found == cases.end())
    throw Error(Errc::bad_input, fmt::format("bench-mpi: there is no case '{}'", words[0]));
  print(mpi, found->second(mpi, Words(words.begin() + 1, words.end())));
}

}  // namespace
}  // namespace kiln::bench

int main(int count, char** words) {
  const kiln::mpi::Environment mpi(count, words);
  mpi.run([&] { kiln::bench::run(mpi, {words + 1, words + count}); });
}
