// Comma-separated values as RFC 4180 has them.
#include <fmt/format.h>

#include "tune/report/exports.hpp"

namespace kiln::tune {
namespace {

std::string field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return std::string(text);
  std::string quoted = "\"";
  for (const char letter : text) quoted.append(letter == '"' ? 2 : 1, letter);
  return quoted + '"';
}

/// A text as itself, without Python's quotes.
std::string plain(const expr::Value& value) {
  const auto* text = std::get_if<std::string>(&value.data());
  return text != nullptr ? *text : value.text();
}

bool have_same_parameters(const TuningRun& a, const TuningRun& b) {
  return std::equal(a.parameters.begin(), a.parameters.end(), b.parameters.begin(),
                    b.parameters.end(),
                    [](const Parameter& x, const Parameter& y) { return x.name == y.name; });
}

std::string line_of(const TuningRun& run, std::size_t number, const Evaluation& evaluation) {
  std::string line = fmt::format("{},{},{},{}", field(run.identity), field(run.device_name()),
                                 number, evaluation.id);
  for (std::size_t p = 0; p < run.parameters.size(); ++p)
    line += "," + field(plain(run.value(evaluation, p)));
  const bool ok = evaluation.outcome.ok();
  return line + fmt::format(",{},{},{},{}\r\n",
                            ok ? fmt::format("{}", evaluation.outcome.time) : "",
                            ok ? "" : name_of(evaluation.outcome.failure),
                            evaluation.at ? fmt::format("{}", *evaluation.at) : "",
                            field(evaluation.message));
}

std::string text_of(const Parameters& parameters) {
  std::string text;
  for (const auto& [name, value] : parameters)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

}  // namespace

Expected<std::string> csv_of(const std::vector<TuningRun>& runs) {
  std::string text = "search,device,evaluation,configuration";
  if (!runs.empty())
    for (const auto& parameter : runs.front().parameters) text += "," + field(parameter.name);
  text += ",seconds,failure,at,message\r\n";
  for (const auto& run : runs) {
    if (!have_same_parameters(run, runs.front()))
      return fail(Errc::bad_input,
                  "the searches have different parameters, which are columns; expected one "
                  "JOURNAL, or the formats json or sqlite");
    for (std::size_t i = 0; i < run.evaluations.size(); ++i)
      text += line_of(run, i + 1, run.evaluations[i]);
  }
  return text;
}

std::string csv_of(const std::vector<StoredRecord>& records) {
  std::string text =
      "family,version,problem_class,size,milliseconds,parameters,kernels,from,device,"
      "built_in_milliseconds\r\n";
  for (const auto& [key, subject, record, created, elsewhere] : records)
    for (const auto& one : record.history)
      text += fmt::format(
          "{},{},{},{},{},{},{},{},{},{}\r\n", field(subject.family), subject.version,
          field(subject.problem_class), one.size,
          one.milliseconds > 0 ? fmt::format("{}", one.milliseconds) : "",
          field(text_of(one.parameters)), one.of == kiln::Measurement::Of::kiln ? "kiln" : "others",
          field(one.from), field(subject.device),
          one.standard_milliseconds > 0 ? fmt::format("{}", one.standard_milliseconds) : "");
  return text;
}

}  // namespace kiln::tune
