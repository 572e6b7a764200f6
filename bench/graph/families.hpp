#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// The graphs that the bars of this group run, as plain data: each side makes of them what it runs.
// Nothing here knows Kiln or OpenCL.
namespace graph_families {

/// Kernels in OpenCL C, all in one program. They take buffers first, then scalars.
extern const char* const kernel_text;

/// A kernel with its geometry: what a performance model tells apart.
struct Kernel {
  std::string name;
  unsigned dimensions = 1;
  std::array<std::size_t, 3> global{1, 1, 1}, local{1, 1, 1};
  double operations = 1;  ///< about as many; for priorities before anything was measured
};

/// What a buffer holds before the first task.
enum class Contents : std::uint8_t {
  none,      ///< the first task that uses it writes all of it
  random,    ///< floats between -0.5 and 0.5
  diagonal,  ///< the same, symmetric, and large on the diagonal: a square tile
};
struct Buffer {
  std::size_t bytes = 0;
  Contents contents = Contents::none;
  bool is_result = false;  ///< to be on the host in the end
};

enum class Mode : std::uint8_t { read, write, read_write };
struct Access {
  std::uint32_t buffer = 0;
  Mode mode = Mode::read;
};
/// Four bytes each: an int, or a float's bits.
using Scalar = std::uint32_t;

struct Task {
  std::uint32_t kernel = 0;
  std::vector<Access> accesses;  ///< the kernel's arguments, in order
  std::vector<Scalar> scalars;   ///< its last arguments
  std::uint32_t part = 0;        ///< tasks that belong together: a transformer's head
};

/// Tasks are in an order in which they could run one after the other; who waits for whom follows
/// from what they read and write.
struct Graph {
  std::string name;
  std::vector<Kernel> kernels;
  std::vector<Buffer> buffers;
  std::vector<Task> tasks;
};

/// A graph by its description, words apart by blanks:
///
///     transformer HEADS SIZE [shared]
///     cholesky TILES SIZE, lu TILES SIZE
///     chain TASKS [COUNT], independent TASKS [COUNT]
///     layered TASKS COUNT [SEED]
///     fdtd STEPS SIZE, gramschmidt COLUMNS SIZE
///     2mm, 3mm, atax, bicg, mvt, gemver, corr or covar SIZE
///
/// Transformers have 9 tasks a head; shared: one input, heads added up. Tiled factors have T (T +
/// 1) (T + 2) / 6 tasks (Cholesky) and T (T + 1) (2 T + 1) / 6 (LU, without pivoting); FDTD and
/// Gram-Schmidt three a step or column. A chain changes one buffer of COUNT floats in place,
/// independent tasks one each. Layers have a tenth of the tasks, or 10 where they are few.
///
/// Sizes are multiples of 32. Throws std::invalid_argument for others.
Graph make(std::string_view description);

/// The contents of a buffer of a graph: the same each time.
void fill(const Graph& graph, std::uint32_t buffer, float* values);

/// The descriptions that bars compare real runs on, small ones first; all end soon on two cores.
std::vector<std::string> usual();

/// By task, whom it waits for: from the order of the tasks and what they read and write.
std::vector<std::vector<std::uint32_t>> predecessors(const Graph& graph);
/// By task, the operations on the longest way from it to the end.
std::vector<double> priorities(const Graph& graph);

/// A number for the contents of results, to hold sides against each other.
std::uint64_t digest(std::uint64_t before, const void* data, std::size_t bytes);
inline constexpr std::uint64_t digest_start = 14695981039346656037ULL;

}  // namespace graph_families
