// What a search was trying when its process died.
#include "mesh/tune/trial_notes.hpp"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os/file.hpp"
#include "mesh/model/mesh_fixture.hpp"
#include "store/local/local_store.hpp"

namespace kiln::mesh::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Runs `body` in a process that then ends as by a crash: nothing is cleaned up.
template <class Body>
void crash_after(const Body& body) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    body();
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
}

class TrialNotesTest : public ::testing::Test {
 protected:
  TemporaryFolder folder_ = value_or_throw(TemporaryFolder::create("kiln-notes"));
  LocalStore store_{(folder_.path() / "store").string()};
  DevicePtr device_ = value_or_throw(select_devices("cpu")).front();

  std::vector<std::string> fatal(const std::string& identity = "loop") {
    return TrialNotes(&store_, identity, "a loop", *device_).fatal();
  }
  void crash_in(const std::string& configuration) {
    crash_after(
        [&] { (new TrialNotes(&store_, "loop", "a loop", *device_))->begin(configuration); });
  }
};

TEST_F(TrialNotesTest, a_configuration_that_took_its_process_along_is_known_to_the_next_search) {
  EXPECT_THAT(fatal(), IsEmpty());
  crash_in("LANES=4");
  EXPECT_THAT(fatal(), ElementsAre("LANES=4"));
  EXPECT_THAT(fatal("another loop"), IsEmpty());
  crash_in("LANES=8");
  EXPECT_THAT(fatal(), ElementsAre("LANES=4", "LANES=8"));
}

TEST_F(TrialNotesTest, what_ended_is_forgotten) {
  crash_after([&] { TrialNotes(&store_, "loop", "a loop", *device_).begin("LANES=4"); });
  EXPECT_THAT(fatal(), IsEmpty());
  crash_after([&] {
    auto* notes = new TrialNotes(&store_, "loop", "a loop", *device_);
    notes->begin("LANES=1");
    notes->begin("LANES=8");
    notes->end();
  });
  EXPECT_THAT(fatal(), IsEmpty());
}

TEST_F(TrialNotesTest, what_another_search_tries_just_now_is_no_crash) {
  TrialNotes first(&store_, "loop", "a loop", *device_);
  first.begin("LANES=4");
  {
    TrialNotes second(&store_, "loop", "a loop", *device_);
    EXPECT_THAT(second.fatal(), IsEmpty());
    second.begin("LANES=16");  // is not its to write down
  }
  first.begin("LANES=8");
  first.end();
  EXPECT_THAT(fatal(), IsEmpty());
}

TEST_F(TrialNotesTest, without_a_store_nothing_is_known) {
  TrialNotes notes(nullptr, "loop", "a loop", *device_);
  notes.begin("LANES=4");
  EXPECT_FALSE(notes.is_fatal("LANES=4"));
}

}  // namespace
}  // namespace kiln::mesh::testing
