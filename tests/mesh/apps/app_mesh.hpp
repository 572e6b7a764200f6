#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <ostream>
#include <string>

#include "base/os/file.hpp"
#include "kernel/resolver/resolver.hpp"
#include "kiln/mesh.hpp"
#include "mesh/io/mesh_io.hpp"
#include "mesh/model/mesh_fixture.hpp"

namespace kiln::mesh::testing {

/// How the loops of an application are made to run.
struct AppForm {
  std::string name;
  std::optional<Parameters> parameters;  ///< nothing: as Kiln chooses
  std::string shown;                     ///< how the report calls a loop with conflicts then

  friend std::ostream& operator<<(std::ostream& out, const AppForm& form) {
    return out << form.name;
  }
};

inline const std::vector<AppForm>& app_forms() {
  static const std::vector<AppForm> forms{
      {"chosen", {}, "blocks"},
      {"blocks_one_lane", Parameters{{"FORM", 0}, {"LANES", 1}, {"BLOCK", 100}}, "blocks of 100 "},
      {"blocks_eight_lanes", Parameters{{"FORM", 0}, {"LANES", 8}, {"STREAM", 1}, {"BLOCK", 96}},
       "blocks of 96 "},
      {"atomic", Parameters{{"FORM", 1}, {"GROUP", 32}}, "atomic"},
      {"coloured", Parameters{{"FORM", 2}, {"GROUP", 48}}, "coloured in "},
      {"staged", Parameters{{"FORM", 3}, {"GROUP", 64}, {"BLOCK", 128}}, "staged of 128 "}};
  return forms;
}
inline std::string form_name(const ::testing::TestParamInfo<AppForm>& info) {
  return info.param.name;
}

/// A Mesh whose plans are all checked, with loops of one form. The store is the process's own, so
/// that what one mesh has compiled, the next one of a test finds.
struct AppMesh : Mesh {
  explicit AppMesh(const AppForm& form) : Mesh(options()) {
    if (form.parameters) use_form(*this, *form.parameters);
  }
  static Options options() {
    static const TemporaryFolder store = value_or_throw(TemporaryFolder::create("kiln-apps"));
    Options options;
    options.store = store.path().string();
    options.check = true;
    return options;
  }
  /// The report's line of a loop.
  LoopReport of(const std::string& loop) {
    for (const auto& line : report())
      if (line.name == loop) return line;
    ADD_FAILURE() << "no loop " << loop;
    return {};
  }
  /// Whether the loop did run in the form.
  void expect_form(const std::string& loop, const AppForm& form) {
    EXPECT_EQ(of(loop).form.substr(0, form.shown.size()), form.shown) << of(loop).form;
  }
};

inline MeshFile naca(std::int64_t along, std::int64_t out,
                     Naca0012::Variant variant = Naca0012::Variant::airfoil) {
  return value_or_throw(make_naca0012({along, out, variant}));
}

}  // namespace kiln::mesh::testing
