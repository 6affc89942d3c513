"""A process that refpos verifies as it runs: it computes inverse frequencies, and answers a case a line.

refpos verify --live --suite inverse_frequencies --only-answered -- python port.py
"""

import json
import struct
import sys

CODES = {"float64": ">d", "float32": ">f"}


def answer(case):
    arguments, wanted = case["arguments"], case["wanted"]["output"]
    code = CODES.get(wanted["dtype"])
    if code is None or set(arguments) != {"base", "dim", "dtype"} or not isinstance(arguments["base"], int):
        return {"unsupported": "only float64 and float32, whole bases, and no other argument"}
    dim, base = arguments["dim"], arguments["base"]
    values = [base ** (-2 * k / dim) for k in range(dim // 2)]
    bits = [struct.pack(code, value).hex() for value in values]
    return {"outputs": {"output": {"dtype": wanted["dtype"], "shape": [dim // 2], "bits": bits}}}


for line in sys.stdin:
    case = json.loads(line)
    print(json.dumps({"id": case["id"], **answer(case)}), flush=True)
