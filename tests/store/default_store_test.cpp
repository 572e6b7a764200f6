// Where the store's layers are, and what is opened for them.
#include "store/default_store.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include "store/support.hpp"
#include "store/travel_support.hpp"
#include "store/trust/guarded_files.hpp"

namespace kiln {
namespace {

using ::testing::HasSubstr;
using testing::Variable;

TEST(DefaultStore, the_environment_names_its_layers) {
  const Variable local("KILN_STORE", "/a"), system("KILN_SYSTEM_STORE", "/b"),
      shared("KILN_SHARED_STORE", "redis://c");
  const auto settings = default_store_settings();
  EXPECT_EQ(settings.local, "/a");
  EXPECT_EQ(settings.system, "/b");
  EXPECT_EQ(settings.shared, "redis://c");
}

TEST(DefaultStore, off_is_no_layer) {
  const Variable local("KILN_STORE", "off"), system("KILN_SYSTEM_STORE", "off"),
      shared("KILN_SHARED_STORE", "off");
  const auto settings = default_store_settings();
  EXPECT_EQ(settings.local + settings.system + settings.shared, "");
  const auto opened = open_store(settings);
  ASSERT_TRUE(opened);
  EXPECT_EQ(*opened, nullptr);
}

TEST(DefaultStore, a_local_layer_alone_is_not_wrapped) {
  const testing::TestFolder folder;
  const auto opened = value_or_throw(open_store({folder.store(), "", ""}));
  ASSERT_NE(opened, nullptr);
  EXPECT_EQ(opened->name(), "local store");
  EXPECT_EQ(value_or_throw(open_store({folder.store(), folder.store() + "2", ""}))->name(),
            "store");
}

TEST(DefaultStore, the_environment_bounds_what_the_shared_store_may_add) {
  EXPECT_EQ(default_store_settings().shared_timeout.count(), 50);
  {
    const Variable timeout("KILN_SHARED_TIMEOUT", "7");
    EXPECT_EQ(default_store_settings().shared_timeout.count(), 7);
  }
  for (const char* wrong : {"-1", "5s", "off"}) {
    const Variable timeout("KILN_SHARED_TIMEOUT", wrong);
    EXPECT_EQ(default_store_settings().shared_timeout.count(), 50) << wrong;
  }
}

TEST(DefaultStore, a_url_that_is_none_is_bad_input) {
  const auto opened = open_store({"", "", "redis://"});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), Errc::bad_input);
}

TEST(DefaultStore, a_shared_layer_is_opened_or_this_build_says_that_it_has_none) {
  const testing::TestFolder folder;
  const auto opened = open_store({folder.store(), "", "redis://127.0.0.1:1"});
  if (opened) {
    EXPECT_EQ((*opened)->name(), "store");
  } else {
    EXPECT_EQ(opened.error().code(), Errc::unsupported);
  }
}

TEST(NetworkFolder, knows_the_network_file_systems_of_clusters) {
  EXPECT_EQ(network_file_system_of_type(0x6969), "NFS");
  EXPECT_EQ(network_file_system_of_type(0x0bd00bd0), "Lustre");
  EXPECT_EQ(network_file_system_of_type(0x47504653), "GPFS");
  EXPECT_EQ(network_file_system_of_type(static_cast<int>(0xff534d42)), "CIFS") << "as a signed int";
  for (const long local : {0xef53L, 0x01021994L, 0x58465342L, 0x9123683eL, 0x794c7630L})
    EXPECT_EQ(network_file_system_of_type(local), "") << std::hex << local;
}

TEST(NetworkFolder, of_an_absent_folder_its_parent_counts) {
  EXPECT_EQ(network_file_system("/tmp/absent/deep/below"), network_file_system("/tmp"));
  EXPECT_THAT(node_local_folder(), HasSubstr(std::to_string(::geteuid())));
}

}  // namespace
}  // namespace kiln
