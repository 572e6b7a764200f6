// docs/specification-files.md says what is so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/os/file.hpp"
#include "spec/texts.hpp"
#include "test_paths.hpp"

namespace kiln::spec {
namespace fs = std::filesystem;
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string text_of(const char* file) {
  return value_or_throw(read_text(fs::path(KILN_SOURCE_DIR) / file));
}

/// The document's code blocks of one language.
std::vector<std::string> blocks(const std::string& document, const std::string& language) {
  const std::string open = "```" + language + "\n";
  std::vector<std::string> result;
  for (auto at = document.find(open); at != document.npos; at = document.find(open, at)) {
    at += open.size();
    result.push_back(document.substr(at, document.find("```", at) - at));
  }
  return result;
}

TEST(Document, shows_a_file_that_is_right) {
  const auto examples = blocks(text_of("docs/specification-files.md"), "json");
  ASSERT_EQ(examples.size(), 4u);
  EXPECT_THAT(check_text(examples[0], "a.json"), IsEmpty());
}

TEST(Document, shows_structures_that_are_right) {
  const auto examples = blocks(text_of("docs/specification-files.md"), "json");
  auto text = nlohmann::json::parse(small);
  text.update(nlohmann::json::parse("{" + examples.at(1) + "}"));
  text["outputBuffers"][0]["pos"] = 4;
  EXPECT_THAT(check_text(text.dump(), "a.json"), IsEmpty());
}

TEST(Document, shows_functions_that_work) {
  const auto examples = blocks(text_of("docs/specification-files.md"), "json");
  const auto example = nlohmann::json::parse("{" + examples.at(2) + "}");
  auto text = nlohmann::json::parse(small);
  text.update(example);
  EXPECT_EQ(bound_of(text.dump(), set("dataset", 100)).global[0], 128u);
}

TEST(Document, names_every_attribute_of_the_schema) {
  const auto document = text_of("docs/specification-files.md");
  const auto schema = nlohmann::json::parse(text_of("share/kernel-spec.schema.json"));
  const auto& buffer = schema["definitions"]["buffer"]["properties"];
  for (const auto* properties : {&schema["properties"], &buffer}) {
    for (const auto& [name, inner] : properties->items()) {
      EXPECT_THAT(document, HasSubstr("`" + name + "`")) << name;
    }
  }
}

TEST(Document, quotes_messages_as_they_are) {
  const auto document = text_of("docs/specification-files.md");
  auto text = with(small, "\"partition\": 10", "\"partition\": 12");
  text = with(text, "\"src\"", "\"inputBufers\": 0, \"src\"");
  text = with(text, "{\"pos\": 1, \"type\": \"float\", \"size\": \"dataset\"",
              "{\"pos\": 1, \"type\": \"float\", \"size\": \"dataset**2 +\"");
  std::size_t seen = 0;
  for (const auto& message : check_text(text, "conv.json")) {
    EXPECT_THAT(document, HasSubstr("'" + message.attribute + "': " + message.text));
    ++seen;
  }
  EXPECT_EQ(seen, 3u);
  for (const auto& message : check_text("{\n  \"name\": ]\n}", "conv.json")) {
    EXPECT_THAT(document, HasSubstr(message.render()));
  }
}

}  // namespace
}  // namespace kiln::spec
