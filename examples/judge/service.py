# Judges kernels over HTTP, on the loopback interface.
"""Judges kernels over HTTP, on the loopback interface: POST the text of a candidate, get its verdict as JSON.

    pip install aiohttp warpmark-*.whl
    python service.py suite.yaml
    curl --data-binary @candidate.cu http://127.0.0.1:8080/

At most QUEUE candidates wait; further ones get the status 503, and one of more than 256 KiB gets 413.
"""
import argparse
import asyncio
import concurrent.futures
import threading

from aiohttp import web

import warpmark

QUEUE = 64


def make_application(task, jobs):
    judges = [warpmark.Judge(task, jobs=1) for _ in range(jobs)]
    free = list(judges)
    taken = threading.Lock()
    workers = concurrent.futures.ThreadPoolExecutor(jobs)
    waiting = 0

    def judged(text):
        with taken:
            judge = free.pop()
        try:
            return judge.judge(text).record
        finally:
            with taken:
                free.append(judge)

    async def answer(request):
        nonlocal waiting
        if waiting >= QUEUE:
            raise web.HTTPServiceUnavailable(text="the queue is full\n")
        try:
            text = (await request.read()).decode()
        except UnicodeDecodeError:
            raise web.HTTPBadRequest(text="a candidate is text in UTF-8\n") from None
        waiting += 1
        try:
            return web.json_response(await asyncio.get_running_loop().run_in_executor(workers, judged, text))
        except warpmark.WarpmarkError as error:
            return web.json_response({"error": str(error)}, status=500)
        finally:
            waiting -= 1

    async def close(_application):
        for judge in judges:
            judge.close()

    application = web.Application(client_max_size=256 << 10)
    application.router.add_post("/", answer)
    application.on_cleanup.append(close)
    return application


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("task", help="a suite or an assignment")
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--jobs", type=int, default=2, help="candidates that are judged at the same time")
    given = parser.parse_args()
    web.run_app(make_application(given.task, given.jobs), host="127.0.0.1", port=given.port)
