// The text that the character model learns from, as bytes.
#pragma once
#include <cstddef>
#include <string>

namespace char_lm {

struct TextCorpus {
  std::string train, validation;
};

// The licence texts that every Debian machine has: Artistic, CC0-1.0 and Apache-2.0 validate, all other files train,
// joined in the order of their names; links, which repeat other files, are skipped.
// Throws nacre::FileError when the folder or one of the three is missing, nacre::Error when nothing is left to train
// on.
TextCorpus load_licence_corpus(const std::string& folder = "/usr/share/common-licenses");

// The first nine tenths of a file train, the rest validates. Throws nacre::FileError.
TextCorpus load_text(const std::string& path);

// Throws nacre::Error when either part is too short for one sample: `context` bytes and the byte to predict.
void check_length(const TextCorpus& corpus, std::size_t context);

}  // namespace char_lm
