#include "cli/tuned/records.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/store/open.hpp"

namespace kiln::cli {

std::vector<StoredRecord> all_records(const Context& context) {
  return value_or_throw(stored_records(*open_local(context)));
}

std::vector<StoredRecord> records_of(const Context& context) {
  auto records = all_records(context);
  const auto lacks = [&](const char* option, const std::string& text) {
    return context.has(option) && text.find(context.text(option)) == std::string::npos;
  };
  std::erase_if(records, [&](const StoredRecord& record) {
    return lacks("family", record.subject.family) || lacks("device", record.subject.device);
  });
  return records;
}

std::string device_name(const RecordSubject& subject) {
  std::string_view rest = subject.device;
  for (int part = 0; part < 2; ++part) {
    const auto bar = rest.find('|');
    if (bar == rest.npos) return subject.device;
    rest.remove_prefix(bar + 1);
  }
  return std::string(rest.substr(0, rest.find('|')));
}

std::string parameters_text(const Parameters& parameters) {
  std::string text;
  for (const auto& [name, value] : parameters)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  return text.empty() ? "-" : text;
}

std::string milliseconds_text(double milliseconds) {
  return milliseconds > 0 ? duration(milliseconds * 1e6) : "-";
}

}  // namespace kiln::cli
