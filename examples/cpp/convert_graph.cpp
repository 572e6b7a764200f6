// Task graphs: one made here, checked and written as text, or the one in a file, of any format, as
// Kiln's own JSON.
// Shows kiln/formats/task_graph.hpp.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <kiln/formats/task_graph.hpp>

namespace graphs = kiln::task_graph;

namespace {

/// Two kernels, of which the second reads what the first has written to its argument 2.
graphs::File two_tasks() {
  graphs::Task blend, peak;
  blend.id = 0;
  blend.spec = "blend.json";
  blend.symbols = {{"tall", 4096}};
  blend.partition = 10;  // on the GPU; the other one anywhere
  peak.id = 1;
  peak.spec = "peak.json";
  peak.symbols = {{"tall", 4096}};
  graphs::File file;
  file.tasks = {blend, peak};
  file.edges = {{0, 1, 2, 0}};
  return file;
}

kiln::Expected<graphs::File> read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return kiln::fail(kiln::Errc::io, std::string("cannot read ") + path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return graphs::parse(text, path);
}

}  // namespace

int main(int argc, char** argv) {
  const auto graph = argc > 1 ? read(argv[1]) : two_tasks();
  if (!graph) {
    std::fprintf(stderr, "%s\n", graph.error().what());  // file:line: found …, expected …
    return kiln::exit_code(graph.error().code());
  }
  for (const std::string& warning : graph->warnings) std::fprintf(stderr, "%s\n", warning.c_str());
  const auto text = argc > 1 ? graphs::write_json(*graph) : graphs::write_text(*graph);
  if (!text) {
    std::fprintf(stderr, "%s\n", text.error().what());
    return kiln::exit_code(text.error().code());
  }
  std::printf("%s%zu tasks, %zu edges\n", text->c_str(), graph->tasks.size(), graph->edges.size());
}
