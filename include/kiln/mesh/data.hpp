#pragma once

#include <cstring>
#include <initializer_list>

#include "kiln/mesh/map.hpp"
#include "kiln/runtime.hpp"

namespace kiln::mesh {

struct DatState;
struct GlobalState;
struct ConstState;

/// A number of C++ as loops get it.
struct Number {
  template <class T>
  requires std::is_arithmetic_v<T> Number(T value)  // NOLINT: meant to be implicit
      : is_integer(std::is_integral_v<T>),
        integer(static_cast<std::int64_t>(value)),
        floating(static_cast<double>(value)) {}
  bool is_integer;
  std::int64_t integer;
  double floating;
};

/// Data on a set: `dim` components of one type for each element, halo included. Host and device
/// copies are kept in step: what a loop changes is fetched when it is asked for.
class KILN_API Dat : public Handle<DatState> {
 public:
  const std::string& name() const;
  const Set& set() const;
  ScalarType type() const;
  std::size_t dim() const;
  const std::vector<std::size_t>& shape() const;
  DataLayout layout() const;
  std::size_t bytes() const;

  /// All components on the host, element by element (whatever the layout), to be read; loops that
  /// write them run first. Valid until the next loop that uses the Dat. T must be the Dat's type
  /// (bad_input).
  template <class T>
  std::span<const T> read() const {
    return {static_cast<const T*>(host(scalar_type_of<T>(), false)), components()};
  }
  /// Of a distributed mesh: the rows that this part declared, in their order
  /// (Mesh::declared_rows); else those of the owned elements. For writing files and for printing.
  /// All parts call it. T must be the Dat's type (bad_input).
  template <class T>
  std::vector<T> fetch() const {
    host(scalar_type_of<T>(), false);
    const auto bytes = fetch_bytes();
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  std::vector<std::byte> fetch_bytes() const;
  /// The same to be changed: the device gets them with the next loop.
  template <class T>
  std::span<T> write() {
    return {static_cast<T*>(host(scalar_type_of<T>(), true)), components()};
  }

  // Arithmetic runs as loops do: queued, in the order of the calls, on the device. Operands are of
  // the same set and number of components (else bad_input); types may differ: each component is
  // computed as C does and becomes what this Dat is of; an integer divided by an integer 0 is 0.
  // Owned elements take part and no others, but for fill() and zero(), which are for all.
  Dat& operator+=(const Dat& other) { return combine('+', other); }
  Dat& operator-=(const Dat& other) { return combine('-', other); }
  Dat& operator*=(const Dat& other) { return combine('*', other); }  ///< component by component
  Dat& operator/=(const Dat& other) { return combine('/', other); }
  Dat& operator+=(const Number& scalar) { return combine('+', scalar); }
  Dat& operator-=(const Number& scalar) { return combine('-', scalar); }
  Dat& operator*=(const Number& scalar) { return combine('*', scalar); }
  Dat& operator/=(const Number& scalar) { return combine('/', scalar); }
  /// A new Dat like this one.
  Dat operator-() const;

  /// this := this + alpha x
  Dat& axpy(const Number& alpha, const Dat& x);
  void fill(const Number& value);
  void zero() { fill(0); }
  void zero(const Subset& subset);
  /// What this Dat holds goes to another one.
  void copy(const Dat& to) const;
  void copy(const Dat& to, const Subset& subset) const;

  /// The sum of products, in the wider of the floating-point types (integers alone: in 64 bits);
  /// waits for it. The same from run to run. On a Mesh with a Transport it is that of all parts,
  /// with the same bits on each, and all parts call it; of a set with a HaloExchange this part's.
  double inner(const Dat& other) const;
  /// The Euclidean norm of all components; neither overflows nor underflows on its way. NaN where
  /// there is one. Of a distributed set as inner().
  double norm() const;

  /// All components in memory of the device, as the layout says, for commands that the application
  /// enqueues to Mesh::queue() afterwards; queued loops that use the Dat are enqueued first. It
  /// counts as written by those commands: the next read() finds what they wrote. After that, or
  /// after write(), ask again. The buffer is the Dat's; who retains it may use it longer.
  cl_mem buffer();

  /// Gives its memory back now. Throws bad_input, and does nothing, where loops that are queued
  /// need it; a loop that gets a Dat afterwards throws.
  void free();

  /// Whether the elements behind Set::size() may be older than their owners': after a loop that
  /// changes the Dat, or write(), until an exchange. Runs the loops that change it.
  bool is_halo_stale() const;
  /// Exchanges now, through the Set's HaloExchange or the Mesh's Transport, where the halo is
  /// stale: for who wants to read it. Throws bad_input where there is neither and the halo is
  /// stale.
  void exchange_halo();
  /// What was written() last were fresh copies: for who exchanges by hand.
  void halo_is_fresh();

 private:
  using Handle::Handle;
  Dat& combine(char operation, const Dat& other);
  Dat& combine(char operation, const Number& scalar);
  std::size_t components() const;
  void* host(ScalarType type, bool to_write) const;
};

/// A new Dat like the left one.
KILN_API Dat operator+(const Dat& a, const Dat& b);
KILN_API Dat operator-(const Dat& a, const Dat& b);
KILN_API Dat operator*(const Dat& a, const Dat& b);
KILN_API Dat operator/(const Dat& a, const Dat& b);

/// A few numbers that belong to no set: parameters that a loop reads, or what it sums up (INC) or
/// finds the extrema of (MIN, MAX). On a Mesh with a Transport that is of all parts, which begin
/// with the same values: what they found is brought together when a value is asked for or a loop
/// reads it, that of all Globals at once, in the order of the parts, so that all have the same
/// bits. Of sets with a HaloExchange it is of this part's owned elements; the rest is the caller's.
class KILN_API Global : public Handle<GlobalState> {
 public:
  const std::string& name() const;
  ScalarType type() const;
  std::size_t dim() const;
  /// The values, after all loops that change them. Throws bad_input where a call of a kernel left a
  /// NaN under MIN or MAX. A kernel that compares before it stores leaves none: fmin(*m, x) and
  /// `if (x < *m) *m = x` pass over an x that is NaN. One that is to tell stores what it met:
  /// `*m = x < *m || isnan(x) ? x : *m`.
  template <class T>
  std::vector<T> values() const {
    std::vector<T> copy(dim());
    get(scalar_type_of<T>(), copy.data());
    return copy;
  }
  template <class T>
  T value() const {
    return values<T>().at(0);
  }
  /// What the next loop finds. `values` has `dim` of them.
  template <class T>
  void set(std::initializer_list<T> values) {
    put(scalar_type_of<T>(), values.begin(), values.size());
  }
  template <class T>
  requires std::is_arithmetic_v<T>
  void set(T value) { put(scalar_type_of<T>(), &value, 1); }
  template <class T>
  void set(std::span<const T> values) {
    put(scalar_type_of<T>(), values.data(), values.size());
  }

 private:
  using Handle::Handle;
  void get(ScalarType type, void* to) const;
  void put(ScalarType type, const void* from, std::size_t count);
};

/// A constant that every kernel of the Mesh may use by name; one number is a scalar, several an
/// array. Changing it changes no code.
class KILN_API Const : public Handle<ConstState> {
 public:
  const std::string& name() const;
  ScalarType type() const;
  std::size_t dim() const;
  template <class T>
  requires std::is_arithmetic_v<T>
  void set(T value) { put(scalar_type_of<T>(), &value, 1); }
  template <class T>
  void set(std::span<const T> values) {
    put(scalar_type_of<T>(), values.data(), values.size());
  }

 private:
  using Handle::Handle;
  void put(ScalarType type, const void* from, std::size_t count);
};

}  // namespace kiln::mesh
