// The published JSON Schema says the same as the checker, as far as a schema can.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>
#pragma GCC diagnostic pop

#include "spec/broken.hpp"
#include "test_paths.hpp"

namespace kiln::spec {
namespace fs = std::filesystem;
namespace {

using namespace testing;
using nlohmann::json;
using Adapter = valijson::adapters::NlohmannJsonAdapter;

const json& schema_text() {
  static const json text =
      json::parse(std::ifstream(fs::path(KILN_SOURCE_DIR) / "share/kernel-spec.schema.json"));
  return text;
}

bool schema_accepts(const json& document) {
  static const auto schema = [] {
    auto result = std::make_unique<valijson::Schema>();
    valijson::SchemaParser(valijson::SchemaParser::kDraft7)
        .populateSchema(Adapter(schema_text()), *result);
    return result;
  }();
  valijson::Validator validator(valijson::Validator::kStrongTypes);
  return validator.validate(*schema, Adapter(document), nullptr);
}

TEST(Schema, accepts_right_files) {
  EXPECT_TRUE(schema_accepts(json::parse(small)));
  EXPECT_TRUE(schema_accepts(json::parse(full)));
  for (const auto* written : {"10.0", "\"10\"", "0"}) {
    EXPECT_TRUE(schema_accepts(
        json::parse(with(small, "\"partition\": 10", std::string("\"partition\": ") + written))));
  }
  EXPECT_TRUE(schema_accepts(
      json::parse(std::ifstream(fs::path(KILN_SOURCE_DIR) / "examples/spirv/scale_tiles.json"))));
}

TEST(Schema, accepts_every_published_file) {
  std::size_t files = 0;
  std::error_code absent;
  for (const auto& entry :
       fs::directory_iterator(fs::path(KILN_SHARED_DIR) / "data/pyschedcl-specs", absent)) {
    if (entry.path().extension() != ".json") continue;
    EXPECT_TRUE(schema_accepts(json::parse(std::ifstream(entry.path())))) << entry.path();
    ++files;
  }
  if (files == 0) GTEST_SKIP() << "the published specification files are not here";
  EXPECT_EQ(files, 27u);
}

TEST(Schema, refuses_what_the_checker_finds_wrong_in_the_structure) {
  std::size_t structural = 0;
  for (const auto& each : broken) {
    const bool structure = each.kind == Broken::Kind::structure;
    EXPECT_EQ(schema_accepts(json::parse(each.text())), !structure) << each.text();
    structural += structure ? 1 : 0;
  }
  EXPECT_GT(structural, 50u);
}

/// Every attribute that the schema knows, with where it stands: "varArguments[].pos".
void collect(const json& schema, const std::string& path, std::set<std::string>& names) {
  if (path.find(".fields[].fields[]") != path.npos) return;  // structures within structures
  if (schema.contains("$ref")) {
    const std::string target = schema["$ref"];
    return collect(schema_text()["definitions"][target.substr(target.rfind('/') + 1)], path, names);
  }
  if (schema.contains("items")) collect(schema["items"], path + "[]", names);
  if (!schema.contains("properties")) return;
  for (const auto& [name, inner] : schema["properties"].items()) {
    names.insert(path.empty() ? name : path + "." + name);
    collect(inner, path.empty() ? name : path + "." + name, names);
  }
}

TEST(Schema, describes_every_attribute_that_the_reader_knows) {
  std::set<std::string> names;
  collect(schema_text(), "", names);
  // The reader warns of attributes that it does not know: what the schema names, it must know.
  for (const auto& name : names) {
    if (name.find("[]") != std::string::npos) continue;
    const auto text = with(small, "\"src\"", "\"" + name + "\": null, \"src\"");
    for (const auto& message : check_text(text, "a.json")) {
      EXPECT_EQ(message.text.find("unknown attribute"), std::string::npos) << name;
    }
  }
  // And the other way: everything that the example of all attributes uses.
  const auto document = json::parse(full);
  for (const auto& [name, value] : document.items()) EXPECT_EQ(names.count(name), 1u) << name;
  for (const auto* key :
       {"pos", "type", "size", "break", "chunk", "from", "create", "enq_write", "enq_read"}) {
    for (const auto* list : {"inputBuffers[].", "outputBuffers[].", "ioBuffers[]."})
      EXPECT_EQ(names.count(std::string(list) + key), 1u) << list << key;
  }
  EXPECT_EQ(names.count("inputBuffers[].from.kernel"), 1u);
  EXPECT_EQ(names.count("varArguments[].value"), 1u);
  EXPECT_EQ(names.count("localArguments[].size"), 1u);
}

TEST(Schema, says_what_each_attribute_means) {
  const json& properties = schema_text()["properties"];
  for (const auto& [name, inner] : properties.items()) {
    EXPECT_TRUE(inner.contains("description")) << name;
  }
}

}  // namespace
}  // namespace kiln::spec
