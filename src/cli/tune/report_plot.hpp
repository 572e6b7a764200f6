#pragma once

#include <string>
#include <vector>

namespace kiln::cli {

/// One axis of a drawing: where in it a value lies. The values of a logarithmic one are above 0.
struct Axis {
  double least = 0, most = 1;  ///< the range, least < most
  double from = 0, to = 1;     ///< their places, in the drawing's units
  bool logarithmic = false;

  double at(double value) const;
  /// Round values in the range, about `count` of them: at least two where the range allows it.
  std::vector<double> ticks(int count) const;
};

/// An axis of times (seconds) from these two on, logarithmic, with some room at both ends.
Axis time_axis(double fastest, double slowest, double from, double to);

/// A number of a drawing, with one decimal: nobody sees more.
std::string place(double number);

/// Lines across a drawing at the ticks of a vertical axis of seconds, each with its time beside.
std::string time_grid(const Axis& vertical, double left, double right, int count);

/// Points as one path, which takes a tenth of what a circle each would. A style's round line caps
/// make them visible.
class Dots {
 public:
  void add(double x, double y);
  bool empty() const { return path_.empty(); }
  std::string path(const char* style) const;

 private:
  std::string path_;
};

}  // namespace kiln::cli
