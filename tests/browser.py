# SPDX-License-Identifier: GPL-2.0-only
"""A headless Chromium that opens a page, told what to do through its debugging pipe."""

import base64
import json
import os
import shutil
import subprocess
import tempfile

CHROMIUM = shutil.which("chromium")


class Browser:
    """One page; gathers what it writes on the console and every request that leaves the file."""

    def __init__(self, width=1200, height=900):
        self._folder = tempfile.TemporaryDirectory()
        to_read, self._write = os.pipe()
        self._read, to_write = os.pipe()
        # Chromium reads orders from 3 and answers on 4.
        launch = f"exec 3<&{to_read} 4>&{to_write}; exec \"$@\""
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
        self._process = subprocess.Popen(
            ["bash", "-c", launch, "bash", CHROMIUM, "--headless=new", "--remote-debugging-pipe",
             "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage",
             f"--user-data-dir={self._folder.name}", *sandbox, "about:blank"],
            pass_fds=[to_read, to_write], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self._rest = b""
        self._number = 0
        self._session = None
        self.console = []
        self.requests = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        self.resize(width, height)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        os.close(self._write)
        os.close(self._read)
        shutil.rmtree(self._folder.name, ignore_errors=True)
        self._folder._finalizer.detach()

    def send(self, method, **parameters):
        """Gives an order and returns its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def _next(self):
        while b"\0" not in self._rest:
            part = os.read(self._read, 1 << 20)
            if not part:
                raise RuntimeError("chromium has ended")
            self._rest += part
        line, self._rest = self._rest.split(b"\0", 1)
        message = json.loads(line)
        kind, about = message.get("method"), message.get("params", {})
        if kind == "Runtime.exceptionThrown":
            self.console.append(about["exceptionDetails"].get("exception", {}).get("description")
                                or about["exceptionDetails"]["text"])
        elif kind == "Runtime.consoleAPICalled":
            self.console.append(str([one.get("value") for one in about["args"]]))
        elif kind == "Log.entryAdded":
            self.console.append(about["entry"]["text"])
        elif kind == "Network.requestWillBeSent":
            self.requests.append(about["request"]["url"])
        self.last_event = kind
        return message

    def open(self, path):
        """Opens a file, and returns when it has loaded."""
        self.send("Page.navigate", url=f"file://{path}")
        while self.last_event != "Page.loadEventFired":
            self._next()

    def evaluate(self, script):
        """The value of an expression; promises are awaited."""
        result = self.send("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(json.dumps(result["exceptionDetails"]))
        return result["result"].get("value")

    def resize(self, width, height):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=width < 600)

    def mouse(self, kind, x, y, **more):
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1)

    def picture(self, path, whole=True):
        shot = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(shot["data"]))
