"""The client against servers that fail, lie or stop: nothing is sent twice that must not be, and nothing is believed."""

import asyncio
import contextlib
import http.server
import io
import json
import os
import pathlib
import re
import tempfile
import threading
import unittest
import unittest.mock
import warnings
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from provenance_registry import (
    AsyncClient,
    Client,
    FileChangedError,
    InvalidResponseError,
    RegistryError,
    ServiceUnreachableError,
    __version__,
    fingerprint,
)
from provenance_registry.events import EventParser
from provenance_registry.exchange import Operation

HEALTH = {"status": "ok"}
EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
FINGERPRINT = "0x" + "ab" * 32


class Seen:
    """A request as the server saw it."""

    def __init__(self, method: str, path: str, headers: Dict[str, str], body: bytes, port: int) -> None:
        self.method, self.path, self.headers, self.body, self.port = method, path, headers, body, port


Answer = Tuple[int, Dict[str, str], bytes]


@contextlib.contextmanager
def serve(answer: Callable[[Seen, int], Optional[Answer]]) -> Iterator[Tuple[str, List[Seen]]]:
    """A server that answers the number-th request; None closes the connection without an answer."""
    seen: List[Seen] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Head and content in one packet: the second of two waits for an acknowledgment.
        wbufsize = -1

        def handle_any(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            seen.append(Seen(self.command, self.path, headers, body, self.client_address[1]))
            found = answer(seen[-1], len(seen))
            if found is None:
                self.close_connection = True
                return
            status, extra, content = found
            self.send_response(status)
            for name, value in {"content-type": "application/json", "content-length": str(len(content)), **extra}.items():
                if value:
                    self.send_header(name, value)
            self.end_headers()
            with contextlib.suppress(ConnectionError):
                self.wfile.write(content)
            if not extra.get("content-length", "x"):
                self.close_connection = True

        do_GET = do_POST = do_DELETE = do_PUT = handle_any

        def log_message(self, *_: Any) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", seen
    finally:
        server.shutdown()
        server.server_close()


def json_answer(value: Any, status: int = 200, **headers: str) -> Answer:
    return status, {name.replace("_", "-"): text for name, text in headers.items()}, json.dumps(value).encode()


class TransportTest(unittest.TestCase):
    def setUp(self) -> None:
        # Clients that are not closed by a test end with it.
        warnings.simplefilter("ignore", ResourceWarning)
        patch = unittest.mock.patch("time.sleep")
        self.sleep = patch.start()
        self.addCleanup(patch.stop)

    def test_keeps_its_connection_open(self) -> None:
        with serve(lambda *_: json_answer(HEALTH)) as (url, seen), Client(url) as client:
            for _ in range(5):
                client.get_health()
        self.assertEqual(len({request.port for request in seen}), 1)

    def test_repeats_after_503_when_the_service_says(self) -> None:
        def answer(_: Seen, number: int) -> Answer:
            if number == 3:
                return json_answer(HEALTH)
            return json_answer({"error": "busy", "code": "UNAVAILABLE"}, 503, retry_after="7")

        with serve(answer) as (url, seen):
            self.assertEqual(Client(url).get_health(), HEALTH)
        self.assertEqual([call.args[0] for call in self.sleep.call_args_list], [7, 7])

    def test_a_creation_is_repeated_with_the_same_key_and_the_same_file(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.txt"
            path.write_bytes(b"content")
            with serve(lambda *_: None) as (url, seen), self.assertRaises(ServiceUnreachableError):
                Client(url, "token").create_artifact(mark_id="m", fingerprint=FINGERPRINT, filename="a", file=path)
        self.assertEqual(len(seen), 5)
        self.assertEqual(len({request.headers["idempotency-key"] for request in seen}), 1)
        self.assertTrue(all(b"content" in request.body for request in seen))

    def test_items_of_a_batch_keep_their_keys_when_it_is_repeated(self) -> None:
        with serve(lambda *_: None) as (url, seen), self.assertRaises(ServiceUnreachableError):
            item: Any = {"markId": "m", "fingerprint": FINGERPRINT, "filename": "a"}
            Client(url, "token").create_artifacts(artifacts=[item, item])
        keys = [[one["idempotencyKey"] for one in json.loads(request.body)["artifacts"]] for request in seen]
        self.assertEqual(keys, [keys[0]] * 5)
        self.assertEqual(len(set(keys[0])), 2)

    def test_what_has_no_key_and_creates_something_is_sent_once(self) -> None:
        with serve(lambda *_: None) as (url, seen):
            client = Client(url, "token")
            calls: List[Callable[[], object]] = [
                lambda: client.create_mark(name="a"),
                lambda: client.log_in(email="a", password="b"),
                lambda: client.create_signed_copy(FINGERPRINT, file=b"x"),
                lambda: client.accept_invitation(token="t"),
            ]
            for call in calls:
                before = len(seen)
                with self.assertRaises(ServiceUnreachableError):
                    call()
                self.assertLessEqual(len(seen) - before, 1)

    def test_a_deletion_that_was_done_by_the_lost_request_is_done(self) -> None:
        refusal = json_answer({"error": "no such key", "code": "NOT_FOUND"}, 404)
        with serve(lambda _, number: None if number == 1 else refusal) as (url, _):
            Client(url, "token").delete_api_key("k")
        with serve(lambda *_: refusal) as (url, _), self.assertRaises(RegistryError):
            Client(url, "token").delete_api_key("k")

    def test_the_credential_goes_to_the_registry_only_and_to_what_needs_it(self) -> None:
        with serve(lambda *_: json_answer(HEALTH)) as (other, at_other):
            with serve(lambda *_: json_answer({}, 302, location=f"{other}/x")) as (url, seen):
                with self.assertRaises(InvalidResponseError):
                    Client(url, "secret").get_me()
        self.assertEqual(at_other, [])
        self.assertEqual(seen[0].headers["authorization"], "Bearer secret")
        with serve(lambda *_: json_answer(HEALTH)) as (url, seen):
            Client(url, "secret").get_health()
        self.assertNotIn("authorization", seen[0].headers)

    def test_a_credential_from_a_file_may_end_with_a_newline_and_a_malformed_one_is_refused_at_once(self) -> None:
        with serve(lambda *_: json_answer({})) as (url, seen):
            Client(url, "secret\r\n").delete_api_key("k")
        self.assertEqual(seen[0].headers["authorization"], "Bearer secret")
        for credential in ("a\r\nb", "å", "", "\n"):
            with self.assertRaisesRegex(ValueError, "check where it was read from"):
                Client("http://127.0.0.1", credential)

    def test_names_itself_and_its_version(self) -> None:
        with serve(lambda *_: json_answer(HEALTH)) as (url, seen):
            Client(url).get_health()
        self.assertRegex(seen[0].headers["user-agent"], rf"^provenance-registry-python/{re.escape(__version__)}$")

    def test_redirects_within_the_origin_are_followed_but_not_forever(self) -> None:
        def answer(request: Seen, _: int) -> Answer:
            return json_answer(HEALTH) if request.path == "/there" else json_answer({}, 307, location="/there")

        with serve(answer) as (url, _):
            self.assertEqual(Client(url).get_health(), HEALTH)
            with self.assertRaises(InvalidResponseError):
                Client(url, "t").create_mark(name="a")
        with serve(lambda *_: json_answer({}, 302, location="/again")) as (url, seen):
            with self.assertRaises(InvalidResponseError):
                Client(url).get_health()
        self.assertEqual(len(seen), 6)

    def test_what_is_not_a_response_of_a_registry_is_refused(self) -> None:
        answers: List[Answer] = [
            (200, {"content-type": "text/html"}, b"<html>log in</html>"),
            (200, {}, b"not json"),
            (200, {}, b"[" * 100_000),
            (200, {}, b'{"status": 1}'),
            (200, {}, b"{}"),
            (200, {}, b"null"),
            (404, {}, b"<html>"),
            (404, {}, b'{"error": 1, "code": 2}'),
            (404, {}, b"[]"),
        ]
        for status, headers, content in answers:
            with self.subTest(content[:20]), serve(lambda *_: (status, headers, content)) as (url, _):
                with self.assertRaises(InvalidResponseError):
                    Client(url).get_health()

    def test_a_web_page_is_not_written_to_the_target_of_an_export(self) -> None:
        target = io.BytesIO()
        with serve(lambda *_: (200, {"content-type": "text/html"}, b"<html>log in</html>")) as (url, _):
            with self.assertRaises(InvalidResponseError):
                Client(url, "token").export_account(target)
        self.assertEqual(target.getvalue(), b"")

    def test_members_and_values_of_later_versions_are_accepted(self) -> None:
        entry = {"fingerprint": FINGERPRINT, "match": "something new", "later": {}}
        with serve(lambda *_: json_answer({"results": [entry]})) as (url, _):
            disclosure = {"lookupBy": "fingerprint", "fingerprintDisclosed": True}
            self.assertEqual(list(Client(url).look_up_many([FINGERPRINT])), [{**entry, "disclosure": disclosure}])

    def test_results_of_other_fingerprints_are_refused(self) -> None:
        entry = {"fingerprint": "0x" + "cd" * 32, "match": "none"}
        for results in ([entry], [], [{**entry, "fingerprint": FINGERPRINT}] * 2):
            with serve(lambda *_: json_answer({"results": results})) as (url, _):
                with self.assertRaises(InvalidResponseError):
                    list(Client(url).look_up_many([FINGERPRINT]))

    def test_a_list_that_is_not_of_the_prefix_or_has_no_end_is_refused(self) -> None:
        bucket: Any = {"prefix": "abab", "digits": 4, "entries": [], "nextCursor": None, "isChainKnown": True, "fingerprints": 1}
        entry = {"fingerprint": "0x" + "cd" * 32, "match": "artifact", "manifestId": "m", "status": "submitted"}
        lies = [
            {**bucket, "entries": [entry]},
            {**bucket, "nextCursor": FINGERPRINT},
        ]
        for lie in lies:
            with serve(lambda *_: json_answer(lie)) as (url, seen), self.assertRaises(InvalidResponseError):
                Client(url).look_up(FINGERPRINT)
            self.assertLessEqual(len(seen), 32)
            self.assertTrue(all(FINGERPRINT[2:] not in request.path.split("?")[0] for request in seen))

    def test_a_service_without_lookups_by_prefix_does_not_get_the_fingerprint(self) -> None:
        with serve(lambda *_: json_answer({"error": "", "code": "NOT_FOUND"}, 404)) as (url, seen):
            with self.assertRaises(InvalidResponseError):
                Client(url).look_up(FINGERPRINT)
        self.assertEqual([request.path for request in seen], ["/api/v1/public/fingerprints/abab"])

    def test_a_response_without_its_end_is_not_a_response(self) -> None:
        with serve(lambda *_: (200, {"content-length": "100"}, b"{}")) as (url, seen):
            with self.assertRaises(ServiceUnreachableError):
                Client(url, timeout=0.2).get_health()
        self.assertEqual(len(seen), 5)

    def test_a_response_without_limits_is_not_read_to_its_end(self) -> None:
        with serve(lambda *_: (200, {"content-length": ""}, b'{"a": "' + b"x" * (17 << 20))) as (url, _):
            with self.assertRaises(InvalidResponseError):
                Client(url).get_health()

    def test_errors_have_no_control_characters(self) -> None:
        refusal = {"error": "a\x1b[31m\u202eb", "code": "BAD\n", "problems": [{"path": "/\x07", "message": "\x00"}]}
        with serve(lambda *_: json_answer(refusal, 400)) as (url, _), self.assertRaises(RegistryError) as caught:
            Client(url).get_health()
        error = caught.exception
        texts = [error.message, error.code, *error.problems[0]]
        self.assertTrue(all(text.isprintable() for text in texts), texts)

    def test_events_go_on_after_the_last_one_when_the_connection_is_lost(self) -> None:
        streams = [b"id: 1\ndata: a\n\nid: 2\ndata: b\n\nid: 3\nda", b": hello\n\nid: 3\nevent: x\ndata: c\ndata: d\n\n"]

        def answer(_: Seen, number: int) -> Answer:
            content = streams[number - 1] if number <= 2 else b""
            status = 200 if number <= 2 else 401
            body = content or b'{"error": "ended", "code": "UNAUTHORIZED"}'
            kind = "text/event-stream" if number <= 2 else "application/json"
            return status, {"content-type": kind, "content-length": ""}, body

        operation = Operation("followEvents", "GET", "/events", needs_credential=True, is_repeatable=True)
        with serve(answer) as (url, seen), Client(url, "t") as client:
            events = []
            with self.assertRaises(RegistryError):
                for event in client._call_events(operation, header={"last-event-id": "0"}):
                    events.append((event.id, event.type, event.data))
        self.assertEqual(events, [("1", "message", "a"), ("2", "message", "b"), ("3", "x", "c\nd")])
        self.assertEqual([request.headers.get("last-event-id") for request in seen], ["0", "2", "3"])

    def test_events_are_split_anywhere(self) -> None:
        text = "id: 7\r\nevent: å\r\ndata: {}\r\n\r\ndata: x\r\rretry: 500\n\n".encode()
        for size in (1, 2, 3, 5, 100):
            parser = EventParser()
            pieces = [text[start : start + size] for start in range(0, len(text), size)]
            events = [tuple(event) for piece in pieces for event in parser.parse(piece)]
            self.assertEqual(events, [("7", "å", "{}"), (None, "message", "x")])
            self.assertEqual(parser.pause_seconds, 0.5)

    def test_an_event_without_an_end_is_not_kept(self) -> None:
        for piece in (b"data: " + b"x" * 100_000, b"data: " + b"x" * 100_000 + b"\n"):
            parser = EventParser()
            with self.assertRaises(InvalidResponseError):
                for _ in range(12):
                    list(parser.parse(piece))

    def test_a_file_that_changes_while_it_is_sent_or_hashed_is_noticed(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "growing"
            path.write_bytes(b"x")
            with serve(lambda *_: json_answer({})) as (url, _):
                for content in (b"x" * 99, b"x" * 101):
                    file = io.BytesIO(b"x" * 100)
                    sent = unittest.mock.MagicMock(wraps=file, spec=file)
                    sent.read.side_effect = [content, b""]
                    with self.assertRaisesRegex(ValueError, "changed while it was sent"):
                        Client(url).find_by_content(file=sent)
            with unittest.mock.patch("provenance_registry.hashing._hash", side_effect=lambda _: str(path.write_bytes(b"y"))):
                with self.assertRaises(FileChangedError):
                    fingerprint(path)

    def test_with_asyncio_requests_run_side_by_side_and_are_repeated_alike(self) -> None:
        arrived = threading.Barrier(3)

        def answer(request: Seen, number: int) -> Optional[Answer]:
            if number <= 3:
                arrived.wait(timeout=10)
                return None
            return json_answer({"matches": []} if request.body else HEALTH)

        async def call() -> List[Any]:
            async with AsyncClient(url) as client:
                calls = (client.get_health(), client.find_by_content(file=b"content"), client.get_health())
                return list(await asyncio.gather(*calls))

        with serve(answer) as (url, seen), unittest.mock.patch("asyncio.sleep") as sleep:
            self.assertEqual(asyncio.run(call()), [HEALTH, {"matches": []}, HEALTH])
        pauses = [call.args[0] for call in sleep.await_args_list if call.args[0] > 0]
        self.assertEqual((len(seen), len(pauses)), (6, 3))
        self.assertEqual(sum(b"content" in request.body for request in seen), 2)

    def test_hashes_files_paths_and_nothing_else(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "empty")
            open(path, "w").close()
            self.assertEqual(fingerprint(path), f"0x{EMPTY}")
            with open(path, "rb") as file:
                self.assertEqual(fingerprint(file), f"0x{EMPTY}")
            pathlib.Path(path).write_text("a")
            with open(path) as text, self.assertRaises(TypeError):
                fingerprint(text)  # type: ignore[arg-type]
            with self.assertRaises(OSError):
                fingerprint(folder)


if __name__ == "__main__":
    unittest.main()
