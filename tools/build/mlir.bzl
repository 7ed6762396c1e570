"""Build rules for MLIR: TableGen and lit tests."""

TBLGEN = "/usr/lib/llvm-22/bin/mlir-tblgen"

def mlir_tblgen(name, td, outs, deps = []):
    """One genrule that runs several generators on one .td file.

    Args:
      name: target name.
      td: the .td file; its own includes are written relative to the repository root.
      outs: generated file name -> mlir-tblgen flag.
      deps: further .td files that td includes.
    """
    commands = [
        "%s -I /usr/lib/llvm-22/include -I . %s $(location %s) -o $(RULEDIR)/%s" % (TBLGEN, flags, td, out)
        for out, flags in outs.items()
    ]
    native.genrule(
        name = name,
        srcs = [td] + deps,
        outs = outs.keys(),
        cmd = " && ".join(commands),
    )

def lit_tests(srcs, tools, data = []):
    """One test for each .mlir file; its RUN lines see `tools` on PATH.

    Args:
      srcs: .mlir files.
      tools: labels of binaries that RUN lines call.
      data: other files that RUN lines read.
    """
    for src in srcs:
        native.sh_test(
            name = src + ".lit",
            srcs = ["//tools/build:lit.sh"],
            args = ["$(location %s)" % src] + ["$(location %s)" % t for t in tools],
            data = [src, "//tools/build:lit.cfg.py"] + tools + data,
            size = "small",
        )
