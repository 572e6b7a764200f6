#include "cli/mesh_program/ranks.hpp"

namespace kiln::cli {

std::size_t of_all_ranks(std::size_t mine) {
  return ranks() == nullptr ? mine : ranks()->sum(mine);
}

std::int64_t number_in_file(const std::string& set, std::int64_t row) {
  return ranks() == nullptr ? row : ranks()->first_row(set) + row;
}

mesh::Mesh application_mesh_of(const mesh::Mesh::Options& options) {
  if (ranks() != nullptr) return ranks()->mesh(options);
  return mesh::Mesh(options);
}

void partition_over_ranks(mesh::Mesh& mesh, const mesh::Set& primary, const mesh::Map& adjacency,
                          Balance balance) {
  if (ranks() != nullptr) ranks()->partition(mesh, primary, adjacency, balance);
}

Rebalance::Rebalance(mesh::Mesh& mesh, const mesh::Set& primary, const mesh::Map& adjacency,
                     Balance balance) {
  if (ranks() != nullptr && balance == Balance::by_speed)
    call_ = ranks()->rebalancing(mesh, primary, adjacency);
}

void Rebalance::after_step() {
  constexpr int measured = 10;  ///< steps
  if (call_ && ++steps_ % measured == 0 && !call_()) call_ = nullptr;
}

}  // namespace kiln::cli
