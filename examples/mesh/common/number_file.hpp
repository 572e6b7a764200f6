#pragma once

#include <charconv>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

/// A text file of numbers between blanks, as the meshes of these programs are
/// (`kiln mesh naca0012 --text` writes them).
class NumberFile {
 public:
  /// Throws std::runtime_error where the file cannot be read.
  explicit NumberFile(const std::string& path) : path_(path) {
    std::ifstream file(path, std::ios::binary);
    text_.assign(std::istreambuf_iterator<char>(file), {});
    if (!file) throw std::runtime_error(path + ": cannot be read");
    at_ = text_.data();
  }

  template <class T>
  T next(const char* what) {
    const char* const end = text_.data() + text_.size();
    while (at_ != end && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) ++at_;
    T value{};
    const auto [after, error] = std::from_chars(at_, end, value);
    if (error != std::errc())
      throw std::runtime_error(path_ + ": byte " + std::to_string(at_ - text_.data()) +
                               ": no number, expected " + what);
    at_ = after;
    return value;
  }

  /// A row of numbers for each element: all components of all elements.
  template <class T>
  void rows(std::size_t count, const char* what, std::vector<std::vector<T>*> columns,
            std::vector<int> widths) {
    for (std::size_t row = 0; row < count; ++row)
      for (std::size_t column = 0; column < columns.size(); ++column)
        for (int k = 0; k < widths[column]; ++k) columns[column]->push_back(next<T>(what));
  }

 private:
  std::string path_, text_;
  const char* at_ = nullptr;
};
