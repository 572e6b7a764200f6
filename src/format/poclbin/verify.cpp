#include <fmt/format.h>

#include "format/poclbin/read.hpp"
#include "format/poclbin/wiki.hpp"

namespace kiln::poclbin {
namespace {

constexpr std::size_t device_id_at = 8;

class Counter : public Visitor {
 public:
  explicit Counter(Verified& into) : into_(&into) {}
  void root(std::vector<File>& files) override { add(files); }
  void kernel(Kernel& kernel) override {
    ++into_->kernels;
    add(kernel.files);
  }

 private:
  void add(const std::vector<File>& files) {
    into_->files += files.size();
    for (const File& file : files) into_->content_bytes += file.content.size();
  }
  Verified* into_;
};

Expected<Verified> verify_real(ByteView bytes, std::optional<std::uint64_t> device) {
  Cursor cursor(bytes, "program archive");
  Verified verified;
  Archive header;
  Counter counter(verified);
  walk(cursor, header, counter);
  if (device && header.device_id != *device)
    cursor.refuse(device_id_at, "device id",
                  fmt::format("found {:#018x}, expected {:#018x}", header.device_id, *device));
  if (!cursor.ok()) return tl::unexpected(cursor.error());
  verified.version = header.version;
  return verified;
}

}  // namespace

Expected<Verified> verify(ByteView bytes, std::optional<std::uint64_t> device_id) {
  if (form_of(bytes) == Form::wiki) return wiki::verify(bytes);
  return verify_real(bytes, device_id);
}

}  // namespace kiln::poclbin
