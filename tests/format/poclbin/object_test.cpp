#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/poclbin/archives.hpp"
#include "format/poclbin/elf_builder.hpp"

namespace kiln::poclbin::testing {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string> functions = {"_pocl_kernel_add", "_pocl_kernel_add_workgroup",
                                            "_pocl_kernel_add_workgroup_fast"};

ElfBuilder builder(ElfBuilder::Table table = ElfBuilder::Table::gnu) {
  ElfBuilder made;
  made.symbols = functions;
  made.table = table;
  return made;
}

std::string refusal_of(const ElfBuilder& made) {
  const auto checked = check_object(made.build(), "add");
  return checked ? "accepted" : checked.error().message();
}

TEST(PoclbinObject, an_object_with_the_kernels_function_is_accepted_by_either_table) {
  EXPECT_EQ(refusal_of(builder(ElfBuilder::Table::gnu)), "accepted");
  EXPECT_EQ(refusal_of(builder(ElfBuilder::Table::system_v)), "accepted");
}

TEST(PoclbinObject, both_machines_of_pocls_cpus_are_accepted) {
  ElfBuilder made = builder();
  made.header.e_machine = EM_AARCH64;
  EXPECT_EQ(refusal_of(made), "accepted");
  made.header.e_machine = EM_386;
  EXPECT_THAT(refusal_of(made), HasSubstr("byte 18: machine 3"));
}

TEST(PoclbinObject, another_kernels_object_is_refused) {
  for (const auto table : {ElfBuilder::Table::gnu, ElfBuilder::Table::system_v})
    for (const char* kernel : {"ad", "addx", "add_workgroup", ""}) {
      const auto checked = check_object(builder(table).build(), kernel);
      ASSERT_FALSE(checked) << kernel;
      EXPECT_EQ(checked.error().code(), Errc::corrupt);
      EXPECT_THAT(checked.error().message(), HasSubstr(std::string("_pocl_kernel_") + kernel));
    }
}

TEST(PoclbinObject, an_undefined_local_or_unexecutable_symbol_does_not_count) {
  ElfBuilder undefined = builder();
  undefined.section = SHN_UNDEF;
  EXPECT_THAT(refusal_of(undefined), HasSubstr("not defined"));
  ElfBuilder local = builder();
  local.binding = STB_LOCAL;
  EXPECT_THAT(refusal_of(local), HasSubstr("not defined"));
  ElfBuilder data = builder();
  data.segment_flags = PF_R | PF_W;
  EXPECT_THAT(refusal_of(data), HasSubstr("not defined"));
}

TEST(PoclbinObject, what_is_no_64_bit_shared_object_is_refused_with_the_byte) {
  ElfBuilder narrow = builder(), big = builder(), relocatable = builder(), odd = builder();
  narrow.header.e_ident[EI_CLASS] = ELFCLASS32;
  EXPECT_THAT(refusal_of(narrow), HasSubstr("byte 4"));
  big.header.e_ident[EI_DATA] = ELFDATA2MSB;
  EXPECT_THAT(refusal_of(big), HasSubstr("byte 4"));
  relocatable.header.e_type = ET_REL;
  EXPECT_THAT(refusal_of(relocatable), HasSubstr("byte 16: type 1"));
  odd.header.e_phentsize = 32;
  EXPECT_THAT(refusal_of(odd), HasSubstr("byte 54"));
  EXPECT_THAT(check_object({}, "add").error().message(), HasSubstr("not an ELF"));
  EXPECT_THAT(check_object(as_bytes(std::string(100, 'x')), "add").error().message(),
              HasSubstr("not an ELF"));
}

TEST(PoclbinObject, headers_that_point_elsewhere_are_refused) {
  ElfBuilder many = builder(), outside = builder(), none = builder();
  many.header.e_phnum = 65;
  EXPECT_THAT(refusal_of(many), HasSubstr("65 program headers"));
  outside.header.e_phoff = ~std::uint64_t{0};
  EXPECT_THAT(refusal_of(outside), HasSubstr("program header 0 is outside"));
  none.header.e_phnum = 1;
  EXPECT_THAT(refusal_of(none), HasSubstr("no dynamic section"));
}

TEST(PoclbinObject, an_object_without_a_hash_table_has_no_functions) {
  EXPECT_THAT(refusal_of(builder(ElfBuilder::Table::none)), HasSubstr("not defined"));
}

class PoclbinObjectDamage : public ::testing::TestWithParam<ElfBuilder::Table> {};
INSTANTIATE_TEST_SUITE_P(Tables, PoclbinObjectDamage,
                         ::testing::Values(ElfBuilder::Table::gnu, ElfBuilder::Table::system_v));

TEST_P(PoclbinObjectDamage, every_truncation_is_refused) {
  const Bytes whole = builder(GetParam()).build();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    ASSERT_FALSE(check_object(cut, "add")) << size;
  }
}

TEST_P(PoclbinObjectDamage, no_changed_field_leads_outside_the_bytes) {
  const Bytes whole = builder(GetParam()).build();
  std::size_t refused = 0;
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const std::uint64_t value :
         {std::uint64_t{0}, std::uint64_t{0xffffffff}, ~std::uint64_t{0}, std::uint64_t{1} << 63}) {
      Bytes changed = whole;
      std::memcpy(changed.data() + at, &value, std::min(sizeof value, changed.size() - at));
      refused += check_object(changed, "add") ? 0 : 1;
    }
  EXPECT_GT(refused, whole.size());
}

TEST(PoclbinObject, a_chain_that_goes_in_circles_ends) {
  Bytes bytes = builder(ElfBuilder::Table::system_v).build();
  // The table's words before the names: one bucket, 4 chains, the bucket, and the chains.
  const std::size_t names = 1 + functions[0].size() + functions[1].size() + functions[2].size() + 3;
  const std::size_t table = bytes.size() - names - 7 * sizeof(std::uint32_t);
  const std::uint32_t huge = 0xffffffff, third = 3;
  std::memcpy(bytes.data() + table + 4, &huge, sizeof huge);
  std::memcpy(bytes.data() + table + 3 * 4 + 3 * 4, &third, sizeof third);
  EXPECT_FALSE(check_object(bytes, "add"));
}

TEST(PoclbinObject, problems_of_an_archive_name_path_and_offset) {
  ElfBuilder elf;
  elf.symbols = {"_pocl_kernel_twice_workgroup"};
  const Bytes object = elf.build();
  Archive archive = small_archive();
  archive.kernels[0].files = {{"/twice/8-1-1/twice.so", object},
                              {"/twice/4-1-1/twice.so", as_bytes("code")},
                              {"/twice/4-1-1/parallel.bc", as_bytes("no object")},
                              {"/twice/twice.so", as_bytes("not where PoCL looks")}};
  const Bytes bytes = write(archive);
  const Archive read = *parse(bytes);
  const auto problems = object_problems(read, bytes);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].path, "/twice/4-1-1/twice.so");
  EXPECT_EQ(problems[0].reason, "kernel object: byte 0: not an ELF file");
  EXPECT_EQ(as_text(ByteView(bytes).subspan(problems[0].offset, 4)), "code");
}

}  // namespace
}  // namespace kiln::poclbin::testing
