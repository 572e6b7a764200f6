// Specification files: Runtime.run() and verify(), with results as NumPy arrays.
#include "kiln/spec.hpp"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "kiln/json.hpp"
#include "python/core/arguments.hpp"
#include "python/core/runtime.hpp"
#include "python/core/signature.hpp"
#include "python/core/values.hpp"

namespace kiln::python {
namespace {

const char* scalar_code(spec::Scalar scalar) {
  constexpr const char* codes[] = {"i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"};
  return codes[static_cast<std::size_t>(scalar)];
}

/// NumPy's type of an element: vectors are arrays of their lanes (four of width 3), structures have
/// their fields where the file names them, else bytes.
py::dtype type_of(const spec::Type& type) {
  const auto part = [](const spec::Type& of, std::size_t count) {
    py::object made = type_of(of);
    return count > 1 ? py::object(py::make_tuple(made, py::make_tuple(count))) : made;
  };
  if (!type.is_struct()) {
    const py::dtype scalar(scalar_code(type.scalar));
    if (type.width == 1) return scalar;
    return py::dtype::from_args(py::make_tuple(scalar, py::make_tuple(type.lanes())));
  }
  if (type.fields.empty()) return py::dtype("V" + std::to_string(type.bytes()));
  py::list names, formats, offsets;
  for (const auto& field : type.fields) {
    names.append(field.name.empty() ? "f" + std::to_string(py::len(names)) : field.name);
    formats.append(part(field.type, field.count));
    offsets.append(field.offset);
  }
  using py::arg;
  return py::dtype::from_args(py::dict(arg("names") = names, arg("formats") = formats,
                                       arg("offsets") = offsets, arg("itemsize") = type.bytes()));
}

/// A run's result. Its arrays are views of what it holds.
class RunResult {
 public:
  explicit RunResult(spec::SpecResult result)
      : result_(std::make_shared<const spec::SpecResult>(std::move(result))) {}
  const spec::SpecResult& operator*() const { return *result_; }

  py::array argument(std::uint32_t position) const {
    for (const auto& argument : result_->bound.arguments)
      if (argument.position == position && argument.is_buffer()) return view(argument);
    // Says which positions there are.
    result_->bytes(position);
    throw Error(Errc::internal, "a buffer argument that is bound to nothing");
  }

  py::dict outputs() const {
    py::dict arrays;
    for (const auto& argument : result_->bound.arguments)
      if (argument.kind == spec::ArgumentKind::output || argument.kind == spec::ArgumentKind::inout)
        arrays[py::int_(argument.position)] = view(argument);
    return arrays;
  }

 private:
  py::array view(const spec::BoundArgument& argument) const {
    const auto bytes = result_->bytes(argument.position);
    const py::capsule keeper(new std::shared_ptr<const spec::SpecResult>(result_), [](void* held) {
      delete static_cast<std::shared_ptr<const spec::SpecResult>*>(held);
    });
    const py::array raw(py::dtype("u1"), {bytes.size()},
                        reinterpret_cast<const std::uint8_t*>(bytes.data()), keeper);
    const py::dtype type = type_of(argument.type);
    // A view of an array's type has its lanes as a further axis.
    py::object elements = raw.attr("view")(type.attr("base"));
    const auto lanes = type.attr("shape").cast<py::tuple>();
    if (!lanes.empty()) elements = elements.attr("reshape")(py::make_tuple(-1) + lanes);
    elements.attr("setflags")(py::arg("write") = false);
    return elements;
  }

  std::shared_ptr<const spec::SpecResult> result_;
};

/// The caller's data of arguments: files, or arrays, which are kept until the run has ended.
struct Inputs {
  std::map<std::uint32_t, spec::InputData> data;
  py::list uses;
};

Inputs inputs_of(const std::map<std::uint32_t, py::object>& inputs) {
  Inputs all;
  for (const auto& [position, value] : inputs) {
    if (py::isinstance<py::str>(value) || py::hasattr(value, "__fspath__")) {
      all.data.emplace(position, spec::InputData(value.cast<std::filesystem::path>()));
      continue;
    }
    // NumPy takes longer to load than the rest: not where nothing needs it.
    const py::array array = py::module_::import("numpy").attr("ascontiguousarray")(value);
    const std::span<const std::byte> bytes(static_cast<const std::byte*>(array.data()),
                                           static_cast<std::size_t>(array.nbytes()));
    all.data.emplace(position,
                     spec::InputData(bytes).of_numbers(number_type(checked_type(array.dtype()))));
    all.uses.append(array);
  }
  return all;
}

RunResult run(const Runtime& runtime, const std::filesystem::path& file, const py::dict& set,
              const std::map<std::uint32_t, py::object>& inputs,
              const std::map<std::uint32_t, std::filesystem::path>& out,
              const std::map<std::uint32_t, std::filesystem::path>& expect, double rtol,
              const py::object& partition, const std::vector<std::size_t>& local_size,
              std::uint64_t seed, std::int64_t runs, bool check_bounds, bool timeline,
              const std::string& dialect, const std::vector<std::filesystem::path>& source_folders,
              const py::dict& set_if, const py::kwargs& symbols) {
  spec::SpecRunOptions options;
  options.set = values_of(set);
  for (auto& [name, value] : values_of(symbols)) options.set.insert_or_assign(name, value);
  options.set_if = values_of(set_if);
  options.dialect = dialect_named(dialect);
  options.source_folders = source_folders;
  Inputs given = inputs_of(inputs);
  options.in = std::move(given.data);
  options.out = out;
  options.expect = expect;
  options.rtol = rtol;
  if (!partition.is_none()) options.partition = py::str(partition).cast<std::string>();
  options.local_size = local_size;
  options.seed = seed;
  options.runs = runs;
  options.bounds = check_bounds ? Bounds::checked : Bounds::unchecked;
  options.timeline = timeline;
  return RunResult(without_lock([runtime, file, options, uses = Kept(given.uses)] {
    return spec::run(runtime, file, options);
  }));
}

std::vector<spec::Verdict> verify(const Runtime& runtime, const std::filesystem::path& file,
                                  const py::dict& set, const std::vector<std::string>& splits,
                                  double rtol, bool check_bounds, const std::string& dialect,
                                  const std::vector<std::filesystem::path>& source_folders,
                                  const py::dict& set_if, const py::kwargs& symbols) {
  spec::VerifyOptions options;
  options.set = values_of(set);
  for (auto& [name, value] : values_of(symbols)) options.set.insert_or_assign(name, value);
  options.set_if = values_of(set_if);
  options.dialect = dialect_named(dialect);
  options.source_folders = source_folders;
  options.splits = splits;
  options.rtol = rtol;
  options.bounds = check_bounds ? Bounds::checked : Bounds::unchecked;
  return without_lock([runtime, file, options] { return spec::verify(runtime, file, options); });
}

/// A list that notebooks show as a picture.
py::object timeline_of(const std::vector<TimelineSpan>& spans) {
  return py::module_::import("kiln._html").attr("Timeline")(py::cast(spans));
}

void bind_timeline(py::module_& module) {
  py::class_<TimelineSpan>(module, "TimelineSpan", "One span of time of a run: plain data.")
      .def_readonly("lane", &TimelineSpan::lane, "str: \"host\", or a device queue")
      .def_readonly("name", &TimelineSpan::name, "str: \"write a\", a kernel's, \"compile\"")
      .def_readonly("category", &TimelineSpan::category,
                    "str: write, kernel, read, merge, compile, lookup or plan")
      .def_readonly("start_ns", &TimelineSpan::start_ns, "int: on the host's steady clock")
      .def_readonly("end_ns", &TimelineSpan::end_ns)
      .def_property_readonly(
          "details",
          [](const TimelineSpan& self) {
            py::dict details;
            for (const auto& [name, value] : self.details) details[py::str(name)] = value;
            return details;
          },
          "dict of str: what is known beyond the times")
      .def("__repr__", [](const TimelineSpan& self) {
        return "<kiln.TimelineSpan '" + self.name + "' on " + self.lane + ", " +
               std::to_string(self.end_ns - self.start_ns) + " ns>";
      });
}

void bind_results(py::module_& module) {
  bind_timeline(module);
  py::class_<spec::ProgramLookup>(module, "ProgramLookup", "How one program was found.")
      .def_readonly("program", &spec::ProgramLookup::program)
      .def_readonly("key", &spec::ProgramLookup::key)
      .def("__str__", [](const spec::ProgramLookup& self) { return self.text; });
  py::class_<RunResult>(module, "RunResult",
                        "What a run of a specification file did, and its data.")
      .def_property_readonly("file", [](const RunResult& self) { return (*self).file; })
      .def_property_readonly(
          "outputs", &RunResult::outputs,
          R"(dict of int to numpy.ndarray: what the kernel wrote, by argument position.

Read-only. Vectors have a further axis for their lanes.)")
      .def("argument", &RunResult::argument, py::arg("position"),
           "numpy.ndarray: a buffer argument after the run, inputs included")
      .def_property_readonly(
          "summary", [](const RunResult& self) { return (*self).summary; },
          "RunSummary: of the last run")
      .def_property_readonly(
          "wall_ns", [](const RunResult& self) { return (*self).wall_ns; },
          "list of int: nanoseconds of each run")
      .def_property_readonly(
          "programs", [](const RunResult& self) { return (*self).programs; },
          "list of ProgramLookup: which layer of the store had each program")
      .def_property_readonly(
          "timeline", [](const RunResult& self) { return timeline_of((*self).timeline); },
          R"(Timeline: a list of TimelineSpan by their start, which notebooks show as a picture.

Empty where the run was not asked for it.)")
      .def_property_readonly(
          "difference", [](const RunResult& self) { return (*self).difference; },
          "str: how an argument differs from what was expected; empty: it does not")
      .def(
          "to_dict",
          [](const RunResult& self) { return parsed(json_of(*self, Programs::included)); },
          "dict: what `kiln run --json --explain` says")
      .def("__repr__", [](const RunResult& self) {
        return "<kiln.RunResult of '" + (*self).file + "', " +
               std::to_string((*self).summary.wall_ns) + " ns>";
      });
  py::class_<spec::Verdict>(module, "Verdict", "What one split of a kernel turned out to be.")
      .def_readonly("split", &spec::Verdict::split, "str: as given: \"3\", \"1:2\", \"auto\"")
      .def_readonly("outcome", &spec::Verdict::outcome, "str: \"equal\", \"refused\" or \"wrong\"")
      .def_readonly("reason", &spec::Verdict::reason, "str: why refused, where wrong")
      .def("to_dict", [](const spec::Verdict& self) { return parsed(json_of(self)); })
      .def("__repr__", [](const spec::Verdict& self) {
        return "<kiln.Verdict " + self.split + ": " + self.outcome + ">";
      });
}

py::list check(const std::filesystem::path& file, const std::string& dialect, const py::dict& set) {
  py::list messages;
  for (const auto& message : spec::check_spec(file, dialect_named(dialect), {values_of(set), {}}))
    messages.append(decoded(message.render()));
  return messages;
}

/// What run() and verify() have alike.
std::vector<Parameter> run_parameters(std::initializer_list<Parameter> more) {
  using Need = Parameter::Need;
  using By = Parameter::By;
  std::vector<Parameter> all{{"file", Kind::path, Need::required},
                             {"set", Kind::mapping, Need::optional, By::name},
                             {"rtol", Kind::number, Need::optional, By::name},
                             {"check_bounds", Kind::truth, Need::optional, By::name},
                             {"dialect", Kind::text, Need::optional, By::name},
                             {"source_folders", Kind::paths, Need::optional, By::name},
                             {"set_if", Kind::mapping, Need::optional, By::name}};
  all.insert(all.end(), more);
  return all;
}

void tell_spec_arguments(py::module_& module, const RuntimeClass& runtime) {
  using Need = Parameter::Need;
  using By = Parameter::By;
  tell_arguments(runtime, "run",
                 {"Runtime.run()",
                  run_parameters({{"inputs", Kind::mapping, Need::optional, By::name},
                                  {"out", Kind::mapping, Need::optional, By::name},
                                  {"expect", Kind::mapping, Need::optional, By::name},
                                  {"partition", Kind::any, Need::or_none, By::name},
                                  {"local_size", Kind::integers, Need::optional, By::name},
                                  {"seed", Kind::integer, Need::optional, By::name},
                                  {"runs", Kind::integer, Need::optional, By::name},
                                  {"timeline", Kind::truth, Need::optional, By::name}}),
                  true});
  tell_arguments(runtime, "verify",
                 {"Runtime.verify()",
                  run_parameters({{"splits", Kind::texts, Need::optional, By::name}}), true});
  tell_arguments(
      module, "check",
      {"check()",
       {{"file", Kind::path, Need::required}, {"dialect", Kind::text}, {"set", Kind::mapping}}});
}

}  // namespace

void bind_spec(py::module_& module, RuntimeClass& runtime) {
  using py::arg;
  bind_results(module);
  runtime
      .def("run", &run, arg("file"), py::kw_only(), arg("set") = py::dict(),
           arg("inputs") = std::map<std::uint32_t, py::object>(),
           arg("out") = std::map<std::uint32_t, std::filesystem::path>(),
           arg("expect") = std::map<std::uint32_t, std::filesystem::path>(), arg("rtol") = 1e-5,
           arg("partition") = py::none(), arg("local_size") = std::vector<std::size_t>(),
           arg("seed") = 0, arg("runs") = 1, arg("check_bounds") = false, arg("timeline") = false,
           arg("dialect") = "auto", arg("source_folders") = std::vector<std::filesystem::path>(),
           arg("set_if") = py::dict(),
           R"(Runs a specification file as `kiln run` does; returns a RunResult.

Symbols are keyword arguments, or in set where their names are taken: run("saxpy.json",
dataset=1<<20). inputs: data by argument position, arrays or .npy files; those that are not given
are random numbers of seed. out, expect: .npy files to write arguments to, and to compare them with.
partition: "auto", "dynamic", tenths or weights; None: the file's own. timeline: keeps what happened
when for RunResult.timeline.)")
      .def("verify", &verify, arg("file"), py::kw_only(), arg("set") = py::dict(),
           arg("splits") = std::vector<std::string>(), arg("rtol") = 0.0,
           arg("check_bounds") = true, arg("dialect") = "auto",
           arg("source_folders") = std::vector<std::filesystem::path>(), arg("set_if") = py::dict(),
           R"(Runs a file whole and with every split, and compares; returns a list of Verdict.

As `kiln verify`. splits: those to try; empty: "0" to "10". rtol 0: to the bit.)");
  module.def("check", &check, arg("file"), arg("dialect") = "auto", arg("set") = py::dict(),
             "What is wrong with a specification file: list of str, a line each.");
  tell_spec_arguments(module, runtime);
}

}  // namespace kiln::python
