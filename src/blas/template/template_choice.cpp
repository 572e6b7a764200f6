#include "blas/template/template_choice.hpp"

#include <algorithm>
#include <bit>

#include "blas/template/template_list.hpp"

namespace kiln::blas {

KernelChoice template_choice(const SequenceBuilder& builder, unsigned queue,
                             const std::string& name, std::vector<Fact> facts) {
  const Device& device = builder.device(queue);
  KernelChoice choice;
  choice.family = "blas." + name;
  choice.version = template_version(name);
  choice.kernel = name;
  choice.facts = {{"precision", std::string(1, letter(builder.call().precision))},
                  {"on_cpu", std::int64_t{device.type == Device::Type::cpu}},
                  {"native_floats", std::int64_t{device.native_floats}}};
  choice.facts.insert(choice.facts.end(), facts.begin(), facts.end());
  return choice;
}

std::size_t work_group_of(const Device& device) {
  if (device.type == Device::Type::cpu) return 1;
  return std::bit_floor(std::clamp<std::size_t>(device.max_work_group_size, 1, 256));
}

NDRange stream_range(const Device& device, std::size_t n) {
  constexpr std::size_t least_stretch = 4096, groups_per_unit = 8, group = 256;
  NDRange range;
  if (device.type == Device::Type::cpu) {
    range.global[0] =
        std::clamp<std::size_t>(n / least_stretch, 1, std::size_t{device.compute_units} * 4);
  } else {
    const std::size_t groups = std::clamp<std::size_t>(
        (n + group - 1) / group, 1, std::size_t{device.compute_units} * groups_per_unit);
    range.local[0] = std::min(group, device.max_work_group_size);
    range.global[0] = groups * range.local[0];
  }
  return range;
}

}  // namespace kiln::blas
