// The fleet's store as users meet it: machines that compile for one another, a server that fails in
// every way and never changes a result, push and pull. The server is the real one.
#include <gmock/gmock.h>

#include <algorithm>

#include "cli/run_process.hpp"
#include "store/redis/fault_proxy.hpp"
#include "store/redis/redis_process.hpp"
#include "store/trust/trust.hpp"

namespace {

using kiln::testing::Fault;
using kiln::testing::FaultProxy;
using kiln::testing::json_lines;
using kiln::testing::RedisProcess;
using ::testing::HasSubstr;
using ::testing::Not;
using Then = Fault::Then;

class SharedStore : public kiln::testing::RunTest {
 protected:
  void SetUp() override {
    KILN_NEEDS_REDIS();
    server_ = std::make_unique<RedisProcess>();
    copy_spec();
    write("in.npy", kiln::testing::npy("<f4", "(64,)",
                                       kiln::testing::bytes_of(std::vector<float>(64, 1.5F))));
    set("KILN_SHARED_STORE", server_->url());
    // The machine of the tests may be slow; a test about the bound sets its own.
    set("KILN_SHARED_TIMEOUT", "60000");
    machine("first");
  }
  RedisProcess& server() { return *server_; }

  /// From now on the runs are those of another machine.
  void machine(const std::string& name) { set("KILN_STORE", fresh_store(name)); }

  /// Runs the copy and expects its result; the layers asked for its program.
  std::string steps() {
    const auto result = kiln({"run", "--json", "--explain", "copy_float.json", "--set",
                              "dataset=64", "--in", "0=in.npy", "--expect", "1=in.npy"});
    EXPECT_EQ(result.exit_code, 0) << result.errors << result.output;
    messages_ = result.errors;
    return kiln::testing::steps_of(result.output);
  }
  const std::string& messages() const { return messages_; }

  /// Of a key there is one entry in the server: its name.
  std::string place() {
    const auto names = server().command({"KEYS", "kiln:1:artifact:*"});
    EXPECT_EQ(names.elements.size(), 1u);
    return names.elements.empty() ? "" : names.elements[0].text;
  }

  static constexpr const char* compiled = "-memory -local store -shared store +compile +load ";
  static constexpr const char* shared = "-memory -local store +shared store +load ";
  static constexpr const char* local = "-memory +local store +load ";

 private:
  std::unique_ptr<RedisProcess> server_;
  std::string messages_;
};

TEST_F(SharedStore, what_one_machine_compiled_no_other_compiles) {
  EXPECT_EQ(steps(), compiled);
  machine("second");
  set("KILN_COMPILE_HELPER", "/absent");
  EXPECT_EQ(steps(), shared);
  EXPECT_EQ(messages(), "");
  server().kill();
  EXPECT_EQ(steps(), local) << "the second machine keeps it";
  // Whether the kernel was tuned is asked of all machines.
  EXPECT_THAT(messages(), ::testing::HasSubstr("the shared store"));
  EXPECT_EQ(std::ranges::count(messages(), '\n'), 1);
}

TEST_F(SharedStore, the_environment_explains_it_too) {
  steps();
  machine("second");
  set("KILN_EXPLAIN", "1");
  const auto result = kiln({"run", "copy_float.json"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.output, ::testing::ContainsRegex("shared store +hit"));
}

TEST_F(SharedStore, another_local_size_is_added_for_all) {
  const auto with = [&](const char* size) {
    return kiln({"run", "copy_float.json", "--explain", "--local-size", size}).output;
  };
  EXPECT_THAT(with("64"), HasSubstr("compile      hit"));
  machine("second");
  EXPECT_THAT(with("32"), HasSubstr("variant      hit"));
  machine("third");
  set("KILN_COMPILE_HELPER", "/absent");
  for (const char* size : {"64", "32"}) {
    EXPECT_THAT(with(size), Not(HasSubstr("compile  "))) << size;
    EXPECT_THAT(with(size), Not(HasSubstr("variant  "))) << size;
  }
}

TEST_F(SharedStore, a_dead_server_costs_a_line_and_nothing_else) {
  server().kill();
  EXPECT_EQ(steps(), compiled);
  EXPECT_EQ(messages(), "kiln: warning: the shared store " + server().url() +
                            " is skipped for a while: connect: Connection refused\n");
}

TEST_F(SharedStore, whatever_a_server_does_the_result_is_right) {
  steps();
  const std::string sound = server().command({"GET", place()}).text;
  const std::string reply = "$" + std::to_string(sound.size()) + "\r\n" + sound + "\r\n";
  std::string changed = reply;
  changed[changed.size() / 2] = static_cast<char>(changed[changed.size() / 2] ^ 1);
  const Fault faults[] = {
      {0, Then::stall, {}, false, {}},
      {100, Then::stall, {}, false, {}},
      {100, Then::drip, {}, false, {}},
      {0, Then::close, {}, false, {}},
      {reply.size() / 2, Then::close, {}, false, {}},
      {Fault::all, Then::close, "HTTP/1.1 400 Bad Request\r\n\r\n", true, {}},
      {Fault::all, Then::close, "$2147483000\r\nabc", true, {}},
      {Fault::all, Then::close, changed, true, {}},
      {Fault::all, Then::close, "-OOM command not allowed\r\n", true, {}},
  };
  set("KILN_SHARED_TIMEOUT", "20");
  int number = 0;
  for (const Fault& fault : faults) {
    const FaultProxy between(server().port(), fault);
    set("KILN_SHARED_STORE", between.url());
    machine("faulty" + std::to_string(number++));
    EXPECT_EQ(steps(), compiled) << "fault " << number;
  }
}

TEST_F(SharedStore, a_server_killed_in_the_middle_of_its_reply_changes_no_result) {
  steps();
  const FaultProxy between(server().port(),
                           {1000, Then::close, {}, false, [&] { server().kill(); }});
  set("KILN_SHARED_STORE", between.url());
  machine("second");
  EXPECT_EQ(steps(), compiled);
}

TEST_F(SharedStore, what_lies_there_wrongly_is_made_anew_and_replaced) {
  steps();
  const std::string name = place();
  const std::string sound = server().command({"GET", name}).text;
  std::string changed = sound;
  changed[changed.size() - 100] = static_cast<char>(changed[changed.size() - 100] ^ 1);
  int number = 0;
  for (const std::string& wrong :
       {changed, sound.substr(0, 5000), std::string("x"), std::string()}) {
    server().command({"SET", name, wrong});
    machine("wrong" + std::to_string(number++));
    EXPECT_EQ(steps(), compiled);
    machine("after" + std::to_string(number));
    EXPECT_EQ(steps(), shared) << "the next machine gets the new one";
  }
}

TEST_F(SharedStore, a_wrong_password_costs_a_line_that_does_not_tell_it) {
  server().command({"CONFIG", "SET", "requirepass", "s3cret"});
  const std::string address = "127.0.0.1:" + std::to_string(server().port());
  set("KILN_SHARED_STORE", "redis://:wr0ng@" + address);
  EXPECT_EQ(steps(), compiled);
  EXPECT_THAT(messages(), HasSubstr("password: the server says WRONGPASS"));
  EXPECT_THAT(messages(), Not(HasSubstr("wr0ng")));
  set("KILN_SHARED_STORE", "redis://:s3cret@" + address);
  machine("second");
  EXPECT_EQ(steps(), compiled);
  machine("third");
  EXPECT_EQ(steps(), shared);
}

TEST_F(SharedStore, a_full_server_costs_a_line_at_most) {
  server().command({"CONFIG", "SET", "maxmemory", "64kb"});
  server().command({"CONFIG", "SET", "maxmemory-policy", "noeviction"});
  EXPECT_EQ(steps(), compiled);
  EXPECT_THAT(messages(), HasSubstr("takes no entries for a while: the server says OOM"));
}

TEST_F(SharedStore, a_url_that_is_none_is_bad_input_without_its_text) {
  set("KILN_SHARED_STORE", "redis:s3cret@host");
  kiln::testing::expect_refusal(kiln({"run", "copy_float.json"}), 2,
                                "the shared store's URL, byte 0: expected redis:// or unix://");
  EXPECT_THAT(kiln({"run", "copy_float.json"}).errors, Not(HasSubstr("s3cret")));
}

TEST_F(SharedStore, config_shows_it_with_its_origin_and_without_its_password) {
  set("KILN_SHARED_STORE", "redis://me:s3cret@cache.local/2");
  const auto json = kiln({"config", "--json"});
  const auto text = kiln({"config"});
  EXPECT_THAT(json.output + text.output, Not(HasSubstr("s3cret")));
  EXPECT_THAT(text.output, ::testing::ContainsRegex(
                               "shared-store +redis://cache.local:6379/2 +KILN_SHARED_STORE"));
  int shown = 0;
  for (const auto& setting : json_lines(json.output))
    if (setting["name"] == "shared-store") {
      EXPECT_EQ(setting["value"], "redis://cache.local:6379/2");
      EXPECT_EQ(setting["variable"], "KILN_SHARED_STORE");
      ++shown;
    }
  EXPECT_EQ(shown, 1);
}

TEST_F(SharedStore, a_machine_that_asks_for_signatures_takes_those_of_listed_keys_only) {
  std::map<std::string, std::string> keys;
  for (const char* name : {"mine", "other"}) {
    const auto key = kiln::SigningKey::generate();
    keys[name] = key.public_key().hex();
    std::filesystem::permissions(write(name + std::string(".key"), key.text()),
                                 std::filesystem::perms::owner_read);
  }
  const auto trust = [&](const std::string& name, const std::string& list) {
    set("KILN_TRUSTED_KEYS", list.empty() ? "off" : write(name + ".list", list).string());
  };
  const std::string path = folder().string() + "/";
  trust("none", "");
  set("KILN_SIGNING_KEY", path + "mine.key");
  EXPECT_EQ(steps(), compiled);

  set("KILN_SIGNING_KEY", path + "other.key");
  trust("good", "# of the fleet\n" + keys["mine"] + " the build machine\n");
  machine("trusting");
  EXPECT_EQ(steps(), shared);

  trust("other", keys["other"] + "\n");
  machine("strict");
  EXPECT_EQ(steps(), compiled) << "signed, but by a key that is not listed";
  machine("strict too");
  EXPECT_EQ(steps(), shared) << "the new one is signed by one that is";
  const auto pulled = [&] { return kiln({"store", "pull", "--kind", "artifact"}); };
  machine("by pull");
  trust("good", keys["mine"] + "\n");
  EXPECT_THAT(pulled().errors, HasSubstr("which is not listed in"));
  trust("other", keys["other"] + "\n");
  EXPECT_THAT(pulled().output, HasSubstr("pulled 1 entry"));
}

TEST_F(SharedStore, push_and_pull_carry_what_one_has_to_another) {
  set("KILN_SHARED_STORE", "off");
  steps();
  const auto pushed = kiln({"store", "push", "--shared-store", server().url(), "--json"});
  EXPECT_EQ(pushed.exit_code, 0) << pushed.errors;
  auto lines = json_lines(pushed.output);
  ASSERT_GE(lines.size(), 2u);
  EXPECT_EQ(lines.back()["pushed"], lines.size() - 1);
  EXPECT_EQ(lines.back()["failed"], 0);
  EXPECT_EQ(lines.front()["state"], "pushed");

  machine("second");
  set("KILN_SHARED_STORE", server().url());
  const auto pulled = kiln({"store", "pull", "--kind", "artifact"});
  EXPECT_EQ(pulled.exit_code, 0) << pulled.errors;
  EXPECT_THAT(pulled.output, HasSubstr("pulled 1 entry, "));
  EXPECT_THAT(kiln({"store", "pull", "--kind", "artifact"}).output,
              HasSubstr("pulled 0 entries, 0 B; 1 here already"));
  set("KILN_SHARED_STORE", "off");
  EXPECT_EQ(steps(), local);
}

TEST_F(SharedStore, push_and_pull_take_key_prefixes) {
  steps();
  const std::string key = place().substr(std::string("kiln:1:artifact:").size());
  const std::string other = key[0] == '0' ? "1" : "0";
  server().command({"FLUSHALL"});
  EXPECT_THAT(kiln({"store", "push", other + key.substr(1)}).output, HasSubstr("pushed 0 entries"));
  EXPECT_THAT(kiln({"store", "push", key.substr(0, 8)}).output, HasSubstr("pushed 1 entry, "));
  machine("second");
  EXPECT_THAT(kiln({"store", "pull", other + key.substr(1)}).output, HasSubstr("pulled 0 entries"));
  EXPECT_THAT(kiln({"store", "pull", key}).output, HasSubstr("pulled 1 entry, "));
}

TEST_F(SharedStore, pull_names_what_it_refuses_and_leaves_it) {
  steps();
  server().command({"SET", place(), "nonsense"});
  machine("second");
  const auto pulled = kiln({"store", "pull", "--kind", "artifact"});
  EXPECT_EQ(pulled.exit_code, 0);
  EXPECT_THAT(pulled.output, HasSubstr("pulled 0 entries, 0 B; 1 refused"));
  EXPECT_THAT(pulled.errors, ::testing::ContainsRegex("artifact [0-9a-f]+ refused: "));
}

TEST_F(SharedStore, push_to_a_server_that_is_away_or_full_fails) {
  steps();
  server().command({"CONFIG", "SET", "maxmemory", "1"});
  const auto full = kiln({"store", "push", "--kind", "artifact"});
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_THAT(full.errors, HasSubstr("the server says OOM"));
  EXPECT_THAT(full.output, HasSubstr("1 failed"));
  server().kill();
  const auto away = kiln({"store", "push", "--kind", "artifact"});
  EXPECT_EQ(away.exit_code, 1);
  EXPECT_THAT(away.errors, HasSubstr("failed: connect: Connection refused"));
  EXPECT_EQ(kiln({"store", "pull"}).exit_code, 1);
}

TEST_F(SharedStore, push_to_a_dead_server_is_one_line_and_uses_no_entry) {
  set("KILN_SHARED_STORE", "off");
  for (const char* type : {"float", "int", "char"}) {
    copy_spec(type);
    EXPECT_EQ(kiln({"run", std::string("copy_") + type + ".json"}).exit_code, 0);
  }
  const auto push = [&](int code) {
    auto result = kiln({"store", "push", "--shared-store", server().url(), "--kind", "artifact"});
    EXPECT_EQ(result.exit_code, code) << result.errors;
    return result;
  };
  push(0);
  const auto list = json_lines(kiln({"store", "ls", "--json", "--kind", "artifact"}).output);
  ASSERT_EQ(list.size(), 3u);
  server().kill();
  const auto away = push(1);
  EXPECT_EQ(std::ranges::count(away.errors, '\n'), 1) << away.errors;
  EXPECT_THAT(away.errors, HasSubstr(" failed: connect: Connection refused"));
  EXPECT_THAT(away.output, HasSubstr("3 failed, of which 2 not tried"));
  for (const auto& entry : list) EXPECT_EQ(entry["hits"], 0);
  // A program learns of each.
  const auto told = json_lines(
      kiln({"store", "push", "--json", "--shared-store", server().url(), "--kind", "artifact"})
          .output);
  ASSERT_EQ(told.size(), 4u);
  EXPECT_EQ(told[2]["reason"], "not tried: the server is out of reach");
  EXPECT_EQ(told[3]["failed"], 3);
}

TEST_F(SharedStore, push_without_a_shared_store_says_how_to_name_one) {
  set("KILN_SHARED_STORE", "");
  kiln::testing::expect_refusal(kiln({"store", "push"}), 2, "missing shared store");
}

}  // namespace
