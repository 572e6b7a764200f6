#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <string>

#include "blas/api/entry.hpp"
#include "blas/clblas/interface.hpp"

namespace kiln::blas {
namespace {

/// What the functions under test called libkiln with.
Call recorded;
Execution recorded_execution;

/// The values that parameters get, by their names: all differ, and no enumerator is one that a Call
/// starts with.
std::size_t number_of(const std::string& name) {
  static std::map<std::string, std::size_t> numbers;
  return numbers.emplace(name, 100 + 8 * numbers.size()).first->second;
}

template <class T>
T value(const std::string& name) {
  const auto number = static_cast<double>(number_of(name));
  if constexpr (std::is_same_v<T, cl_mem>)
    return reinterpret_cast<cl_mem>(number_of(name));
  else if constexpr (std::is_same_v<T, FloatComplex>)
    return floatComplex(static_cast<float>(number), static_cast<float>(number + 1));
  else if constexpr (std::is_same_v<T, DoubleComplex>)
    return doubleComplex(number, number + 1);
  else if constexpr (std::is_same_v<T, int>)
    return -static_cast<int>(number_of(name));
  else
    return static_cast<T>(number);
}
template <>
clblasOrder value(const std::string&) {
  return clblasRowMajor;
}
template <>
clblasSide value(const std::string&) {
  return clblasRight;
}
template <>
clblasUplo value(const std::string&) {
  return clblasLower;
}
template <>
clblasDiag value(const std::string&) {
  return clblasUnit;
}
template <>
clblasTranspose value(const std::string& name) {
  return name == "transB" ? clblasConjTrans : clblasTrans;
}

/// The routine of "clblasZdscal": its name without the letters of its precisions.
struct Name {
  explicit Name(const std::string& function) {
    std::smatch parts;
    if (std::regex_match(function, parts, std::regex("clblasi([SDCZ])amax"))) {
      routine = "iamax", letter = parts.str(1);
    } else if (std::regex_match(function, parts,
                                std::regex("clblas(Sc|Dz|Cs|Zd)(nrm2|asum|scal|rot)"))) {
      routine = parts.str(2);
      const char first = parts.str(1)[0], second = parts.str(1)[1];
      letter = first == 'S' || first == 'D' ? second : first;
    } else if (std::regex_match(function, parts, std::regex("clblas([SDCZ])(.*)"))) {
      routine = parts.str(2), letter = parts.str(1);
    }
    if (routine == "dotu") routine = "dot";
    if (routine == "geru") routine = "ger";
  }
  std::string routine, letter;
};

/// Where a buffer belongs: by its name in the header.
Slot slot_of(const std::string& name, const std::string& routine) {
  if (routine == "rotg")
    return name == "C" ? Slot::z : name == "S" ? Slot::w : name[1] == 'A' ? Slot::x : Slot::y;
  static const std::map<std::string, Slot> slots{
      {"A", Slot::a},          {"AP", Slot::a},    {"B", Slot::b},    {"C", Slot::c},
      {"X", Slot::x},          {"x", Slot::x},     {"Y", Slot::y},    {"y", Slot::y},
      {"dotProduct", Slot::z}, {"NRM2", Slot::z},  {"iMax", Slot::z}, {"asum", Slot::z},
      {"SPARAM", Slot::z},     {"DPARAM", Slot::z}};
  if (const auto known = slots.find(name); known != slots.end()) return known->second;
  static const std::map<std::string, Slot> of_rotmg{
      {"D1", Slot::a}, {"D2", Slot::b}, {"X1", Slot::x}, {"Y1", Slot::y}};
  return of_rotmg.at(name.substr(1));
}

/// Compares what was recorded with the values of a function's parameters, one by one.
void check(const std::string& function, const std::string& parameters) {
  const Name name(function);
  EXPECT_EQ(name_of(recorded.routine), name.routine);
  EXPECT_EQ(std::string(1, static_cast<char>(std::toupper(letter(recorded.precision)))),
            std::string(1, static_cast<char>(std::toupper(name.letter[0]))));
  EXPECT_EQ(recorded.real_alpha, function == "clblasCsscal" || function == "clblasZdscal");

  const std::map<std::string, std::size_t> sizes{{"M", recorded.m},
                                                 {"N", recorded.n},
                                                 {"K", recorded.k},
                                                 {"KL", recorded.kl},
                                                 {"KU", recorded.ku}};
  Operand* last = nullptr;  // offset, leading dimension and increment follow their buffer
  const std::regex parameter("([A-Za-z_0-9]+) ([A-Za-z0-9_]+)");
  for (std::sregex_iterator at(parameters.begin(), parameters.end(), parameter), end; at != end;
       ++at) {
    const std::string type = at->str(1), what = at->str(2);
    const auto number = number_of(what);
    const auto exact = static_cast<double>(number);
    SCOPED_TRACE(what);
    if (type == "cl_mem" && what != "scratchBuff") {
      last = &recorded[slot_of(what, name.routine)];
      EXPECT_EQ(last->memory, value<cl_mem>(what));
    } else if (type == "size_t" && what.rfind("off", 0) == 0) {
      EXPECT_EQ(last->offset, number);
    } else if (type == "size_t" && what.rfind("ld", 0) == 0) {
      EXPECT_EQ(last->stride, static_cast<std::int64_t>(number));
    } else if (type == "int") {
      EXPECT_EQ(last->stride, -static_cast<std::int64_t>(number));
    } else if (type == "size_t") {
      EXPECT_EQ(sizes.at(what), number);
    } else if (type == "cl_float" || type == "cl_double") {
      EXPECT_EQ(what == "alpha" || what == "C" ? recorded.alpha : recorded.beta, Scalar(exact));
    } else if (type == "FloatComplex" || type == "DoubleComplex") {
      EXPECT_EQ(what == "alpha" ? recorded.alpha : recorded.beta, Scalar(exact, exact + 1));
    } else if (type == "clblasOrder") {
      EXPECT_EQ(recorded.order, Order::row_major);
    } else if (type == "clblasSide") {
      EXPECT_EQ(recorded.side, Side::right);
    } else if (type == "clblasUplo") {
      EXPECT_EQ(recorded.uplo, Uplo::lower);
    } else if (type == "clblasDiag") {
      EXPECT_EQ(recorded.diag, Diag::unit);
    } else if (type == "clblasTranspose") {
      EXPECT_EQ(what == "transB" ? recorded.trans_b : recorded.trans_a,
                what == "transB" ? Transpose::conjugate : Transpose::transpose);
    } else {
      EXPECT_EQ(what, "scratchBuff");
    }
  }
}

struct Routines : ::testing::Test {
  cl_command_queue queues[2] = {reinterpret_cast<cl_command_queue>(8),
                                reinterpret_cast<cl_command_queue>(16)};
  cl_event waits[3] = {}, events[2] = {};

  void check_execution() const {
    EXPECT_EQ(recorded_execution.queues.data(), queues);
    EXPECT_EQ(recorded_execution.queues.size(), 2u);
    EXPECT_EQ(recorded_execution.after.data(), waits);
    EXPECT_EQ(recorded_execution.after.size(), 3u);
    EXPECT_EQ(recorded_execution.events, events);
  }
};

TEST_F(Routines, put_every_argument_in_its_place) {
  int count = 0;
#define QUEUES 2, queues, 3, waits, events
#define ROUTINE(name, parameters, values)             \
  {                                                   \
    SCOPED_TRACE(#name);                              \
    recorded = {};                                    \
    recorded_execution = {};                          \
    EXPECT_EQ(static_cast<int>(name values), -12345); \
    check(#name, parameters);                         \
    check_execution();                                \
    ++count;                                          \
  }
#include "routines.inc"
#undef ROUTINE
  EXPECT_EQ(count, 48 + 66 + 30);
}

TEST_F(Routines, refuse_enumerators_that_do_not_exist) {
  cl_mem memory = nullptr;
  recorded_execution = {};
  const auto gemv = [&](int order, int trans) {
    return clblasSgemv(static_cast<clblasOrder>(order), static_cast<clblasTranspose>(trans), 1, 1,
                       1, memory, 0, 1, memory, 0, 1, 1, memory, 0, 1, QUEUES);
  };
  EXPECT_EQ(gemv(2, 0), clblasInvalidValue);
  EXPECT_EQ(gemv(-1, 0), clblasInvalidValue);
  EXPECT_EQ(gemv(101, 0), clblasInvalidValue);  // CBLAS's row-major
  EXPECT_EQ(gemv(0, 3), clblasInvalidValue);
  EXPECT_EQ(gemv(0, 111), clblasInvalidValue);
  EXPECT_EQ(recorded_execution.events, nullptr);
  EXPECT_EQ(static_cast<int>(gemv(0, 2)), -12345);
}

}  // namespace
}  // namespace kiln::blas

int kiln_blas_run(const kiln::blas::Call& call, const kiln::blas::Execution& execution) noexcept {
  kiln::blas::recorded = call;
  kiln::blas::recorded_execution = execution;
  return -12345;
}
void kiln_blas_forget() noexcept {}
bool kiln_is_queue(cl_command_queue queue) noexcept { return queue != nullptr; }
