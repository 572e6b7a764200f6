// What a Session keeps of matrices, and what was done with them in bytes and seconds.
#include "mesh/matrix/matrix_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>

#include "mesh/matrix/matrix_kernels.hpp"

namespace kiln::mesh {
namespace {

constexpr std::size_t index_bytes = sizeof(std::int32_t);

struct Sizes {
  explicit Sizes(const MatState& mat) : sparsity(*Handles::state(mat.sparsity)) {
    item = size_of(mat.values.form().type);
    block = sparsity.row_dim * sparsity.column_dim * item;
    owned = sparsity.row_set.size();
  }
  std::size_t blocks_before(std::size_t row) const {
    return static_cast<std::size_t>(SparsityState::view(sparsity.rowptr())[row]);
  }
  /// Of those of a list that are rows of the matrix.
  std::size_t blocks_in(std::span<const std::int32_t> rows) const {
    std::size_t blocks = 0;
    for (const std::int32_t row : rows)
      if (const auto at = static_cast<std::size_t>(row); at < sparsity.row_set.total_size())
        blocks += blocks_before(at + 1) - blocks_before(at);
    return blocks;
  }
  const SparsityState& sparsity;
  std::size_t item = 0, block = 0, owned = 0;
};

}  // namespace

void add_generators(Resolver& resolver) {
  resolver.add(std::make_unique<LoopGenerator>());
  resolver.add(std::make_unique<MatrixGenerator>());
}

namespace {

/// Added once to a Resolver, which may be that of many Runtimes.
struct MeshGenerators {
  explicit MeshGenerators(Resolver& resolver) { add_generators(resolver); }
};

}  // namespace

MatrixSession::MatrixSession(const Mesh::Options& given, const Runtime& holder)
    : LoopSession(given, holder) {
  if (runtime.state().has_own_resolver())
    runtime.state().front_end<MeshGenerators>();
  else
    static const MeshGenerators in_process(resolver());
}

MatrixSession::~MatrixSession() = default;

void MatrixSession::forget(const void* state, std::uint64_t id) {
  products.forget(state);
  LoopSession::forget(state, id);
}

MatrixWork& MatrixWork::of(MatState& mat, MatrixOperation operation) {
  static constexpr const char* names[] = {"multiply",    "diagonal", "set_diagonal",
                                          "change_rows", "zero",     "zero_rows_columns"};
  const auto number = static_cast<std::size_t>(operation);
  MatrixWork*& known = mat.work[number];
  if (known != nullptr) return *known;
  MatrixSession& session = MatrixSession::of(*mat.session);
  auto& all = session.matrix_work;
  const std::string name = fmt::format("{} {}", names[number], mat.name);
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const auto& one) { return one->report.name == name; });
  if (found != all.end()) return *(known = found->get());
  known = all.emplace_back(std::make_unique<MatrixWork>()).get();
  known->report.name = name;
  known->times.record(session.recording.get(), name);
  return *known;
}

LoopReport MatrixWork::now() {
  LoopReport now = report;
  now.seconds += times.seconds();
  return now;
}

void MatrixWork::clear() {
  times.clear();
  report.count = report.bytes = report.program_hits = 0;
  report.halo = {};
  report.seconds = report.compile_seconds = 0;
}

std::size_t multiply_bytes(const MatState& mat, bool adds) {
  const Sizes sizes(mat);
  const auto& sparsity = sizes.sparsity;
  const std::size_t blocks = sizes.blocks_before(sizes.owned);
  const std::size_t columns = std::min(sparsity.column_set.total_size(), blocks);
  return blocks * (sizes.block + index_bytes) + (sizes.owned + 1) * index_bytes +
         columns * sparsity.column_dim * sizes.item +
         (adds ? 2 : 1) * sizes.owned * sparsity.row_dim * sizes.item;
}

std::size_t diagonal_bytes(const MatState& mat) {
  const Sizes sizes(mat);
  return (sizes.owned + 1) * index_bytes + 2 * sizes.owned * sizes.sparsity.row_dim * sizes.item;
}

std::size_t rows_bytes(const MatState& mat, const SubsetState* rows, bool clears, bool sets) {
  const Sizes sizes(mat);
  std::size_t count = sizes.sparsity.row_set.total_size();
  std::size_t blocks = sizes.blocks_before(count), bytes = (count + 1) * index_bytes;
  if (rows != nullptr) {
    count = rows->indices.size();
    bytes = 3 * count * index_bytes;  // its number, its begin and its end
    blocks = sizes.blocks_in(rows->indices);
  }
  // Where all of a row is written its diagonal is in the caches.
  if (clears) return bytes + blocks * sizes.block;
  return bytes + (sets ? count * sizes.sparsity.row_dim * sizes.item : 0);
}

std::size_t rows_columns_bytes(const MatState& mat, const SubsetState& rows) {
  const Sizes sizes(mat);
  const std::size_t count = sizes.sparsity.row_set.total_size();
  // A row is written, a column as long as it read and written.
  return (count + 1 + sizes.blocks_before(count)) * index_bytes +
         3 * sizes.blocks_in(rows.indices) * sizes.block;
}

}  // namespace kiln::mesh
