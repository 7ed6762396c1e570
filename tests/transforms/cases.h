// Small functions, at least one for every op of the dialect: the tables behind the tests of derivatives and batching.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace nacre::testing {

struct Case {
  // The op's mnemonic, then what is special: "reduce/max of two dims".
  std::string name;
  // A module with the function @f.
  std::string text;
  // Arguments are uniform in these ranges (both ends included for integers).
  double low = -2, high = 2;
  int64_t intLow = 0, intHigh = 3;
  // Finite differences tell the derivative (not so behind a stop_gradient).
  bool smooth = true;

  std::string op() const { return name.substr(0, name.find('/')); }
};

// Elementwise ops (cases_elementwise.cc) and the others (cases_structured.cc).
std::vector<Case> elementwiseCases();
std::vector<Case> structuredCases();
std::vector<Case> allCases();

}  // namespace nacre::testing
