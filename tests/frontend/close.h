// Comparing arrays in tests: values with tolerances, and messages of errors.
#pragma once
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <source_location>
#include <string>
#include <vector>

#include "nacre/nacre.h"

namespace nacre::testing {

// Are the elements of `a` the numbers `wanted`, within atol + rtol |wanted|? NaN equals NaN. Reports where not.
inline bool close(const Array& a, const std::vector<double>& wanted, double rtol = 1e-6, double atol = 1e-7) {
  const std::vector<double> got = a.to_vector<double>();
  if (got.size() != wanted.size()) {
    UNSCOPED_INFO(describe(a) << " has " << got.size() << " elements, wanted " << wanted.size());
    return false;
  }
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(got[i]) && std::isnan(wanted[i])) continue;
    if (got[i] == wanted[i] || std::abs(got[i] - wanted[i]) <= atol + rtol * std::abs(wanted[i])) continue;
    UNSCOPED_INFO("element " << i << " of " << describe(a) << " is " << got[i] << ", wanted " << wanted[i]);
    return false;
  }
  return true;
}

// The same shape, dtype and values.
inline bool agree(const Array& a, const Array& wanted, double rtol = 1e-6, double atol = 1e-7) {
  if (a.shape() != wanted.shape() || a.dtype() != wanted.dtype()) {
    UNSCOPED_INFO("got " << describe(a) << ", wanted " << describe(wanted));
    return false;
  }
  return close(a, wanted.to_vector<double>(), rtol, atol);
}

// Bit for bit.
inline bool same(const Array& a, const Array& b) {
  if (a.shape() != b.shape() || a.dtype() != b.dtype()) {
    UNSCOPED_INFO("got " << describe(a) << " and " << describe(b));
    return false;
  }
  auto x = a.bytes(), y = b.bytes();
  return std::equal(x.begin(), x.end(), y.begin(), y.end());
}

// The message of the error of type E that `f` throws; empty if it throws none.
template <class E = Error, class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  }
  return "";
}

// "file.cc:12", as messages name the line `offset` below the caller's.
inline std::string here(int offset = 0, std::source_location at = std::source_location::current()) {
  return std::string(at.file_name()) + ":" + std::to_string(static_cast<int>(at.line()) + offset);
}

// The derivative of a scalar function of one array, by central differences in its dtype; for f64.
inline std::vector<double> numeric_gradient(const std::function<double(const Array&)>& f, const Array& x,
                                            double h = 1e-6) {
  std::vector<double> at = x.to_vector<double>(), out;
  for (double& each : at) {
    const double before = each;
    each = before + h;
    const double up = f(array(std::span<const double>(at), x.shape()));
    each = before - h;
    const double down = f(array(std::span<const double>(at), x.shape()));
    each = before;
    out.push_back((up - down) / (2 * h));
  }
  return out;
}

}  // namespace nacre::testing
