// Making a large search space: parameters and constraints as those of CLBlast's GEMM.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "base/clock.hpp"
#include "tune/bars.hpp"
#include "tune/space/search_space.hpp"

namespace kiln::bench {
namespace {

constexpr const char* parameters[] = {
    "MWG=16,32,48,64,80,96,112,128",  // the tile of a work-group, as rows, columns and depth
    "NWG=16,32,48,64,80,96,112,128",
    "KWG=16,32,64,128",
    "MDIMC=4,6,8,10,12,16,20,24,32",  // its work-items, as they compute and as they load
    "NDIMC=4,6,8,10,12,16,20,24,32",
    "MDIMA=4,6,8,10,12,16,20,24,32",
    "NDIMB=4,6,8,10,12,16,20,24,32",
    "KWI=1,2,4,8,16,32",  // unrolling
    "VWM=1,2,3,4,8",      // vectors
    "VWN=1,2,3,4,8",
    "SA=0,1",  // tiles in local memory
    "SB=0,1",
};
constexpr const char* constraints[] = {
    "KWG % KWI == 0",
    "MWG % (MDIMC * VWM) == 0",
    "NWG % (NDIMC * VWN) == 0",
    "MWG % (MDIMA * VWM) == 0",
    "NWG % (NDIMB * VWN) == 0",
    "KWG % ((MDIMC * NDIMC) / MDIMA) == 0",
    "KWG % ((MDIMC * NDIMC) / NDIMB) == 0",
    "MDIMC * NDIMC <= 1024",
    "(MWG // MDIMC) * (NWG // NDIMC) <= 32",
    "(SA * KWG * MWG + SB * KWG * NWG) * 4 <= 65536",
};

struct Made {
  double seconds = 0, megabytes = 0, raw = 0, valid = 0;
};

Expected<Made> make_space() {
  const auto start = now_ns();
  std::vector<tune::Parameter> all;
  for (const char* const text : parameters) {
    auto parameter = tune::parse_parameter(text);
    if (!parameter) return tl::unexpected(parameter.error());
    all.push_back(*std::move(parameter));
  }
  std::vector<tune::Constraint> conditions;
  for (const char* const text : constraints) {
    auto constraint = tune::parse_constraint(text, all);
    if (!constraint) return tl::unexpected(constraint.error());
    conditions.push_back(*std::move(constraint));
  }
  const auto space = tune::SearchSpace::build(std::move(all), std::move(conditions));
  if (!space) return tl::unexpected(space.error());
  Made made;
  made.seconds = static_cast<double>(now_ns() - start) * 1e-9;
  made.raw = space->raw_size();
  made.valid = static_cast<double>(space->size());
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  made.megabytes = static_cast<double>(usage.ru_maxrss) / 1024;
  return made;
}

/// In a process of its own, since the peak of this one holds whatever ran before.
tl::expected<Made, std::string> make_apart() {
  int ends[2];
  if (pipe(ends) != 0) return not_measured("no pipe");
  const pid_t child = fork();
  if (child < 0) return not_measured("no process");
  if (child == 0) {
    const auto made = make_space();
    const bool sent =
        made && write(ends[1], &*made, sizeof *made) == static_cast<ssize_t>(sizeof *made);
    _exit(sent ? 0 : 1);
  }
  close(ends[1]);
  Made made;
  const bool whole = read(ends[0], &made, sizeof made) == static_cast<ssize_t>(sizeof made);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!whole || status != 0) return not_measured("the space was not made");
  return made;
}

Outcome measure(double Made::*figure) {
  std::vector<double> values;
  Made made;
  for (int i = 0; i < 5; ++i) {
    const auto run = make_apart();
    if (!run) return not_measured(run.error());
    made = *run;
    values.push_back(made.*figure);
  }
  std::sort(values.begin(), values.end());
  return Figure{values[2], fmt::format("{:.3g} raw, {:.3g} valid; 5 runs, {:.3g} to {:.3g}",
                                       made.raw, made.valid, values.front(), values.back())};
}

}  // namespace

std::vector<Bar> space_bars() {
  return {{"tune/space-time", "making a space of 12 parameters with constraints as CLBlast's GEMM",
           Holds::at_most, 2, "s", [](const Context&) { return measure(&Made::seconds); }},
          {"tune/space-memory", "the peak memory of a process that makes it", Holds::at_most, 500,
           "MB", [](const Context&) { return measure(&Made::megabytes); }}};
}

}  // namespace kiln::bench
