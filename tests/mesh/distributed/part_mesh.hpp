#pragma once

#include <memory>
#include <string>

#include "mesh/distributed/plain_parts.hpp"
#include "mesh/distributed/thread_transport.hpp"
#include "mesh/model/mesh_fixture.hpp"

/// A Mesh for each part, on threads.
namespace kiln::mesh::testing {

/// Where a halo's elements are put into messages.
enum class Staging { host, device };

/// The Runtime of all parts of a test: programs are compiled once.
inline const Runtime& parts_runtime() {
  static const Runtime runtime({.store = "off"});
  return runtime;
}

struct PartMesh : Mesh {
  explicit PartMesh(std::shared_ptr<Transport> transport, Staging staging = Staging::host,
                    bool timing = false, const Runtime& runtime = parts_runtime())
      : Mesh(runtime, std::move(transport), options(timing)) {
    Handles::session(*this)->stages_halos = staging == Staging::device;
  }
  static Options options(bool timing) {
    Options options;
    options.check = true;  // stale copies are NaN: none may show
    options.timing = timing;
    return options;
  }
  /// The report's line of a loop.
  LoopReport of(const std::string& loop) {
    for (const auto& line : report())
      if (line.name == loop) return line;
    ADD_FAILURE() << "no loop " << loop;
    return {};
  }
};

/// As refusal(), which other tests of a batch may have of their own.
template <class Call>
std::string refused(Call&& call, Errc expected = Errc::bad_input) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), expected) << error.what();
    return error.what();
  }
  return "(nothing was refused)";
}

/// "in_3_parts_by_the_host"
inline std::string parts_name(const ::testing::TestParamInfo<std::tuple<int, Staging>>& info) {
  return "in_" + std::to_string(std::get<0>(info.param)) + "_parts_by_the_" +
         (std::get<1>(info.param) == Staging::host ? "host" : "device");
}

}  // namespace kiln::mesh::testing
