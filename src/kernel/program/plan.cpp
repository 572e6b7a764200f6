#include "kernel/program/plan.hpp"

#include <sys/mman.h>

#include "base/data/cursor.hpp"

namespace kiln {
namespace {
constexpr std::size_t alignment = 64;
constexpr std::uint32_t magic = 0x4e4c504b;  // "KPLN"
constexpr std::uint64_t aligned(std::uint64_t value) {
  return (value + alignment - 1) / alignment * alignment;
}
}  // namespace

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
  plan->block_ = HostArray::copy_of(block);
  plan->size_ = block.size();
  return plan;
}

PlanDraft::PlanDraft(std::span<const Array> arrays) : plan_(new Plan) {
  std::uint64_t end = 8;
  for (const auto& array : arrays) end += 4 + array.name.size() + 16;
  for (const auto& array : arrays) {
    const std::uint64_t offset = aligned(end);
    plan_->arrays_.push_back({array.name, offset, array.bytes});
    end = offset + array.bytes;
  }
  plan_->size_ = static_cast<std::size_t>(end);
  plan_->block_ = HostArray::undefined(plan_->size_);
}

std::span<std::byte> PlanDraft::bytes(std::size_t place) {
  const auto& array = plan_->arrays_[place];
  return {plan_->block_.data() + array.offset, static_cast<std::size_t>(array.bytes)};
}

void PlanDraft::shorten(std::size_t place, std::size_t bytes) {
  auto& arrays = plan_->arrays_;
  if (bytes > arrays[place].bytes) throw Error(Errc::internal, "a plan's array cannot grow");
  arrays[place].bytes = bytes;
  std::uint64_t end = arrays[place].offset + bytes;
  for (std::size_t later = place + 1; later < arrays.size(); ++later) {
    arrays[later].offset = aligned(end);
    end = arrays[later].offset + arrays[later].bytes;
  }
  plan_->size_ = static_cast<std::size_t>(end);
}

PlanPtr PlanDraft::finish() {
  Bytes head;
  append_le(head, magic);
  append_le(head, static_cast<std::uint32_t>(plan_->arrays_.size()));
  for (const auto& array : plan_->arrays_) {
    append_block(head, array.name);
    append_le(head, array.offset);
    append_le(head, array.bytes);
  }
  std::memcpy(plan_->block_.data(), head.data(), head.size());
  // The gaps are zeroed: equal plans have equal bytes.
  std::uint64_t written = head.size();
  for (const auto& array : plan_->arrays_) {
    std::memset(plan_->block_.data() + written, 0,
                static_cast<std::size_t>(array.offset - written));
    written = array.offset + array.bytes;
  }
  // What was shortened may have been written for a while.
  const std::size_t kept = (plan_->size_ + large_page - 1) / large_page * large_page;
  const std::size_t capacity = plan_->block_.size();
  if (kept < capacity) ::madvise(plan_->block_.data() + kept, capacity - kept, MADV_DONTNEED);
  return std::move(plan_);
}

}  // namespace kiln
