#include "tune/measure/bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>

#include "base/clock.hpp"
#include "base/data/text.hpp"

namespace kiln::tune {
namespace {

/// Forms that are kept ready: each holds kernels of its driver's, or workspace of many megabytes.
constexpr std::size_t most_ready = 16;

/// The first line of a build log that names an error, or else its first line.
std::string first_error(std::string_view message) {
  for (std::string_view rest = message; !rest.empty();) {
    const auto line = rest.substr(0, rest.find('\n'));
    if (line.find("error") != line.npos) return one_line(line);
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  return one_line(message.substr(0, message.find('\n')));
}

/// Statuses with which drivers say that a launch wants too much. Launch puts them into its text.
bool wants_too_much(std::string_view message) {
  constexpr std::string_view statuses[] = {
      "CL_OUT_OF_RESOURCES", "CL_OUT_OF_HOST_MEMORY", "CL_MEM_OBJECT_ALLOCATION_FAILURE",
      "CL_INVALID_WORK_GROUP_SIZE", "CL_INVALID_WORK_ITEM_SIZE"};
  return std::any_of(std::begin(statuses), std::end(statuses),
                     [&](std::string_view status) { return message.find(status) != message.npos; });
}

Failure failure_of(const Error& error) {
  if (const auto* unusable = dynamic_cast<const Unusable*>(&error)) return unusable->failure();
  switch (error.code()) {
    case Errc::build:
      return Failure::build;
    case Errc::bad_input:
    case Errc::unsupported:
      return Failure::resources;
    case Errc::device:
      return wants_too_much(error.message()) ? Failure::resources : Failure::launch;
    default:
      return Failure::launch;
  }
}

}  // namespace

Report report_of(const Error& error) {
  const Failure failure = failure_of(error);
  return {Outcome::of(failure),
          failure == Failure::build ? first_error(error.message()) : one_line(error.message())};
}

// Compared a thousand at a time, which compilers make fast: results of many millions of numbers are
// nearly all right.
template <class Number>
std::string difference_of(ByteView found, ByteView expected, double bound) {
  const auto* a = reinterpret_cast<const Number*>(found.data());
  const auto* b = reinterpret_cast<const Number*>(expected.data());
  const std::size_t count = found.size() / sizeof(Number), step = 1024;
  const auto most = static_cast<Number>(bound);
  // Not "greater": NaN is wrong, too, and so is an infinity, unless it is expected.
  const auto is_off = [&](std::size_t i) { return !(std::abs(a[i] - b[i]) <= most); };
  const auto is_same = [&](std::size_t i) {
    return a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]));
  };
  for (std::size_t first = 0; first < count; first += step) {
    const std::size_t end = std::min(first + step, count);
    unsigned off = 0;
    for (std::size_t i = first; i < end; ++i) off |= is_off(i);
    for (std::size_t i = first; off != 0 && i < end; ++i)
      if (is_off(i) && !is_same(i))
        return fmt::format("number {} of the result is {}, expected {}", i, a[i], b[i]);
  }
  return "";
}
template std::string difference_of<float>(ByteView, ByteView, double);
template std::string difference_of<double>(ByteView, ByteView, double);

void SubjectBench::run_compared(Subject::Form& form) {
  subject_->reset(Subject::Reset::compared);
  form.run_once();
}

Subject::Form& SubjectBench::keep(ConfigurationId id, std::unique_ptr<Subject::Form> form) {
  if (ready_.size() >= most_ready) ready_.clear();
  return *(ready_[id] = std::move(form));
}

Report SubjectBench::prepare(ConfigurationId id) {
  ready_.erase(id);
  right_.erase(id);
  try {
    Report report{Outcome::of_time(1), ""};
    const Stopwatch compiling;
    auto form = subject_->make(id);
    report.compiling = compiling.seconds();
    const Stopwatch running;
    run_compared(*form);
    report.running = running.seconds();
    report.message = subject_->difference();
    if (report.message.empty()) {
      right_.insert(id);
      keep(id, std::move(form));
    } else {
      report.outcome = Outcome::of(Failure::wrong_result);
    }
    return report;
  } catch (const Error& error) {
    return report_of(error);
  }
}

double SubjectBench::run(ConfigurationId id, std::size_t launches) {
  if (!right_.contains(id))
    throw Error(Errc::internal,
                fmt::format("configuration {} was not prepared", subject_->space().text(id)));
  const auto found = ready_.find(id);
  Subject::Form* form = found == ready_.end() ? nullptr : found->second.get();
  if (form == nullptr) {
    form = &keep(id, subject_->make(id));
    run_compared(*form);  // warm, as one that was just compared is
  }
  subject_->reset(Subject::Reset::accumulated);
  return form->run(launches);
}

void SubjectBench::record(ConfigurationId id, double seconds, double standard) {
  kiln::Measurement measured = subject_->measurement(id);
  measured.milliseconds = seconds * 1e3;
  measured.standard_milliseconds = standard * 1e3;
  keeper_.record(subject_->request(), *device_, {measured});
}

std::optional<ConfigurationId> best_known(
    const SearchSpace& space, const Request& request, Resolver& keeper, const Device& device,
    const std::function<bool(const kiln::Measurement&)>& is_of_this) {
  TuningRecord record = keeper.tuning_record(request, device);
  std::erase_if(record.history, [&](const auto& one) { return !is_of_this(one); });
  if (const auto own = best_on_record(space, record, request.problem_size)) return own;
  // What comes with Kiln is in use until there is a record: none is to be worse.
  const auto used = keeper.choose(request, device);
  return used.origin == TuningRecords::shipped_origin ? configuration_of(space, used.parameters)
                                                      : std::nullopt;
}

std::optional<ConfigurationId> SubjectBench::on_record() {
  return best_known(subject_->space(), subject_->request(), keeper_, *device_,
                    [this](const auto& one) { return subject_->is_of_this(one); });
}

}  // namespace kiln::tune
