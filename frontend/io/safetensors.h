// Hugging Face's safetensors: eight bytes with the length of a JSON header, the header, and the elements.
// Element types BOOL, U8, U32, I32, I64, BF16, F32, F64. Refused: other types, tensors that overlap, leave gaps or
// reach past the end, names given twice, headers above 100 MB (the format's own limit) or nested deeper than the format
// is.
#pragma once
#include <map>
#include <string>

#include "frontend/io/host_tensor.h"

namespace nacre::io {

using Metadata = std::map<std::string, std::string>;

struct SafeTensors {
  NamedTensors tensors;
  Metadata metadata;
};

// Throws FileError.
SafeTensors read_safetensors(const std::string& path);

// Atomic; equal contents give equal bytes. Elements start at multiples of their size. Throws FileError, and Error when
// data and shape of a tensor disagree or a name is not UTF-8 or reserved ("__metadata__").
void write_safetensors(const std::string& path, const NamedTensors& tensors, const Metadata& metadata = {});

}  // namespace nacre::io
