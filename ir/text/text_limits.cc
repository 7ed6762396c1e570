#include "ir/text/text_limits.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

namespace nacre::ir {

namespace {

bool isWord(char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$'; }

class Scanner {
 public:
  Scanner(llvm::StringRef text, const TextLimits& limits) : text(text), limits(limits) {}

  std::optional<TextProblem> run() {
    if (text.size() > limits.bytes)
      fail(0, "the text has " + llvm::Twine(text.size()) + " bytes, the limit is " + llvm::Twine(limits.bytes));
    while (!problem && position < text.size()) step();
    return problem;
  }

 private:
  void step() {
    const char c = text[position];
    if (llvm::isSpace(c)) {
      ++position;
    } else if (text.substr(position).starts_with("//")) {
      position = std::min(text.find('\n', position), text.size());
    } else {
      if (++tokens > limits.tokens) return fail(position, "more than " + llvm::Twine(limits.tokens) + " tokens");
      if (affineDepth != 0 && ++affineTokens > limits.affine_tokens)
        return fail(position, "an affine map of more than " + llvm::Twine(limits.affine_tokens) + " tokens");
      token(c);
    }
  }

  void token(char c) {
    if (c == '"') return skipString();
    if (text.substr(position).starts_with("->")) {
      position += 2;
    } else if (c == '(' || c == '[' || c == '{' || c == '<') {
      open(c);
    } else if (c == ')' || c == ']' || c == '}' || c == '>') {
      if (depth > 0) --depth;
      if (depth < affineDepth) affineDepth = 0;
      ++position;
    } else if (isWord(c)) {
      size_t start = position;
      while (position < text.size() && isWord(text[position])) ++position;
      llvm::StringRef word = text.slice(start, position);
      affineNext = word == "affine_map" || word == "affine_set";
    } else {
      ++position;
    }
  }

  void open(char c) {
    if (++depth > limits.depth) return fail(position, "brackets nest more than " + llvm::Twine(limits.depth) + " deep");
    if (c == '<' && affineNext && affineDepth == 0) {
      affineDepth = depth;
      affineTokens = 0;
    }
    affineNext = false;
    ++position;
    if (c == '<') checkShape();
  }

  // The dimensions of a shaped type, "8x128x" of "tensor<8x128xf32>"; leaves the position where it is.
  void checkShape() {
    int64_t elements = 1;
    llvm::StringRef rest = text.substr(position);
    for (;;) {
      rest = rest.ltrim();
      llvm::StringRef digits = rest.take_while([](char c) { return llvm::isDigit(c); });
      if (digits.empty() || !rest.substr(digits.size()).ltrim().starts_with("x")) return;
      int64_t dim;
      if (digits.getAsInteger(10, dim)) dim = limits.elements + 1;
      if (dim > limits.elements / elements)
        return fail(position, "a shape of more than " + llvm::Twine(limits.elements) + " elements");
      elements *= std::max<int64_t>(dim, 1);
      rest = rest.substr(digits.size()).ltrim().drop_front();
    }
  }

  void skipString() {
    for (++position; position < text.size() && text[position] != '"' && text[position] != '\n'; ++position)
      if (text[position] == '\\') ++position;
    ++position;
  }

  void fail(size_t at, const llvm::Twine& message) {
    llvm::StringRef before = text.take_front(at);
    size_t lineStart = before.rfind('\n');
    size_t column = lineStart == llvm::StringRef::npos ? at : at - lineStart - 1;
    problem = TextProblem{before.count('\n') + 1, column + 1, message.str()};
  }

  llvm::StringRef text;
  const TextLimits& limits;
  size_t position = 0, tokens = 0;
  int depth = 0;
  // Depth of the bracket that opened the affine map being read; 0 outside.
  int affineDepth = 0, affineTokens = 0;
  bool affineNext = false;
  std::optional<TextProblem> problem;
};

}  // namespace

std::optional<TextProblem> findTextProblem(llvm::StringRef text, const TextLimits& limits) {
  return Scanner(text, limits).run();
}

}  // namespace nacre::ir
