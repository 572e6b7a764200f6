// What a driver takes of compiling apart, found out by trying it. Programs in the helper's place
// behave as helpers over drivers that take less.
#include "kernel/apart/probe.hpp"

#include <gmock/gmock.h>

#include "kernel/support.hpp"
#include "store/local/local_store.hpp"

namespace kiln::testing {
namespace {

namespace compiling = apart::compiling;

const std::vector<std::string> all_names{compiling::helper, compiling::archives, compiling::stubs,
                                         compiling::server, compiling::additions};

Findings probed() { return apart::probe_compiling(*cpu_device(), all_names, {}); }

bool holds(const Findings& findings, const char* name) {
  const auto found = findings.find(name);
  return found != findings.end() && found->second.holds;
}

/// The real helper behind a script that may end first. There, `byte N` is a byte of the job as two
/// hexadecimal digits: 0 is its task, 2 whether it wants stubs, 3 the form (kernel/apart/job.cpp).
class HelperOver {
 public:
  enum class Server : bool { off, may_run };
  explicit HelperOver(const std::string& script, Server server = Server::off)
      : folder_(value_or_throw(TemporaryFolder::create("kiln-helper"))),
        server_("KILN_COMPILE_SERVER", server == Server::off ? "off" : "on") {
    const auto path = folder_.path() / "helper", real = find_compile_helper();
    value_or_throw(
        write_file(path,
                   as_bytes("#!/bin/sh\n"
                            "byte() { /usr/bin/od -An -tx1 -j $1 -N 1 job | /usr/bin/tr -d ' '; }\n"
                            "greet() { echo '" +
                            std::string(apart::greeting) +
                            "'; }\n"
                            "die() { echo \"$1\" >&2; kill -ABRT $$; }\n" +
                            script + "\nexec " + real.string() + " \"$@\"\n"),
                   0755));
    variable_.emplace("KILN_COMPILE_HELPER", path.string());
  }

 private:
  TemporaryFolder folder_;
  ScopedVariable server_;
  std::optional<ScopedVariable> variable_;
};
constexpr const char* no_stubs =
    "test $(byte 0)$(byte 2) != 0101 || die 'cannot load an empty object'";
constexpr const char* no_archives = "test $(byte 0)$(byte 3) != 0101 || die 'no archives'";

TEST(CompilingProbe, finds_that_the_installed_driver_takes_all) {
  const auto findings = probed();
  for (const auto& name : all_names)
    EXPECT_TRUE(holds(findings, name.c_str())) << name << ": " << findings.at(name).reason;
  EXPECT_THAT(apart::ways_not_taken(findings), ::testing::IsEmpty());
}

TEST(CompilingProbe, asked_for_the_server_alone_tries_what_it_is_to_do) {
  Findings findings;
  {
    const ScopedVariable off("KILN_COMPILE_SERVER", "off");
    findings = apart::probe_compiling(
        *cpu_device(), {compiling::helper, compiling::archives, compiling::stubs}, {});
    EXPECT_FALSE(findings.contains(compiling::server));
  }
  const auto later =
      apart::probe_compiling(*cpu_device(), {compiling::server}, apart::ways_of(findings));
  EXPECT_TRUE(holds(later, compiling::server)) << later.at(compiling::server).reason;
  EXPECT_TRUE(holds(later, compiling::stubs)) << later.at(compiling::stubs).reason;
}

TEST(CompilingProbe, does_not_take_for_a_server_what_a_helper_has_done) {
  // A program that is no server, and a helper all the same.
  const HelperOver helper("test \"$1\" = --job || exit 1", HelperOver::Server::may_run);
  const auto findings = probed();
  ASSERT_TRUE(findings.contains(compiling::server));
  EXPECT_EQ(findings.at(compiling::server), (Finding{false, "none took the trial", false}));
  EXPECT_TRUE(holds(findings, compiling::stubs)) << findings.at(compiling::stubs).reason;
}

TEST(CompilingProbe, keeps_nothing_of_what_is_killed_from_outside_or_has_no_room) {
  for (const char* end : {"kill -KILL $$", "kill -TERM $$", "{ greet; exit 7; }"}) {
    const HelperOver helper(std::string("test $(byte 0)$(byte 2) != 0101 || ") + end);
    const auto findings = probed();
    EXPECT_FALSE(holds(findings, compiling::stubs)) << end;
    EXPECT_FALSE(findings.at(compiling::stubs).lasts) << end;
    EXPECT_TRUE(findings.at(compiling::archives).lasts) << end;
  }
}

TEST(CompilingProbe, says_in_one_line_what_a_helper_says_in_many) {
  const HelperOver helper(
      "test $(byte 0)$(byte 2) != 0101 || "
      "{ greet; printf 'one\\ntwo\\033[2J' >log; exit 3; }");
  const auto findings = probed();
  EXPECT_THAT(findings.at(compiling::stubs).reason, ::testing::HasSubstr("one\\ntwo\\x1b[2J"));
  EXPECT_TRUE(findings.at(compiling::stubs).lasts);
}

TEST(CompilingProbe, gives_up_stubs_where_they_kill_the_driver) {
  const HelperOver helper(no_stubs);
  const auto findings = probed();
  EXPECT_FALSE(holds(findings, compiling::stubs));
  EXPECT_THAT(findings.at(compiling::stubs).reason,
              ::testing::HasSubstr("SIGABRT on a trial program: cannot load an empty object"));
  EXPECT_TRUE(holds(findings, compiling::archives)) << findings.at(compiling::archives).reason;
  EXPECT_TRUE(holds(findings, compiling::helper));
  EXPECT_TRUE(holds(findings, compiling::additions));
  const auto ways = apart::ways_of(findings);
  EXPECT_FALSE(ways.stubs);
  EXPECT_TRUE(ways.archives && ways.helper && ways.additions);
}

TEST(CompilingProbe, keeps_the_drivers_own_bytes_where_archives_kill_it) {
  const HelperOver helper(no_archives);
  const auto findings = probed();
  EXPECT_FALSE(holds(findings, compiling::archives));
  EXPECT_FALSE(holds(findings, compiling::stubs));
  EXPECT_FALSE(holds(findings, compiling::additions)) << "nothing can be added";
  EXPECT_TRUE(holds(findings, compiling::helper)) << findings.at(compiling::helper).reason;
}

TEST(CompilingProbe, of_a_helper_that_always_dies_is_not_kept) {
  const HelperOver helper("die 'out of order'");
  const auto findings = probed();
  ASSERT_EQ(findings.size(), 3u);
  for (const auto& [name, finding] : findings) {
    EXPECT_FALSE(finding.holds) << name;
    EXPECT_FALSE(finding.lasts) << name;
  }
  EXPECT_FALSE(apart::ways_of(findings).helper);
}

TEST(CompilingProbe, without_a_helper_finds_nothing) {
  const ScopedVariable absent("KILN_COMPILE_HELPER", "/nonexistent");
  EXPECT_THROW(probed(), Error);
}

/// Forgets what was found of drivers; how many records that were.
std::size_t remove_findings(const std::string& store_folder) {
  LocalStore store(store_folder);
  std::size_t removed = 0;
  for (const auto& entry : value_or_throw(store.list()))
    if (entry.metadata.label == "compiling of the driver")
      removed += value_or_throw(store.remove(entry.kind, entry.key)) ? 1 : 0;
  return removed;
}

/// Programs are right where the driver takes little, and explanations say what was not taken.
class LesserWays : public StoreFixture {
 protected:
  Explanation resolved() {
    const auto spine = resolver();
    const auto context = Context::create({device_});
    Explanation explanation;
    Program& program = spine->resolve(text_request(vector_add_text, "VectorAdd"), context, device_,
                                      {variant_of("VectorAdd", range_1d(256, 64))}, &explanation);
    run_vector_add(context, program, 256, 64);
    return explanation;
  }
};

TEST_F(LesserWays, give_programs_that_are_kept_as_the_driver_gives_them) {
  const HelperOver helper(no_archives);
  const auto first = resolved(), second = resolved();
  EXPECT_TRUE(has_step(first, "compile")) << text_of(first);
  EXPECT_THAT(text_of(first), ::testing::HasSubstr("not taken: archives"));
  EXPECT_THAT(text_of(first), ::testing::HasSubstr("no archives"));
  EXPECT_FALSE(has_step(second, "compile")) << text_of(second);
  EXPECT_FALSE(has_step(second, "trial")) << text_of(second);
  EXPECT_THAT(text_of(second), ::testing::HasSubstr("not taken: archives"));
}

TEST_F(LesserWays, of_a_store_are_refused_where_the_driver_takes_archives) {
  {
    const HelperOver helper(no_archives);
    resolved();
  }
  // The same driver in a good hour: what is on record of it goes, the program stays.
  ASSERT_EQ(remove_findings(store_folder()), 1u);
  const auto again = resolved();
  EXPECT_TRUE(has_step(again, "compile")) << text_of(again);
  EXPECT_THAT(text_of(again), ::testing::HasSubstr("the artifact is of another driver"));
  EXPECT_FALSE(has_step(resolved(), "compile")) << "replaced by an archive";
}

TEST_F(LesserWays, compile_in_this_process_where_no_other_can) {
  const HelperOver helper("die 'out of order'");
  const auto explanation = resolved();
  EXPECT_THAT(text_of(explanation), ::testing::HasSubstr("in process: "));
}

}  // namespace
}  // namespace kiln::testing
