#include "blas/generator/template_generator.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "test_paths.hpp"

namespace kiln::blas::testing {
namespace {

std::string text_of_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

const Generator& generator_of(const std::vector<std::unique_ptr<Generator>>& all,
                              const std::string& family) {
  for (const auto& generator : all)
    if (generator->family() == family) return *generator;
  throw Error(Errc::internal, "no family " + family);
}

// The golden text is the template's own: what the generator puts before it is facts, Parameters and
// the shared parts, whose places are marked.
TEST(TemplateGenerator, writes_facts_then_shared_parts_then_the_template) {
  const auto all = template_generators();
  Request request;
  request.family = "blas.asum";
  request.payload = TemplatePayload{
      Precision::c, true, 16, {{"group", std::int64_t{1}}, {"unit_strides", std::int64_t{1}}}};
  std::string text = generator_of(all, request.family).generate(request, {});
  for (const auto* name : {"prelude", "vectors", "reduction"}) {
    const std::string part(template_text(name));
    const auto at = text.find(part);
    ASSERT_NE(at, std::string::npos) << name;
    text.replace(at, part.size(), "<" + std::string(name) + ">\n");
  }
  EXPECT_EQ(text, text_of_file(KILN_SOURCE_DIR "/tests/blas/golden/asum.cl"));
}

TEST(TemplateGenerator, the_same_request_gives_the_same_text) {
  Request request;
  request.payload = TemplatePayload{Precision::z};
  const auto all = template_generators(), again = template_generators();
  for (const auto& generator : all)
    if (generator->family() != "blas.gemm") {
      EXPECT_EQ(generator->generate(request, {}),
                generator_of(again, generator->family()).generate(request, {}));
    }
}

TEST(TemplateGenerator, accepts_no_parameter_that_it_does_not_know) {
  const auto all = template_generators();
  Request request;
  request.payload = TemplatePayload{Precision::s, true};
  Parameters parameters;
  EXPECT_TRUE(generator_of(all, "blas.asum").accepts(request, parameters));
  parameters.set("vector_width", 4);
  EXPECT_FALSE(generator_of(all, "blas.asum").accepts(request, parameters));
}

TEST(TemplateGenerator, accepts_what_private_memory_holds) {
  const auto all = template_generators();
  for (const auto& generator : all)
    for (const bool on_cpu : {true, false}) {
      if (generator->family() == "blas.gemm") continue;
      Request request;
      request.payload = TemplatePayload{Precision::s, on_cpu};
      const Parameters usual = generator->defaults(request);
      EXPECT_TRUE(generator->accepts(request, usual)) << generator->family();
      for (const auto& [name, value] : usual)
        for (const std::int64_t other :
             {std::int64_t{0}, std::int64_t{-8}, std::int64_t{1} << 40}) {
          Parameters changed = usual;
          changed.set(name, other);
          EXPECT_FALSE(generator->accepts(request, changed))
              << generator->family() << " " << name << " " << other;
        }
    }
}

TEST(TemplateGenerator, a_version_tells_of_every_text) {
  const auto version = version_of(1, {0x1234, 0x5678});
  EXPECT_GT(version, 0);
  EXPECT_EQ(version, version_of(1, {0x1234, 0x5678}));
  EXPECT_NE(version, version_of(2, {0x1234, 0x5678}));
  EXPECT_NE(version, version_of(1, {0x1234, 0x8000000000005678u}));
  EXPECT_NE(version, version_of(1, {0x1235, 0x5678}));
  EXPECT_NE(version, version_of(1, {0x5678, 0x1234}));
}

TEST(TemplateGenerator, no_two_families_have_one_version) {
  std::set<std::int64_t> versions;
  const auto all = template_generators();
  for (const auto& generator : all) {
    EXPECT_GT(generator->version(), 0) << generator->family();
    versions.insert(generator->version());
  }
  EXPECT_EQ(versions.size(), all.size());
}

}  // namespace
}  // namespace kiln::blas::testing
