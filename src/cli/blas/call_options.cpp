#include "cli/blas/call_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/data/text.hpp"
#include "blas/call/routine_traits.hpp"
#include "cli/command/context.hpp"
#include "rival/problem.hpp"

namespace kiln::cli {
namespace {

using namespace kiln::blas;

/// Which operands and options a routine has.
struct RoutineFacts {
  bool complex_only, real_only, band, size_m, side, depth, transpose, diagonal, triangle;
};
RoutineFacts facts_of(Routine routine) {
  using enum Routine;
  const auto is = [&](std::initializer_list<Routine> list) {
    return std::find(list.begin(), list.end(), routine) != list.end();
  };
  return {
      .complex_only = is({dotc, hemv, gerc, her, her2, hpmv, hpr, hpr2, hbmv, hemm, herk, her2k}),
      .real_only = is({rotmg, rotm, symv, syr, syr2, spmv, spr, spr2, sbmv}),
      .band = is({gbmv, tbmv, sbmv, hbmv, tbsv}),
      .size_m = is({gemv, gbmv, ger, gerc, omatcopy, gemm, trmm, trsm, symm, hemm}),
      .side = is({trmm, trsm, symm, hemm}),
      .depth = is({gemm, syrk, syr2k, herk, her2k}),
      .transpose = is({gemv, gbmv, trmv, trsv, tbmv, tbsv, tpmv, tpsv, omatcopy, gemm, trmm, trsm,
                       syrk, syr2k, herk, her2k}),
      .diagonal = is({trmv, trsv, tbmv, tbsv, tpmv, tpsv, trmm, trsm}),
      .triangle = routine >= gemv && !is({gemv, gbmv, ger, gerc, omatcopy, gemm})};
}

std::optional<Routine> routine_of(std::string_view name) {
  const auto names = routine_names;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return {};
  return static_cast<Routine>(found - names.begin());
}

struct Named {
  Routine routine;
  std::optional<Precision> precision;
};

/// "gemm" and "dgemm"; a routine's own name goes before a letter and a name ("scal").
Named named(const std::string& word) {
  if (const auto routine = routine_of(word)) return {*routine, {}};
  const auto letter = std::string_view("sdcz").find(word.empty() ? ' ' : word.front());
  if (letter != std::string_view::npos)
    if (const auto routine = routine_of(std::string_view(word).substr(1)))
      return {*routine, static_cast<Precision>(letter)};
  const std::string rest = word.empty() ? "" : word.substr(1);
  const std::string meant =
      letter == std::string_view::npos ? "" : std::string(nearest(rest, routine_names));
  const std::string hint = did_you_mean(word, routine_names);
  throw bad_input("found '{}', expected a routine of BLAS as gemm or dgemm{}", word,
                  hint.empty() && !meant.empty()
                      ? fmt::format("; did you mean '{}{}'?", word.front(), meant)
                      : hint);
}

Precision precision_for(const Named& named, const Context& context) {
  const RoutineFacts facts = facts_of(named.routine);
  const std::string& option = context.text("precision");
  const auto asked = static_cast<Precision>(std::string_view("sdcz").find(option.front()));
  if (named.precision && context.has("precision") && *named.precision != asked)
    throw bad_input("found {}{} with --precision {}, expected one of them",
                    letter(*named.precision), name_of(named.routine), option);
  const Precision chosen = named.precision            ? *named.precision
                           : context.has("precision") ? asked
                           : facts.complex_only       ? Precision::c
                                                      : Precision::s;
  if (is_complex(chosen) ? facts.real_only : facts.complex_only)
    throw bad_input("{}{} does not exist: {} is for {} types", letter(chosen),
                    name_of(named.routine), name_of(named.routine),
                    is_complex(chosen) ? "real" : "complex");
  return chosen;
}

/// Refuses options on the command line that do not apply to the routine: either of the two must be
/// a mistake. From the environment or the config file they are meant for all calls, and no error.
void refuse_options_of_others(const Context& context, const Named& asked) {
  const Routine routine = asked.routine;
  const bool has_matrix = routine >= Routine::gemv;
  const RoutineFacts facts = facts_of(routine);
  const struct {
    const char* option;
    bool applies;
    const char* reason;
  } rules[] = {
      {"precision", !asked.precision, "the routine's name says the precision"},
      {"size-m", facts.size_m, "the routine has no size M"},
      {"size-k", facts.depth || facts.band, "the routine has no size K"},
      {"order", has_matrix, "the routine has no matrix"},
      {"side", facts.side, "the routine has no side"},
      {"uplo", facts.triangle, "the routine has no matrix that is given by a triangle"},
      {"trans-a", facts.transpose, "the routine transposes nothing"},
      {"trans-b", routine == Routine::gemm, "the routine transposes no matrix B"},
      {"diag", facts.diagonal, "the routine has no triangular matrix"},
      {"stored-a", has_matrix, "the routine has no matrix"},
      {"stored-b", routine >= Routine::gemm, "the routine has no matrix B"},
      {"stored-c", routine >= Routine::gemm, "the routine has no matrix C"},
      {"group-a", routine == Routine::gemm, "only gemm takes groups with scales"},
      {"group-b", routine == Routine::gemm, "only gemm takes groups with scales"},
      {"bias", routine == Routine::gemm, "only gemm has an epilogue"},
      {"scale", routine == Routine::gemm, "only gemm has an epilogue"},
      {"activation", routine == Routine::gemm, "only gemm has an epilogue"},
      {"residual", routine == Routine::gemm, "only gemm has an epilogue"},
      {"invariant", routine >= Routine::gemm, "the routine is no product of matrices"},
      {"emulated", routine == Routine::gemm, "only gemm is emulated"},
  };
  for (const auto& [option, applies, reason] : rules)
    if (!applies && context.is_typed(option))
      throw bad_input("--{} does not apply to {}: {}", option, context.arguments().front(), reason);
}

Transpose transpose_of(const std::string& text) {
  return text == "n" ? Transpose::none : text == "t" ? Transpose::transpose : Transpose::conjugate;
}

std::size_t size_of_option(const Context& context, std::string_view option, std::size_t otherwise) {
  return context.has(option) ? static_cast<std::size_t>(context.integer(option)) : otherwise;
}

/// The place of an option's word among those that it takes.
template <class E>
E choice_of(const Context& context, std::string_view option,
            std::span<const std::string_view> words) {
  const auto found = std::find(words.begin(), words.end(), context.text(option));
  return static_cast<E>(found - words.begin());
}

/// How the operands lie in memory, and what a product's result goes through.
void set_kinds(Call& call, const Context& context) {
  const auto all = choice_of<Storage>(context, "stored", options::storages);
  for (const blas::Use& use : Uses(call))
    if (!finds_place(call.routine) || use.slot != Slot::z) call[use.slot].stored = all;
  for (const auto& [option, slot] : {std::pair<std::string_view, Slot>{"stored-a", Slot::a},
                                     {"stored-b", Slot::b},
                                     {"stored-c", Slot::c}})
    if (context.has(option))
      call[slot].stored = choice_of<Storage>(context, option, options::storages);
  if (call.routine != Routine::gemm) return;
  call.group_a = static_cast<std::size_t>(context.integer("group-a"));
  call.group_b = static_cast<std::size_t>(context.integer("group-b"));
  call.epilogue.bias = choice_of<Along>(context, "bias", options::ways);
  call.epilogue.scale = choice_of<Along>(context, "scale", options::ways);
  call.epilogue.activation = choice_of<Activation>(context, "activation", options::activations);
  call.epilogue.residual = context.flag("residual");
}

/// "half", or "half x int4 + native" where operands differ; empty where all are as the precision
/// says.
std::string kinds_text(const Call& call) {
  if (!has_stored(call)) return "";
  const auto word = [&](Slot slot) {
    return options::storages[static_cast<std::size_t>(call[slot].stored)];
  };
  if (call.routine == Routine::gemm)
    return fmt::format(", {} x {} to {}", word(Slot::a), word(Slot::b), word(Slot::c));
  return fmt::format(", of {}", word(Uses(call)[0].slot));
}

std::string transpose_text(Transpose trans) {
  return trans == Transpose::transpose ? "transposed" : "conjugated and transposed";
}

}  // namespace

Call call_of(const Context& context) {
  const Named asked = named(context.arguments().front());
  if (is_windowed(asked.routine))
    throw bad_input("{} has sizes of images and filters, which are no options here",
                    name_of(asked.routine));
  Call call;
  call.routine = asked.routine;
  call.precision = precision_for(asked, context);
  refuse_options_of_others(context, asked);
  call.order = context.text("order") == "row" ? Order::row_major : Order::column_major;
  call.side = context.text("side") == "right" ? Side::right : Side::left;
  call.uplo = context.text("uplo") == "lower" ? Uplo::lower : Uplo::upper;
  call.diag = context.text("diag") == "unit" ? Diag::unit : Diag::non_unit;
  call.trans_a = transpose_of(context.text("trans-a"));
  call.trans_b = transpose_of(context.text("trans-b"));
  call.n = static_cast<std::size_t>(context.integer("size-n"));
  call.m = size_of_option(context, "size-m", call.n);
  call.k = size_of_option(context, "size-k", facts_of(call.routine).band ? 1 : call.n);
  call.kl = call.ku = call.k;
  // Neither 0, which leaves work out, nor such that results grow or vanish over repeated calls.
  call.alpha = call.routine < Routine::gemm ? Scalar(-0.5) : Scalar(1);
  if (call.routine == Routine::scal) call.alpha = -1;
  call.invariant = context.flag("invariant");
  call.emulated = context.flag("emulated");
  set_kinds(call, context);
  return rival::contiguous(call);
}

std::string text_of(const Call& call) {
  std::string text = fmt::format("{}{}", letter(call.precision), name_of(call.routine));
  if (call.batch > 1) text += fmt::format(", {} times", call.batch);
  if (call.routine == Routine::rotg || call.routine == Routine::rotmg) return text;
  const RoutineFacts facts = facts_of(call.routine);
  if (facts.size_m) text += fmt::format(", m {}", call.m);
  text += fmt::format(", n {}", call.n);
  if (facts.depth || facts.band) text += fmt::format(", k {}", call.k);
  if (call.routine < Routine::gemv) return text;
  text += call.order == Order::row_major ? ", by rows" : ", by columns";
  if (facts.side) text += call.side == Side::left ? ", A left" : ", A right";
  if (facts.triangle) text += call.uplo == Uplo::upper ? ", upper" : ", lower";
  if (call.trans_a != Transpose::none) text += ", A " + transpose_text(call.trans_a);
  if (call.trans_b != Transpose::none && call.routine == Routine::gemm)
    text += ", B " + transpose_text(call.trans_b);
  text += kinds_text(call);
  if (call.group_a != 0) text += fmt::format(", A in groups of {}", call.group_a);
  if (call.group_b != 0) text += fmt::format(", B in groups of {}", call.group_b);
  if (call.epilogue.scale != Along::none) text += ", scaled";
  if (call.epilogue.bias != Along::none) text += ", with a bias";
  if (call.epilogue.activation != Activation::none)
    text += fmt::format(", {}",
                        options::activations[static_cast<std::size_t>(call.epilogue.activation)]);
  if (call.epilogue.residual) text += ", with a residual";
  if (call.invariant) text += ", invariant";
  if (call.emulated) text += ", emulated";
  return text;
}

std::vector<DevicePtr> devices_of(const Context& context) {
  return value_or_throw(select_devices(context.text("device")));
}

}  // namespace kiln::cli
