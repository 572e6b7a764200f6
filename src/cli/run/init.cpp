// `kiln init`: a specification file for a kernel, to be completed.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/data/text.hpp"
#include "base/os/file.hpp"
#include "cli/command/context.hpp"
#include "cli/command/options.hpp"
#include "cli/output/output.hpp"
#include "cli/run/options.hpp"
#include "spec/init_spec.hpp"

namespace kiln::cli {
namespace {

constexpr Option init_options[] = {
    {.name = "kernel",
     .kind = Kind::text,
     .value_name = "NAME",
     .help = "The kernel that the file is for, where the source has several.",
     .repeat = Repeat::yes},
    {.name = "output",
     .kind = Kind::file,
     .access = Access::update,
     .value_name = "FILE",
     .help = "The file to write. Default: the kernel's name with .json, beside the source. A file "
             "that exists is never overwritten."},
    {.name = "define",
     .kind = Kind::text,
     .value_name = "NAME[=VALUE]",
     .help = "A macro for the kernel source; it goes into the file, too.",
     .repeat = Repeat::yes,
     .letter = 'D'},
    options::source_dir,
    options::json,
};

constexpr Example init_examples[] = {
    {"kiln init blur.cl", "Writes blur.json for the only kernel of blur.cl."},
    {"kiln init all.cl --kernel sum --define TYPE=float", "Chooses a kernel, and sets a macro."},
};

/// How the file at `output` names the source: by a path that find_source() follows.
std::string source_name(const std::filesystem::path& source, const std::filesystem::path& output) {
  const auto folder = std::filesystem::absolute(output).parent_path();
  const auto relative = std::filesystem::absolute(source).lexically_normal().lexically_relative(
      folder.lexically_normal());
  return relative.empty() ? std::filesystem::absolute(source).string() : relative.string();
}

void write_spec(const std::filesystem::path& file, const std::string& text) {
  const auto written = write_new_file(file, as_bytes(text));
  if (!written && written.error().code() == Errc::bad_input)
    throw Error(Errc::bad_input, written.error().message() + " (--output FILE names another)");
  value_or_throw(written);
}

}  // namespace

constinit const Command init_command{
    .name = "init",
    .summary = "write a specification file for a kernel, to be completed",
    .description =
        "Reads an OpenCL source file and writes a specification file for one of its kernels: its "
        "arguments with their types, what it reads and what it writes. What the source does not "
        "say, such as sizes and values, is marked with FILL IN and what belongs there; kiln check "
        "lists what is left. No device is touched, and no file is overwritten.",
    .options = init_options,
    .positional = {.value_name = "SOURCE",
                   .help = "The OpenCL source file.",
                   .least = 1,
                   .most = 1,
                   .kind = Kind::file,
                   .access = Access::update},
    .examples = init_examples,
};

int init_spec_file(Context& context) {
  const std::filesystem::path source = context.arguments().front();
  std::vector<std::filesystem::path> folders{source.parent_path()};
  for (const auto& folder : context.list("source-dir")) folders.emplace_back(folder);
  spec::InitRequest request;
  request.source = value_or_throw(load_source(source, folders));
  const auto& kernels = context.list("kernel");
  if (kernels.size() > 1)
    throw Error(Errc::bad_input,
                fmt::format("--kernel: found {} kernels, expected one: a file has one kernel",
                            kernels.size()));
  if (!kernels.empty()) request.kernel = kernels.front();
  for (const auto& text : context.list("define")) {
    const auto equals = text.find('=');
    // As compilers do: a macro without a value is 1.
    request.macros.emplace_back(text.substr(0, equals),
                                equals == text.npos ? "1" : text.substr(equals + 1));
  }
  // The file's default name depends on the kernel; its folder does not.
  std::filesystem::path output = context.text("output");
  request.src = source_name(source, output.empty() ? source : output);
  const auto file = value_or_throw(spec::init_spec(request));
  if (output.empty()) output = source.parent_path() / (file.kernel + ".json");
  write_spec(output, file.text);
  if (context.flag("json"))
    print_json({{"file", output.string()}, {"kernel", file.kernel}, {"fill_in", file.marks}});
  else
    print(fmt::format("{}: {} to fill in (kiln check {} lists them)\n", one_line(output.string()),
                      file.marks == 1 ? "1 place" : fmt::format("{} places", file.marks),
                      one_line(output.string())));
  return 0;
}

}  // namespace kiln::cli
