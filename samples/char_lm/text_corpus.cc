#include "samples/char_lm/text_corpus.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <vector>

#include "frontend/io/input_file.h"
#include "nacre/error.h"

namespace char_lm {
namespace {

namespace fs = std::filesystem;
using nacre::io::InputFile;
using nacre::io::Section;

constexpr std::array<std::string_view, 3> kValidation = {"Apache-2.0", "Artistic", "CC0-1.0"};

std::string read_text(const std::string& path) {
  InputFile file(path);
  return Section(file).text(file.size(), "the text");
}

}  // namespace

TextCorpus load_licence_corpus(const std::string& folder) {
  std::vector<std::string> train;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->is_symlink(error) || !entry->is_regular_file(error)) continue;
    std::string name = entry->path().filename().string();
    if (std::find(kValidation.begin(), kValidation.end(), name) == kValidation.end()) train.push_back(std::move(name));
  }
  if (error)
    throw nacre::FileError(folder, 0, "cannot list the licence texts: " + error.message() + "; use --text FILE");
  if (train.empty()) throw nacre::Error(folder + ": there are no licence texts to train on; use --text FILE");

  std::sort(train.begin(), train.end());
  TextCorpus corpus;
  for (const std::string& name : train) corpus.train += read_text(folder + "/" + name);
  for (std::string_view name : kValidation) corpus.validation += read_text(folder + "/" + std::string(name));
  return corpus;
}

TextCorpus load_text(const std::string& path) {
  const std::string text = read_text(path);
  const std::size_t train = text.size() - text.size() / 10;
  return {text.substr(0, train), text.substr(train)};
}

void check_length(const TextCorpus& corpus, std::size_t context) {
  auto check = [&](const char* part, const std::string& text) {
    if (text.size() > context) return;
    throw nacre::Error(std::string("the ") + part + " text is shorter than the context: it has " +
                       std::to_string(text.size()) + " bytes, and a context of " + std::to_string(context) + " needs " +
                       std::to_string(context + 1) + "; use a longer text or a shorter context");
  };
  check("training", corpus.train);
  check("validation", corpus.validation);
}

}  // namespace char_lm
