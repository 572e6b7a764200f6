#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/os/file.hpp"
#include "spec/texts.hpp"

namespace kiln::spec {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Load, keeps_names_and_geometry) {
  const Spec spec = spec_of(full);
  EXPECT_EQ(spec.file, "a.json");
  EXPECT_EQ(spec.name, "scale");
  EXPECT_EQ(spec.src, "scale.cl");
  EXPECT_EQ(spec.id, "12");
  EXPECT_EQ(spec.partition, 8);
  EXPECT_EQ(spec.work_dimension, 2);
  EXPECT_EQ(spec.global_work_size.text, "[n1, m1]");
  EXPECT_EQ(spec.global_work_size.line, 6u);
  EXPECT_EQ(spec.local_work_size->attribute, "localWorkSize");
  EXPECT_THAT(spec.warnings, IsEmpty());
}

TEST(Load, keeps_every_attribute_of_a_buffer) {
  const Spec spec = spec_of(full);
  ASSERT_EQ(spec.buffers.size(), 3u);
  const Buffer& input = spec.buffers[0];
  EXPECT_EQ(input.role, BufferRole::input);
  EXPECT_EQ(input.type.opencl_name(), "float");
  EXPECT_EQ(input.size.text, "m1*n1");
  EXPECT_EQ(input.size.attribute, "inputBuffers[0].size");
  EXPECT_TRUE(input.sliceable);
  EXPECT_EQ(input.chunk->text, "n1");
  EXPECT_EQ(input.from->kernel, "3");
  EXPECT_EQ(input.from->position, 2u);
  EXPECT_TRUE(input.create);
  EXPECT_FALSE(input.enqueue_write);
  EXPECT_TRUE(input.enqueue_read);
  EXPECT_EQ(spec.buffers[1].role, BufferRole::output);
  EXPECT_FALSE(spec.buffers[1].sliceable);
  EXPECT_EQ(spec.buffers[2].role, BufferRole::inout);
  EXPECT_EQ(spec.buffers[2].position, 2u);
  EXPECT_EQ(spec.buffers[2].size.literal, expr::Value(7));
}

TEST(Load, keeps_arguments_symbols_and_macros) {
  const Spec spec = spec_of(full);
  ASSERT_EQ(spec.var_arguments.size(), 3u);
  EXPECT_EQ(spec.var_arguments[1].type.opencl_name(), "float2");
  EXPECT_TRUE(spec.var_arguments[1].value.literal.is_list());
  ASSERT_EQ(spec.local_arguments.size(), 1u);
  EXPECT_EQ(spec.local_arguments[0].position, 6u);
  ASSERT_EQ(spec.symbolic_variables->size(), 4u);
  EXPECT_EQ(spec.symbolic_variables->at(1).first, "n1");
  EXPECT_EQ(spec.macros.size(), 4u);
  EXPECT_EQ(spec.macros[1].text, "4");
  EXPECT_THAT(spec.local_chunk_factor, ElementsAre(2));
  EXPECT_THAT(spec.global_chunk_factor, ElementsAre(1, 1));
  ASSERT_EQ(spec.functions.size(), 1u);
  EXPECT_EQ(spec.functions[0].name, "half_of");
  EXPECT_THAT(spec.functions[0].parameters, ElementsAre("x"));
}

TEST(Load, keeps_what_graphs_need) {
  const Spec spec = spec_of(full);
  EXPECT_THAT(*spec.depends, ElementsAre("3", "other"));
  EXPECT_EQ(spec.task, 1);
  EXPECT_EQ(spec.dataset, 1024);
  EXPECT_EQ(spec.eco, 1.5);
  EXPECT_EQ(spec.ecos.at("2048"), 3.5);
  EXPECT_TRUE(is_part_of_graph(spec));
  EXPECT_FALSE(is_part_of_graph(spec_of(small)));
}

TEST(Load, sees_a_graph_in_each_of_its_three_signs) {
  EXPECT_TRUE(is_part_of_graph(spec_of(with(small, "\"src\"", "\"task\": 0, \"src\""))));
  EXPECT_TRUE(is_part_of_graph(spec_of(with(small, "\"src\"", "\"depends\": [\"k\"], \"src\""))));
  EXPECT_TRUE(is_part_of_graph(spec_of(
      with(small, "{\"pos\": 0,", "{\"from\": {\"kernel\": \"k\", \"pos\": 1}, \"pos\": 0,"))));
  EXPECT_FALSE(is_part_of_graph(spec_of(with(small, "\"src\"", "\"depends\": [], \"src\""))));
}

TEST(Load, takes_the_partition_class_as_number_float_and_string) {
  for (const auto* written : {"10", "10.0", "\"10\""}) {
    EXPECT_EQ(spec_of(with(small, "\"partition\": 10", std::string("\"partition\": ") + written))
                  .partition,
              10);
  }
  EXPECT_FALSE(spec_of(with(small, "\"partition\": 10,", "")).partition);
  EXPECT_FALSE(spec_of(with(small, "\"partition\": 10", "\"partition\": null")).partition);
}

TEST(Load, takes_sizes_as_numbers_lists_and_strings) {
  for (const auto* written : {"\"[64]\"", "[64]", "64", "\"64\"", "[\"64\"]"}) {
    const auto bound = bound_of(with(small_at(64), "\"[64]\"", written));
    EXPECT_THAT(bound.global, ElementsAre(64u)) << written;
  }
}

TEST(Load, takes_no_local_size_in_three_ways) {
  for (const auto* written : {"null", "[]"}) {
    EXPECT_FALSE(
        spec_of(with(small, "\"src\"", std::string("\"localWorkSize\": ") + written + ", \"src\""))
            .local_work_size);
  }
  EXPECT_FALSE(spec_of(small).local_work_size);
}

TEST(Load, slices_only_for_a_break_of_one) {
  const auto sliceable = [](const std::string& written) {
    return spec_of(with(small,
                        "{\"pos\": 0, \"type\": \"float\", \"size\": \"dataset\", \"break\": 1}",
                        "{\"pos\": 0, \"type\": \"float\", \"size\": \"dataset\", \"break\": " +
                            written + "}"))
        .buffers[0]
        .sliceable;
  };
  for (const auto* written : {"1", "1.0", "true"}) EXPECT_TRUE(sliceable(written)) << written;
  for (const auto* written : {"0", "2", "-1", "false", "0.5"})
    EXPECT_FALSE(sliceable(written)) << written;
}

TEST(Load, counts_an_empty_buffer_type_as_double_with_a_warning) {
  const auto text = with(small, "{\"pos\": 1, \"type\": \"float\"", "{\"pos\": 1, \"type\": \"\"");
  const Spec spec = spec_of(text);
  EXPECT_EQ(spec.buffers[1].type, Type::parse("double"));
  ASSERT_EQ(spec.warnings.size(), 1u);
  EXPECT_THAT(spec.warnings[0].render(),
              HasSubstr("a.json:8: warning: attribute 'outputBuffers[0].type'"));
}

TEST(Load, takes_the_last_of_equal_keys) {
  const auto text = with(small, "\"workDimension\"", "\"name\": \"second\", \"workDimension\"");
  const Spec spec = spec_of(text);
  EXPECT_EQ(spec.name, "second");
  EXPECT_THAT(spec.warnings.at(0).render(),
              HasSubstr("a.json:5: warning: found the key \"name\" again"));
}

TEST(Load, chooses_the_dialect_by_the_attributes) {
  EXPECT_EQ(spec_of(small).dialect, SpecDialect::base);
  EXPECT_EQ(spec_of(full).dialect, SpecDialect::concurrent);
  for (const auto* key :
       {"\"symbolicVariables\": {}", "\"macros_values\": {}", "\"localChunkFactor\": []",
        "\"globalChunkFactor\": []", "\"depends\": []", "\"task\": 1"}) {
    const auto text = with(small, "\"src\"", std::string(key) + ", \"src\"");
    EXPECT_EQ(spec_of(text).dialect, SpecDialect::concurrent) << key;
  }
  EXPECT_EQ(spec_of(small, SpecDialect::concurrent).dialect, SpecDialect::concurrent);
  EXPECT_EQ(spec_of(full, SpecDialect::base).dialect, SpecDialect::base);
}

TEST(Load, warns_of_what_a_dialect_requires_or_ignores) {
  const auto warnings = [](const std::string& text, SpecDialect dialect) {
    return warnings_of(spec_of(text, dialect).warnings);
  };
  EXPECT_THAT(warnings(small, SpecDialect::concurrent),
              ElementsAre(HasSubstr("symbolicVariables")));
  EXPECT_THAT(warnings(with(small, "\"partition\": 10,", ""), SpecDialect::base),
              ElementsAre(HasSubstr("partition")));
  EXPECT_THAT(warnings(full, SpecDialect::base), ElementsAre(HasSubstr("macros_values")));
  EXPECT_THAT(spec_of(full, SpecDialect::base).macros, IsEmpty());
  EXPECT_THAT(warnings(small, SpecDialect::base), IsEmpty());
}

TEST(Load, says_which_file_is_missing) {
  const auto spec = load_spec("/nonexistent/a.json");
  ASSERT_FALSE(spec);
  EXPECT_EQ(exit_code(spec.error().code()), 2) << name_of(spec.error().code());
  EXPECT_THAT(spec.error().message(), HasSubstr("/nonexistent/a.json"));
  EXPECT_EQ(check_spec("/nonexistent/a.json").size(), 1u);
  EXPECT_FALSE(load_spec("/"));
}

TEST(Load, reads_a_file_and_names_it_in_messages) {
  const auto folder = value_or_throw(TemporaryFolder::create());
  const auto path = folder.path() / "k.json";
  std::ofstream(path) << with(small, "\"add\"", "7");
  const auto spec = load_spec(path);
  ASSERT_FALSE(spec);
  EXPECT_EQ(
      spec.error().message(),
      path.string() + ":2: attribute 'name': found 7, expected the name of a __kernel function");
}

TEST(Load, tells_the_first_error_and_the_number_of_the_rest) {
  const auto spec = parse_spec("{}", "a.json");
  ASSERT_FALSE(spec);
  EXPECT_THAT(spec.error().message(), HasSubstr("a.json:1: attribute 'name': missing"));
  EXPECT_THAT(spec.error().message(), HasSubstr("(and 3 more: kiln check lists them)"));
}

TEST(Load, calls_a_list_of_kernels_a_graph) {
  const auto spec = parse_spec("\n[" + small + ", " + small + "]", "t1.json");
  ASSERT_FALSE(spec);
  EXPECT_EQ(spec.error().code(), Errc::unsupported);
  EXPECT_THAT(spec.error().message(), HasSubstr("t1.json:2: found a list of 2 kernels (a graph)"));
  EXPECT_EQ(parse_spec("[1]", "a.json").error().code(), Errc::bad_input);
}

TEST(Dialects, have_names) {
  EXPECT_EQ(*parse_dialect("base"), SpecDialect::base);
  EXPECT_EQ(*parse_dialect("concurrent"), SpecDialect::concurrent);
  EXPECT_EQ(*parse_dialect("auto"), SpecDialect::automatic);
  EXPECT_THAT(parse_dialect("bass").error().message(),
              HasSubstr("expected auto, base or concurrent"));
}

}  // namespace
}  // namespace kiln::spec
