// NumPy's .npy files (numpy.lib.format), versions 1 to 3, little endian.
//
// Element types: bool '|b1', int32 '<i4', int64 '<i8', uint8 '|u1', uint32 '<u4', float32 '<f4', float64 '<f8'. NumPy
// has no bfloat16: as with JAX and ml_dtypes, '<V2' (or '|V2') stands for it, and
// `numpy.load(f).view(ml_dtypes.bfloat16)` gets the numbers back. Fortran order is read into C order. Everything else
// is refused by name.
#pragma once
#include <span>
#include <string>

#include "frontend/io/host_tensor.h"
#include "frontend/io/input_file.h"

namespace nacre::io {

// Throws FileError.
HostTensor read_npy(const std::string& path);
// The same from a part of a file, which it must fill exactly.
HostTensor read_npy(Section section);

// Atomic. Throws FileError, and Error when data and shape disagree.
void write_npy(const std::string& path, const HostTensor& t);
// What precedes the elements in the file; a multiple of 64 bytes.
std::string npy_header(const HostTensor& t);

}  // namespace nacre::io
