"""A session with the client that openapi-python-client generates from the OpenAPI document: from signing up to reading the
manifest of an uploaded file. `python3 round_trip.py URL`, beside the generated package `registry_client`."""

import hashlib
import io
import json
import re
import secrets
import sys
import uuid
from urllib.request import urlopen

from registry_client import AuthenticatedClient, Client
from registry_client.api.accounts import sign_up
from registry_client.api.artifacts import create_artifact, create_manifest, create_signed_copy, get_artifact
from registry_client.api.marks import create_mark
from registry_client.api.resolution import find_by_content, get_manifest, get_signer_roots
from registry_client.models import (
    ArtifactStatus,
    CreateArtifactJsonBody,
    CreateManifestFilesBody,
    CreateMarkBody,
    CreateSignedCopyBody,
    ErrorBody,
    ErrorCode,
    FindByContentFilesBody,
    LicenseKey,
    SignUpBody,
)
from registry_client.types import File

url = sys.argv[1]


def check(step, is_true):
    print(("ok  " if is_true else "FAIL"), step)
    if not is_true:
        sys.exit(1)


document = urlopen(f"{url}/api/openapi.json").read().decode()
patterns = {json.loads(text) for text in re.findall(r'"pattern":("(?:[^"\\]|\\.)*")', document)}
check(f"{len(patterns)} patterns of the document compile with re", all(re.compile(one) for one in patterns))

account = SignUpBody(email=f"{uuid.uuid4()}@example.com", password=secrets.token_hex(8), name="Ada")
session = sign_up.sync(client=Client(base_url=url), body=account)
client = AuthenticatedClient(base_url=url, token=session.token)
check("sign up", session.user.name == "Ada")

mark = create_mark.sync(client=client, body=CreateMarkBody(name="Ada Lovelace", license_=LicenseKey("CC-BY-4.0")))
check("create a Mark", mark.license_key == LicenseKey("CC-BY-4.0"))

fingerprint = "0x" + secrets.token_hex(32)
stated = create_artifact.sync_detailed(
    client=client, body=CreateArtifactJsonBody(mark_id=mark.id, fingerprint=fingerprint, filename="a.txt")
)
check(f"register by JSON: {stated.status_code}", stated.parsed.fingerprint == fingerprint)
check("the header Location", stated.headers["location"] == f"{url}/api/v1/artifacts/{fingerprint}")

image = f'<svg xmlns="http://www.w3.org/2000/svg"><title>{uuid.uuid4()}</title></svg>'.encode()


def upload():
    return File(payload=io.BytesIO(image), file_name="sunrise.svg", mime_type="image/svg+xml")


manifest = create_manifest.sync(client=client, body=CreateManifestFilesBody(mark_id=mark.id, file=upload()))
check("register by upload", manifest.fingerprint == "0x" + hashlib.sha256(image).hexdigest())

artifact = get_artifact.sync(client=client, fingerprint=manifest.fingerprint)
while artifact.status == ArtifactStatus.PENDING:
    artifact = get_artifact.sync(client=client, fingerprint=manifest.fingerprint, wait=30)
check(f"read the Artifact: {artifact.status}, {artifact.metadata.filename}", artifact.metadata.size == len(image))

found = find_by_content.sync(client=Client(base_url=url), body=FindByContentFilesBody(file=upload()))
check("find it by content", [match.manifest_id for match in found.matches] == [str(manifest.manifest_id)])

# The generated function reads this response as JSON; its request serves for the other form as well.
request = get_manifest._get_kwargs(manifest.manifest_id, return_active_manifest=True)
sidecar = client.get_httpx_client().request(**request, headers={"Accept": "application/c2pa"})
check(f"read the manifest as {sidecar.headers['content-type']}", sidecar.content[4:8] == b"jumb")

copy = create_signed_copy.sync(manifest.fingerprint, client=client, body=CreateSignedCopyBody(file=upload()))
signed = copy.payload.read()
check(f"get a signed copy of {len(signed)} bytes", signed.startswith(b"<svg") and len(signed) > len(image))

roots = get_signer_roots.sync(client=Client(base_url=url))
check("read the signer roots as PEM", roots.startswith("-----BEGIN CERTIFICATE-----"))

refused = create_artifact.sync(
    client=client, body=CreateArtifactJsonBody(mark_id=mark.id, fingerprint="0x00", filename="")
)
check("an error with its code", isinstance(refused, ErrorBody) and refused.code == ErrorCode.BAD_REQUEST)
check(f"{refused.error}", [problem.pointer for problem in refused.problems] == ["/fingerprint", "/filename"])
