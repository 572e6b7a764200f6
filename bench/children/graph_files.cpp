// A graph of the families for a rival in another language: as files, and the digest of its results.
//
//   bench-graph_files write "FAMILY NUMBERS…" FOLDER     graph.json, kernels.cl, BUFFER.f32 of
//   inputs bench-graph_files digest "FAMILY NUMBERS…" FOLDER    of BUFFER.out of all results
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <iterator>

#include "graph/families.hpp"

namespace {

using namespace graph_families;

std::string path_of(const std::string& folder, std::uint32_t buffer, const char* ending) {
  return fmt::format("{}/{}.{}", folder, buffer, ending);
}

void write(const Graph& graph, const std::string& folder) {
  std::ofstream(folder + "/kernels.cl") << kernel_text;
  std::vector<std::string> kernels, buffers, tasks;
  for (const Kernel& kernel : graph.kernels) {
    const auto dimensions = [&](const std::array<std::size_t, 3>& all) {
      return fmt::format("[{}]", fmt::join(all.begin(), all.begin() + kernel.dimensions, ", "));
    };
    kernels.push_back(fmt::format(R"({{"name": "{}", "global": {}, "local": {}}})", kernel.name,
                                  dimensions(kernel.global), dimensions(kernel.local)));
  }
  for (std::uint32_t i = 0; i < graph.buffers.size(); ++i) {
    const Buffer& buffer = graph.buffers[i];
    buffers.push_back(fmt::format(R"({{"bytes": {}, "given": {}, "result": {}}})", buffer.bytes,
                                  buffer.contents != Contents::none, buffer.is_result));
    if (buffer.contents == Contents::none) continue;
    std::vector<float> values(buffer.bytes / sizeof(float));
    fill(graph, i, values.data());
    std::ofstream(path_of(folder, i, "f32"), std::ios::binary)
        .write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(buffer.bytes));
  }
  const auto before = predecessors(graph);
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    const Task& task = graph.tasks[i];
    std::vector<std::string> accesses;
    for (const Access& access : task.accesses)
      accesses.push_back(fmt::format(R"([{}, "{}"])", access.buffer,
                                     access.mode == Mode::read    ? "read"
                                     : access.mode == Mode::write ? "write"
                                                                  : "change"));
    tasks.push_back(fmt::format(
        R"({{"kernel": {}, "accesses": [{}], "scalars": [{}], "part": {}, "parents": [{}]}})",
        task.kernel, fmt::join(accesses, ", "), fmt::join(task.scalars, ", "), task.part,
        fmt::join(before[i], ", ")));
  }
  std::ofstream(folder + "/graph.json")
      << fmt::format("{{\"kernels\": [{}],\n\"buffers\": [{}],\n\"tasks\": [{}]}}\n",
                     fmt::join(kernels, ",\n"), fmt::join(buffers, ",\n"), fmt::join(tasks, ",\n"));
}

std::uint64_t digest_of(const Graph& graph, const std::string& folder) {
  std::uint64_t number = digest_start;
  for (std::uint32_t i = 0; i < graph.buffers.size(); ++i) {
    if (!graph.buffers[i].is_result) continue;
    std::ifstream file(path_of(folder, i, "out"), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    if (bytes.size() != graph.buffers[i].bytes)
      throw std::runtime_error("a result is absent: " + path_of(folder, i, "out"));
    number = digest(number, bytes.data(), bytes.size());
  }
  return number;
}

}  // namespace

int main(int count, char** words) try {
  if (count < 4) return 2;
  const Graph graph = make(words[2]);
  if (std::string(words[1]) == "write")
    write(graph, words[3]);
  else
    fmt::print("{{\"digest\": \"{:016x}\"}}\n", digest_of(graph, words[3]));
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "graph_files: {}\n", error.what());
  return 1;
}
