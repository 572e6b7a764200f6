#include "blas/sequence/sequence_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "blas/call/problem_class.hpp"
#include "blas/generator/gemm_generator.hpp"
#include "blas/generator/template_generator.hpp"
#include "device/context.hpp"

namespace kiln::blas {
namespace {

/// Throws where a device that is no CPU has less than the templates of levels 2 and 3 take: every
/// full profile of OpenCL has the local memory, and GPUs have the work-groups.
void require_work_groups(const Device& device, Routine routine) {
  constexpr std::size_t least_group = 64;
  constexpr cl_ulong least_memory = 20 << 10;
  if (device.type == Device::Type::cpu || routine < Routine::gemv) return;
  if (device.max_work_group_size < least_group || device.local_memory < least_memory)
    throw Error(Errc::unsupported,
                fmt::format("{}: found work-groups of {} and {} bytes of local memory, BLAS needs "
                            "{} and {}",
                            device.name, device.max_work_group_size, device.local_memory,
                            least_group, least_memory));
}

}  // namespace

SequenceBuilder::SequenceBuilder(const Call& call, ContextPtr context,
                                 std::vector<DevicePtr> devices, Resolver& resolver,
                                 std::string gemm_form, const GivenParameters* given)
    : call_(&call),
      resolver_(resolver),
      gemm_form_(std::move(gemm_form)),
      given_(given),
      devices_(std::move(devices)) {
  parts_.context = std::move(context);
  for (const auto& device : devices_) require_work_groups(*device, call.routine);
}

std::string SequenceBuilder::gemm_form(unsigned queue) const { return gemm_form(queue, {}); }

std::string SequenceBuilder::gemm_form(unsigned queue, const ProductForm& product) const {
  return gemm_form_.empty() ? blas::gemm_form(*devices_[queue], product) : gemm_form_;
}

double SequenceBuilder::speed(unsigned queue, Limit limit) const {
  const auto is_like_first = [&](const DevicePtr& device) {
    return device->speed_identity() == devices_[0]->speed_identity();
  };
  if (std::all_of(devices_.begin(), devices_.end(), is_like_first)) return 1;
  return device_speed(resolver_, parts_.context, devices_[queue], call_->precision, limit);
}

KernelChoice SequenceBuilder::choose(unsigned queue, const std::string& family,
                                     std::int64_t version, Payload payload,
                                     std::string kernel) const {
  KernelChoice choice;
  choice.request.family = choice.request.label = family;
  choice.request.version = version;
  choice.request.payload = std::move(payload);
  choice.request.problem_class = problem_class_of(*call_);
  choice.request.problem_size = problem_size_of(*call_);
  const bool is_tried = given_ != nullptr && given_->family == family &&
                        resolver_.accepts(choice.request, given_->parameters);
  // Where bits must not depend on what is on record, nothing on record fits.
  const auto fits = [&](const Measurement&) { return !call_->invariant; };
  choice.chosen = is_tried && !call_->invariant
                      ? ChosenParameters{given_->parameters, "trial", ""}
                      : resolver_.choose(choice.request, *devices_[queue], fits);
  if (set_ != nullptr && !is_tried && !call_->invariant)
    choice.chosen = set_->in_place(std::move(choice.chosen), devices_[queue]->handle(),
                                   call_->precision, choice.request, resolver_);
  choice.kernel = std::move(kernel);
  return choice;
}

cl::Buffer SequenceBuilder::workspace(std::size_t bytes) {
  // PoCL gives a buffer its memory when a command first uses it, and aborts the process where there
  // is none. Memory that the host can reach it allocates here, where its absence is an error.
  const bool is_hosts = std::all_of(devices_.begin(), devices_.end(),
                                    [](const DevicePtr& device) { return device->host_memory; });
  const cl_mem_flags flags = CL_MEM_READ_WRITE | (is_hosts ? CL_MEM_ALLOC_HOST_PTR : 0);
  try {
    if (is_hosts && bytes >= large_page)
      return parts_.workspace.emplace_back(large_page_buffer(*parts_.context, bytes));
    return parts_.workspace.emplace_back(parts_.context->cl(), flags, bytes);
  } catch (const cl::Error& error) {
    throw ClError(fmt::format("no device memory for {} bytes of workspace: {} ({})", bytes,
                              cl_status_name(error.err()), error.err()),
                  error.err());
  }
}

cl::Buffer SequenceBuilder::scratch(unsigned queue, unsigned number, std::size_t bytes) {
  auto& buffer = scratch_[{first_queue_ + queue, number}];
  if (buffer() == nullptr || buffer.getInfo<CL_MEM_SIZE>() < bytes) buffer = workspace(bytes);
  return buffer;
}

cl::Buffer SequenceBuilder::zeros(unsigned queue, std::size_t bytes) {
  auto& buffer = zeros_[first_queue_ + queue];
  if (buffer() != nullptr && buffer.getInfo<CL_MEM_SIZE>() >= bytes) return buffer;
  std::vector<char> none(bytes);
  try {
    buffer = parts_.workspace.emplace_back(
        parts_.context->cl(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, none.data());
    return buffer;
  } catch (const cl::Error& error) {
    throw cl_error(error);
  }
}

namespace {

/// The last step that launches the same kernel with the same local size on another queue of the
/// same device. PoCL (3.1 and 5.0 at least) counts the uses of a kernel's function by its kernel
/// and local size, though it has one for each kind of grid: the end of one launch, while another
/// makes a function for a larger grid, takes its last use, and an assertion ends the process.
std::optional<std::size_t> same_kernel_elsewhere(const std::vector<Step>& steps, const Step& step) {
  for (std::size_t index = steps.size(); index-- > 0;) {
    const Step& before = steps[index];
    if (&before.launch.info() != &step.launch.info() ||
        before.launch.range().local != step.launch.range().local)
      continue;
    if (before.queue != step.queue) return index;
    return {};  // in order behind it, and so behind those of other queues
  }
  return {};
}

}  // namespace

SequenceBuilder::Arguments SequenceBuilder::step(unsigned queue, const KernelChoice& choice,
                                                 const NDRange& range,
                                                 const std::vector<std::size_t>& after) {
  auto& explanation = parts_.explanations.emplace_back();
  // The Resolver itself speaks only where its caller takes no explanation.
  std::optional<EnvironmentExplanation> asked;
  if (explains_by_environment()) asked.emplace();
  Program& program =
      resolver_.resolve(choice.request, choice.chosen, parts_.context, devices_[queue],
                        {variant_of(choice.kernel, range)}, asked ? asked->get() : &explanation);
  if (asked) explanation = *asked->get();
  Step step{Launch(parts_.context, program, choice.kernel)};
  step.launch.set_range(range);
  step.queue = first_queue_ + queue;
  step.after = after;
  step.family = choice.request.family;
  if (const auto part = parts_of_work_.find(step.queue); part != parts_of_work_.end())
    step.part = part->second;
  // Nothing is lost: each launch has all cores. Items of a batch have equal grids.
  if (devices_[queue]->pocl && !runs_items_)
    if (const auto before = same_kernel_elsewhere(parts_.steps, step))
      step.after.push_back(*before);
  for (const auto before : step.after) parts_.steps[before].awaited = true;
  return {parts_.steps.emplace_back(std::move(step)), call_->precision, replacements_};
}

void SequenceBuilder::add_instead(const Call& call, const std::function<Slot(Slot)>& original,
                                  const std::function<void(SequenceBuilder&)>& add) {
  const Call* const own = std::exchange(call_, &call);
  const Replacements replaced = replacements_;
  replacements_.clear();
  for (std::size_t slot = 0; slot < slot_count; ++slot)
    if (const auto found = replaced.find(original(static_cast<Slot>(slot)));
        found != replaced.end())
      replacements_.insert({static_cast<Slot>(slot), found->second});
  const std::size_t first = next_step();
  add(*this);
  call_ = own;
  replacements_ = replaced;
  for (std::size_t i = first; i < next_step(); ++i)
    for (Varying& varying : parts_.steps[i].varying) varying.slot = original(varying.slot);
}

void SequenceBuilder::add_for(const Call& call, const std::function<void(SequenceBuilder&)>& add) {
  const Call* const own = std::exchange(call_, &call);
  add(*this);
  call_ = own;
}

void SequenceBuilder::add_replaced(const Call& call, const Replacements& replacements,
                                   const std::function<void(SequenceBuilder&)>& add) {
  const Call* const own = std::exchange(call_, &call);
  replacements_ = replacements;
  const std::vector<DevicePtr> first{devices_[0]};
  const std::vector<DevicePtr> all = std::exchange(devices_, first);
  add(*this);
  devices_ = all;
  replacements_.clear();
  call_ = own;
}

void SequenceBuilder::add_items(unsigned queue, std::size_t first, std::size_t end,
                                const std::function<void(SequenceBuilder&)>& add) {
  std::vector<DevicePtr> all = std::exchange(devices_, {devices_[queue]});
  first_queue_ = queue;
  runs_items_ = true;
  const std::size_t step = next_step();
  add(*this);
  first_queue_ = 0;
  runs_items_ = false;
  devices_ = std::move(all);
  const double items = static_cast<double>(call_->batch);
  for (std::size_t i = step; i < next_step(); ++i) {
    parts_.steps[i].first_item = first;
    parts_.steps[i].end_item = end;
    parts_.steps[i].part = static_cast<double>(end - first) / items;
  }
}

void SequenceBuilder::Arguments::scalar(const Coefficient& coefficient) {
  if (coefficient.of_call)
    vary(*coefficient.of_call);
  else
    step_.launch.set_scalar(next_++, ScalarBytes(coefficient.value, precision_).view());
}

SequenceBuilder::Arguments& SequenceBuilder::Arguments::vary(Varying::What what, Slot slot,
                                                             std::int64_t add) {
  step_.varying.push_back({next_++, what, slot, add});
  return *this;
}

KernelChoice template_choice(const SequenceBuilder& builder, unsigned queue,
                             const std::string& name, Facts more) {
  const Device& device = builder.device(queue);
  return builder.choose(queue, "blas." + name, template_version(name),
                        TemplatePayload{builder.call().precision, device.type == Device::Type::cpu,
                                        device.native_floats, std::move(more)},
                        name);
}

std::size_t work_group_of(const Device& device) {
  if (device.type == Device::Type::cpu) return 1;
  return std::bit_floor(std::clamp<std::size_t>(device.max_work_group_size, 1, 256));
}

NDRange work_groups(const Device& device, std::size_t count) {
  NDRange range;
  range.local[0] = work_group_of(device);
  range.global[0] = count * range.local[0];
  return range;
}

NDRange stream_range(const Device& device, std::size_t n) {
  constexpr std::size_t least_stretch = 4096, groups_per_unit = 16, group = 256;
  const std::size_t units = device.compute_units;
  const std::size_t groups =
      device.type == Device::Type::cpu
          ? std::clamp<std::size_t>(n / least_stretch, 1, units * 4)
          : std::clamp<std::size_t>((n + group - 1) / group, 1, units * groups_per_unit);
  return work_groups(device, groups);
}

}  // namespace kiln::blas
