#pragma once

#include <map>
#include <memory>
#include <vector>

#include "kernel/source/source.hpp"
#include "kiln/graph.hpp"
#include "schedule/graph/problem.hpp"

namespace kiln::graph {

/// A specification with its sizes, shared by tasks that have the same symbols.
struct BoundKernel {
  spec::Spec spec;
  spec::BoundSpec bound;
  SourcePtr source;
};

/// Where the value of a task's argument is from.
struct Feed {
  std::uint32_t task = 0;      ///< number of the task in the file's order
  std::uint32_t position = 0;  ///< of its argument
};

struct LoadedFile::State {
  task_graph::File file;
  FileOptions options;
  std::vector<std::string> names;                           ///< by task
  std::vector<std::shared_ptr<const BoundKernel>> kernels;  ///< by task
  std::vector<std::map<std::uint32_t, Feed>> feeds;         ///< by task and argument
  std::vector<std::pair<std::uint32_t, std::uint32_t>> orders;
  std::vector<std::uint32_t> order;                 ///< one in which they can run
  std::map<std::int64_t, std::uint32_t> number_of;  ///< by id
};

/// Reads specifications and binds them; throws Error with file and line.
std::shared_ptr<const LoadedFile::State> load_state(const std::filesystem::path& file,
                                                    const FileOptions& options);

/// What the original's statistics say of a graph on a GPU and a processor.
Expected<Problem> problem_with_costs(const LoadedFile::State& loaded,
                                     const std::filesystem::path& costs);

/// Writes a result of a graph to a .npy file. Throws Error.
void save_result(const LoadedFile& loaded, const GraphPlan& plan,
                 const std::pair<std::int64_t, std::uint32_t>& end,
                 const std::filesystem::path& file);

/// Compares a result with a .npy file: empty where they are equal, else where they first differ.
/// Throws Error.
std::string compare_result(const LoadedFile& loaded, const GraphPlan& plan,
                           const std::pair<std::int64_t, std::uint32_t>& end,
                           const std::filesystem::path& file, double rtol);

}  // namespace kiln::graph
