#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/os/file.hpp"
#include "cli/timeline/timeline.hpp"

namespace kiln::testing {

// Long after the clock's zero, as on a machine that has been up for some days.
inline constexpr std::int64_t origin_ns = 400'000'000'000'000;

/// A span from and to so many ns after the origin.
inline TraceEvent span(std::string lane, std::string name, std::string category, std::int64_t from,
                       std::int64_t to,
                       std::vector<std::pair<std::string, std::string>> details = {}) {
  return {std::move(lane),  std::move(name), std::move(category),
          origin_ns + from, origin_ns + to,  std::move(details)};
}

inline const std::string cpu = "device 0: cpu-haswell-Some Processor with 64 Cores";
inline const std::string gpu = "device 1: An Accelerator";

/// Fills a timeline; a timeline cannot be copied, having a lock.
inline void fill(cli::Timeline& timeline, const std::vector<TraceEvent>& events) {
  for (const auto& event : events) timeline.add(event);
}

/// A first run on two devices: 90 ms of compiling, then 1.4 ms of work.
inline std::vector<TraceEvent> cold_run() {
  constexpr std::int64_t us = 1000, work = 90'100 * us;
  std::vector<TraceEvent> events{
      span("host", "memory: VectorAdd", "lookup", 0, 1200, {{"answered", "no"}}),
      span("host", "compile: VectorAdd", "compile", 50 * us, 90'000 * us, {{"answered", "yes"}})};
  for (const auto& lane : {cpu, gpu}) {
    events.push_back(span(lane, "write a", "write", work, work + 200 * us));
    events.push_back(span(lane, "VectorAdd", "kernel", work + 200 * us, work + 900 * us));
    events.push_back(span(lane, "read c", "read", work + 905 * us, work + 1100 * us));
  }
  events.push_back(span("host", "merge c", "merge", work + 1200 * us, work + 1400 * us));
  return events;
}

/// A warm run whose work goes out in chunks, as `--partition dynamic` does.
inline std::vector<TraceEvent> run_in_chunks(int chunks = 60) {
  std::vector<TraceEvent> events{span("host", "memory: matmul", "lookup", 0, 400)};
  for (int device = 0; device < 2; ++device) {
    std::int64_t at = 2000;
    for (int i = 0; i < chunks; ++i) {
      const std::int64_t length = 20'000 + 1'000 * ((i * 7 + device) % 9);
      events.push_back(span(device == 0 ? cpu : gpu, "matmul_tiled_with_a_long_name", "kernel", at,
                            at + length, {{"chunk", std::to_string(i)}}));
      at += length + 300;
    }
  }
  return events;
}

/// Loops over a mesh, on a device whose name has no number in front.
inline std::vector<TraceEvent> mesh_run() {
  constexpr std::int64_t us = 1000;
  const std::string device = "cpu-skylake-avx512-Some Processor of a Long Name with 192 Cores";
  std::vector<TraceEvent> events{span("host", "memory: res_calc", "lookup", 0, 900),
                                 span("host", "plan: res_calc", "plan", 2 * us, 300 * us)};
  std::int64_t at = 300 * us;
  for (int step = 0; step < 20; ++step)
    for (const auto& [name, length] : {std::pair{"save_soln", 10}, std::pair{"adt_calc", 40},
                                       std::pair{"res_calc", 90}, std::pair{"update", 30}}) {
      events.push_back(span(device, name, "kernel", at, at + length * us));
      at += (length + 2) * us;
    }
  return events;
}

/// Tasks of a graph: the third waits for the two before it, one of another queue.
inline std::vector<TraceEvent> graph_run() {
  std::vector<TraceEvent> events{span(cpu, "scale", "kernel", 0, 400),
                                 span(gpu, "matmul", "kernel", 100, 900),
                                 span(gpu, "softmax", "kernel", 1000, 1500)};
  for (std::uint32_t i = 0; i < events.size(); ++i) events[i].id = 10 + i;
  events[2].after = {10, 11, 99};  // 99: what has no span
  return events;
}

/// Spans of half a microsecond next to spans of seconds, eleven devices, names without end.
inline std::vector<TraceEvent> extremes() {
  constexpr std::int64_t s = 1'000'000'000;
  std::vector<TraceEvent> events{span("host", "compile: one", "compile", 0, 2 * s),
                                 span("host", "compile: two", "compile", s, 3 * s)};
  for (int i = 0; i < 11; ++i) {
    const auto lane = "device " + std::to_string(i) + ": " +
                      (i % 2 == 0 ? "short" : "a name that does not want to end, not even here, ") +
                      std::string(i % 2 == 0 ? 0 : 60, 'x');
    events.push_back(span(lane, "write x", "write", 3 * s, 3 * s + 500));
    events.push_back(span(lane, "stencil", "kernel", 3 * s + 500, (7 + i) * s));
    events.push_back(span(lane, "read y", "read", (7 + i) * s, (7 + i) * s + 300));
    events.push_back(span(lane, "barrier", "kernel", (8 + i) * s, (8 + i) * s));
  }
  return events;
}

/// The page of some spans, as text.
inline std::string page_of(const std::vector<TraceEvent>& events) {
  const auto folder = value_or_throw(TemporaryFolder::create("kiln-gantt"));
  const auto file = folder.path() / "page.html";
  cli::Timeline timeline;
  fill(timeline, events);
  cli::write_gantt(timeline, file.string());
  return value_or_throw(read_text(file));
}

inline std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace kiln::testing
