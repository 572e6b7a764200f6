// The facts of kernels come with their program: read where it is compiled, stored with it, and read
// again only where an entry does not have them.
#include "kernel/resolver/resolver.hpp"
#include "kernel/support.hpp"
#include "store/local/local_store.hpp"

namespace kiln::testing {
namespace {

class ResolverFacts : public StoreFixture {
 protected:
  struct Resolved {
    bool at_once;  ///< the program had its facts
    bool read;     ///< the text was read for them
    KernelFacts facts;
    bool has_offset_variant;
  };
  /// What a process gets that wants to split a kernel.
  Resolved resolve(const Request& request, const std::string& kernel = "VectorAdd") {
    auto spine = resolver();
    const auto context = Context::create({device_});
    std::vector<KernelVariant> wanted{variant_of(kernel, range_1d(1024, 64))};
    wanted.push_back(wanted.front());
    wanted.back().variant.zero_offset = false;
    wanted.back().for_part = true;
    Explanation explanation;
    Program& program = spine->resolve(request, context, device_, wanted, &explanation);
    const bool at_once = program.facts() != nullptr;
    KernelFacts facts = spine->facts(request, program, kernel, &explanation);
    return {at_once, has_step(explanation, "facts"), std::move(facts),
            program.missing({wanted.back()}).empty()};
  }
  /// Makes the one entry what a Kiln of schema 1 would have written, without the offset's variant.
  void age_entry(const Request& request) {
    LocalStore store(store_folder());
    const Bytes canonical = canonical_request(request, {}, *device_);
    const auto age = [&](const std::optional<Entry>& present) -> std::optional<Entry> {
      Artifact artifact = value_or_throw(decode_artifact(present->content, artifact_schema));
      artifact.facts = nullptr;
      Entry old{encode(artifact), present->metadata};
      old.content.resize(old.content.size() - sizeof(std::uint64_t));
      old.metadata.schema = 1;
      return old;
    };
    value_or_throw(store.update(Kind::artifact, key_of(canonical), canonical, age));
  }
};

constexpr const char* unsplittable =
    "__kernel void VectorAdd(__global int* a) { a[get_group_id(0)] = 1; }\n";

TEST_F(ResolverFacts, are_read_by_the_process_that_compiles_and_stored) {
  const auto request = text_request(vector_add_text, "VectorAdd");
  const Resolved first = resolve(request);
  EXPECT_TRUE(first.at_once);
  EXPECT_FALSE(first.read) << "the helper read them";
  EXPECT_TRUE(first.facts.splittable);
  ASSERT_EQ(first.facts.parameters.size(), 4u);
  const Resolved second = resolve(request);
  EXPECT_TRUE(second.at_once);
  EXPECT_FALSE(second.read);
  EXPECT_EQ(second.facts, first.facts);
}

TEST_F(ResolverFacts, are_added_once_to_an_entry_that_has_none) {
  const auto request = text_request(vector_add_text, "VectorAdd");
  const Resolved first = resolve(request);
  age_entry(request);
  const Resolved second = resolve(request);
  EXPECT_FALSE(second.at_once);
  EXPECT_TRUE(second.read);
  EXPECT_EQ(second.facts, first.facts);
  const Resolved third = resolve(request);
  EXPECT_TRUE(third.at_once);
  EXPECT_EQ(third.facts, first.facts);
}

TEST_F(ResolverFacts, of_a_kernel_that_is_not_there_refuse_a_split) {
  const auto request = text_request(vector_add_text, "VectorAdd");
  auto spine = resolver();
  const auto context = Context::create({device_});
  Program& program = spine->resolve(request, context, device_);
  const KernelFacts facts = spine->facts(request, program, "Absent");
  EXPECT_FALSE(facts.found || facts.splittable);
  EXPECT_EQ(facts.reasons.size(), 1u);
}

TEST_F(ResolverFacts, keep_what_only_parts_need_from_being_compiled) {
  const auto request = text_request(unsplittable, "VectorAdd");
  {
    auto spine = resolver();
    spine->resolve(request, Context::create({device_}), device_,
                   {variant_of("VectorAdd", range_1d(1024, 64))});
  }
  const Resolved refused = resolve(request);
  EXPECT_FALSE(refused.facts.splittable);
  EXPECT_FALSE(refused.has_offset_variant);
  const auto split = text_request(vector_add_text, "VectorAdd");
  EXPECT_TRUE(resolve(split).has_offset_variant);
}

}  // namespace
}  // namespace kiln::testing
