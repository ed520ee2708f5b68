# Runs the scripts of a GitHub workflow or a GitLab pipeline step by step, in a folder, without their servers.
"""Knows only what examples/ci uses of the two formats, and refuses anything else."""
import dataclasses
import os
import re
import shutil
import subprocess

TOKEN = re.compile(r"\s*('(?:[^']|'')*'|\"[^\"]*\"|&&|\|\||==|!=|[!(),]|\$?[A-Za-z_][\w.-]*)")


class Expression:
    """`&&`, `||`, `!`, `==`, `!=`, texts, names and functions, as both hosts have them."""

    def __init__(self, text, names, functions):
        self.words, self.names, self.functions = [], names, functions
        place = 0
        while text[place:].strip():
            found = TOKEN.match(text, place)
            if not found:
                raise ValueError("no expression: %s" % text)
            self.words.append(found.group(1))
            place = found.end()

    def value(self):
        value = self.either()
        if self.words:
            raise ValueError("left over: %s" % self.words)
        return value

    def take(self, *words):
        return self.words.pop(0) if self.words and self.words[0] in words else None

    def either(self):
        value = self.both()
        while self.take("||"):
            other = self.both()
            value = value or other
        return value

    def both(self):
        value = self.compared()
        while self.take("&&"):
            other = self.compared()
            value = value and other
        return value

    def compared(self):
        value = self.single()
        operator = self.take("==", "!=")
        if operator:
            value = (value == self.single()) == (operator == "==")
        return value

    def single(self):
        if self.take("!"):
            return not self.single()
        if self.take("("):
            value = self.either()
            assert self.take(")")
            return value
        word = self.words.pop(0)
        if word[0] in "'\"":
            return word[1:-1].replace("''", "'")
        if self.take("("):
            values = []
            while not self.take(")"):
                values.append(self.either())
                self.take(",")
            return self.functions[word](*values)
        return self.names(word)


@dataclasses.dataclass
class Step:
    """The result of one script."""
    name: str
    code: int
    output: str


class Pipeline:
    def __init__(self, repository, environment):
        self.repository, self.environment = repository, environment
        self.steps = []
        self.artifacts = {}  # what an upload names: its paths

    def run_script(self, name, text, environment, folder=None):
        """Runs a separate shell, as both hosts do, which ends at the first command that fails."""
        done = subprocess.run(["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", text],
                              cwd=folder or self.repository, env={**self.environment, **environment},
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=120, check=False)
        self.steps.append(Step(name, done.returncode, done.stdout))
        return done.returncode

    def codes(self):
        return {step.name: step.code for step in self.steps}

    def output(self, name):
        (step,) = [step for step in self.steps if step.name == name]
        return step.output


class GithubJob(Pipeline):
    """One job for an event. `event` is what `github` has: event_name, event.pull_request.number …

    `more` are names of other contexts (matrix.shard), and `store` is the folder of all jobs' artifacts.
    """
    STEP_KEYS = {"name", "id", "if", "uses", "with", "run", "env"}
    JOB_KEYS = {"if", "runs-on", "timeout-minutes", "permissions", "needs", "strategy", "steps"}

    def __init__(self, workflow, job, repository, environment, event, more=None, store=None):
        summary = repository.parent / "summary.md"
        super().__init__(repository, {**environment, "GITHUB_ACTIONS": "true", "CI": "true",
                                      "GITHUB_WORKSPACE": str(repository),
                                      "GITHUB_REPOSITORY": "stranger/kernels",
                                      "GITHUB_EVENT_NAME": event["event_name"],
                                      "GITHUB_STEP_SUMMARY": str(summary)})
        summary.write_text("")
        self.names = {"github." + name: value for name, value in event.items()}
        self.names.update({"github.repository": "stranger/kernels", "github.token": "token",
                           "github.workflow": "Warpmark", "github.ref": "refs/pull/7/merge",
                           **(more or {})})
        self.store = store
        self.workflow, self.job = workflow, workflow["jobs"][job]
        self.failed = self.cancelled = False
        self.ran = self.evaluate(self.job.get("if", "true"))
        if self.ran:
            self.run()
        self.summary = summary.read_text()

    def hash_files(self, *patterns):
        found = [path for pattern in patterns for path in self.repository.glob(pattern)]
        return "0123abcd" if found else ""

    def value(self, name):
        if name in ("true", "false"):
            return name == "true"
        # A name without a value is empty, as on GitHub; a name that no event has is a mistake.
        known = name in self.names or name.startswith("github.event.")
        assert known, "unknown: " + name
        return self.names.get(name, "")

    def evaluate(self, text):
        found = re.fullmatch(r"\s*\$\{\{(.*)\}\}\s*", text, re.S)
        functions = {"cancelled": lambda: self.cancelled, "hashFiles": self.hash_files}
        expression = found.group(1) if found else text
        value = Expression(expression, self.value, functions).value()
        # Without a word of the status a step runs only after successes.
        return bool(value) and ("cancelled(" in expression or not self.failed)

    def filled(self, text):
        functions = {"hashFiles": self.hash_files}
        return re.sub(r"\$\{\{(.*?)\}\}", lambda found: str(
            Expression(found.group(1), self.value, functions).value()), str(text))

    def run(self):
        assert set(self.job) <= self.JOB_KEYS, self.job
        general = {name: self.filled(value) for name, value in self.workflow.get("env", {}).items()}
        self.names.update({"env." + name: value for name, value in general.items()})
        defaults = self.workflow.get("defaults", {"run": {"shell": "bash"}})["run"]  # Linux's own is bash
        assert defaults["shell"] == "bash"
        folder = self.repository / defaults.get("working-directory", ".")
        for step in self.job["steps"]:
            assert set(step) <= self.STEP_KEYS and ("run" in step) != ("uses" in step), step
            if not self.evaluate(step.get("if", "true")):
                continue
            if "uses" in step:
                self.use(step)
                continue
            own = {name: self.filled(value) for name, value in step.get("env", {}).items()}
            code = self.run_script(step["name"], self.filled(step["run"]), {**general, **own}, folder)
            self.failed = self.failed or code != 0
            if "id" in step:
                self.names["steps.%s.outcome" % step["id"]] = "failure" if code else "success"

    def use(self, step):
        inputs = {name: self.filled(value) for name, value in step.get("with", {}).items()}
        if step["uses"].startswith("actions/upload-artifact@"):
            self.artifacts[inputs["name"]] = self.repository / inputs["path"]
            if self.store and self.artifacts[inputs["name"]].exists():
                shutil.copytree(self.artifacts[inputs["name"]], self.store / inputs["name"])
        elif step["uses"].startswith("actions/download-artifact@"):
            assert inputs["merge-multiple"] == "True", inputs
            for artifact in sorted(self.store.glob(inputs["pattern"])):
                shutil.copytree(artifact, self.repository / inputs["path"], dirs_exist_ok=True)
        elif step["uses"].startswith("actions/cache@"):
            self.cache = inputs
        elif step["uses"].startswith("actions/setup-python@"):
            self.python_version = inputs["python-version"]


class GitlabJob(Pipeline):
    """One job; `variables` are those that GitLab sets for it."""
    JOB_KEYS = {"image", "timeout", "cache", "before_script", "script", "after_script", "rules",
                "artifacts"}

    def __init__(self, pipeline, job, repository, environment, variables):
        self.job = self.whole(pipeline, job)
        assert set(self.job) <= self.JOB_KEYS, self.job
        variables = {"CI": "true", "GITLAB_CI": "true", "CI_PROJECT_DIR": str(repository),
                     "CI_DEFAULT_BRANCH": "main", "CI_PROJECT_ID": "12",
                     "CI_API_V4_URL": "https://gitlab.invalid/api/v4", **variables}
        for name, value in pipeline["variables"].items():
            variables[name] = re.sub(r"\$(\w+)", lambda found: variables[found.group(1)], value)
        super().__init__(repository, {**environment, **variables})
        self.variables = variables
        self.ran = any(self.holds(rule["if"]) for rule in self.job["rules"])
        if self.ran:
            self.run(job)

    @classmethod
    def whole(cls, pipeline, name):
        job = dict(pipeline[name])
        parent = job.pop("extends", None)
        return {**cls.whole(pipeline, parent), **job} if parent else job

    def holds(self, text):
        return Expression(text, lambda name: self.variables.get(name[1:]), {}).value()

    def run(self, name):
        script = "\n".join(self.job["before_script"] + self.job["script"])
        self.failed = self.run_script(name, script, {}) != 0
        if "after_script" in self.job:
            self.run_script("after", "\n".join(self.job["after_script"]),
                            {"CI_JOB_STATUS": "failed" if self.failed else "success"})
        artifacts = self.job["artifacts"]
        if not self.failed or artifacts.get("when") == "always":
            paths = [os.path.expandvars(path.replace("$BASELINE", self.variables["BASELINE"]))
                     for path in artifacts["paths"]]
            self.artifacts = {path: self.repository / path for path in paths}
        self.reports = {kind: self.repository / path
                        for kind, path in artifacts.get("reports", {}).items()}
