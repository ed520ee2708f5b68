"""Loader and JSON Schema of a format must agree on every file of its tests and every shipped one.

files/good: both take it. files/bad: both refuse it. files/loader_only: only the loader refuses it,
because a schema knows neither names nor arithmetic nor what YAML said twice. The first line of a
file that the loader refuses is "# LINE:COLUMN TEXT": where its error stands, and what it contains.
Exit 77: no jsonschema.
Usage: schema_test.py SOURCE_FOLDER SCHEMA FOLDER_OF_TESTS SHIPPED_FILES PROBE [ARGUMENT…]
PROBE ARGUMENT… FILE… prints the loader's verdict on each file.
"""
import functools
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

source, name, folder, shipped, *probe = sys.argv[1:]
source = pathlib.Path(source)
schema = json.loads((source / "schema" / (name + ".json")).read_text())
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
files = source / "tests" / folder / "files"

groups = {
    "good": (sorted((files / "good").glob("*.yaml")), True, True),
    "bad": (sorted((files / "bad").glob("*.yaml")), False, False),
    "loader_only": (sorted((files / "loader_only").glob("*.yaml")), True, False),
    "shipped": (sorted(source.glob(shipped)), True, True),
}


def schema_errors(path):
    try:
        document = yaml.safe_load(path.read_text())
    except yaml.YAMLError as error:
        return [str(error)]
    return [error.message for error in validator.iter_errors(document)]


def loader_errors(path, verdict, loader_takes):
    if loader_takes:
        return [] if verdict == "ok" else [verdict]
    place, _, fragment = path.read_text().splitlines()[0].removeprefix("# ").partition(" ")
    if place.count(":") != 1 or not fragment:
        return ["the first line has no place and text"]
    if verdict.startswith(place + " ") and fragment in verdict:
        return []
    return [f"{verdict!r} is not at {place} with {fragment!r}"]


wrong = 0
count = 0
for name, (paths, schema_takes, loader_takes) in groups.items():
    assert paths or name == "shipped", f"no files in {name}"
    answer = subprocess.run([*probe, *map(str, paths)], capture_output=True, text=True, check=True)
    verdicts = answer.stdout.splitlines()
    assert len(verdicts) == len(paths), answer
    for path, verdict in zip(paths, verdicts):
        count += name != "shipped"
        for problem in loader_errors(path, verdict, loader_takes):
            wrong += 1
            print(f"{name}: {path}: the loader: {problem}")
        errors = schema_errors(path)
        if (not errors) != schema_takes:
            wrong += 1
            print(f"{name}: {path}: the schema says: {errors or 'ok'}")
    print(f"{name}: {len(paths)} files")


assert count >= 60, f"only {count} files of our own"


def undescribed(node, path):
    """Keys without a description, for editors."""
    for key, value in node.get("properties", {}).items():
        here = f"{path}/{key}"
        target = value
        while "$ref" in target and "description" not in target:
            target = functools.reduce(dict.get, target["$ref"].split("/")[1:], schema)
        if "description" not in target:
            yield here
        yield from undescribed(value, here)
    for choice in [*node.get("anyOf", []), node.get("additionalProperties"), node.get("items")]:
        if isinstance(choice, dict):
            yield from undescribed(choice, path)


missing = list(undescribed(schema, ""))
for definition in schema["definitions"]:
    missing += undescribed(schema["definitions"][definition], definition)
if missing:
    wrong += 1
    print("keys without a description:", missing)
sys.exit(1 if wrong else 0)
