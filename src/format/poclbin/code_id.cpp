#include <algorithm>

#include "format/poclbin/compare.hpp"
#include "format/poclbin/root.hpp"

namespace kiln::poclbin {
namespace {

/// Every part with its length before it, so that no two lists give the same bytes.
class Writer {
 public:
  void number(std::uint64_t value) { digest_.update(bytes_of(value)); }
  void bytes(ByteView part) {
    number(part.size());
    digest_.update(part);
  }
  void text(std::string_view part) { bytes(as_bytes(part)); }
  Digest finish() { return digest_.finish(); }

 private:
  Blake2b digest_;
};

void add_argument(Writer& to, const Argument& argument) {
  to.number(argument.access);
  to.number(argument.address);
  to.number(argument.type_qualifier);
  to.number(argument.type);
  to.number(argument.type_size);
  to.text(argument.name);
  to.text(argument.type_name);
}

void add_kernel(Writer& to, const Kernel& kernel) {
  to.text(kernel.name);
  to.number(kernel.arguments.size());
  for (const Argument& argument : kernel.arguments) add_argument(to, argument);
  to.number(kernel.local_sizes.size());
  for (const auto size : kernel.local_sizes) to.number(size);
  for (const auto size : kernel.required_size) to.number(size);
}

std::vector<File> code_files(const Archive& archive) {
  std::vector<File> files;
  const auto add = [&](const std::vector<File>& from) {
    for (const File& file : from)
      if (file.path != bitcode_path && !is_stand_in(file)) files.push_back(file);
  };
  for (const auto& root : archive.root) add(root);
  for (const Kernel& kernel : archive.kernels) add(kernel.files);
  std::sort(files.begin(), files.end(),
            [](const File& a, const File& b) { return a.path < b.path; });
  return files;
}

}  // namespace

Digest code_id(const Archive& archive) {
  Writer writer;
  writer.text("kiln program archive code 1");
  writer.number(archive.program_scope_bytes.value_or(0));
  std::vector<const Kernel*> kernels;
  for (const Kernel& kernel : archive.kernels) kernels.push_back(&kernel);
  std::sort(kernels.begin(), kernels.end(),
            [](const Kernel* a, const Kernel* b) { return a->name < b->name; });
  writer.number(kernels.size());
  for (const Kernel* kernel : kernels) add_kernel(writer, *kernel);
  for (const File& file : code_files(archive)) {
    writer.text(file.path);
    writer.bytes(file.content);
  }
  return writer.finish();
}

Digest content_id(const Archive& archive) {
  Writer writer;
  writer.text("kiln program archive content 1");
  writer.bytes(code_id(archive).bytes);
  for (const auto& root : archive.root)
    for (const File& file : root)
      if (file.path == bitcode_path) writer.bytes(file.content);
  return writer.finish();
}

}  // namespace kiln::poclbin
