"""Loader and JSON Schema must agree on every suite file here and every shipped one.

files/good: both take it. files/bad: both refuse it. files/loader_only: only the loader refuses it,
because a schema knows neither names nor arithmetic nor what YAML said twice. Exit 77: no jsonschema.
Usage: schema_test.py PROBE PLUGINS SOURCE_FOLDER
"""
import json
import pathlib
import subprocess
import sys

try:
    import jsonschema
    import yaml
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

probe, plugins, source = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
schema = json.loads((source / "schema/suite.json").read_text())
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
files = source / "tests/unit/suite/files"

groups = {
    "good": (sorted((files / "good").glob("*.yaml")), True, True),
    "bad": (sorted((files / "bad").glob("*.yaml")), False, False),
    "loader_only": (sorted((files / "loader_only").glob("*.yaml")), True, False),
    "shipped": (sorted((source / "suites").rglob("*.yaml")), True, True),
}
wrong = 0
for name, (paths, schema_takes, loader_takes) in groups.items():
    assert paths, f"no files in {name}"
    answer = subprocess.run([probe, plugins, *map(str, paths)], capture_output=True, text=True, check=True)
    verdicts = answer.stdout.splitlines()
    assert len(verdicts) == len(paths), answer
    for path, verdict in zip(paths, verdicts):
        errors = [e.message for e in validator.iter_errors(yaml.safe_load(path.read_text()))]
        if verdict.startswith("ok") != loader_takes:
            wrong += 1
            print(f"{name}: the loader says: {verdict}")
        if (not errors) != schema_takes:
            wrong += 1
            print(f"{name}: {path}: the schema says: {errors or 'ok'}")
    print(f"{name}: {len(paths)} files")


def undescribed(node, path):
    """Keys of suites without a description, for editors."""
    for key, value in node.get("properties", {}).items():
        here = f"{path}/{key}"
        target = value
        while "$ref" in target and "description" not in target:
            target = schema["definitions"][target["$ref"].rsplit("/", 1)[1]]
        if "description" not in target:
            yield here
        yield from undescribed(value, here)
        for choice in value.get("anyOf", []):
            yield from undescribed(choice, here)


missing = list(undescribed(schema, ""))
if missing:
    wrong += 1
    print("keys without a description:", missing)
sys.exit(1 if wrong else 0)
