"""The HTML report in a real browser: it shows the verdict, filters, asks for nothing, and runs nothing of a target."""

import html.parser
import http.server
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import browser  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ["HANGSTACK_BINARY"]
WRITE_REPORTS = os.environ["WRITE_REPORTS"]
CASE = ROOT / "tests" / "replay" / "cases" / "gloo_straggler"
# Chromium cannot tell of a document with scripts switched off: a server that forbids them is the same to the page.
NO_SCRIPT = "script-src 'none'"


class Page(html.parser.HTMLParser):
    """Of a document: its text, and of each element its tag, attributes and text."""

    EMPTY = {"meta", "input"}

    def __init__(self, dom):
        super().__init__()
        self.open, self.elements = [], []
        self.feed(dom)

    def handle_starttag(self, tag, attributes):
        element = {"tag": tag, "text": "", **dict(attributes)}
        element["hidden"] = "hidden" in element or any(above["hidden"] for above in self.open)
        self.elements.append(element)
        if tag not in self.EMPTY:
            self.open.append(element)

    def handle_endtag(self, tag):
        while self.open and self.open.pop()["tag"] != tag:
            pass

    def handle_data(self, data):
        for element in self.open:
            element["text"] += data

    def all(self, tag, style=""):
        return [e for e in self.elements if e["tag"] == tag and style in (e.get("class") or "").split() + [""]]

    def shown(self, tag, style=""):
        return [e for e in self.all(tag, style) if not e["hidden"]]


class Server:
    """Serves one page and remembers what was asked for."""

    def __init__(self, page, policy=None):
        asked = self.asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append(self.path)
                self.send_response(200 if self.path == "/report.html" else 404)
                self.send_header("Content-Type", "text/html")
                if policy:
                    self.send_header("Content-Security-Policy", policy)
                self.end_headers()
                self.wfile.write(page if self.path == "/report.html" else b"")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}/report.html"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


@unittest.skipUnless(browser.CHROMIUM, "no chromium: scripts/setup --test")
class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="hangstack-html-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        subprocess.run([WRITE_REPORTS, cls.folder], check=True)

    def address(self, name):
        return (self.folder / f"{name}.html").as_uri()

    def opened(self, address, *options):
        ran = browser.opened(address, *options)
        self.assertEqual(ran.console, [])
        return Page(ran.dom)

    def test_a_replayed_capture_shows_its_verdict(self):
        path = self.folder / "replayed.html"
        subprocess.run([BINARY, "replay", CASE, "--quiet", "-o", path], check=True)
        page = self.opened(path.as_uri())
        self.assertRegex(page.shown("h1")[0]["text"], r"HUNG: host_straggler .*caused by rank 1.* likely")
        self.assertTrue(any("load_batch" in step["text"] for step in page.shown("span", "step")))
        self.assertFalse(page.all("div", "tools")[0]["hidden"])
        self.assertEqual(len(page.all("button")), 2 + len(page.all("pre", "command")))

    def test_it_asks_for_nothing(self):
        with Server((self.folder / "hung_gloo_straggler.html").read_bytes()) as server:
            self.opened(server.address + "#find=load_shard")
        self.assertEqual([path for path in server.asked if path != "/favicon.ico"], ["/report.html"])

    def test_the_filter_takes_frames(self):
        page = self.opened(self.address("hung_gloo_straggler") + "#find=load_shard")
        stacks = page.shown("details", "stack")
        self.assertEqual(len(stacks), 1)
        self.assertIn("load_shard", stacks[0]["text"])
        self.assertIn("open", stacks[0])
        self.assertRegex(page.all("span", "count")[0]["text"], r"^2 of 4 branches, 1 of \d+ stacks$")
        self.assertTrue(any("load_shard" in e["text"] for e in page.shown("span", "hit")))
        self.assertFalse(any("load_shard" in e["text"] for e in page.shown("div", "chain") if "sync_gradients" in e["text"]))

    def test_the_filter_takes_ranks(self):
        page = self.opened(self.address("hung_gloo_straggler") + "#ranks=3")
        self.assertEqual(len(page.shown("details", "stack")), 1)
        self.assertEqual(len(page.shown("tr", "blamed")), 1)
        page = self.opened(self.address("hung_gloo_straggler") + "#ranks=0-1")
        self.assertFalse(any("load_shard" in stack["text"] for stack in page.shown("details", "stack")))
        self.assertEqual(page.shown("tr", "blamed"), [])

    def test_words_join_along_a_branch(self):
        page = self.opened(self.address("hung_gloo_straggler") + "#find=train_loop+work%3A%3Await")
        shown = [item["text"] for item in page.shown("div", "chain")]
        self.assertEqual(len(shown), 1)
        self.assertIn("sync_gradients", shown[0])

    def test_without_javascript_all_is_readable(self):
        with Server((self.folder / "hung_gloo_straggler.html").read_bytes(), NO_SCRIPT) as server:
            page = Page(browser.opened(server.address + "#find=load_shard").dom)
        self.assertIn("HUNG: host_straggler", page.shown("h1")[0]["text"])
        self.assertTrue(page.all("div", "tools")[0]["hidden"])
        self.assertGreater(len(page.shown("details", "stack")), 3)
        self.assertEqual(len(page.all("button")), 2, "no button that does nothing is shown")

    def test_hostile_names_run_nothing(self):
        for path in sorted(self.folder.glob("named_*.html")):
            with self.subTest(path.name):
                page = self.opened(path.as_uri())
                self.assertNotEqual(page.all("title")[0]["text"], "owned")
                self.assertEqual(len(page.all("script")), 1)

    def test_what_got_past_the_escapes_would_be_refused(self):
        """The policy holds by itself, and a console that is not empty is seen."""
        spoilt = (self.folder / "hung_gloo_straggler.html").read_text()
        spoilt = spoilt.replace("<h2>", "<script>document.title = 'owned'</script><img src='http://127.0.0.1:9/x'><h2>", 1)
        path = self.folder / "spoilt.html"
        path.write_text(spoilt)
        ran = browser.opened(path.as_uri())
        self.assertNotEqual(Page(ran.dom).all("title")[0]["text"], "owned")
        self.assertTrue(any("Content Security Policy" in line for line in ran.console), ran.console)

    def test_a_thousand_ranks_load(self):
        took = {}
        for name in ("hung_gloo_straggler", "ranks_1000"):
            start = time.monotonic()
            page = self.opened(self.address(name) + "#ranks=500")
            took[name] = time.monotonic() - start
        size = (self.folder / "ranks_1000.html").stat().st_size
        print(f"1,000 ranks: {size / 1024:.0f} KiB; chromium from start to end {took['ranks_1000']:.1f} s,"
              f" {took['hung_gloo_straggler']:.1f} s with 4 ranks", file=sys.stderr)  # fmt: skip
        self.assertIn("caused by rank 500", page.shown("h1")[0]["text"])
        self.assertEqual(len(page.shown("details", "stack")), 1)
        self.assertLess(size, 1 << 20)


class Files(unittest.TestCase):
    """Each format by its suffix; a file of somebody else is not written over."""

    def test_every_format_is_written_and_written_again(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("r.html", "r.json", "r.txt", "r.folded", "r.speedscope.json", "r.dot"):
                for _ in range(2):
                    path = pathlib.Path(folder) / name
                    subprocess.run([BINARY, "replay", CASE, "--quiet", "-o", path], check=True)
                    printed = subprocess.run(
                        [BINARY, "replay", CASE, "--format", name.split(".")[1].replace("txt", "text")],
                        capture_output=True, check=True).stdout  # fmt: skip
                    self.assertEqual(path.read_bytes(), printed, name)
            other = pathlib.Path(folder) / "other.folded"
            other.write_text("main;work 12\n")
            done = subprocess.run([BINARY, "import", other, "-q", "-o", other], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(other.read_text(), "main;work 12\n")


if __name__ == "__main__":
    unittest.main()
