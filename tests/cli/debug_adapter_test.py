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
        self.may_read = threading.Lock()  # held while the editor is busy
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        stream = self.process.stdout
        while True:
            with self.may_read:
                pass
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

    def launch(self, breakpoints=(), stop_on_entry=False, options=(), **more):
        client = Client(self.folder, *options)
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
        self.assertEqual(known[1]["message"], "line 11 has no code: it stops at line 12, the next that has")
        self.assertNotIn("message", known[0])
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

    @unittest.skipUnless(HAS_VARIABLES, "no libdw")
    def test_numbers_in_hexadecimal(self):
        client, _ = self.launch([{"line": 23, "condition": "i == 33"}])
        _, frames = self.stop(client)
        frame, hexadecimal = frames[0]["id"], {"hex": True}
        scopes = {one["name"]: one["variablesReference"] for one in client.request("scopes", frameId=frame)["scopes"]}
        for form, expected in ((hexadecimal, ("0x21", "[0x4040800000000000 0x4041000000000000 ")), ({"hex": False}, ("33", "[33 34 "))):
            values = {one["name"]: one for one in client.request("variables", variablesReference=scopes["Locals"], format=form)["variables"]}
            self.assertEqual(values["i"]["value"], expected[0])
            self.assertTrue(values["local"]["value"].startswith(expected[1]), values["local"])
            inner = client.request("variables", variablesReference=values["p"]["variablesReference"], format=form)["variables"]
            last = client.request("variables", variablesReference=inner[1]["variablesReference"], format=form)["variables"][2]
            self.assertEqual(last["value"], expected[0])
            self.assertEqual(client.request("evaluate", expression="i", frameId=frame, format=form)["result"], expected[0])
        # A console and a watch, which send no format.
        for context in ("repl", "watch"):
            self.assertEqual(client.request("evaluate", expression="i,x", frameId=frame, context=context)["result"], "0x21")
        client.request("disconnect")
        self.assertEqual(client.end(), 0)

    @unittest.skipUnless(HAS_VARIABLES, "no libdw")
    def test_the_expression_of_each_part(self):
        client, _ = self.launch([{"line": 23, "condition": "i == 3"}])
        _, frames = self.stop(client)
        frame = frames[0]["id"]

        def walk(reference, depth):
            for one in client.request("variables", variablesReference=reference, count=3)["variables"]:
                if one.get("evaluateName"):
                    found = client.request("evaluate", expression=one["evaluateName"], frameId=frame, context="watch")["result"]
                    self.assertEqual(found, one["value"], one)
                    seen.append(one["evaluateName"])
                if one["variablesReference"] and depth < 3:
                    walk(one["variablesReference"], depth + 1)

        seen = []
        for scope in client.request("scopes", frameId=frame)["scopes"]:
            walk(scope["variablesReference"], 0)
        for name in ("i", "p.n[2]", "local[1]", "tile[0]", "*src", "%r1"):
            self.assertIn(name, seen)
        client.request("disconnect")
        self.assertEqual(client.end(), 0)

    @unittest.skipUnless(HAS_VARIABLES, "no libdw")
    def test_a_watchpoint_on_a_part_of_a_variable(self):
        client, _ = self.launch([{"line": 15}])
        _, frames = self.stop(client)
        # A thread that is looked at has its own, whoever has stopped.
        other = client.request("stackTrace", threadId=6)["stackFrames"][0]["id"]
        scopes = {one["name"]: one["variablesReference"] for one in client.request("scopes", frameId=other)["scopes"]}
        variables = {one["name"]: one["variablesReference"]
                     for name in ("Locals", "Shared and global")
                     for one in client.request("variables", variablesReference=scopes[name])["variables"]}
        tile = client.request("dataBreakpointInfo", name="[5]", variablesReference=variables["tile"])
        self.assertEqual(tile["description"], "tile[5]")
        local = client.request("dataBreakpointInfo", name="[1]", variablesReference=variables["local"])
        none = client.request("dataBreakpointInfo", name="i", variablesReference=scopes["Locals"])
        self.assertEqual((none["dataId"], "only memory can be watched" in none["description"]), (None, True))
        client.request("setBreakpoints", source={"path": str(self.source)}, breakpoints=[])
        first = [{"dataId": tile["dataId"]}]
        known = client.request("setDataBreakpoints", breakpoints=first)["breakpoints"]
        # The first one stays when another comes.
        both = client.request("setDataBreakpoints", breakpoints=[*first, {"dataId": local["dataId"]}])["breakpoints"]
        self.assertEqual((both[0]["id"], [one["verified"] for one in both]), (known[0]["id"], [True, True]))
        client.request("continue", threadId=1)
        self.assertIn("tile[5]: 0 -> 5, written by thread (5,0,0)", self.stop(client)[0]["text"])
        client.request("continue", threadId=1)
        self.assertIn("local[1]: 0 -> 6, written by thread (5,0,0)", self.stop(client)[0]["text"])
        client.request("setDataBreakpoints", breakpoints=[])
        client.request("continue", threadId=1)
        client.event("terminated")
        client.request("disconnect")
        self.assertEqual(client.end(), 0)

    def test_commands_in_the_console(self):
        client, _ = self.launch([{"line": 16}])
        stopped, frames = self.stop(client)
        frame = frames[0]["id"]

        def say(text):
            return client.request("evaluate", expression=text, frameId=frame, context="repl")["result"]

        self.assertEqual(say("threadIdx.x + 1"), "1")
        self.assertIn("* warp 0 lanes ffffffff k.cu:16\n", say("info warps"))
        self.assertIn("Breakpoint 2 at k.cu:17", say("tbreak k.cu:17"))
        new = client.event("breakpoint")
        self.assertEqual((new["reason"], new["breakpoint"]["line"]), ("new", 17))
        say("delete 2")
        self.assertEqual(client.event("breakpoint")["reason"], "removed")
        self.assertEqual(say("step 2"), "")
        client.event("continued")
        stopped, frames = self.stop(client)
        self.assertEqual(stopped["threadId"], 1)
        self.assertGreater(frames[0]["line"], 16)
        say("block 1")
        _, frames = self.stop(client)
        frame = frames[0]["id"]
        self.assertEqual(say("blockIdx.x"), "1")
        for text, why in (("nothing", "nothing is called `nothing` here"), ("c", "nothing is called `c` here"),
                          ("frobnicate 3", "was not expected"), ("break", "where? break FILE:LINE")):
            answer = client.response(client.send("evaluate", expression=text, frameId=frame, context="repl"))
            self.assertFalse(answer["success"])
            self.assertIn(why, answer["message"])
        wrong = client.response(client.send("evaluate", expression="info warps", frameId=frame, context="hover"))
        self.assertFalse(wrong["success"])
        say("quit")
        self.assertEqual(client.end(), 0)

    def test_the_console_goes_to_the_finding(self):
        self.source.write_text(KERNEL.replace("if (i < n)", "if (i < n + 1)"))
        client, _ = self.launch([{"line": 16}])
        self.stop(client)
        client.request("evaluate", expression="finding", context="repl")
        stopped, frames = self.stop(client)
        self.assertEqual((stopped["reason"], frames[0]["line"]), ("exception", 22))
        self.assertIn("out-of-bounds", stopped["text"])
        client.request("disconnect")
        self.assertEqual(client.end(), 0)

    def test_inlined_functions_are_frames_of_their_own(self):
        client, _ = self.launch([{"line": 8}], options=["-O"])
        stopped, frames = self.stop(client)
        self.assertEqual([one["name"] for one in frames], ["twice", "k"])
        self.assertEqual(len({one["id"] for one in frames}), 2)
        for one in frames:
            arguments = client.request("scopes", frameId=one["id"])["scopes"][1]
            names = [value["name"] for value in client.request("variables", variablesReference=arguments["variablesReference"])["variables"]]
            self.assertEqual(names, ["out", "src", "n"])
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
        self.source.write_text(KERNEL.replace("  if (i < n) {", "  while (((volatile int *)tile)[0] >= 0) {}\n  if (i < n) {"))
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
        self.source.write_text(KERNEL.replace("  if (i < n) {", "  while (((volatile int *)tile)[0] >= 0) {}\n  if (i < n) {"))
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

    def test_it_ends_when_a_client_disconnects(self):
        client, _ = self.launch(stop_on_entry=True)
        self.stop(client)
        client.request("disconnect")  # and leaves its end of the pipe open
        self.assertEqual(client.process.wait(timeout=PATIENCE_S), 0)
        client.end()

    def test_a_launch_that_cannot_be(self):
        client = Client(self.folder)
        client.request("initialize", adapterID="warpmark")
        early = client.response(client.send("threads"))
        self.assertFalse(early["success"])
        answer = client.response(client.send("launch", suite="s/suite.yaml", case="s.nothing"))
        self.assertFalse(answer["success"])
        self.assertEqual(answer["message"], "no case is called `s.nothing` (`warpmark list` prints the ids)")
        for command, words, why in (("launch", {}, "the launch request names neither a `suite` nor a `program`"),
                                    ("launch", {"suite": 3}, "wrong arguments: type must be string, but is number"),
                                    ("attach", {}, "wrong arguments: key 'socket' not found")):
            answer = client.response(client.send(command, **words))
            self.assertEqual((answer["success"], answer["message"]), (False, why))
        client.request("disconnect")
        self.assertEqual(client.end(), 0)

    def test_garbage_ends_it(self):
        client = Client(self.folder)
        client.process.stdin.write(b"GET / HTTP/1.0\r\n\r\n")
        client.process.stdin.flush()
        self.assertEqual(client.end(), 0)


if __name__ == "__main__":
    unittest.main()
