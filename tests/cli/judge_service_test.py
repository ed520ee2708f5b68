# examples/judge/service.py: verdicts over HTTP.
import importlib.util
import json
import socket
import subprocess
import threading
import time
import unittest
import urllib.error
import urllib.request

from assignment import KERNEL, WRONG, GradeTest
from program import BUILD, PYTHON, SOURCE


@unittest.skipIf(importlib.util.find_spec("aiohttp") is None, "there is no aiohttp")
class Service(GradeTest):
    def setUp(self):
        super().setUp()
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            self.port = one.getsockname()[1]
        self.running = subprocess.Popen(
            [PYTHON, str(SOURCE / "examples/judge/service.py"), "suites/scale.yaml", "--port", str(self.port), "--jobs", "1"],
            cwd=self.folder, env={**self.environment, "PYTHONPATH": str(BUILD / "python")}, stdout=subprocess.DEVNULL)
        self.addCleanup(self.running.wait)
        self.addCleanup(self.running.terminate)
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except OSError:
                time.sleep(0.1)
        self.fail("the service does not answer")

    def ask(self, body):
        request = urllib.request.Request("http://127.0.0.1:%d/" % self.port, data=body, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=100) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def test_verdicts(self):
        answers = {}
        threads = [threading.Thread(target=lambda text=text: answers.__setitem__(text, self.ask(text.encode()))) for text in (KERNEL, WRONG)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual({text: (code, made["verdict"]) for text, (code, made) in answers.items()},
                         {KERNEL: (200, "right"), WRONG: (200, "wrong")})
        self.assertEqual(self.ask(b"\xff\xfe")[0], 400)
        self.assertEqual(self.ask(b"x" * (300 << 10))[0], 413)


if __name__ == "__main__":
    unittest.main()
