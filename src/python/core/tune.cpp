// Searches for the fastest parameters: kiln.tune's functions over kiln/tune.hpp.
#include "kiln/tune.hpp"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <atomic>

#include "kiln/json.hpp"
#include "python/core/arguments.hpp"
#include "python/core/values.hpp"

namespace kiln::python {
namespace {

const char* decision_name(tune::Decision decision) {
  constexpr const char* names[] = {"play-off", "built-in", "earlier record", "interrupted"};
  return names[static_cast<std::size_t>(decision)];
}

tune::Values integers_of(const py::dict& values) {
  tune::Values all;
  for (const auto& [name, value] : values)
    all.emplace_back(name.cast<std::string>(), value.cast<std::int64_t>());
  return all;
}

py::dict dict_of(const tune::Values& values) {
  py::dict all;
  for (const auto& [name, value] : values) all[py::str(name)] = value;
  return all;
}

std::vector<tune::Choice> choices_of(const py::dict& parameters) {
  std::vector<tune::Choice> all;
  for (const auto& [name, values] : parameters) {
    tune::Choice& one = all.emplace_back(tune::Choice{name.cast<std::string>(), {}});
    for (const auto value : values) {
      if (PyIndex_Check(value.ptr()) == 0)
        throw Error(Errc::bad_input, one.name + ": found the value " +
                                         py::repr(value).cast<std::string>() +
                                         ", expected integers");
      one.values.push_back(value.cast<std::int64_t>());
    }
  }
  return all;
}

py::dict dict_of(const tune::Measured& one) {
  py::dict made;
  made["values"] = dict_of(one.values);
  made["seconds"] =
      one.failure == tune::Failure::none ? py::object(py::float_(one.seconds)) : py::none();
  made["failure"] = one.failure == tune::Failure::none ? py::object(py::none())
                                                       : py::str(tune::name_of(one.failure));
  made["message"] = one.message;
  return made;
}

py::list list_of(const std::vector<tune::Measured>& all) {
  py::list made;
  for (const auto& one : all) made.append(dict_of(one));
  return made;
}

py::object tuple_of(const std::vector<std::size_t>& sizes) { return py::tuple(py::cast(sizes)); }

// ---- Searches in processes of their own

using Milliseconds = std::chrono::milliseconds;

Milliseconds milliseconds_of(double seconds) {
  return std::chrono::duration_cast<Milliseconds>(std::chrono::duration<double>(seconds));
}

tune::SearchOptions options_of(const py::dict& given) {
  tune::SearchOptions options;
  options.budget = milliseconds_of(given["budget"].cast<double>());
  options.evaluations = given["evaluations"].cast<std::size_t>();
  options.method = method_named(given["method"].cast<std::string>());
  options.seed = given["seed"].cast<std::uint64_t>();
  options.jobs = given["jobs"].cast<std::size_t>();
  options.hang_time = milliseconds_of(given["hang_time"].cast<double>());
  if (given["fresh"].cast<bool>()) options.journal = tune::SearchOptions::Journal::fresh;
  if (given["from_scratch"].cast<bool>()) options.start = tune::SearchOptions::Start::scratch;
  if (!given["journal"].is_none())
    options.journal_file = given["journal"].cast<std::filesystem::path>();
  return options;
}

/// What a search calls from a thread of its own: the caller's function, until it returns false,
/// raises, or Ctrl-C comes.
class Listener {
 public:
  explicit Listener(py::object function) : function_(std::move(function)) {}
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  /// Maybe in the search's thread.
  ~Listener() {
    if (Py_IsInitialized() == 0) {
      function_.release();
      raised_.release();
      return;
    }
    const py::gil_scoped_acquire lock;
    function_ = py::object();
    raised_.reset();
  }

  bool operator()(const tune::Progress& progress) {
    is_asked_ = true;  // what tells of progress has processes
    if (is_told_to_stop) return false;
    const py::gil_scoped_acquire lock;
    if (function_.is_none()) return true;
    try {
      py::dict now;
      now["evaluated"] = progress.evaluated;
      now["failed"] = progress.failed;
      now["configurations"] = progress.configurations;
      now["best_seconds"] =
          progress.best_seconds > 0 ? py::object(py::float_(progress.best_seconds)) : py::none();
      now["best"] = progress.best;
      return !function_(now).is(py::bool_(false));
    } catch (py::error_already_set& error) {
      raised_ = std::make_unique<py::error_already_set>(error);
      return false;
    }
  }
  void throw_what_was_raised() {
    if (raised_) throw *raised_;
  }

  /// Asked by the search several times a second, once it has processes.
  bool stops() {
    is_asked_ = true;
    return is_told_to_stop;
  }
  /// Whether the search hears at once that it is to stop.
  bool is_heard() const { return is_asked_; }

  std::atomic<bool> is_told_to_stop = false;

 private:
  std::atomic<bool> is_asked_ = false;
  py::object function_;
  std::unique_ptr<py::error_already_set> raised_;
};

/// What a search has before its processes are there may take so long after Ctrl-C.
constexpr std::chrono::milliseconds longest_beginning{300};

/// Ctrl-C ends a search and its processes at once. It comes out as KeyboardInterrupt where no time
/// is known yet; else the best so far is the result. What another signal's handler raises ends the
/// search, too, and always comes out.
tune::Result searched(const std::function<tune::Result()>& search, Listener& listener) {
  std::optional<tune::Result> result;
  if (!is_main_thread()) {
    const py::gil_scoped_release unlocked;
    result = search();
  } else {
    // Owned by the work, too: after a second Ctrl-C its end, which is near, is not waited for.
    const auto found = std::make_shared<std::optional<tune::Result>>();
    const auto task = std::make_shared<Task>([search, found] { found->emplace(search()); });
    const py::gil_scoped_release unlocked;
    run_in_background(task);
    try {
      task->wait_in_main_thread();
    } catch (py::error_already_set& error) {
      const auto raised = std::current_exception();
      listener.is_told_to_stop = true;
      const bool has_ended = task->wait_for(longest_beginning);
      if (!has_ended && !listener.is_heard()) throw;
      try {
        task->wait_in_main_thread();
      } catch (const Error&) {
        // Of a search that was ended: nothing is known yet.
        std::rethrow_exception(raised);
      }
      const py::gil_scoped_acquire lock;
      if (!error.matches(PyExc_KeyboardInterrupt)) throw;
    }
    result = std::move(*found);
  }
  listener.throw_what_was_raised();
  return *std::move(result);
}

/// A problem with the objects whose memory it uses.
struct Problem {
  tune::KernelProblem kernel;
  py::list uses;
};

std::map<std::string, std::string> texts_of(const py::dict& macros) {
  std::map<std::string, std::string> all;
  for (const auto& [name, value] : macros)
    all.emplace(name.cast<std::string>(), py::str(value).cast<std::string>());
  return all;
}

Problem problem_of(const Runtime& runtime, const py::dict& given) {
  Problem made;
  tune::KernelProblem& problem = made.kernel;
  problem.source = source_of(given["source"]);
  problem.name = given["name"].cast<std::string>();
  problem.global = given["global_size"].cast<std::string>();
  problem.local = given["local_size"].cast<std::string>();
  std::size_t position = 0;
  for (const auto argument : given["arguments"]) {
    ReadArgument read = read_argument(runtime, argument, position++);
    problem.arguments.push_back(std::move(read.argument));
    if (read.uses) made.uses.append(std::move(read.uses));
  }
  problem.parameters = choices_of(given["parameters"]);
  problem.constraints = given["constraints"].cast<std::vector<std::string>>();
  problem.constants = integers_of(given["constants"]);
  for (const auto& [name, value] : texts_of(given["macros"]))
    problem.options.macros.emplace_back(name, value);
  problem.options.include_folders =
      given["include_folders"].cast<std::vector<std::filesystem::path>>();
  problem.options.options = given["options"].cast<std::vector<std::string>>();
  for (const auto& [at, value] : given["expected"].cast<py::dict>()) {
    const py::array array = py::module_::import("numpy").attr("ascontiguousarray")(value);
    problem.expected.emplace(at.cast<std::uint32_t>(),
                             std::span(static_cast<const std::byte*>(array.data()),
                                       static_cast<std::size_t>(array.nbytes())));
    made.uses.append(array);
  }
  problem.reference = integers_of(given["reference"]);
  problem.tolerance = given["tolerance"].cast<double>();
  return made;
}

tune::Result search_kernel(const Runtime& runtime, const py::dict& given, const py::dict& how,
                           const py::object& progress) {
  Problem problem = problem_of(runtime, given);
  tune::SearchOptions options = options_of(how);
  const auto listener = std::make_shared<Listener>(progress);
  const Kept uses(problem.uses);
  options.progress = [listener](const tune::Progress& now) { return (*listener)(now); };
  options.stop = [listener] { return listener->stops(); };
  return searched([runtime, kernel = std::move(problem.kernel), options,
                   uses] { return tune::kernel(runtime, kernel, options); },
                  *listener);
}

tune::Result search_spec(const Runtime& runtime, const std::filesystem::path& file,
                         const py::dict& given, const py::dict& how, const py::object& progress) {
  tune::SpecProblem problem;
  problem.set = values_of(given["set"]);
  problem.set_if = values_of(given["set_if"]);
  problem.dialect = dialect_named(given["dialect"].cast<std::string>());
  problem.source_folders = given["source_folders"].cast<std::vector<std::filesystem::path>>();
  problem.parameters = choices_of(given["parameters"]);
  problem.constraints = given["constraints"].cast<std::vector<std::string>>();
  problem.in = given["inputs"].cast<std::map<std::uint32_t, std::filesystem::path>>();
  problem.expect = given["expect"].cast<std::map<std::uint32_t, std::filesystem::path>>();
  if (!given["rtol"].is_none()) problem.rtol = given["rtol"].cast<double>();
  tune::SearchOptions options = options_of(how);
  const auto listener = std::make_shared<Listener>(progress);
  options.progress = [listener](const tune::Progress& now) { return (*listener)(now); };
  options.stop = [listener] { return listener->stops(); };
  return searched(
      [runtime, file, problem, options] { return tune::spec(runtime, file, problem, options); },
      *listener);
}

py::object on_record(const Runtime& runtime, const py::dict& given) {
  Problem problem = problem_of(runtime, given);
  const Kept uses(problem.uses);
  const auto found = without_lock([runtime, kernel = std::move(problem.kernel), uses] {
    return tune::on_record(runtime, kernel);
  });
  if (!found) return py::none();
  py::dict made;
  made["values"] = dict_of(found->values);
  made["seconds"] = found->seconds;
  made["global_size"] = tuple_of(found->range.global);
  made["local_size"] = tuple_of(found->range.local);
  return made;
}

void record(const Runtime& runtime, const py::dict& given, const py::dict& values, double seconds,
            double reference) {
  Problem problem = problem_of(runtime, given);
  const Kept uses(problem.uses);
  without_lock([runtime, kernel = std::move(problem.kernel), uses, best = integers_of(values),
                seconds, reference] { tune::record(runtime, kernel, best, seconds, reference); });
}

void bind_result(py::module_& module) {
  py::class_<tune::Result>(module, "TuneResult", "What a search came to: plain data.")
      .def_readonly("label", &tune::Result::label)
      .def_readonly("device", &tune::Result::device)
      .def_property_readonly(
          "best", [](const tune::Result& self) { return dict_of(self.best); },
          "dict: the fastest values of the parameters")
      .def_readonly("seconds", &tune::Result::seconds, "float: of one run with best")
      .def_readonly("reference", &tune::Result::reference,
                    "float: seconds of one run with the reference configuration; 0: no time")
      .def_property_readonly(
          "decided_by", [](const tune::Result& self) { return decision_name(self.decided_by); },
          R"(str: "play-off", "built-in", "earlier record" or "interrupted")")
      .def_property_readonly(
          "global_size", [](const tune::Result& self) { return tuple_of(self.range.global); },
          "tuple of int: the kernel's range with best")
      .def_property_readonly("local_size",
                             [](const tune::Result& self) { return tuple_of(self.range.local); })
      .def_property_readonly(
          "configurations", [](const tune::Result& self) { return list_of(self.configurations); },
          "list of dict: values, seconds, failure and message, in the order of measuring")
      .def_readonly("space", &tune::Result::space, "int: valid configurations")
      .def_readonly("evaluated", &tune::Result::evaluated)
      .def_readonly("failed", &tune::Result::failed)
      .def_readonly("resumed", &tune::Result::resumed)
      .def_readonly("started_from", &tune::Result::started_from,
                    "str: the search on record that gave a start; empty: none")
      .def_readonly("stored", &tune::Result::stored,
                    "bool: whether the store has the record and the program")
      .def_readonly("journal", &tune::Result::journal)
      .def_readonly("compiling_seconds", &tune::Result::compiling_seconds)
      .def_readonly("run_seconds", &tune::Result::run_seconds)
      .def_readonly("whole_seconds", &tune::Result::whole_seconds)
      .def_readonly("replaced_processes", &tune::Result::replaced_processes,
                    "int: candidates that took their process with them")
      .def_readonly("printed", &tune::Result::printed, "str: what kernels printed")
      .def(
          "t4", [](const tune::Result& self) { return tune::t4(self); },
          "str: what was measured as a results file of other tuners (T4, JSON)");
}

}  // namespace

void bind_tune(py::module_& module) {
  using py::arg;
  bind_result(module);
  bind_stepwise_search(module);
  module.def("tune_search_kernel", &search_kernel, arg("runtime"), arg("problem"), arg("options"),
             arg("progress"));
  module.def("tune_search_spec", &search_spec, arg("runtime"), arg("file"), arg("problem"),
             arg("options"), arg("progress"));
  module.def("tune_on_record", &on_record, arg("runtime"), arg("problem"));
  module.def("tune_record", &record, arg("runtime"), arg("problem"), arg("values"), arg("seconds"),
             arg("reference"));
  module.def(
      "tune_read_t4",
      [](const py::bytes& file, const std::string& name) {
        const auto bytes = file.cast<std::string_view>();
        return list_of(tune::read_t4(std::as_bytes(std::span(bytes.data(), bytes.size())), name));
      },
      arg("file"), arg("name"));
}

}  // namespace kiln::python
