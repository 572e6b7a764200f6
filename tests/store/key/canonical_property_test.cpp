#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <tuple>

#include "store/key/canonical.hpp"

namespace kiln {
namespace {

/// One call of the writer; groups come out balanced however they are strung together.
struct BuilderStep {
  int what;  ///< 0 text, 1 integer, 2 number, 3 bytes, 4 begin, 5 end
  std::string tag, text;
  std::int64_t value;

  auto tied() const { return std::tie(what, tag, text, value); }
  bool operator==(const BuilderStep& other) const { return tied() == other.tied(); }
};

std::ostream& operator<<(std::ostream& out, const BuilderStep& step) {
  return out << step.what << " " << step.tag << " " << step.text << " " << step.value;
}

/// Small alphabets, so that sequences which nearly agree are common.
rc::Gen<BuilderStep> step() {
  const auto word =
      rc::gen::resize(3, rc::gen::container<std::string>(rc::gen::element('a', 'b', '\0')));
  return rc::gen::apply(
      [](int what, std::string tag, std::string text, std::int64_t value) {
        // What a call does not use must not make two equal sequences look different.
        if (what == 5) tag.clear();
        if (what != 0 && what != 3) text.clear();
        if (what != 1 && what != 2) value = 0;
        return BuilderStep{what, tag, text, value};
      },
      rc::gen::inRange(0, 6), word, word, rc::gen::inRange<std::int64_t>(0, 3));
}

/// The steps with every group that is open at the end closed, and no end too many.
std::vector<BuilderStep> balanced(std::vector<BuilderStep> steps) {
  std::vector<BuilderStep> result;
  int open = 0;
  for (const auto& one : steps) {
    if (one.what == 5 && open == 0) continue;
    open += one.what == 4 ? 1 : one.what == 5 ? -1 : 0;
    result.push_back(one);
  }
  for (; open > 0; --open) result.push_back({5, "", "", 0});
  return result;
}

Bytes write(const std::vector<BuilderStep>& steps) {
  CanonicalWriter writer("s");
  for (const auto& [what, tag, text, value] : steps) switch (what) {
      case 0:
        writer.text(tag, text);
        break;
      case 1:
        writer.integer(tag, value);
        break;
      case 2:
        writer.number(tag, static_cast<double>(value));
        break;
      case 3:
        writer.bytes(tag, as_bytes(text));
        break;
      case 4:
        writer.begin(tag);
        break;
      default:
        writer.end();
    }
  return writer.view();
}

RC_GTEST_PROP(CanonicalProperty, different_sequences_have_different_bytes, ()) {
  const auto first =
      balanced(*rc::gen::resize(6, rc::gen::container<std::vector<BuilderStep>>(step())));
  const auto second =
      balanced(*rc::gen::resize(6, rc::gen::container<std::vector<BuilderStep>>(step())));
  RC_ASSERT((first == second) == (write(first) == write(second)));
}

RC_GTEST_PROP(CanonicalProperty, a_sequence_with_one_change_has_different_bytes, ()) {
  const auto first =
      balanced(*rc::gen::nonEmpty(rc::gen::container<std::vector<BuilderStep>>(step())));
  RC_PRE(!first.empty());
  auto steps = first;
  steps[*rc::gen::inRange<std::size_t>(0, steps.size())] = *step();
  const auto second = balanced(steps);
  RC_ASSERT((first == second) == (write(first) == write(second)));
  RC_ASSERT((first == second) == compare_canonical(write(first), write(second)).empty());
}

RC_GTEST_PROP(CanonicalProperty, what_was_written_is_described_without_complaint, ()) {
  const auto steps = balanced(*rc::gen::container<std::vector<BuilderStep>>(step()));
  int depth = 0, deepest = 0;
  for (const auto& one : steps) {
    depth += one.what == 4 ? 1 : one.what == 5 ? -1 : 0;
    deepest = std::max(deepest, depth);
  }
  RC_PRE(deepest <= 32);
  const auto text = describe_canonical(write(steps));
  RC_ASSERT(text.find("byte ") == std::string::npos);
}

RC_GTEST_PROP(CanonicalProperty, any_bytes_are_described_safely, (std::vector<std::uint8_t> raw)) {
  Bytes bytes;
  // Half of them start like canonical bytes, so that the fields are reached.
  if (*rc::gen::arbitrary<bool>()) bytes = CanonicalWriter("s").view();
  for (const auto byte : raw) bytes.push_back(static_cast<std::byte>(byte));
  RC_ASSERT(!describe_canonical(bytes).empty());
  RC_ASSERT(compare_canonical(bytes, bytes).empty());
}

RC_GTEST_PROP(CanonicalProperty, damaged_bytes_are_described_safely, ()) {
  auto bytes = write(balanced(*rc::gen::container<std::vector<BuilderStep>>(step())));
  const auto before = bytes;
  bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] ^=
      static_cast<std::byte>(*rc::gen::inRange(1, 256));
  bytes.resize(*rc::gen::inRange<std::size_t>(0, bytes.size() + 1));
  RC_ASSERT(!describe_canonical(bytes).empty());
  RC_ASSERT(!compare_canonical(before, bytes).empty());
}

}  // namespace
}  // namespace kiln
