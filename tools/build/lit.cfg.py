import os

import lit.formats

config.name = "nacre"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".mlir"]
config.test_source_root = os.path.dirname(os.path.abspath(__file__))
config.test_exec_root = os.environ["TEST_TMPDIR"]
config.environment["PATH"] = os.environ["NACRE_LIT_PATH"]
