#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/poclbin/description.hpp"
#include "format/poclbin/compare.hpp"

namespace kiln::cli {
namespace {

using Json = nlohmann::ordered_json;

/// The library's own check of UTF-8 is what throws while printing.
bool is_utf8(const std::string& text) {
  try {
    (void)Json(text).dump();
    return true;
  } catch (const Json::exception&) {
    return false;
  }
}

Json text(std::string_view view) {
  std::string copy(view);
  if (is_utf8(copy)) return copy;
  return {{"hex", to_hex(as_bytes(view))}};
}

Json number(std::uint64_t value) { return fmt::format("{:#x}", value); }

Json paths(const std::vector<poclbin::File>& files) {
  Json list = Json::array();
  for (const auto& file : files) list.push_back(text(file.path));
  return list;
}

Json describe(const poclbin::Argument& argument) {
  Json json{{"name", text(argument.name)},
            {"type_name", text(argument.type_name)},
            {"access", number(argument.access)},
            {"address", number(argument.address)},
            {"type_qualifier", argument.type_qualifier},
            {"type", argument.type},
            {"type_size", argument.type_size}};
  if (argument.is_local != 0) json["is_local"] = argument.is_local;
  if (argument.is_set != 0) json["is_set"] = argument.is_set;
  return json;
}

Json describe(const poclbin::Kernel& kernel) {
  Json json{{"name", text(kernel.name)},
            {"required_size", kernel.required_size},
            {"local_sizes", kernel.local_sizes},
            {"attributes", text(kernel.attributes)},
            {"metadata_flags", number(kernel.metadata_flags)}};
  if (kernel.sub_groups) json["sub_groups"] = *kernel.sub_groups;
  if (kernel.work_group) json["work_group"] = *kernel.work_group;
  if (kernel.required_sub_group) json["required_sub_group"] = *kernel.required_sub_group;
  json["arguments"] = Json::array();
  for (const auto& argument : kernel.arguments) json["arguments"].push_back(describe(argument));
  json["files"] = paths(kernel.files);
  return json;
}

Json describe(const poclbin::Archive& archive) {
  Json json{{"layout", "pocl"},
            {"version", archive.version},
            {"device_id", fmt::format("{:#018x}", archive.device_id)},
            {"flags", number(archive.flags)},
            {"build_hash", archive.build_hash}};
  if (archive.program_scope_bytes) json["program_scope_bytes"] = *archive.program_scope_bytes;
  json["code"] = poclbin::code_id(archive).hex();
  json["content"] = poclbin::content_id(archive).hex();
  json["root"] = Json::array();
  for (const auto& files : archive.root) json["root"].push_back(paths(files));
  json["kernels"] = Json::array();
  for (const auto& kernel : archive.kernels) json["kernels"].push_back(describe(kernel));
  return json;
}

}  // namespace

Json describe(const ArchiveFile& file) {
  if (file.real() != nullptr) return describe(*file.real());
  return {{"layout", "wiki-v1"},
          {"version", file.wiki()->version},
          {"base", text(file.wiki()->base)},
          {"files", paths(file.wiki()->files)}};
}

}  // namespace kiln::cli
