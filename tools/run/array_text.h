// Arrays as NumPy prints them: nested brackets, long ones shortened in the middle.
#pragma once
#include <string>

#include "ir/reference/host_value.h"

namespace nacre::tools {

// Arrays of more than `threshold` elements show `edge` entries at both ends of each dimension.
std::string arrayText(const ir::HostValue& value, int64_t threshold = 1000, int64_t edge = 3);

}  // namespace nacre::tools
