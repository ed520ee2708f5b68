"""Grades of every state keep schema/grade.json, and what is broken does not.

Exit 77: no jsonschema.
Usage: grade_schema_test.py PROBE SCHEMA
"""
import copy
import json
import pathlib
import subprocess
import sys

try:
    import jsonschema
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

schema = json.loads(pathlib.Path(sys.argv[2]).read_text())
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
lines = subprocess.run([sys.argv[1]], capture_output=True, text=True, check=True).stdout.splitlines()
results = [json.loads(line, parse_constant=lambda name: sys.exit("no strict JSON: " + name))
           for line in lines]
assert {result["state"] for result in results} == set(schema["properties"]["state"]["enum"])
for result in results:
    for error in validator.iter_errors(result):
        sys.exit(f"{result['student']}: {list(error.absolute_path)}: {error.message}")


def places(value, path=()):
    """The path of every value within `value`."""
    if path:
        yield path
    if isinstance(value, (dict, list)):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], path + (key,))


def parent_of(result, path):
    for key in path[:-1]:
        result = result[key]
    return result


# Each member missing, each value of another kind, each object with a member too many.
whole = results[0]
count = 0
for path in places(whole):
    missing, mistyped = copy.deepcopy(whole), copy.deepcopy(whole)
    value = parent_of(whole, path)[path[-1]]
    parent_of(mistyped, path)[path[-1]] = {"x": 1} if not isinstance(value, dict) else "x"
    broken = [mistyped]
    if isinstance(path[-1], str):
        del parent_of(missing, path)[path[-1]]
        broken.append(missing)
    if isinstance(value, dict):
        more = copy.deepcopy(whole)
        parent_of(more, path)[path[-1]]["more"] = 1
        broken.append(more)
    for result in broken:
        count += 1
        assert not validator.is_valid(result), f"valid although broken at {path}"
for path, value in [(("grade",), 2), (("state",), "ok"), (("points",), -1), (("seconds",), -1),
                    (("submission_sha256",), "abc"), (("cases", 0, "word"), "passed"),
                    (("cases", 0, "visibility"), "secret"), (("cases", 1, "items", 0, "error"), "NaN"),
                    (("cases", 1, "items", 0, "trial"), -1), (("context", "date"), "yesterday")]:
    broken = copy.deepcopy(whole)
    parent_of(broken, path)[path[-1]] = value
    count += 1
    assert not validator.is_valid(broken), f"valid although {path} is {value}"
print(len(results), "grades are valid,", count, "broken ones are not")
