// Plans of graphs as JSON (kiln/json.hpp).
#include "kiln/json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "kiln/graph.hpp"

namespace kiln {

std::string json_of(const GraphReport& report) {
  using Json = nlohmann::ordered_json;
  const auto microseconds = [](double ns) -> Json {
    if (!std::isfinite(ns)) return nullptr;
    return ns / 1000;
  };
  Json object{{"policy", report.policy},
              {"times_are_known", report.times_are_known},
              {"is_kept", report.is_kept},
              {"makespan_us", microseconds(report.makespan_ns)},
              {"path_bound_us", microseconds(report.path_bound_ns)},
              {"work_bound_us", microseconds(report.work_bound_ns)},
              {"bound_us", microseconds(report.bound_ns)},
              {"devices", report.devices},
              {"bytes_to_devices", report.bytes_to_devices},
              {"bytes_to_host", report.bytes_to_host},
              {"peak_bytes", report.peak_bytes},
              {"commands", report.commands},
              {"waits", report.waits}};
  Json tasks = Json::array();
  for (const auto& task : report.tasks) {
    Json times = Json::array();
    for (const double ns : task.run_ns) times.push_back(microseconds(ns));
    Json made{{"task", task.name}};
    if (task.on_host)
      made["device"] = nullptr;
    else
      made["device"] = task.device;
    made["queue"] = task.queue;
    made["start_us"] = microseconds(task.start_ns);
    made["end_us"] = microseconds(task.end_ns);
    made["run_us"] = std::move(times);
    made["after"] = task.after;
    made["why"] = task.why;
    tasks.push_back(std::move(made));
  }
  object["tasks"] = std::move(tasks);
  if (!report.policies.empty()) {
    Json policies = Json::object();
    for (const auto& [name, ns] : report.policies) policies[name] = microseconds(ns);
    object["policies_us"] = std::move(policies);
    object["advice"] = report.advice;
  }
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace kiln
