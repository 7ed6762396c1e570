// Elementwise kernels that read an input along another dimension than they write: square blocks of it are loaded along
// its own contiguous dimension and transposed in registers, so that loads and stores are both of whole vectors.
#include "codegen/schedule/iteration.h"

using namespace mlir;

namespace nacre::schedule {
namespace {

struct Plan {
  SmallVector<int64_t> sizes;                   // of output 0, without ones
  SmallVector<AffineExpr> dims;                 // stand-ins for the index of output 0
  size_t across = 0;                            // the dimension along which the input is contiguous
  std::vector<std::pair<Value, Index>> leaves;  // inputs to transpose, in terms of the stand-ins
};

// The transposed reads, or nothing if no dimension but the last is contiguous in any input.
std::optional<Plan> plan(Kernel& kernel, int64_t lanes) {
  IndexSpace& space = kernel.e.space;
  Plan p;
  Index index;
  for (int64_t size : ir::shapeOf(kernel.results[0])) {
    index.push_back(size == 1 ? space.constant(0) : space.addDim({0, size}));
    if (size == 1) continue;
    p.sizes.push_back(size);
    p.dims.push_back(index.back());
  }
  const int64_t endDim = space.numDims();
  if (p.dims.size() < 2 || p.sizes.back() < lanes) return std::nullopt;
  AffineExpr position = space.linearize(index, ir::shapeOf(kernel.results[0]));
  Accesses accesses;
  for (Value v : kernel.results) collectAccesses(space, v, kernel.at(v, position), accesses);
  auto contiguousIn = [&](const Access& a) -> std::optional<size_t> {
    LinearForm form = space.linear(a.linear);
    for (auto& [atom, c] : form.terms)
      if (!isa<AffineDimExpr>(atom)) return std::nullopt;
    for (int64_t d = endDim; d < space.numDims(); ++d)
      if (dependsOnDim(a.linear, d)) return std::nullopt;
    if (std::abs(form.coefficient(p.dims.back())) <= 1) return std::nullopt;
    for (size_t d = 0; d + 1 < p.dims.size(); ++d)
      if (form.coefficient(p.dims[d]) == 1 && p.sizes[d] >= lanes) return d;
    return std::nullopt;
  };
  int64_t largest = 0;
  for (const Access& a : accesses.loads) {
    auto d = contiguousIn(a);
    if (d && numElements(a.leaf) > largest) largest = numElements(a.leaf), p.across = *d;
  }
  if (!largest) return std::nullopt;
  for (const Access& a : accesses.loads)
    if (contiguousIn(a) == p.across) p.leaves.push_back({a.leaf, a.index});
  return p;
}

}  // namespace

bool emitTranspose(Kernel& kernel) {
  Emitter& e = kernel.e;
  const int64_t lanes = kernel.lanes();
  auto found = plan(kernel, lanes);
  if (!found) return false;
  Plan& p = *found;
  kernel.choice = "blocks";
  const int64_t height = p.sizes[p.across], width = p.sizes.back();
  SmallVector<int64_t> outer;
  int64_t outerCount = 1;
  for (size_t d = 0; d + 1 < p.sizes.size(); ++d) {
    if (d == p.across) continue;
    outer.push_back(p.sizes[d]);
    outerCount *= p.sizes[d];
  }

  // The index of output 0 (without ones) with the given place of the block.
  auto place = [&](ArrayRef<AffineExpr> outerAt, AffineExpr row, AffineExpr column) {
    SmallVector<AffineExpr> values;
    size_t next = 0;
    for (size_t d = 0; d + 1 < p.sizes.size(); ++d) values.push_back(d == p.across ? row : outerAt[next++]);
    values.push_back(column);
    return values;
  };
  auto substitute = [&](const Index& index, ArrayRef<AffineExpr> values) {
    Index result;
    for (AffineExpr expr : index) {
      SmallVector<AffineExpr> all;
      for (int64_t d = 0; d < e.space.numDims(); ++d) all.push_back(getAffineDimExpr(d, e.space.context));
      for (auto [dim, value] : llvm::zip(p.dims, values)) all[cast<AffineDimExpr>(dim).getPosition()] = value;
      result.push_back(expr.replaceDims(all));
    }
    return result;
  };
  auto limit = [&](int64_t n) { return n < lanes ? e.indexConstant(n) : Value(); };

  auto block = [&](ArrayRef<AffineExpr> outerAt, AffineExpr row, AffineExpr column, int64_t rows, int64_t columns) {
    std::vector<SmallVector<Value>> turned;
    e.withLanes(lanes, limit(rows), [&] {
      for (auto& [leaf, index] : p.leaves) {
        SmallVector<Value> lines;
        for (int64_t r = 0; r < lanes; ++r) {
          if (r < columns) {
            Position at{substitute(index, place(outerAt, row + e.lane(), column + r)), lanes};
            lines.push_back(e.emit(leaf, at));
          } else {
            lines.push_back(e.constantTile(Emitter::computeElement(ir::elementOf(leaf)), lanes, 0));
          }
        }
        SmallVector<Type> types(lanes, lines[0].getType());
        auto op = tile::TransposeOp::create(e.ops, e.loc, types, lines);
        turned.push_back(llvm::to_vector_of<Value>(op.getColumns()));
      }
    });
    e.withLanes(lanes, limit(columns), [&] {
      for (int64_t i = 0; i < rows; ++i) {
        auto values = place(outerAt, row + i, column + e.lane());
        for (auto [n, leaf] : llvm::enumerate(p.leaves))
          e.remember(leaf.first, {substitute(leaf.second, values), lanes}, turned[n][i]);
        AffineExpr position = e.space.linearize(values, p.sizes);
        SmallVector<Value> tiles;
        for (Value v : kernel.results) tiles.push_back(e.emit(v, {kernel.at(v, position), lanes}));
        for (auto [tile, buffer] : llvm::zip(tiles, kernel.outputBuffers)) e.store(tile, buffer, position);
      }
    });
  };
  auto line = [&](ArrayRef<AffineExpr> outerAt, AffineExpr row, int64_t rows) {
    e.loop(0, width / lanes * lanes, lanes, {}, [&](AffineExpr column, ValueRange) {
      block(outerAt, row, column, rows, lanes);
      return SmallVector<Value>();
    });
    if (int64_t rest = width % lanes) block(outerAt, row, e.constant(width - rest), rows, rest);
  };
  // A program takes a strip of whole lines of blocks.
  Chunks strips = chunksOf(height, std::max(lanes, 32768 / width / lanes * lanes), lanes);
  kernel.setGrid(outerCount * strips.count());
  SmallVector<AffineExpr> split = splitIndex(e, kernel.program, {outerCount, strips.count()});
  SmallVector<AffineExpr> outerAt = splitIndex(e, split[0], outer);
  forChunk(e, strips, split[1], [&](AffineExpr start, int64_t length) {
    e.loop(0, length / lanes * lanes, lanes, {}, [&](AffineExpr i, ValueRange) {
      line(outerAt, start + i, lanes);
      return SmallVector<Value>();
    });
    if (int64_t rest = length % lanes) line(outerAt, start + (length - rest), rest);
  });
  return true;
}

}  // namespace nacre::schedule
