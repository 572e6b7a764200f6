#include <gtest/gtest.h>

#include "base/data/digest.hpp"
#include "base/os/file.hpp"
#include "store/layer/layers.hpp"

namespace kiln {
namespace {

class ScratchStoreTest : public ::testing::Test {
 protected:
  static Bytes bytes(std::string_view text) {
    const auto view = as_bytes(text);
    return Bytes(view.begin(), view.end());
  }
  std::string base_folder() const { return (folder_.path() / "base").string(); }
  std::string scratch_folder() const { return (folder_.path() / "scratch").string(); }
  std::unique_ptr<ScratchStore> make() const {
    return std::make_unique<ScratchStore>(scratch_folder(), open_local_store(base_folder()));
  }
  static bool has(Layer& layer, Kind kind, const Bytes& canonical) {
    return layer.get(kind, key_of(canonical), canonical).entry.has_value();
  }
  static void put(Layer& layer, Kind kind, const Bytes& canonical) {
    value_or_throw(layer.put(kind, key_of(canonical), canonical, bytes("content"), {}));
  }

  TemporaryFolder folder_ = value_or_throw(TemporaryFolder::create("kiln-scratch-test"));
};

TEST_F(ScratchStoreTest, keeps_programs_from_the_base_and_reads_those_that_it_has) {
  const auto base = open_local_store(base_folder());
  put(*base, Kind::artifact, bytes("known"));
  const auto store = make();
  EXPECT_TRUE(has(*store, Kind::artifact, bytes("known")));
  put(*store, Kind::artifact, bytes("tried"));
  put(*store, Kind::plan, bytes("tried"));
  EXPECT_TRUE(has(*store, Kind::artifact, bytes("tried")));
  EXPECT_FALSE(has(*base, Kind::artifact, bytes("tried")));
  EXPECT_FALSE(has(*base, Kind::plan, bytes("tried")));
  // What another process of the trials finds.
  EXPECT_TRUE(has(*make(), Kind::artifact, bytes("tried")));
}

TEST_F(ScratchStoreTest, leaves_records_to_the_base) {
  const auto store = make();
  put(*store, Kind::record, bytes("best"));
  EXPECT_TRUE(has(*store, Kind::record, bytes("best")));
  EXPECT_TRUE(has(*open_local_store(base_folder()), Kind::record, bytes("best")));
  const auto change = [&](const std::optional<Entry>& present) {
    EXPECT_TRUE(present);
    return std::optional<Entry>(Entry{bytes("better"), {}});
  };
  ASSERT_TRUE(store->update(Kind::record, key_of(bytes("best")), bytes("best"), change));
  const auto found =
      open_local_store(base_folder())->get(Kind::record, key_of(bytes("best")), bytes("best"));
  EXPECT_EQ(found.entry->content, bytes("better"));
}

TEST_F(ScratchStoreTest, does_without_a_base) {
  ScratchStore store(scratch_folder(), nullptr);
  put(store, Kind::record, bytes("best"));
  put(store, Kind::artifact, bytes("tried"));
  EXPECT_TRUE(has(store, Kind::record, bytes("best")));
  EXPECT_FALSE(has(store, Kind::artifact, bytes("unknown")));
}

}  // namespace
}  // namespace kiln
