#include "kernel/source/source.hpp"

#include "kernel/source/expand.hpp"

namespace kiln {

Source::Source(std::string text, std::string name, std::vector<std::filesystem::path> files)
    : text_(std::move(text)),
      name_(std::move(name)),
      files_(std::move(files)),
      digest_(blake2b(as_bytes(text_))) {}

namespace {

Expected<SourcePtr> finish(IncludeExpander& expander, const SourceFile& main) {
  auto text = expander.expand(main);
  if (!text) return tl::unexpected(std::move(text).error());
  return std::make_shared<const Source>(*std::move(text), main.name, expander.files().paths());
}

}  // namespace

Expected<SourcePtr> load_source(const std::filesystem::path& path,
                                const std::vector<std::filesystem::path>& include_folders) {
  IncludeExpander expander(include_folders);
  const auto file = expander.files().open(path, path.filename().string());
  if (!file) return tl::unexpected(file.error());
  return finish(expander, **file);
}

Expected<SourcePtr> from_text(std::string text, std::string name,
                              const std::vector<std::filesystem::path>& include_folders) {
  IncludeExpander expander(include_folders);
  const std::string shown = std::filesystem::path(name).is_absolute()
                                ? std::filesystem::path(name).filename().string()
                                : std::move(name);
  const auto file = expander.files().hold(std::move(text), shown);
  if (!file) return tl::unexpected(file.error());
  return finish(expander, **file);
}

}  // namespace kiln
