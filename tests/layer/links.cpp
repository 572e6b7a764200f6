// Programs that are compiled in parts and linked: as one text, on record, and from the store.
#include "kernel/source/units.hpp"
#include "layer/layer_process.hpp"
#include "layer/program/program_request.hpp"

namespace kiln {
namespace {

const std::vector<Unit> two_units{
    {"int twice(int x);\nkernel void k(global int* a) { a[0] = twice(1); }\n", "-DA=1", {}},
    {"#include \"h\"\nint twice(int x) { return N * x; }\n", "", {{"h", "#define N 2\n"}}}};

TEST(Units, AreOneTextAndComeBack) {
  const std::string text = text_of_units(two_units);
  EXPECT_TRUE(are_units(text));
  EXPECT_EQ(value_or_throw(units_of_text(text)), two_units);
  for (const char* other : {"", "kernel void k() {}", "@kiln linked program 2\n"})
    EXPECT_FALSE(are_units(other));
}

TEST(Units, DamagedTextIsRefused) {
  const std::string text = text_of_units(two_units);
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_FALSE(units_of_text(text.substr(0, size))) << size;
  EXPECT_FALSE(units_of_text(text + "x"));
  EXPECT_FALSE(units_of_text(text_of_units({})));
}

TEST(Units, OrderOptionsAndHeadersChangeTheText) {
  const auto text = text_of_units(two_units);
  const auto changed = [&](const auto& change) {
    auto units = two_units;
    change(units);
    return text_of_units(units) != text;
  };
  EXPECT_TRUE(changed([](auto& units) { std::swap(units[0], units[1]); }));
  EXPECT_TRUE(changed([](auto& units) { units[0].options.clear(); }));
  EXPECT_TRUE(changed([](auto& units) { units[1].headers[0].second = "#define N 3\n"; }));
  EXPECT_TRUE(changed([](auto& units) { units[1].headers[0].first = "g"; }));
}

}  // namespace
}  // namespace kiln

namespace kiln::testing {
namespace {

class LinkedPrograms : public LayerTest {
 protected:
  std::string results(const std::vector<std::string>& cases, const Environment& environment) const {
    const auto result = run(KILN_LAYER_CASES, cases, environment);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result.output;
  }
  void kiln(std::vector<std::string> arguments) const {
    const auto result = run(KILN_COMMAND, std::move(arguments),
                            {{"POCL_CACHE_DIR", folder() / "driver-cache"}, {"OPENCL_LAYERS", ""}});
    EXPECT_EQ(result.exit_code, 0) << result.errors << result.output;
  }
  /// Programs that the driver has seen: it keeps what it compiles, links, or gets as a binary.
  std::size_t programs_of_the_driver() const {
    std::size_t count = 0;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(folder() / "driver-cache"))
      if (entry.path().filename() == "program.bc") ++count;
    return count;
  }
  std::size_t compiles() const {
    return count_of(report(), "compile      hit") + count_of(report(), "variant      hit");
  }
};

TEST_F(LinkedPrograms, CompileNothingAtTheSecondStart) {
  const std::vector<std::string> cases{"compile_and_link_in_the_other_order"};
  empty_cache("plain-cache");
  const std::string without = results(cases, plain());
  empty_cache();
  EXPECT_EQ(results(cases, layer()), without);
  EXPECT_EQ(count_of(report(), "\n  served\n"), 1u) << report();
  EXPECT_EQ(programs_of_the_driver(), 3u) << "two parts, and the whole";
  forget_report();
  empty_cache();
  EXPECT_EQ(results(cases, layer()), without);
  EXPECT_EQ(count_of(report(), "\n  served\n"), 1u) << report();
  EXPECT_EQ(compiles(), 0u) << report();
  EXPECT_EQ(programs_of_the_driver(), 1u) << "a part was compiled though it is on record";
}

TEST_F(LinkedPrograms, AreCompiledBeforeTheProgramStartsElsewhere) {
  const std::vector<std::string> cases{"compile_and_link_in_the_other_order"};
  empty_cache("plain-cache");
  const std::string without = results(cases, plain());
  empty_cache();
  results(cases, layer());
  const auto prepared = [&](const std::string& store) {
    forget_report();
    empty_cache();
    Environment environment = layer();
    environment["KILN_STORE"] = folder() / store;
    EXPECT_EQ(results(cases, environment), without);
    EXPECT_EQ(compiles(), 0u) << report();
    EXPECT_EQ(programs_of_the_driver(), 1u) << store;
  };
  kiln({"store", "export", "--store", store(), "--used-by", "layer_cases", folder() / "all.kiln"});
  kiln({"store", "import", "--store", folder() / "other", folder() / "all.kiln"});
  prepared("other");
  // And where the record alone has come.
  kiln({"store", "export", "--store", store(), "--used-by", "layer_cases", "--kind", "record",
        folder() / "record.kiln"});
  kiln({"store", "import", "--store", folder() / "third", folder() / "record.kiln"});
  kiln({"prebuild", "--store", folder() / "third", "--used-by", "layer_cases"});
  prepared("third");
}

}  // namespace
}  // namespace kiln::testing
