#include "samples/char_lm/ngram.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "nacre/error.h"
#include "samples/char_lm/text_corpus.h"

namespace char_lm {
namespace {

TEST_CASE("Witten-Bell by hand") {
  NGram one("abab", 1), two("abab", 2);
  const double a = (2 + 2 / 256.) / 6, c = 2 / 256. / 6;
  CHECK(one.probability("", 'a') == Approx(a));
  CHECK(one.probability("zzz", 'c') == Approx(c));  // an order of 1 looks at no context
  CHECK(two.probability("", 'a') == Approx(a));
  CHECK(two.probability("xa", 'b') == Approx((2 + a) / 3));  // "a" is seen twice, always before "b"
  CHECK(two.probability("b", 'a') == Approx((1 + a) / 2));
  CHECK(two.probability("b", 'c') == Approx(c / 2));
  CHECK(two.probability("z", 'a') == Approx(a));  // a context never seen
  CHECK(two.nats_per_char("ab") == Approx(-(std::log(a) + std::log((2 + a) / 3)) / 2));
}

TEST_CASE("probabilities after any context sum to one") {
  NGram model("the cat sat on the mat; \xff the end", 4);
  for (std::string_view context : {"", "t", "th", "the", "the ", "xyz", "at\xff", "xat"}) {
    double sum = 0;
    for (int b = 0; b < 256; ++b) sum += model.probability(context, static_cast<unsigned char>(b));
    CHECK(sum == Approx(1));
  }
}

TEST_CASE("a text without repetition: nothing learned beyond the bytes themselves") {
  CHECK(NGram("", 5).nats_per_char("anything") == Approx(std::log(256.)));
}

TEST_CASE("the licence texts: a 5-gram near 1.54 nats, a bigram far above") {
  TextCorpus corpus = load_licence_corpus();
  const double bigram = NGram(corpus.train, 2).nats_per_char(corpus.validation);
  const double fivegram = NGram(corpus.train, 5).nats_per_char(corpus.validation);
  CHECK(bigram == Approx(2.53).margin(0.05));
  CHECK(fivegram == Approx(1.54).margin(0.05));
}

TEST_CASE("orders and texts that make no sense") {
  CHECK_THROWS_WITH(NGram("text", 0), "NGram: order 0 is not supported: choose one from 1 to 8");
  CHECK_THROWS_AS(NGram("text", 9), nacre::Error);
  CHECK_THROWS_WITH(NGram("text", 2).nats_per_char(""), "NGram: there is no text to measure on");
}

}  // namespace
}  // namespace char_lm
