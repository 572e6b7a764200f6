// kiln-mesh-mpi: kiln-mesh as one of several ranks. `kiln mesh …` becomes it under mpirun.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/os/file.hpp"
#include "cli/command/command.hpp"
#include "cli/command/interrupt.hpp"
#include "cli/mesh_program/program.hpp"
#include "cli/mesh_program/ranks.hpp"
#include "cli/output/output.hpp"
#include "kiln/mpi.hpp"

namespace kiln::cli {
namespace {

/// A rank's block as the applications take it, whose maps have 32-bit numbers.
mesh::MeshFile plain_rows(mpi::MeshFileBlock block) {
  mesh::MeshFile file;
  for (const mpi::SetBlock& set : block.sets) {
    if (set.size > std::numeric_limits<std::int32_t>::max())
      throw Error(Errc::unsupported, "set '" + set.name + "': found more than 2147483647 elements");
    file.sets.push_back({set.name, set.count});
  }
  for (const mpi::MapBlock& map : block.maps)
    file.maps.push_back(
        {map.name, map.from, map.to, map.arity, {map.values.begin(), map.values.end()}});
  for (mpi::DatBlock& dat : block.dats)
    file.dats.push_back(
        {dat.name, dat.set, dat.dim, dat.type, std::move(dat.bytes), dat.type_text});
  file.constants = std::move(block.constants);
  file.left_out = std::move(block.left_out);
  return file;
}

/// Whether all ranks can read a file together: what begins as HDF5 and is no stream of one process,
/// which a rank reads alone, as text. What is no file at all is left to those who read together.
bool is_for_all(const std::string& path) {
  std::error_code error;
  if (descriptor_named_by(path)) return false;
  if (!std::filesystem::exists(path, error) || std::filesystem::is_directory(path, error))
    return true;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
  std::string begin(signature.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  // One that may not be read, too.
  return !file || (file.read(begin.data(), static_cast<std::streamsize>(begin.size())) &&
                   begin == signature);
}

class MpiRanks final : public Ranks {
 public:
  explicit MpiRanks(const mpi::Communicator& comm) : comm_(comm) {}

  int rank() const override { return comm_.rank(); }
  int size() const override { return comm_.size(); }

  int run(const std::function<int()>& body) override {
    speak_of_errors();
    is_run_ = true;
    int code = 1;
    mpi::run(comm_, [&] {
      try {
        const int own = body();
        flush_output();
        // The launcher ends all ranks when one has ended with another code than 0.
        code = std::ranges::max(of_all(own, "the end of all ranks"));
      } catch (const Interrupted&) {
        MPI_Abort(comm_.handle(), 128 + received_signal());
      } catch (const ReaderGone&) {
        MPI_Abort(comm_.handle(), 141);
      }
    });
    return code;
  }

  mesh::MeshFile rows_of_file(const std::string& path) override {
    // The first rank says how: others may not have its streams.
    const bool together = sum(rank() == 0 && is_for_all(path) ? 1 : 0) > 0;
    if (together) return kept_rows(mpi::MeshFileBlock::read(comm_, path));
    mesh::MeshFile whole;
    if (rank() == 0) whole = read_mesh_input(path);
    return kept_rows(mpi::MeshFileBlock::of_first_rank(comm_, whole));
  }
  mesh::MeshFile rows_of(const mesh::MeshFile& whole) override {
    return kept_rows(mpi::MeshFileBlock::of(comm_, whole));
  }
  std::int64_t first_row(const std::string& set) const override { return first_rows_.at(set); }

  std::size_t sum(std::size_t mine) override {
    std::size_t all = 0;
    for (const std::size_t one : of_all(mine, "a sum of all ranks")) all += one;
    return all;
  }

  mesh::Mesh mesh(const mesh::Mesh::Options& options) override {
    runtime_ = mpi::runtime_for_rank(comm_, {.devices = options.device, .store = options.store});
    mesh::Mesh::Options own = options;
    own.device.clear();
    own.store.clear();
    return {*runtime_, mpi::transport(comm_), own};
  }

  void partition(mesh::Mesh& mesh, const mesh::Set& primary, const mesh::Map& adjacency,
                 Balance balance) override {
    std::vector<double> weights;
    if (balance == Balance::by_speed) weights = mpi::speeds(comm_, *runtime_);
    mesh.partition(mpi::scotch(primary, {adjacency}), weights);
  }

  std::function<bool()> rebalancing(mesh::Mesh& mesh, const mesh::Set& primary,
                                    const mesh::Map& adjacency) override {
    const auto balancing = std::make_shared<mpi::Balancing>(comm_, mesh, primary);
    return [balancing, &mesh, primary, adjacency] {
      if (const auto shares = balancing->next())
        mesh.partition(mpi::scotch(primary, {adjacency}), *shares);
      return !balancing->is_done();
    };
  }

  bool is_run() const { return is_run_; }

 private:
  /// Within the limit on waiting.
  template <class Number>
  std::vector<Number> of_all(Number mine, std::string_view what) const {
    std::vector<Number> all(static_cast<std::size_t>(comm_.size()));
    mpi::transport(comm_)->gather(std::as_bytes(std::span(&mine, 1)),
                                  std::as_writable_bytes(std::span(all)), what);
    return all;
  }

  mesh::MeshFile kept_rows(mpi::MeshFileBlock block) {
    for (const mpi::SetBlock& set : block.sets) first_rows_[set.name] = set.first;
    return plain_rows(std::move(block));
  }

  mpi::Communicator comm_;
  std::map<std::string, std::int64_t> first_rows_;
  std::optional<Runtime> runtime_;  ///< once a Mesh is made
  bool is_run_ = false;
};

Ranks* these_ranks = nullptr;

}  // namespace

Ranks* ranks() { return these_ranks; }

}  // namespace kiln::cli

int main(int count, char** words) {
  const kiln::mpi::Environment environment(count, words);
  kiln::cli::MpiRanks all(environment.comm());
  if (all.size() > 1) kiln::cli::these_ranks = &all;
  // What it would say of its words is what the first one says.
  if (all.rank() > 0) kiln::cli::silence();
  const int code = kiln::cli::run(count, words);
  kiln::cli::these_ranks = nullptr;
  if (code != 0 && !all.is_run()) {
    // All ranks have the same words. Should only this one not have got on, the others wait for it.
    if (all.rank() > 0) std::this_thread::sleep_for(std::chrono::seconds(2));
    MPI_Abort(environment.comm().handle(), code);
  }
  return code;
}
