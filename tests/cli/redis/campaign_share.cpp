// `kiln tune --all --share`: machines of one kind share the work, by a real server.
#include <gmock/gmock.h>

#include "cli/run_process.hpp"
#include "store/redis/redis_process.hpp"

namespace {

using kiln::testing::json_lines;
using kiln::testing::RedisProcess;
using ::testing::HasSubstr;

class CampaignShare : public kiln::testing::RunTest {
 protected:
  void SetUp() override {
    KILN_NEEDS_REDIS();
    server_ = std::make_unique<RedisProcess>();
    set("KILN_SHARED_STORE", server_->url());
    set("KILN_SHARED_TIMEOUT", "60000");
    set("XDG_RUNTIME_DIR", servers());
  }
  /// The command line of a machine with a store and journals of its own.
  std::string machine(const std::string& name, const std::string& more = "") const {
    return "KILN_STORE=" + fresh_store(name + "-store") + " HOME=$PWD/" + name +
           "-home $KILN tune --all " + "trsv --precision s --strategy exhaustive --share --json " +
           more + " > " + name + " 2> " + name + ".err ";
  }
  std::vector<nlohmann::json> lines(const std::string& name) const {
    return json_lines(kiln::value_or_throw(kiln::read_text(folder() / name)));
  }
  std::string errors(const std::string& name) const {
    return kiln::value_or_throw(kiln::read_text(folder() / (name + ".err")));
  }
  std::unique_ptr<RedisProcess> server_;
};

TEST_F(CampaignShare, two_machines_end_each_search_once) {
  const auto run = bash(machine("one.out", "--evaluations 6") + " & P=$!; " +
                        machine("two.out", "--evaluations 6") + "; A=$?; wait $P; echo $? $A");
  EXPECT_EQ(run.output, "0 0\n") << errors("one.out") << errors("two.out");
  std::map<std::string, int> ended;
  for (const char* name : {"one.out", "two.out"})
    for (const auto& one : lines(name)) {
      const std::string status = one["status"];
      if (status == "tuned" || status == "as built in") ++ended[one["subject"]];
      EXPECT_NE(status, "failed") << one;
    }
  EXPECT_EQ(ended.size(), 2u);
  for (const auto& [subject, count] : ended) EXPECT_EQ(count, 1) << subject;
  // No result is told twice.
  for (const auto& key : server_->command({"KEYS", "kiln-tune:1:*:log"}).elements) {
    std::set<int> ids;
    for (const auto& one : server_->command({"LRANGE", key.text, "0", "-1"}).elements)
      EXPECT_TRUE(ids.insert(nlohmann::json::parse(one.text)["id"].get<int>()).second);
    EXPECT_GE(ids.size(), 6u);
  }
}

TEST_F(CampaignShare, what_another_machine_has_ended_is_not_measured_again) {
  ASSERT_EQ(bash(machine("one.out", "--evaluations 3")).exit_code, 0) << errors("one.out");
  // Its records are in the shared store as well: with them nothing is lacking. Without, the
  // searches are known to have ended.
  for (const auto& key : server_->command({"KEYS", "kiln:1:*"}).elements)
    server_->command({"DEL", key.text});
  ASSERT_EQ(bash(machine("two.out", "--evaluations 3")).exit_code, 0) << errors("two.out");
  ASSERT_EQ(lines("two.out").size(), 2u);
  for (const auto& one : lines("two.out")) EXPECT_EQ(one["status"], "tuned elsewhere");
}

TEST_F(CampaignShare, goes_on_alone_where_there_is_no_server) {
  server_->kill();
  set("KILN_SHARED_TIMEOUT", "50");
  ASSERT_EQ(bash(machine("one.out", "--evaluations 3")).exit_code, 0) << errors("one.out");
  ASSERT_EQ(lines("one.out").size(), 2u);
  for (const auto& one : lines("one.out")) EXPECT_EQ(one["evaluated"], 3) << one;
  EXPECT_THAT(errors("one.out"), HasSubstr("goes on alone"));
}

}  // namespace
