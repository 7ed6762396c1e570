// For tests of schedules: kernels as text, run by the reference interpreter and as tiles, and compared.
#pragma once
#include <map>
#include <string>

namespace nacre::schedule {

// Replaces every $KEY of the text.
std::string fill(std::string text, const std::map<std::string, std::string>& values);

// Parses the kernels in `text` and checks each on machines with vectors of 64, 32 and 16 bytes: the tile function
// verifies; run in both orders of its programs it gives what the reference interpreter gives (integers exactly, floats
// within `tolerance` of the largest magnitude, by default of the element type); and again with outputs in the memory of
// the inputs that it says they may share. Integers of inputs are in [0, integers). Returns what is wrong, or "".
std::string checkKernels(const std::string& text, int integers = 7, double tolerance = 0);

// The tile functions as text, for a machine with vectors of that many bytes; "" if there is an error.
std::string tileText(const std::string& text, int vectorBytes = 64);

// The diagnostics of emission.
std::string emissionErrors(const std::string& text);

}  // namespace nacre::schedule
