#include "passes/structural_hash.h"

#include "ir/nacre.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/xxhash.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace nacre::passes {

namespace {

// Names of functions, what a human is told, and how arguments are called: none of it changes the program.
bool isIgnored(Operation* op, StringRef attribute) {
  if (attribute == SymbolTable::getSymbolAttrName() || attribute == SymbolTable::getVisibilityAttrName()) return true;
  return isa<ir::FusionOp>(op) && attribute == "why";
}

class KeyWriter {
 public:
  explicit KeyWriter(Operation* root) : root_(root), os_(text_) {}

  std::string take() && {
    write(root_);
    return std::move(text_);
  }

 private:
  void write(Operation* op) {
    os_ << op->getName().getStringRef();
    for (Value operand : op->getOperands()) os_ << " %" << number(operand);
    writeAttributes(op);
    for (Value result : op->getResults()) {
      os_ << ' ' << textOf(TypeAttr::get(result.getType()));
      number(result);
    }
    for (Region& region : op->getRegions()) {
      os_ << " {\n";
      for (Block& block : region) {
        os_ << "^";
        for (BlockArgument argument : block.getArguments()) {
          os_ << ' ' << textOf(TypeAttr::get(argument.getType()));
          number(argument);
        }
        os_ << '\n';
        for (Operation& inner : block) write(&inner);
      }
      os_ << "}";
    }
    os_ << '\n';
  }

  void writeAttributes(Operation* op) {
    // A dictionary is sorted by name; properties are read through it.
    for (NamedAttribute named : op->getAttrDictionary()) {
      if (isIgnored(op, named.getName())) continue;
      StringRef name = named.getName().getValue();
      if (isa<func::FuncOp>(op) && (name == "arg_attrs" || name == "res_attrs")) {
        writeArgumentAttributes(name, cast<ArrayAttr>(named.getValue()));
        continue;
      }
      os_ << ' ' << name << '=';
      if (auto symbol = dyn_cast<FlatSymbolRefAttr>(named.getValue()))
        writeSymbol(op, symbol);
      else
        os_ << textOf(named.getValue());
    }
  }

  // Arguments with nothing but a name are as those without attributes.
  void writeArgumentAttributes(StringRef list, ArrayAttr arguments) {
    for (auto [i, argument] : llvm::enumerate(arguments))
      for (NamedAttribute named : cast<DictionaryAttr>(argument))
        if (named.getName() != ir::kNameAttr)
          os_ << ' ' << list << '[' << i << "]." << named.getName().getValue() << '=' << textOf(named.getValue());
  }

  // The hash of what the symbol names; the symbol itself where that is unknown or is being written.
  void writeSymbol(Operation* op, FlatSymbolRefAttr symbol) {
    Operation* target = symbols_.lookupNearestSymbolFrom(op, symbol);
    if (!target || target->isAncestor(root_)) {
      os_ << '@' << symbol.getValue();
      return;
    }
    auto [known, isNew] = symbolKeys_.try_emplace(symbol.getValue());
    if (isNew) {
      StructuralHash hash = structuralHash(target);
      symbolKeys_[symbol.getValue()] = llvm::utohexstr(hash[0]) + "_" + llvm::utohexstr(hash[1]);
    }
    os_ << '#' << symbolKeys_[symbol.getValue()];
  }

  unsigned number(Value v) { return numbers_.try_emplace(v, numbers_.size()).first->second; }

  // Types and attributes repeat often, and are printed once.
  StringRef textOf(Attribute attribute) {
    auto [known, isNew] = printed_.try_emplace(attribute);
    if (isNew) {
      llvm::raw_string_ostream os(known->second);
      attribute.print(os);
    }
    return known->second;
  }

  Operation* root_;
  std::string text_;
  llvm::raw_string_ostream os_;
  DenseMap<Value, unsigned> numbers_;
  DenseMap<Attribute, std::string> printed_;
  SymbolTableCollection symbols_;
  llvm::StringMap<std::string> symbolKeys_;
};

}  // namespace

std::string structuralKey(Operation* op) { return KeyWriter(op).take(); }

StructuralHash structuralHash(StringRef key) {
  llvm::XXH128_hash_t hash = llvm::xxh3_128bits(ArrayRef(reinterpret_cast<const uint8_t*>(key.data()), key.size()));
  return {hash.low64, hash.high64};
}

StructuralHash structuralHash(Operation* op) { return structuralHash(StringRef(structuralKey(op))); }

}  // namespace nacre::passes
