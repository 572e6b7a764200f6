#include "kernel/plan.hpp"

#include <cstdlib>
#include <new>

#include "base/cursor.hpp"

namespace kiln {
namespace {
constexpr std::size_t alignment = 64;
constexpr std::uint32_t magic = 0x4e4c504b;  // "KPLN"
constexpr std::uint64_t aligned(std::uint64_t value) {
  return (value + alignment - 1) / alignment * alignment;
}
}  // namespace

void Plan::Free::operator()(std::byte* memory) const { std::free(memory); }

std::unique_ptr<std::byte[], Plan::Free> Plan::allocate(std::size_t bytes) {
  auto* memory = static_cast<std::byte*>(std::aligned_alloc(alignment, aligned(bytes)));
  if (memory == nullptr) throw std::bad_alloc();
  return std::unique_ptr<std::byte[], Free>(memory);
}

ByteView Plan::find(std::string_view name) const {
  for (const auto& array : arrays_)
    if (array.name == name)
      return block().subspan(static_cast<std::size_t>(array.offset),
                             static_cast<std::size_t>(array.bytes));
  throw Error(Errc::not_found, "the plan has no array " + std::string(name));
}

Expected<PlanPtr> Plan::from_block(ByteView block) {
  Cursor in(block, "plan");
  if (in.number<std::uint32_t>("magic") != magic) return fail(Errc::corrupt, "plan: wrong magic");
  auto plan = std::shared_ptr<Plan>(new Plan);
  for (auto count = in.number<std::uint32_t>("arrays"); count > 0 && in.ok(); --count) {
    Array array{in.text("name"), in.number<std::uint64_t>("offset"),
                in.number<std::uint64_t>("bytes")};
    if (array.offset % alignment != 0 || array.offset > block.size() ||
        array.bytes > block.size() - array.offset)
      return fail(Errc::corrupt, "plan: array " + array.name + " lies outside the block");
    plan->arrays_.push_back(std::move(array));
  }
  if (!in.ok()) return tl::unexpected(in.error());
  plan->block_ = allocate(block.size());
  plan->size_ = block.size();
  std::memcpy(plan->block_.get(), block.data(), block.size());
  return plan;
}

PlanPtr PlanBuilder::build() const {
  std::uint64_t table = 8;
  for (const auto& part : parts_) table += 4 + part.name.size() + 16;
  auto plan = std::shared_ptr<Plan>(new Plan);
  std::uint64_t end = table;
  for (const auto& part : parts_) {
    const std::uint64_t offset = aligned(end);
    plan->arrays_.push_back({part.name, offset, part.bytes.size()});
    end = offset + part.bytes.size();
  }
  Bytes head;
  append_le(head, magic);
  append_le(head, static_cast<std::uint32_t>(parts_.size()));
  for (const auto& array : plan->arrays_) {
    append_le(head, static_cast<std::uint32_t>(array.name.size()));
    append(head, array.name);
    append_le(head, array.offset);
    append_le(head, array.bytes);
  }
  plan->size_ = static_cast<std::size_t>(end);
  plan->block_ = Plan::allocate(plan->size_);
  std::memcpy(plan->block_.get(), head.data(), head.size());
  std::size_t written = head.size();
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const auto offset = static_cast<std::size_t>(plan->arrays_[i].offset);
    // The gaps are zeroed: equal plans have equal bytes.
    std::memset(plan->block_.get() + written, 0, offset - written);
    if (!parts_[i].bytes.empty())
      std::memcpy(plan->block_.get() + offset, parts_[i].bytes.data(), parts_[i].bytes.size());
    written = offset + parts_[i].bytes.size();
  }
  return plan;
}

}  // namespace kiln
