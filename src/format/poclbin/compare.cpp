#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/data/bytes.hpp"
#include "base/data/digest.hpp"
#include "format/poclbin/layout.hpp"
#include "kiln/formats/poclbin.hpp"

namespace kiln::poclbin {
namespace {

using Files = std::map<std::string_view, ByteView>;

Files files_of(const Archive& archive) {
  Files files;
  for (const auto& root : archive.root)
    for (const File& file : root)
      if (!is_bitcode_replacement(file)) files.emplace(file.path, file.content);
  for (const Kernel& kernel : archive.kernels)
    for (const File& file : kernel.files) files.emplace(file.path, file.content);
  return files;
}

Files files_of(const wiki::Archive& archive) {
  Files files;
  for (const File& file : archive.files) files.emplace(file.path, file.content);
  return files;
}

void compare_files(const Files& first, const Files& second, Differences& into) {
  const auto lines = [&](std::string_view path) -> std::vector<std::string>& {
    return is_bitcode(path) ? into.other : into.code;
  };
  for (const auto& [path, content] : first) {
    const auto same = second.find(path);
    if (same == second.end())
      lines(path).push_back(fmt::format("{} is in the first only", path));
    else if (as_text(content) != as_text(same->second))
      lines(path).push_back(
          fmt::format("{} differs ({} and {} bytes)", path, content.size(), same->second.size()));
  }
  for (const auto& [path, content] : second)
    if (!first.contains(path)) lines(path).push_back(fmt::format("{} is in the second only", path));
}

/// Two arguments as far as they decide what a launch accepts.
bool same_argument(Argument first, Argument second) {
  first.is_local = second.is_local;  // not there from version 7 on, and of no use before
  first.is_set = second.is_set;
  return first == second;
}

/// What of a kernel's launch differs; null where nothing does.
const char* launch_difference(const Kernel& first, const Kernel& second, bool with_required_size) {
  if (first.arguments.size() != second.arguments.size()) return "numbers of arguments";
  for (std::size_t i = 0; i < first.arguments.size(); ++i)
    if (!same_argument(first.arguments[i], second.arguments[i])) return "arguments";
  if (first.local_sizes != second.local_sizes) return "automatic local sizes";
  if (with_required_size && first.required_size != second.required_size)
    return "required work-group sizes";
  return nullptr;
}

bool same_answers(const Kernel& first, const Kernel& second) {
  return first.attributes == second.attributes && first.metadata_flags == second.metadata_flags &&
         first.sub_groups == second.sub_groups && first.work_group == second.work_group &&
         first.required_sub_group == second.required_sub_group;
}

void compare_kernels(const Archive& first, const Archive& second, Differences& into) {
  const bool with_required_size =
      writing_layout(first.version).required_size && writing_layout(second.version).required_size;
  for (const Kernel& kernel : first.kernels) {
    const Kernel* same = second.find(kernel.name);
    if (same == nullptr)
      into.code.push_back(fmt::format("kernel {} is in the first only", kernel.name));
    else if (const char* what = launch_difference(kernel, *same, with_required_size))
      into.code.push_back(fmt::format("kernel {}: the {} differ", kernel.name, what));
    else if (!same_answers(kernel, *same))
      into.other.push_back(fmt::format("kernel {}: what queries answer differs", kernel.name));
  }
  for (const Kernel& kernel : second.kernels)
    if (first.find(kernel.name) == nullptr)
      into.code.push_back(fmt::format("kernel {} is in the second only", kernel.name));
}

void compare_headers(const Archive& first, const Archive& second, Differences& into) {
  if (first.device_id != second.device_id)
    into.code.push_back(fmt::format("the device ids differ ({:#018x} and {:#018x})",
                                    first.device_id, second.device_id));
  const auto first_scope = first.program_scope_bytes.value_or(0),
             second_scope = second.program_scope_bytes.value_or(0);
  if (first_scope != second_scope)
    into.code.push_back(fmt::format("the program-scope variables differ ({} and {} bytes)",
                                    first_scope, second_scope));
  if (first.version != second.version)
    into.other.push_back(
        fmt::format("the format versions differ ({} and {})", first.version, second.version));
  else if (first.flags != second.flags)
    into.other.push_back(
        fmt::format("the flags differ ({:#x} and {:#x})", first.flags, second.flags));
  if (first.build_hash != second.build_hash)
    into.other.push_back(
        fmt::format("the build hashes differ ({} and {})", first.build_hash, second.build_hash));
}

}  // namespace

Differences diff(const Archive& first, const Archive& second) {
  Differences found;
  compare_headers(first, second, found);
  compare_kernels(first, second, found);
  compare_files(files_of(first), files_of(second), found);
  if (found.code.empty() && found.other.empty() && !(first == second))
    found.other.push_back("the order of the records differs");
  return found;
}

Differences diff(const wiki::Archive& first, const wiki::Archive& second) {
  Differences found;
  if (first.base != second.base)
    found.other.push_back(fmt::format("the bases differ ({} and {})", first.base, second.base));
  compare_files(files_of(first), files_of(second), found);
  if (found.code.empty() && found.other.empty() && !(first == second))
    found.other.push_back("the order of the records differs");
  return found;
}

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
      if (file.path != bitcode_path && !is_bitcode_replacement(file)) files.push_back(file);
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
