"""The client against a real service: its URL is in REGISTRY_URL, a photo of its own in PHOTO."""

import asyncio
import hashlib
import io
import json
import os
import pathlib
import secrets
import threading
import unittest
import uuid
from typing import Any, Iterator, List

from provenance_registry import AsyncClient, Client, RegistryError, fingerprint
from provenance_registry import models

URL = os.environ["REGISTRY_URL"]
PHOTO = pathlib.Path(os.environ["PHOTO"])


def new_fingerprint() -> str:
    return f"0x{secrets.token_hex(32)}"


class Pipe(io.RawIOBase):
    """Can be read once, and does not know its size."""

    def __init__(self, data: bytes) -> None:
        self._rest = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._rest.readinto(buffer)


class ServiceTest(unittest.TestCase):
    client: Client
    token: str
    mark: models.Mark

    @classmethod
    def setUpClass(cls) -> None:
        with Client(URL) as stranger:
            email = f"{uuid.uuid4()}@example.com"
            session = stranger.sign_up(email=email, password="correct horse battery", name="Ada")
        cls.token = session["token"]
        cls.client = Client(URL, cls.token)
        cls.client.put_subscription(tier="enterprise")
        cls.mark = cls.client.create_mark(name="Ada Lovelace Photography")

    @classmethod
    def tearDownClass(cls) -> None:
        cls.client.close()

    def register(self, **fields: Any) -> models.Artifact:
        values: Any = {"fingerprint": new_fingerprint(), "filename": "sunrise.jpg", **fields}
        return self.client.create_artifact(mark_id=self.mark["id"], **values)

    def test_registers_a_fingerprint_and_reads_it_back(self) -> None:
        created = self.register(authorship_stated=True)
        read = self.client.get_artifact(created["fingerprint"], wait=10)
        self.assertEqual(read["id"], created["id"])
        self.assertEqual(read["metadata"]["filename"], "sunrise.jpg")
        self.assertIs(read["authorshipStated"], True)

    def test_sends_a_file_by_path_as_bytes_and_as_a_stream(self) -> None:
        data = PHOTO.read_bytes()
        variants: List[Any] = [PHOTO, b"1" + data, io.BytesIO(b"2" + data), io.BufferedReader(Pipe(b"3" + data))]
        hashes = [fingerprint(PHOTO)] + [f"0x{hashlib.sha256(prefix + data).hexdigest()}" for prefix in (b"1", b"2", b"3")]
        for file, expected in zip(variants, hashes):
            artifact = self.register(fingerprint=expected, filename='Sun "rise" – å.jpg', file=file)
            self.assertIs(artifact["fileSeen"], True)
            self.assertEqual(artifact["metadata"]["filename"], 'Sun "rise" – å.jpg')
        with PHOTO.open("rb") as opened:
            matches = self.client.find_by_content(file=opened)["matches"]
        self.assertEqual(len(matches), 1)

    def test_refuses_a_file_that_does_not_match(self) -> None:
        with self.assertRaises(RegistryError) as caught:
            self.register(file=b"something else")
        self.assertEqual((caught.exception.code, caught.exception.status), ("BAD_REQUEST", 400))

    def test_an_error_lists_the_fields_that_are_not_valid(self) -> None:
        with self.assertRaises(RegistryError) as caught:
            self.register(fingerprint="0x1", filename="")
        paths = [problem.path for problem in caught.exception.problems]
        self.assertEqual(sorted(paths), ["/filename", "/fingerprint"])

    def test_a_second_registration_of_the_same_file_is_a_conflict_unless_it_has_the_same_key(self) -> None:
        one = self.register(idempotency_key="a" * 32)
        again = self.register(fingerprint=one["fingerprint"], idempotency_key="a" * 32)
        self.assertEqual(again["id"], one["id"])
        with self.assertRaises(RegistryError) as caught:
            self.register(fingerprint=one["fingerprint"])
        self.assertEqual(caught.exception.code, "CONFLICT")

    def test_null_is_a_value_and_what_is_omitted_is_kept(self) -> None:
        mark = self.client.create_mark(name="Drafts", allow_ai_training=True)
        renamed = self.client.update_mark(mark["id"], name="Sketches")
        self.assertEqual((renamed["name"], renamed["allowAiTraining"]), ("Sketches", True))
        cleared = self.client.update_mark(mark["id"], allow_ai_training=None)
        self.assertIsNone(cleared["allowAiTraining"])

    def test_files_in_responses(self) -> None:
        photo = PHOTO.read_bytes() + b"signed"
        signed = self.client.create_manifest_file(mark_id=self.mark["id"], filename="photo.jpg", file=photo)
        self.assertEqual(signed.media_type, "image/jpeg")
        self.assertGreater(len(signed.content), len(photo))
        self.assertIn("location", signed.headers)
        registered = f"0x{hashlib.sha256(photo).hexdigest()}"
        artifact = self.client.get_artifact(registered, wait=20)
        manifest = self.client.get_manifest_file(artifact["id"])
        self.assertEqual((manifest.media_type, manifest.content[4:8]), ("application/c2pa", b"jumb"))
        self.assertIn(artifact["id"], self.client.get_manifest(artifact["id"])["manifestUrl"])
        self.assertIn("BEGIN CERTIFICATE", self.client.get_signer_roots())
        target = io.BytesIO()
        size = self.client.export_account(target)
        self.assertEqual(size, len(target.getvalue()))
        self.assertIn("artifacts", json.loads(target.getvalue()))

    def test_looks_many_fingerprints_up_in_their_order(self) -> None:
        known = self.register()["fingerprint"]
        asked = [new_fingerprint() for _ in range(2_500)]
        asked[1_700] = known
        taken: List[str] = []

        def generate() -> Iterator[str]:
            for one in asked:
                taken.append(one)
                yield one

        results = self.client.look_up_many(generate())
        first = next(results)
        self.assertEqual(len(taken), 1_000)
        found = [first, *results]
        self.assertEqual([result["fingerprint"] for result in found], asked)
        self.assertEqual([result["fingerprint"] for result in found if result["match"] != "none"], [known])
        with self.assertRaises(ValueError):
            list(self.client.look_up_many(["0x1"]))

    def test_lines_are_sent_a_thousand_at_a_time_and_answered_in_their_order(self) -> None:
        known = self.register()["fingerprint"]
        asked = [new_fingerprint() for _ in range(5_000)]
        asked[-1] = known
        results: List[Any] = list(self.client.look_up_fingerprints_lines(asked))
        self.assertEqual([result["fingerprint"] for result in results], asked)
        self.assertNotEqual(results[-1]["match"], "none")
        lines: List[models.NewArtifact] = [
            {"markId": self.mark["id"], "fingerprint": new_fingerprint(), "filename": f"{number}.jpg"} for number in range(4)
        ]
        created = list(self.client.create_artifacts_lines(lines))
        self.assertEqual(len(created), 4)
        self.assertEqual({result["status"] for result in created}, {201})

    def test_an_error_of_the_callers_iterator_reaches_the_caller(self) -> None:
        def generate() -> Iterator[str]:
            yield new_fingerprint()
            raise LookupError("no more")

        with self.assertRaises(LookupError):
            list(self.client.look_up_fingerprints_lines(generate()))

    def test_a_batch(self) -> None:
        items: List[models.NewArtifact] = [
            {"markId": self.mark["id"], "fingerprint": new_fingerprint(), "filename": "one.jpg"},
            {"markId": str(uuid.uuid4()), "fingerprint": new_fingerprint(), "filename": "two.jpg"},
        ]
        results = self.client.create_artifacts(artifacts=items)["results"]
        self.assertEqual([result["status"] for result in results], [201, 404])

    def test_a_lookup_by_prefix_discloses_only_files_that_the_service_has(self) -> None:
        known = self.register()
        self.client.get_artifact(known["fingerprint"], wait=20)
        with Client(URL) as stranger:
            found = stranger.look_up(known["fingerprint"])
            bare = stranger.look_up(known["fingerprint"], details=False)
            direct = stranger.look_up(known["fingerprint"], lookup_by="fingerprint")
            missing = stranger.look_up(new_fingerprint())
        disclosed = {"lookupBy": "prefix", "fingerprintDisclosed": True, "prefix": known["fingerprint"][2:6]}
        self.assertEqual((found["match"], found["mark"]["id"]), ("artifact", self.mark["id"]))
        self.assertEqual(found, {**direct, "disclosure": disclosed})
        self.assertEqual((bare["match"], bare["disclosure"]["fingerprintDisclosed"]), ("artifact", False))
        self.assertEqual((missing["match"], missing["disclosure"]["fingerprintDisclosed"]), ("none", False))

    def test_follows_events(self) -> None:
        known = self.register()["fingerprint"]
        listed = self.client.list_events(limit=1)["events"]
        self.assertEqual(len(listed), 1)
        for event in self.client.stream_events(last_event_id="0"):
            if event.type == "artifact.created" and known in (event.data or ""):
                break
        self.assertEqual(json.loads(event.data or "")["type"], "artifact.created")

    def test_asyncio_has_the_same_operations(self) -> None:
        async def use(token: str) -> None:
            async with AsyncClient(URL, token) as client:
                data = b"async" + PHOTO.read_bytes()
                registered = f"0x{hashlib.sha256(data).hexdigest()}"
                fields: Any = {"mark_id": self.mark["id"], "fingerprint": registered, "filename": "a.jpg"}
                created = await client.create_artifact(**fields, file=io.BytesIO(data))
                self.assertIs(created["fileSeen"], True)
                await client.get_artifact(registered, wait=20)
                asked = [registered, *(new_fingerprint() for _ in range(1_500))]
                for results in (client.look_up_many(asked), client.look_up_fingerprints_lines(asked)):
                    found: List[Any] = [result async for result in results]
                    self.assertEqual([result["fingerprint"] for result in found], asked)
                    self.assertEqual([result["match"] == "none" for result in found], [False] + [True] * 1_500)
                self.assertEqual((await client.look_up(registered))["match"], "artifact")
                async for event in client.stream_events(last_event_id="0"):
                    if event.type == "artifact.created" and registered in (event.data or ""):
                        break
                target = io.BytesIO()
                self.assertEqual(await client.export_account(target), len(target.getvalue()))
                with self.assertRaises(RegistryError) as caught:
                    await client.create_artifact(**fields)
                self.assertEqual(caught.exception.code, "CONFLICT")

        asyncio.run(use(self.token))

    def test_threads_share_a_client(self) -> None:
        failures: List[BaseException] = []

        def work() -> None:
            try:
                for _ in range(5):
                    self.assertEqual(self.client.get_mark(self.mark["id"])["id"], self.mark["id"])
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=work) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_ids_are_parts_of_paths_and_nothing_else(self) -> None:
        for text in ("..", "../marks", "a/b", "a?b", "%2e%2e", "å"):
            with self.assertRaises(RegistryError) as caught:
                self.client.get_mark(text)
            self.assertIn(caught.exception.status, (400, 404))

    def test_reads_every_list_that_needs_no_argument(self) -> None:
        reads = [
            *("get_me", "list_sessions", "list_organizations", "list_marks", "get_tier_limits"),
            *("list_tiers", "list_own_artifacts", "list_gallery", "list_received_invitations", "get_algorithms"),
            *("get_capabilities", "get_service_status", "get_well_known", "get_contract", "get_registry_identity"),
            *("get_did_document", "get_health", "get_readiness", "get_write_readiness", "get_open_api"),
        ]
        for name in reads:
            with self.subTest(name):
                self.assertTrue(getattr(self.client, name)() is not None)


if __name__ == "__main__":
    unittest.main()
