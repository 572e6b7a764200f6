#include <gmock/gmock.h>

#include "base/data/bytes.hpp"
#include "format/poclbin/archives.hpp"
#include "kiln/formats/poclbin.hpp"

namespace kiln::poclbin::testing {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;
using ::testing::HasSubstr;

wiki::Archive sample() {
  wiki::Archive archive;
  archive.base = "AB/cd";
  archive.files = {{"program.bc", as_bytes("BC\0"sv)}, {"k/64-1-1/k.so", {}}};
  return archive;
}

std::string wiki_refusal(ByteView bytes) {
  const auto archive = wiki::parse(bytes);
  EXPECT_EQ(verify(bytes).has_value(), archive.has_value());
  return archive ? "accepted" : archive.error().message();
}

std::string wiki_refusal_of(const std::function<void(wiki::Archive&)>& change) {
  wiki::Archive archive = sample();
  change(archive);
  return wiki_refusal(wiki::write(archive));
}

TEST(PoclbinWiki, a_written_model_is_read_back) {
  const Bytes bytes = wiki::write(sample());
  const auto read = wiki::parse(bytes);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_TRUE(*read == sample());
  const auto verified = verify(bytes);
  ASSERT_TRUE(verified);
  EXPECT_EQ(verified->form, Form::wiki);
  EXPECT_EQ(verified->files, 2u);
  EXPECT_EQ(verified->content_bytes, 3u);
}

TEST(PoclbinWiki, byte_7_tells_the_layouts_apart) {
  EXPECT_EQ(form_of(wiki::write(sample())), Form::wiki);
  EXPECT_EQ(form_of(write(small_archive())), Form::real);
  for (const std::string_view text : {""sv, "poclbin"sv, "poclbim\0"sv, "kiln"sv})
    EXPECT_EQ(form_of(as_bytes(text)), std::nullopt) << text;
}

TEST(PoclbinWiki, an_empty_base_and_no_file_are_allowed) {
  EXPECT_EQ(wiki_refusal_of([](auto& a) { a.base = {}; }), "accepted");
  EXPECT_EQ(wiki_refusal_of([](auto& a) { a.files.clear(); }), "accepted");
}

TEST(PoclbinWiki, paths_that_lead_elsewhere_are_refused) {
  for (const char* path : {"", "/etc/x", "../x", "a/../../x", "a//b", "a/", "a\\b", "a\nb"}) {
    EXPECT_THAT(wiki_refusal_of([&](auto& a) { a.files[0].path = path; }),
                HasSubstr("file path: found"))
        << path;
    if (path[0] == '\0') continue;
    EXPECT_THAT(wiki_refusal_of([&](auto& a) { a.base = path; }), HasSubstr("base path: found"));
  }
  EXPECT_THAT(wiki_refusal_of([](auto& a) { a.files[1].path = "program.bc"; }),
              HasSubstr("is there tw"));
  EXPECT_THAT(wiki_refusal_of([](auto& a) { a.files[1].path = "program.bc/x"; }),
              HasSubstr("needs a folder where"));
}

TEST(PoclbinWiki, errors_name_byte_field_and_finding) {
  const Bytes bytes = wiki::write(sample());
  Bytes changed = bytes;
  changed[7] = std::byte{2};
  EXPECT_THAT(wiki_refusal(changed), HasSubstr("byte 7, version: found 0x2"));
  changed = bytes;
  changed[28] = std::byte{0xff};  // the first file's size
  EXPECT_EQ(wiki_refusal(changed),
            "program archive, byte 32, file content: needs 255 bytes, only 21 are left");
  const std::string endless = "poclbin\x01\0\0\0\0"s + std::string(5000, 'a');
  EXPECT_THAT(wiki_refusal(as_bytes(endless)), HasSubstr("byte 12, file path: missing NUL"));
}

TEST(PoclbinWiki, a_cut_is_noticed_unless_it_is_between_files) {
  const Bytes bytes = wiki::write(sample());
  const std::size_t header = 17, first = header + 11 + 4 + 3;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const Bytes cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_EQ(wiki_refusal(cut) == "accepted", size == header || size == first) << size;
  }
}

TEST(PoclbinWiki, a_changed_byte_is_refused_or_changes_the_model) {
  const Bytes bytes = wiki::write(sample());
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (int value = 0; value < 256; ++value) {
      Bytes changed = bytes;
      changed[at] = static_cast<std::byte>(value);
      const auto archive = wiki::parse(changed);
      if (changed == bytes || !archive) continue;
      ASSERT_FALSE(*archive == sample()) << "byte " << at << " = " << value;
      ASSERT_TRUE(wiki::write(*archive) == changed) << "byte " << at << " = " << value;
    }
}

}  // namespace
}  // namespace kiln::poclbin::testing
