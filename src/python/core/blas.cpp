// What kiln.blas is made of: calls of BLAS as its Python part describes them, plans, explanations.
#include <pybind11/complex.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <array>

#include "python/core/blas_call.hpp"

namespace kiln::python {
namespace {

/// A word of BLAS by the letter that Python has for it; `letters` are in the order of the
/// enumerators. Throws Error: bad_input.
template <class Word>
Word word_of(char letter, std::string_view letters, const char* name) {
  const auto place = letters.find(letter);
  if (place == letters.npos) {
    std::string expected;
    for (const char one : letters)
      expected += (expected.empty() ? "'" : ", '") + std::string(1, one) + "'";
    throw Error(Errc::bad_input, std::string(name) + ": found '" + std::string(1, letter) +
                                     "', expected one of " + expected);
  }
  return static_cast<Word>(place);
}

blas::Routine routine_of(std::string_view name) {
  for (int i = 0; i < blas::routine_count; ++i)
    if (name_of(static_cast<blas::Routine>(i)) == name) return static_cast<blas::Routine>(i);
  throw Error(Errc::bad_input, "found no routine '" + std::string(name) + "'");
}

BlasCall make_call(const std::string& routine, char type, char order, std::size_t m, std::size_t n,
                   std::size_t k, std::size_t kl, std::size_t ku, std::complex<double> alpha,
                   std::complex<double> beta, bool real_alpha, char side, char uplo, char trans_a,
                   char trans_b, char diag) {
  blas::Call call;
  call.routine = routine_of(routine);
  call.precision = word_of<blas::Precision>(type, "fdFD", "dtype");
  call.order = word_of<blas::Order>(order, "CF", "order");
  call.side = word_of<blas::Side>(side, "lr", "side");
  call.uplo = word_of<blas::Uplo>(uplo, "ul", "uplo");
  call.trans_a = word_of<blas::Transpose>(trans_a, "ntc", "trans_a");
  call.trans_b = word_of<blas::Transpose>(trans_b, "ntc", "trans_b");
  call.diag = word_of<blas::Diag>(diag, "un", "diag");
  call.m = m;
  call.n = n;
  call.k = k;
  call.kl = kl;
  call.ku = ku;
  call.alpha = alpha;
  call.beta = beta;
  call.real_alpha = real_alpha;
  return BlasCall(call);
}

/// The number of a name. Throws Error: bad_input.
template <class Word, std::size_t count>
Word word_of(std::string_view name, const std::array<std::string_view, count>& names,
             const char* what) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw Error(Errc::bad_input, std::string(what) + ": found no '" + std::string(name) + "'");
  return static_cast<Word>(found - names.begin());
}

constexpr std::array<std::string_view, 12> slots{
    "a", "b", "c", "x", "y", "z", "w", "bias", "scale", "residual", "scale_a", "scale_b"};
constexpr std::array<std::string_view, 8> storages{"native", "half", "bfloat16", "e4m3",
                                                   "e5m2",   "int8", "int32",    "int4"};
constexpr std::array<std::string_view, 4> activations{"none", "relu", "gelu", "silu"};

void set_product(BlasCall& self, std::size_t batch, char bias, char scale,
                 const std::string& activation, bool residual, std::size_t group_a,
                 std::size_t group_b, bool invariant, bool emulated) {
  blas::Call& call = self.shape();
  call.batch = batch;
  call.epilogue = {word_of<blas::Along>(bias, "nrc", "bias"),
                   word_of<blas::Along>(scale, "nrc", "scale"),
                   word_of<blas::Activation>(activation, activations, "activation"), residual};
  call.group_a = group_a;
  call.group_b = group_b;
  call.invariant = invariant;
  call.emulated = emulated;
}

cl_command_queue queue_of(const py::object& queue) {
  return queue.is_none() ? nullptr : handle_of<cl_command_queue>(queue, "a queue");
}

/// A plan of C++, which one thread runs at a time.
class BlasPlan {
 public:
  BlasPlan(const BlasCall& call, const std::optional<Runtime>& runtime, cl_command_queue queue)
      : runtime_(runtime), queue_(queue), plan_(call.plan(runtime, queue)) {}

  PendingEvent run(BlasCall& call, const py::object& after) {
    if (is_running_)
      throw Error(Errc::refused, "the plan is run by another thread, expected one at a time");
    struct Running {
      explicit Running(bool& of) : flag(of) { flag = true; }
      ~Running() { flag = false; }
      bool& flag;
    } running(is_running_);
    return call.run(*plan_, runtime_, queue_, events_of(after));
  }
  std::size_t workspace_bytes() const { return plan_->workspace_bytes(); }

 private:
  std::optional<Runtime> runtime_;
  cl_command_queue queue_;
  std::shared_ptr<blas::Plan> plan_;
  bool is_running_ = false;
};

py::dict step_of(const blas::SequenceStep& step) {
  using py::arg;
  py::dict parameters;
  for (const auto& [name, value] : step.parameters) parameters[py::str(name)] = value;
  return py::dict(arg("kernel") = step.kernel, arg("family") = step.family,
                  arg("queue") = step.queue, arg("device") = step.device,
                  arg("global_size") = py::tuple(py::cast(step.global)),
                  arg("local_size") = py::tuple(py::cast(step.local)), arg("share") = step.share,
                  arg("after") = step.after, arg("parameters") = parameters,
                  arg("parameters_from") = step.parameters_from,
                  arg("parameters_record") = step.parameters_record, arg("key") = step.key,
                  arg("found_in") = step.found_in, arg("find_ns") = step.find_ns);
}

void bind_explanation(py::module_& module) {
  py::class_<blas::Sequence>(module, "BlasSequence", "The kernels that a call of BLAS comes to.")
      .def_property_readonly(
          "steps",
          [](const blas::Sequence& self) {
            py::list steps;
            for (const auto& step : self.steps) steps.append(step_of(step));
            return steps;
          },
          R"(list of dict: the kernels in the order in which they are enqueued.

Each has kernel, family, queue, device, global_size, local_size, share, after, parameters and where
these are from, key, found_in and find_ns.)")
      .def_readonly("workspace_bytes", &blas::Sequence::workspace_bytes,
                    "int: device memory of its own")
      .def("to_dict",
           [](const py::object& self) {
             return py::dict(py::arg("steps") = self.attr("steps"),
                             py::arg("workspace_bytes") = self.attr("workspace_bytes"));
           })
      .def("__str__", [](const blas::Sequence& self) { return text_of(self); })
      .def("__repr__", [](const blas::Sequence& self) {
        return "<kiln.BlasSequence of " + std::to_string(self.steps.size()) + " kernels>";
      });
}

}  // namespace

void bind_blas(py::module_& module) {
  using py::arg;
  py::enum_<ArrayKind>(module, "ArrayKind", "Whose arrays a call of BLAS has.")
      .value("NUMPY", ArrayKind::numpy)
      .value("KILN", ArrayKind::kiln)
      .value("PYOPENCL", ArrayKind::pyopencl);
  py::class_<BlasCall>(module, "BlasCall", "A call of BLAS, as kiln.blas describes it.")
      .def(py::init(&make_call), arg("routine"), arg("type"), py::kw_only(), arg("order") = 'C',
           arg("m") = 0, arg("n") = 0, arg("k") = 0, arg("kl") = 0, arg("ku") = 0,
           arg("alpha") = 1.0, arg("beta") = 0.0, arg("real_alpha") = false, arg("side") = 'l',
           arg("uplo") = 'u', arg("trans_a") = 'n', arg("trans_b") = 'n', arg("diag") = 'n')
      .def(
          "add",
          [](BlasCall& self, const std::string& slot, const py::object& array, ArrayKind kind,
             std::int64_t first, std::int64_t stride, std::size_t extent, std::size_t element_bytes,
             char access, const std::string& stored, std::int64_t item_stride) {
            self.add(word_of<blas::Slot>(slot, slots, "slot"), array, kind, first, stride, extent,
                     element_bytes, word_of<Access>(access, "rwm", "access"),
                     word_of<blas::Storage>(stored, storages, "stored"), item_stride);
          },
          "A matrix or vector. access: \"r\" reads, \"w\" writes all of it, \"m\" changes it.")
      .def("set_product", &set_product, py::kw_only(), arg("batch") = 1, arg("bias") = 'n',
           arg("scale") = 'n', arg("activation") = "none", arg("residual") = false,
           arg("group_a") = 0, arg("group_b") = 0, arg("invariant") = false,
           arg("emulated") = false, "What a product has beyond BLAS (kiln::blas::Call).")
      .def(
          "run",
          [](BlasCall& self, const std::optional<Runtime>& runtime, const py::object& queue,
             const py::object& after) {
            return self.run(runtime, queue_of(queue), events_of(after));
          },
          arg("runtime"), arg("queue"), arg("after"))
      .def(
          "explain",
          [](const BlasCall& self, const std::optional<Runtime>& runtime, const py::object& queue) {
            return without_lock([call = self.shape(), runtime, on = queue_of(queue)] {
              return runtime ? blas::explain(call, *runtime, on) : blas::explain(call, on);
            });
          },
          arg("runtime"), arg("queue"));
  py::class_<BlasPlan>(module, "BlasPlan", "A call of BLAS that is prepared for many runs.")
      .def(py::init(
               [](const BlasCall& call, const std::optional<Runtime>& runtime,
                  const py::object& queue) { return BlasPlan(call, runtime, queue_of(queue)); }),
           arg("call"), arg("runtime"), arg("queue"))
      .def("run", &BlasPlan::run, arg("call"), arg("after"))
      .def_property_readonly("workspace_bytes", &BlasPlan::workspace_bytes);
  bind_explanation(module);
}

}  // namespace kiln::python
