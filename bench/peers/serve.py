"""Times one system's rows for bench/compare: requests and answers as JSON, one a line (see bench/system.h)."""
import importlib
import json
import os
import sys
import time

answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # what libraries print goes to stderr


def answer(value):
    answers.write(json.dumps(value) + "\n")
    answers.flush()


def serve(system):
    try:
        rows = importlib.import_module(f"rows_{system}")
    except ImportError as e:
        answer({"missing": f"{e}; run bench/peers/setup.sh, or set NACRE_PEERS_PYTHON to a Python that has it"})
        return
    answer({"version": rows.VERSION})
    prepared = {}
    for line in sys.stdin:
        request = json.loads(line)
        if "forget" in request:
            prepared.pop(request["forget"], None)
            answer({})
            continue
        try:
            name, settings = request["row"], request["settings"]
            if name not in prepared:
                make = next((m for start, m in rows.ROWS.items() if name.startswith(start)), None)
                if make is None:
                    answer({"missing": "does not have this row"})
                    continue
                prepared[name] = make(**settings)
            work, seconds = prepared[name], []
            for _ in range(request["samples"]):
                start = time.perf_counter()
                for _ in range(request["calls"]):
                    work()
                seconds.append((time.perf_counter() - start) / request["calls"])
            answer({"seconds": seconds})
        except Exception as e:  # a row that a peer cannot run is an answer too
            answer({"missing": f"{type(e).__name__}: {e}".splitlines()[0]})


serve(sys.argv[1])
