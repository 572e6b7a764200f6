#pragma once

#include <filesystem>
#include <string>

#include "kiln/graph.hpp"

namespace kiln::graph {

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
