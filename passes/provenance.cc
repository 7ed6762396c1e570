#include "passes/provenance.h"

#include "llvm/Support/Path.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace nacre::passes {

Location made(StringRef what, Location location) {
  return NameLoc::get(StringAttr::get(location.getContext(), what), location);
}

std::optional<FileLineColLoc> sourceOf(Location location) {
  std::optional<FileLineColLoc> found;
  location->walk([&](Location inner) {
    if (auto line = dyn_cast<FileLineColLoc>(inner)) {
      found = line;
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return found;
}

std::string describe(Location location) {
  std::string text = "?";
  if (auto line = sourceOf(location))
    text = (llvm::sys::path::filename(line->getFilename().getValue()) + ":" + Twine(line->getLine())).str();
  // Names stand outermost last; the first thing done is told first.
  SmallVector<StringRef> marks;
  while (auto name = dyn_cast<NameLoc>(location)) {
    marks.push_back(name.getName().getValue());
    location = name.getChildLoc();
  }
  for (StringRef mark : llvm::reverse(marks)) text += (" " + mark).str();
  return text;
}

}  // namespace nacre::passes
