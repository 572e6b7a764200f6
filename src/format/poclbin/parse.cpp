#include "format/poclbin/read.hpp"

namespace kiln::poclbin {
namespace {

class Model : public Visitor {
 public:
  explicit Model(Archive& into) : into_(&into) {}
  void root(std::vector<File>& files) override { into_->root.push_back(std::move(files)); }
  void kernel(Kernel& kernel) override { into_->kernels.push_back(std::move(kernel)); }

 private:
  Archive* into_;
};

}  // namespace

const char* name_of(Form form) { return form == Form::real ? "PoCL's" : "the wiki's"; }

std::optional<Form> form_of(ByteView bytes) {
  constexpr std::string_view magic = "poclbin";
  if (bytes.size() <= magic.size() || !as_text(bytes).starts_with(magic)) return std::nullopt;
  return bytes[magic.size()] == std::byte{0} ? Form::real : Form::wiki;
}

Expected<Archive> parse(ByteView bytes) {
  Cursor cursor(bytes, "program archive");
  Archive archive;
  Model model(archive);
  walk(cursor, archive, model);
  if (!cursor.ok()) return tl::unexpected(cursor.error());
  return archive;
}

const Kernel* Archive::find(std::string_view name) const {
  for (const Kernel& kernel : kernels)
    if (kernel.name == name) return &kernel;
  return nullptr;
}

bool File::operator==(const File& other) const {
  return path == other.path && as_text(content) == as_text(other.content);
}

}  // namespace kiln::poclbin
