// kiln.Kernel: a kernel of a program, called with arrays and numbers.
#include "kiln/kernel.hpp"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <list>

#include "kiln/json.hpp"
#include "python/core/arguments.hpp"
#include "python/core/call_timeline.hpp"
#include "python/core/signature.hpp"
#include "python/core/values.hpp"

namespace kiln::python {
namespace {

/// Calls that a Kernel keeps prepared.
constexpr std::size_t kept_calls = 8;

/// What messages of a kernel's call begin with.
std::string told(const std::string& kernel) { return "kernel " + kernel + ": "; }

std::vector<std::size_t> sizes_of(const py::handle& object, const std::string& kernel,
                                  const char* name) {
  try {
    if (PyIndex_Check(object.ptr()) != 0) return {object.cast<std::size_t>()};
    return object.cast<std::vector<std::size_t>>();
  } catch (const py::cast_error&) {
    throw py::type_error(told(kernel) + name + ": found " + py::repr(object).cast<std::string>() +
                         ", expected a positive int or up to three of them");
  }
}

/// How a call is placed and what it waits for: the keyword arguments of calls.
struct CallOptions {
  Range range;
  std::optional<std::string> partition;
  Bounds bounds = Bounds::unchecked;
  EnqueueOptions enqueue;

  /// By the Runtime: on its own queues, and waited for.
  bool is_placed() const { return partition || bounds == Bounds::checked; }
};

CallOptions read_options(const std::string& kernel, const py::kwargs& keywords) {
  CallOptions options;
  for (const auto& [key, value] : keywords) {
    const auto name = key.cast<std::string_view>();
    if (name == "global_size") {
      options.range.global = sizes_of(value, kernel, "global_size");
    } else if (name == "local_size") {
      if (!value.is_none()) options.range.local = sizes_of(value, kernel, "local_size");
    } else if (name == "partition") {
      if (!value.is_none()) options.partition = py::str(value).cast<std::string>();
    } else if (name == "check_bounds") {
      const int checks = PyObject_IsTrue(value.ptr());
      if (checks < 0) throw py::error_already_set();
      options.bounds = checks != 0 ? Bounds::checked : Bounds::unchecked;
    } else if (name == "queue") {
      if (!value.is_none()) options.enqueue.queue = handle_of<cl_command_queue>(value, "a queue");
    } else if (name == "after") {
      for (const auto& event : events_of(value)) options.enqueue.after.push_back(event);
    } else {
      throw py::type_error(told(kernel) + "unexpected keyword argument '" + std::string(name) +
                           "', expected global_size, local_size, partition, check_bounds, queue "
                           "or after");
    }
  }
  if (options.range.global.empty())
    throw py::type_error(told(kernel) + "missing keyword argument 'global_size'");
  return options;
}

/// A call with its arguments, prepared for a range and a queue.
struct PreparedCall {
  std::vector<KernelArgument> identity;
  Range range;
  cl_command_queue queue = nullptr;
  KernelCall call;
  bool is_used = false;              ///< by a thread that has let go of the interpreter's lock
  std::vector<py::weakref> objects;  ///< those whose memory it uses
};

/// The calls of a Kernel that are kept, those that were used last first. A call has the memory of
/// its arrays, and so goes with the first of their objects. The interpreter's lock is its lock.
class KeptCalls {
 public:
  template <class Fits>
  std::shared_ptr<PreparedCall> find(const Fits& fits) {
    const auto found = std::find_if(calls_.begin(), calls_.end(), [&](const auto& call) {
      return !call->is_used && fits(*call);
    });
    if (found == calls_.end()) return nullptr;
    calls_.splice(calls_.begin(), calls_, found);
    return calls_.front();
  }

  /// `objects`: what the call's memory belongs to.
  static void keep(const std::shared_ptr<KeptCalls>& calls,
                   const std::shared_ptr<PreparedCall>& call, const py::list& objects) {
    const auto forget = [in = std::weak_ptr(calls), of = std::weak_ptr(call)](const py::handle&) {
      const auto kept = in.lock();
      if (kept) kept->remove(of.lock());
    };
    for (const auto object : objects) call->objects.emplace_back(object, py::cpp_function(forget));
    calls->calls_.push_front(call);
    // What it has may be the last to use objects of Python, whose end may come back here.
    std::list<std::shared_ptr<PreparedCall>> last;
    if (calls->calls_.size() > kept_calls)
      last.splice(last.begin(), calls->calls_, std::prev(calls->calls_.end()));
  }

 private:
  void remove(const std::shared_ptr<PreparedCall>& call) { calls_.remove(call); }

  std::list<std::shared_ptr<PreparedCall>> calls_;
};

class PythonKernel {
 public:
  PythonKernel(Runtime runtime, Kernel kernel, std::string name)
      : runtime_(std::move(runtime)), kernel_(std::move(kernel)), name_(std::move(name)) {}

  const std::string& name() const { return name_; }

  /// Runs and waits.
  RunSummary run(const py::args& arguments, const py::kwargs& keywords) {
    const CallOptions options = read_options(name_, keywords);
    if (options.is_placed()) {
      if (options.enqueue.queue != nullptr || !options.enqueue.after.empty())
        throw py::type_error(
            "partition and check_bounds are for calls on the Runtime's own queues: found queue or "
            "after with them, expected neither");
      return run_placed(arguments, options);
    }
    const auto start = std::chrono::steady_clock::now();
    enqueue_read(arguments, options).wait();
    RunSummary summary;
    summary.wall_ns = std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count();
    return summary;
  }

  PendingEvent enqueue(const py::args& arguments, const py::kwargs& keywords) {
    const CallOptions options = read_options(name_, keywords);
    if (options.is_placed())
      throw py::type_error("partition and check_bounds are for calls that wait");
    return enqueue_read(arguments, options);
  }

  void prepare(const py::args& arguments, const py::kwargs& keywords) {
    const CallOptions options = read_options(name_, keywords);
    if (options.is_placed() || !options.enqueue.after.empty())
      throw py::type_error("prepare takes global_size, local_size and queue alone");
    prepared(read(arguments), options);
  }

 private:
  struct Arguments {
    std::vector<KernelArgument> identity;
    std::vector<CallArgument> arguments;
    py::list uses;
    bool has_foreign = false;
  };

  ReadArgument read_one(const py::handle& object, std::size_t position) const {
    try {
      return read_argument(runtime_, object, position);
    } catch (const Error& error) {
      throw Error(error.code(), told(name_) + error.message());
    }
  }

  Arguments read(const py::args& arguments) const {
    Arguments all;
    all.identity.reserve(arguments.size());
    all.arguments.reserve(arguments.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      ReadArgument one = read_one(arguments[i], i);
      all.has_foreign |= one.is_foreign;
      all.identity.push_back(std::move(one.identity));
      all.arguments.push_back(std::move(one.argument));
      if (one.uses) all.uses.append(std::move(one.uses));
    }
    return all;
  }

  /// The kept call with these arguments, or a new one.
  std::shared_ptr<PreparedCall> prepared(Arguments arguments, const CallOptions& options) {
    auto kept = calls_->find([&](const PreparedCall& call) {
      return call.queue == options.enqueue.queue && call.range.global == options.range.global &&
             call.range.local == options.range.local && call.identity == arguments.identity;
    });
    if (kept) return kept;
    auto made = std::make_shared<PreparedCall>(
        PreparedCall{std::move(arguments.identity), options.range, options.enqueue.queue,
                     kernel_.call(std::move(arguments.arguments))});
    KernelCall call = made->call;
    const Kept uses(arguments.uses);
    // Compiles, where the program is nowhere yet.
    without_lock([call, uses, range = options.range, queue = options.enqueue.queue]() mutable {
      call.prepare(range, {.queue = queue});
    });
    // Of foreign memory it is not known how long it is there, nor whether it is the same again.
    if (!arguments.has_foreign) KeptCalls::keep(calls_, made, arguments.uses);
    return made;
  }

  PendingEvent enqueue_read(const py::args& arguments, const CallOptions& options) {
    const TimedCall timed;
    Arguments all = read(arguments);
    py::list uses = all.uses;
    const auto call = prepared(std::move(all), options);
    struct InUse {
      explicit InUse(bool& of) : flag(of) { flag = true; }
      ~InUse() { flag = false; }
      bool& flag;
    } in_use(call->is_used);
    Event event;
    {
      const py::gil_scoped_release unlocked;
      event = call->call.enqueue(call->range, options.enqueue);
    }
    timed.end(runtime_, name_, event);
    return {std::move(event), std::move(uses)};
  }

  /// Split over devices, or with bounds checked: nothing of it is kept.
  RunSummary run_placed(const py::args& arguments, const CallOptions& options) const {
    const TimedCall timed;
    Arguments all = read(arguments);
    KernelCall call = kernel_.call(std::move(all.arguments));
    const Kept uses(all.uses);
    const RunOptions run{options.partition.value_or("10"), options.bounds};
    RunSummary summary = without_lock(
        [call, uses, range = options.range, run]() mutable { return call.run(range, run); });
    timed.end(runtime_, name_, {});
    return summary;
  }

  Runtime runtime_;
  Kernel kernel_;
  std::string name_;
  std::shared_ptr<KeptCalls> calls_ = std::make_shared<KeptCalls>();
};

PythonKernel make_kernel(const Runtime& runtime, const py::object& source, const std::string& name,
                         const std::map<std::string, py::object>& macros,
                         const std::vector<std::filesystem::path>& include_folders,
                         const std::vector<std::string>& options,
                         const std::map<std::uint32_t, py::object>& constants) {
  Source of = source_of(source);
  for (const auto& [id, value] : constants) {
    if (py::isinstance<py::bool_>(value))
      of.constants.emplace_back(id, value.cast<bool>());
    else if (py::isinstance<py::int_>(value))
      of.constants.emplace_back(id, value.cast<std::int64_t>());
    else
      of.constants.emplace_back(id, value.cast<double>());
  }
  KernelOptions how{{}, include_folders, options};
  for (const auto& [macro, value] : macros)
    how.macros.emplace_back(macro, py::str(value).cast<std::string>());
  return {runtime, runtime.kernel(of, name, how), name};
}

void bind_summary(py::module_& module) {
  py::class_<RunSummary::Share>(module, "Share", "What one device did of a run.")
      .def_readonly("device", &RunSummary::Share::device, "str: its name")
      .def_readonly("groups", &RunSummary::Share::groups, "int: work-groups of dimension 0")
      .def_readonly("kernel_ns", &RunSummary::Share::kernel_ns)
      .def_readonly("transfer_ns", &RunSummary::Share::transfer_ns);
  py::class_<RunSummary>(module, "RunSummary", "What a run did. Times are nanoseconds.")
      .def_readonly("wall_ns", &RunSummary::wall_ns, "int: from the call to its results")
      .def_readonly("split", &RunSummary::split, "bool: more than one device worked")
      .def_readonly("reason", &RunSummary::reason, "str: why not, although it was asked for")
      .def_readonly("shares", &RunSummary::shares,
                    "list of Share: by device, of runs with a partition")
      .def("to_dict", [](const RunSummary& self) { return parsed(json_of(self)); })
      .def("__repr__", [](const RunSummary& self) { return json_of(self); });
}

}  // namespace

void bind_kernel(py::module_& module, RuntimeClass& runtime) {
  using py::arg;
  bind_arguments(module);
  bind_summary(module);
  py::class_<PythonKernel>(module, "Kernel",
                           R"(A kernel of a program, for all devices of a Runtime.

Called with its arguments in order: Arrays, NumPy arrays in C order, memory of pyopencl, numbers,
NumPy scalars, LocalMemory. NumPy arrays that the kernel writes are changed in place; what it does
with them is taken from its text. Calls with the same arrays are prepared once.

>>> import kiln, numpy as np
>>> source = "kernel void twice(global float *x) { x[get_global_id(0)] *= 2; }"
>>> twice = kiln.Runtime("cpu").kernel(source, "twice")
>>> x = np.array([1, 2, 3, 4], np.float32)
>>> summary = twice(x, global_size=4)
>>> x.tolist()
[2.0, 4.0, 6.0, 8.0])")
      .def_property_readonly("name", &PythonKernel::name)
      .def(
          "__call__", &PythonKernel::run,
          R"(k(*arguments, global_size, local_size=None, partition=None, check_bounds=False, queue=None)

Runs and waits; returns a RunSummary. partition: "auto", "dynamic", tenths ("5") or weights ("3:1"):
split where the result stays that of one device. check_bounds: an error where the kernel writes
outside of an array. local_size None: powers of two that divide global_size, 256 work-items at most.)")
      .def("enqueue", &PythonKernel::enqueue,
           R"(enqueue(*arguments, global_size, local_size=None, queue=None, after=())

Enqueues a run on one queue and returns an Event. after: events of kiln or pyopencl that must be
complete before.)")
      .def("prepare", &PythonKernel::prepare,
           "prepare(*arguments, global_size, local_size=None, queue=None): compiles what a call "
           "needs.")
      .def("__repr__",
           [](const PythonKernel& self) { return "<kiln.Kernel '" + self.name() + "'>"; });
  bind_call_timeline(module, runtime);
  runtime.def("kernel", &make_kernel, arg("source"), arg("name"), py::kw_only(),
              arg("macros") = std::map<std::string, py::object>(),
              arg("include_folders") = std::vector<std::filesystem::path>(),
              arg("options") = std::vector<std::string>(),
              arg("constants") = std::map<std::uint32_t, py::object>(),
              R"(A kernel of a source: OpenCL C as text, a path, or SPIR-V as bytes.

macros: name to value of each -D. constants: of a SPIR-V module, specialization constant to value.
Compiled at its first call, or found in the store.)");
  using Need = Parameter::Need;
  using By = Parameter::By;
  tell_arguments(runtime, "kernel",
                 {"Runtime.kernel()",
                  {{"source", Kind::any, Need::required},
                   {"name", Kind::text, Need::required},
                   {"macros", Kind::mapping, Need::optional, By::name},
                   {"include_folders", Kind::paths, Need::optional, By::name},
                   {"options", Kind::texts, Need::optional, By::name},
                   {"constants", Kind::mapping, Need::optional, By::name}}});
}

}  // namespace kiln::python
