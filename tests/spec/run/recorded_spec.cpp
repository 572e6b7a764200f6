// Runs of specification files to records, and back.
#include "spec/run/recorded_spec.hpp"

#include <gmock/gmock.h>

namespace kiln::spec {
namespace {

using ::testing::HasSubstr;

TEST(RecordedSpec, comes_back_with_every_type_of_symbol) {
  RecordedSpec spec{"/a folder/k.json", {}, SpecDialect::concurrent, {"/x", "/y z"}, {8, 4}, {}};
  spec.partition = value_or_throw(Partition::parse("3:1"));
  spec.symbols.set = {{"n", std::int64_t{-7}}, {"x", 0.1}, {"word", "float"}, {"yes", true}};
  spec.symbols.set_if = {{"m", expr::List{1, 2}}, {"quoted", "it's \"so\"\n"}};
  const auto back = recorded_spec_of(recorded_call(spec, "k", {}));
  ASSERT_TRUE(back.has_value()) << back.error().message();
  EXPECT_EQ(back->file, spec.file);
  EXPECT_EQ(back->symbols.set, spec.symbols.set);
  EXPECT_EQ(back->symbols.set_if, spec.symbols.set_if);
  EXPECT_EQ(back->dialect, spec.dialect);
  EXPECT_EQ(back->source_dirs, spec.source_dirs);
  EXPECT_EQ(back->local_size, spec.local_size);
  ASSERT_TRUE(back->partition.has_value());
  EXPECT_EQ(back->partition->text(), spec.partition->text());
}

TEST(RecordedSpec, leaves_out_what_was_not_asked_for) {
  const RecordedCall call = recorded_call({"/k.json", {}, {}, {}, {}, {}}, "k", {});
  ASSERT_EQ(call.facts.size(), 1u);
  const auto back = recorded_spec_of(call);
  ASSERT_TRUE(back.has_value());
  EXPECT_FALSE(back->partition.has_value());
  EXPECT_EQ(back->dialect, SpecDialect::automatic);
}

TEST(RecordedSpec, is_refused_with_the_name_of_the_field) {
  const auto refusal = [](const std::string& name, decltype(Fact::value) value) {
    RecordedCall call;
    call.facts = {{"file", std::string("/k.json")}};
    if (name == "file") call.facts.clear();
    call.facts.push_back({name, std::move(value)});
    const auto back = recorded_spec_of(call);
    return back ? std::string("nothing") : back.error().message();
  };
  EXPECT_THAT(refusal("file", std::int64_t{1}), HasSubstr("'file'"));
  EXPECT_THAT(refusal("dialect", std::string("mine")), HasSubstr("'dialect'"));
  EXPECT_THAT(refusal("dialect", std::int64_t{0}), HasSubstr("'dialect'"));
  EXPECT_THAT(refusal("local_size", std::string("8x")), HasSubstr("'local_size'"));
  EXPECT_THAT(refusal("partition", std::string("11")), HasSubstr("'partition'"));
  EXPECT_THAT(refusal("partition", std::int64_t{-1}), HasSubstr("'partition'"));
  EXPECT_THAT(refusal("set n", std::string("1 +")), HasSubstr("'set n'"));
  EXPECT_EQ(refusal("something else", std::string("1")), "nothing");
}

}  // namespace
}  // namespace kiln::spec
