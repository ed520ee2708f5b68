# `warpmark debug --dap`: the Debug Adapter Protocol over its real messages, with a small client that holds each
# message against the protocol's published schema.
import importlib.util
import json
import os
import pathlib
import queue
import subprocess
import threading
import unittest

from debug_test import HAS_VARIABLES, KERNEL, SUITE
from program import PROGRAM, SOURCE, ProgramTest

try:
    import jsonschema
except ImportError:
    jsonschema = None

PATIENCE_S = 60


def published_schema():
    """Microsoft's schema of the protocol, which debugpy brings; None where that, or jsonschema, is not there."""
    spec = importlib.util.find_spec("debugpy")
    folders = [pathlib.Path(spec.origin).parent] if spec else []
    folders += (SOURCE / "build/deps/tools").glob("lib/python*/site-packages/debugpy")
    for folder in folders:
        file = folder / "_vendored/pydevd/_pydevd_bundle/_debug_adapter/debugProtocol.json"
        if jsonschema and file.exists():
            return json.loads(file.read_text())["definitions"]
    return None


DEFINITIONS = published_schema()


def check_message(message):
    """Fails for a message that the protocol does not have in this form."""
    if DEFINITIONS is None:
        return
    kind = message["type"]
    name = message["event" if kind == "event" else "command"]
    name = "ErrorResponse" if message.get("success") is False else name[0].upper() + name[1:] + kind.title()
    jsonschema.Draft4Validator({"$ref": "#/definitions/" + name, "definitions": DEFINITIONS}).validate(message)


class Client:
    """Sends requests, and gives responses and events in the order of their arrival."""

    def __init__(self, folder, *options):
        self.process = subprocess.Popen([PROGRAM, "debug", "--dap", *options], cwd=folder, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env=dict(os.environ, HOME=str(folder), XDG_CACHE_HOME=str(folder / "cache")))
        self.messages, self.sequence, self.events = queue.Queue(), 0, []
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        stream = self.process.stdout
        while True:
            length = 0
            while (line := stream.readline()) not in (b"\r\n", b""):
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            if not length:
                self.messages.put(None)
                return
            self.messages.put(json.loads(stream.read(length)))

    def next(self):
        message = self.messages.get(timeout=PATIENCE_S)
        if message is None:
            raise EOFError
        check_message(message)
        return message

    def send(self, command, **arguments):
        self.sequence += 1
        request = {"seq": self.sequence, "type": "request", "command": command, "arguments": arguments}
        check_message(request)
        text = json.dumps(request).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(text) + text)
        self.process.stdin.flush()
        return self.sequence

    def response(self, sequence):
        while True:
            message = self.next()
            if message["type"] == "response" and message["request_seq"] == sequence:
                return message
            self.events.append(message)

    def request(self, command, **arguments):
        message = self.response(self.send(command, **arguments))
        assert message["success"], message
        return message.get("body", {})

    def event(self, name):
        for i, message in enumerate(self.events):
            if message.get("event") == name:
                return self.events.pop(i).get("body", {})
        while True:
            message = self.next()
            if message.get("event") == name:
                return message.get("body", {})
            self.events.append(message)

    def end(self):
        self.process.stdin.close()
        code = self.process.wait(timeout=PATIENCE_S)
        self.process.stdout.close()
        self.process.stderr.close()
        return code


class Adapter(ProgramTest):
    def setUp(self):
        super().setUp()
        self.source = self.write("s/k.cu", KERNEL)
        self.write("s/suite.yaml", SUITE)

    def launch(self, breakpoints=(), stop_on_entry=False, **more):
        client = Client(self.folder)
        abilities = client.request("initialize", adapterID="warpmark", linesStartAt1=True)
        for name in ("supportsStepBack", "supportsConditionalBreakpoints", "supportsConfigurationDoneRequest",
                     "supportsDataBreakpoints"):
            self.assertTrue(abilities[name])
        client.request("launch", suite="s/suite.yaml", stopOnEntry=stop_on_entry, **more)
        client.event("initialized")
        answer = client.request("setBreakpoints", source={"path": str(self.source)}, breakpoints=list(breakpoints))
        client.request("configurationDone")
        return client, answer["breakpoints"]

    def stop(self, client):
        stopped = client.event("stopped")
        frames = client.request("stackTrace", threadId=stopped["threadId"])["stackFrames"]
        return stopped, frames

    def test_a_session(self):
        client, known = self.launch([{"line": 16}, {"line": 11}, {"line": 900}, {"line": 15, "condition": "1 +"}])
        self.assertEqual([one["verified"] for one in known], [True, True, False, False])
        self.assertEqual(known[1]["line"], 12)
        self.assertIn("no code", known[2]["message"])
        self.assertIn("was not expected", known[3]["message"])
        stopped, frames = self.stop(client)
        self.assertEqual(stopped["reason"], "breakpoint")
        client.request("setBreakpoints", source={"path": str(self.source)}, breakpoints=[{"line": 16}])
        client.request("continue", threadId=stopped["threadId"])
        stopped, frames = self.stop(client)
        self.assertEqual((frames[0]["line"], frames[0]["name"], frames[0]["source"]["path"]), (16, "k", str(self.source)))
        threads = client.request("threads")["threads"]
        self.assertEqual(len(threads), 64)
        self.assertIn("block (0,0,0) thread (0,0,0)", threads[0]["name"])
        client.request("setBreakpoints", source={"path": str(self.source)}, breakpoints=[])
        client.request("continue", threadId=1)
        said = client.event("output")["output"]
        if not HAS_VARIABLES:
            self.assertIn("variables are not known", said)
            said = client.event("output")["output"]
        self.assertIn("s.default: passed", said)
        self.assertEqual(client.event("exited")["exitCode"], 0)
        client.event("terminated")
        client.request("disconnect")
        self.assertEqual(client.end(), 0)

    def test_it_restarts_and_goes_back_from_the_end(self):
        client, _ = self.launch([{"line": 16}], stopAtEnd=True)
        self.assertEqual(self.stop(client)[1][0]["line"], 16)
        first = client.request("evaluate", expression="blockIdx.x")["result"]
        client.request("setBreakpoints", source={"path": str(self.source)}, breakpoints=[])
        client.request("continue", threadId=1)
        ended, frames = self.stop(client)
        self.assertEqual((ended["reason"], frames), ("end", []))
        client.request("setBreakpoints", source={"path": str(self.source)}, breakpoints=[{"line": 16}])
        client.request("reverseContinue", threadId=1)
        stopped, frames = self.stop(client)
        self.assertEqual((stopped["reason"], frames[0]["line"]), ("breakpoint", 16))
        self.assertEqual((first, client.request("evaluate", expression="blockIdx.x")["result"]), ("0", "1"))
        client.request("restart")
        self.assertEqual(self.stop(client)[1][0]["line"], 16)
        self.assertEqual(client.request("evaluate", expression="blockIdx.x")["result"], "0")
        client.request("disconnect")
        self.assertEqual(client.end(), 0)

    def test_messages_are_those_of_the_published_schema(self):
        if DEFINITIONS is None:
            self.skipTest("debugpy, which has the protocol's schema, or jsonschema is not here; ./bootstrap test brings it")
        client, _ = self.launch([{"line": 16}])  # the client checks each message
        _, frames = self.stop(client)
        for one in client.request("scopes", frameId=frames[0]["id"])["scopes"]:
            client.request("variables", variablesReference=one["variablesReference"])
        self.assertFalse(client.response(client.send("source", sourceReference=1))["success"])
        client.request("disconnect")
        self.assertEqual(client.end(), 0)
        with self.assertRaises(jsonschema.ValidationError):
            check_message({"seq": 1, "type": "event", "event": "stopped", "body": {}})

    def test_a_second_launch_is_refused(self):
        client, _ = self.launch(stop_on_entry=True)
        self.stop(client)
        answer = client.response(client.send("launch", suite="s/suite.yaml"))
        self.assertFalse(answer["success"])
        self.assertIn("is debugged here already", answer["message"])
        client.request("disconnect")
        self.assertEqual(client.end(), 0)

    @unittest.skipUnless(HAS_VARIABLES, "no libdw")
    def test_variables(self):
        client, _ = self.launch([{"line": 23, "condition": "i == 3"}])
        stopped, frames = self.stop(client)
        self.assertEqual(stopped["threadId"], 4)
        scopes = {one["name"]: one["variablesReference"] for one in client.request("scopes", frameId=frames[0]["id"])["scopes"]}
        values = {}
        for scope in ("Locals", "Arguments", "Shared and global"):
            for one in client.request("variables", variablesReference=scopes[scope])["variables"]:
                values[one["name"]] = one
        self.assertEqual(values["i"]["value"], "3")
        self.assertEqual(values["n"]["value"], "100")
        self.assertEqual(values["local"]["value"], "[3 4 5 6]")
        self.assertEqual(values["tile"]["indexedVariables"], 64)
        parts = client.request("variables", variablesReference=values["tile"]["variablesReference"], start=5, count=2)["variables"]
        self.assertEqual([(one["name"], one["value"]) for one in parts], [("[5]", "5"), ("[6]", "6")])
        fields = client.request("variables", variablesReference=values["p"]["variablesReference"])["variables"]
        self.assertEqual(fields[0]["name"], "x")
        registers = client.request("variables", variablesReference=scopes["Registers"])["variables"]
        self.assertIn("%r1", [one["name"] for one in registers])
        self.assertEqual(client.request("evaluate", expression="src[i] * 2", frameId=frames[0]["id"])["result"], "6")
        wrong = client.response(client.send("evaluate", expression="nothing"))
        self.assertFalse(wrong["success"])
        self.assertIn("nothing is called", wrong["message"])
        client.request("disconnect")
        self.assertEqual(client.end(), 0)

    def test_steps_forwards_and_backwards(self):
        client, _ = self.launch([{"line": 16}])
        stopped, _ = self.stop(client)
        thread = stopped["threadId"]
        lines = []
        for command in ("next", "stepBack", "stepBack", "stepIn", "reverseContinue"):
            client.request(command, threadId=thread)
            stopped, frames = self.stop(client)
            lines.append(frames[0]["line"])
        self.assertEqual(lines[1:4], [16, 15, 16])
        self.assertEqual(lines[4], 12)
        client.request("disconnect")
        self.assertEqual(client.end(), 0)

    @unittest.skipUnless(HAS_VARIABLES, "no libdw")
    def test_data_breakpoints(self):
        client, _ = self.launch(stop_on_entry=True)
        stopped, frames = self.stop(client)
        self.assertEqual((stopped["reason"], frames[0]["line"]), ("entry", 12))
        what = client.request("dataBreakpointInfo", name="tile[5]")
        known = client.request("setDataBreakpoints", breakpoints=[{"dataId": what["dataId"]}, {"dataId": "i"}])["breakpoints"]
        self.assertEqual([one["verified"] for one in known], [True, False])
        client.request("continue", threadId=1)
        stopped, _ = self.stop(client)
        self.assertEqual(stopped["reason"], "data breakpoint")
        self.assertIn("tile[5]: 0 -> 5, written by thread (5,0,0)", stopped["text"])
        client.request("disconnect")
        self.assertEqual(client.end(), 0)

    def test_pauses_a_kernel_that_hangs(self):
        self.source.write_text(KERNEL.replace("  if (i < n) {", "  while (((volatile int *)tile)[0] == 0) {}\n  if (i < n) {"))
        client, _ = self.launch()
        running = client.response(client.send("stackTrace", threadId=1))
        self.assertFalse(running["success"])
        client.request("pause", threadId=1)
        stopped, frames = self.stop(client)
        self.assertEqual(stopped["reason"], "pause")
        self.assertEqual(frames[0]["name"], "k")
        client.request("disconnect")
        self.assertEqual(client.end(), 0)

    def test_a_client_that_leaves_ends_it(self):
        self.source.write_text(KERNEL.replace("  if (i < n) {", "  while (((volatile int *)tile)[0] == 0) {}\n  if (i < n) {"))
        client, _ = self.launch()
        self.assertEqual(client.end(), 0)
        client, _ = self.launch(stop_on_entry=True)
        client.event("stopped")
        self.assertEqual(client.end(), 0)

    def test_what_a_kernel_prints_is_an_event(self):
        self.source.write_text("#include <stdio.h>\n" + KERNEL.replace("  __syncthreads();", "  __syncthreads(); if (i == 0) printf(\"hi %d\\n\", 7);"))
        client, _ = self.launch()
        # It comes through a pipe, before or after the verdict.
        said = [client.event("output")["output"] for _ in range(2 if HAS_VARIABLES else 3)]
        self.assertIn("hi 7\n", said)
        client.request("disconnect")
        client.end()

    def test_a_launch_that_cannot_be(self):
        client = Client(self.folder)
        client.request("initialize", adapterID="warpmark")
        early = client.response(client.send("threads"))
        self.assertFalse(early["success"])
        answer = client.response(client.send("launch", suite="s/suite.yaml", case="s.nothing"))
        self.assertFalse(answer["success"])
        self.assertIn("s.nothing", answer["message"])
        client.request("disconnect")
        self.assertEqual(client.end(), 0)

    def test_garbage_ends_it(self):
        client = Client(self.folder)
        client.process.stdin.write(b"GET / HTTP/1.0\r\n\r\n")
        client.process.stdin.flush()
        self.assertEqual(client.end(), 0)


if __name__ == "__main__":
    unittest.main()
