#include "samples/char_lm/text_corpus.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "frontend/io/temporary_folder.h"
#include "nacre/error.h"

namespace char_lm {
namespace {

using Catch::Contains;
using nacre::io::put;
using nacre::io::TemporaryFolder;

TEST_CASE("licence texts: sorted by name, links and folders skipped, three held out") {
  TemporaryFolder folder;
  for (const char* name : {"MPL", "GPL-3", "BSD", "Artistic", "CC0-1.0", "Apache-2.0"})
    put(folder / name, std::string(name) + "\n");
  std::filesystem::create_symlink("GPL-3", folder / "GPL");
  std::filesystem::create_directory(folder / "AAA");
  TextCorpus corpus = load_licence_corpus(folder.path());
  CHECK(corpus.train == "BSD\nGPL-3\nMPL\n");
  CHECK(corpus.validation == "Apache-2.0\nArtistic\nCC0-1.0\n");
}

TEST_CASE("licence texts: what is missing is named") {
  TemporaryFolder folder;
  CHECK_THROWS_WITH(load_licence_corpus(folder / "none"),
                    Contains("none: at byte 0: cannot list the licence texts: No such file"));
  CHECK_THROWS_WITH(load_licence_corpus(folder.path()), Contains("no licence texts to train on; use --text FILE"));
  put(folder / "GPL-3", "text");
  put(folder / "Apache-2.0", "text");
  CHECK_THROWS_WITH(load_licence_corpus(folder.path()), Contains("/Artistic: at byte 0: cannot open: No such file"));
}

TEST_CASE("one's own text: nine tenths train") {
  TemporaryFolder folder;
  put(folder / "x", "0123456789abcdefghij");
  TextCorpus corpus = load_text(folder / "x");
  CHECK(corpus.train == "0123456789abcdefgh");
  CHECK(corpus.validation == "ij");
  put(folder / "empty", "");
  CHECK(load_text(folder / "empty").train.empty());
  CHECK_THROWS_WITH(load_text(folder / "none"), Contains("none: at byte 0: cannot open: No such file"));
  CHECK_THROWS_WITH(load_text(folder.path()), Contains("not a regular file"));
}

TEST_CASE("a text shorter than the context is refused") {
  CHECK_NOTHROW(check_length({"0123", "0123"}, 3));
  CHECK_THROWS_WITH(check_length({"012", "0123"}, 3),
                    "the training text is shorter than the context: it has 3 bytes, and a context of 3 needs 4; use a "
                    "longer text or a shorter context");
  CHECK_THROWS_WITH(check_length({"0123", ""}, 3),
                    Contains("the validation text is shorter than the context: it has 0 bytes"));
}

}  // namespace
}  // namespace char_lm
