# `warpmark debug --dap` by a client of others: dap-python, which reads every message into types of its own. Skips where it
# is not installed; WARPMARK_DAP names a virtual environment that has it.
import glob
import os
import subprocess
import sys
import unittest

from debug_test import KERNEL, SUITE
from program import PROGRAM, ProgramTest

sys.path += glob.glob(os.path.join(os.environ.get("WARPMARK_DAP", "none"), "lib/python*/site-packages"))
try:
    import dap
    from dap import events, handler, responses

    class Handler(handler.Handler):
        """dap-python 0.5 looks for the members of a response without a body in its body."""

        def handle_response(self, response):
            if response.success and not response.body:
                self.client._pending_requests.pop(response.request_seq)
                return response
            return super().handle_response(response)
except ImportError:
    dap = None


@unittest.skipIf(dap is None, "dap-python is not here; WARPMARK_DAP names a virtual environment with it")
class PublicClient(ProgramTest):
    def setUp(self):
        super().setUp()
        self.source = self.write("s/k.cu", KERNEL)
        self.write("s/suite.yaml", SUITE)
        self.adapter = subprocess.Popen([PROGRAM, "debug", "--dap"], cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env=dict(os.environ, HOME=str(self.folder), XDG_CACHE_HOME=str(self.folder / "cache")))
        self.addCleanup(self.adapter.wait)
        self.addCleanup(self.adapter.stdout.close)
        self.addCleanup(self.adapter.kill)
        self.client = dap.Client("warpmark")
        self.client.handler = Handler(self.client)
        self.seen = []

    def wait_for(self, kind):
        """The next message of a type of the client's."""
        while True:
            for i, message in enumerate(self.seen):
                if isinstance(message, kind):
                    return self.seen.pop(i)
            self.adapter.stdin.write(self.client.send())
            self.adapter.stdin.flush()
            data = os.read(self.adapter.stdout.fileno(), 65536)
            self.assertTrue(data, "the adapter has ended: %s" % self.seen)
            self.seen += self.client.receive(data)

    def stop_at(self):
        """The thread that has stopped, and its innermost frame."""
        thread = self.wait_for(events.StoppedEvent).threadId
        self.client.stack_trace(thread)
        return thread, self.wait_for(responses.StackTraceResponse).stackFrames[0]

    def value_of(self, name, frame):
        self.client.evaluate(name, frame_id=frame.id)
        return self.wait_for(responses.EvaluateResponse).result

    def test_a_session(self):
        client, source = self.client, {"path": str(self.source)}
        abilities = self.wait_for(responses.Initialized)
        self.assertTrue(abilities.supportsStepBack and abilities.supportsConditionalBreakpoints)
        # The client's launch() has no members of its debugger's own.
        client.send_request("launch", {"suite": "s/suite.yaml"})
        self.wait_for(events.InitializedEvent)
        client.set_breakpoints(source, [{"line": 16, "condition": "threadIdx.x == 5"}])
        self.assertTrue(self.wait_for(responses.SetBreakpointsResponse).breakpoints[0].verified)
        client.configuration_done()
        thread, frame = self.stop_at()
        self.assertEqual((thread, frame.line, frame.source.path), (6, 16, str(self.source)))
        client.threads()
        self.assertEqual(len(self.wait_for(responses.ThreadsResponse).threads), 64)
        client.scopes(frame.id)
        scopes = self.wait_for(responses.ScopesResponse).scopes
        client.variables(scopes[0].variablesReference)
        self.assertTrue(self.wait_for(responses.VariablesResponse).variables)
        self.assertEqual(self.value_of("threadIdx.x", frame), "5")
        client.next(thread)
        _, later = self.stop_at()
        self.assertGreater(later.line, 16)
        client.step_back(thread)
        _, frame = self.stop_at()
        self.assertEqual((frame.line, self.value_of("threadIdx.x", frame)), (16, "5"))
        client.set_breakpoints(source, [])
        client.continue_(thread)
        self.assertEqual(self.wait_for(events.ExitedEvent).exitCode, 0)
        self.wait_for(events.TerminatedEvent)
        client.disconnect()
        self.adapter.stdin.write(client.send())
        self.adapter.stdin.flush()
        self.assertEqual(self.adapter.wait(60), 0)


if __name__ == "__main__":
    unittest.main()
