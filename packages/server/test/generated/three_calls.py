"""Three calls with the package `registry_client` that openapi-python-client generates:
`python3 three_calls.py URL TOKEN MARK_ID FINGERPRINT`."""

import sys
from uuid import UUID

from registry_client import AuthenticatedClient, Client
from registry_client.api.artifacts import create_artifact
from registry_client.api.public import get_public_artifact
from registry_client.models import CreateArtifactJsonBody

url, token, mark_id, fingerprint = sys.argv[1:]
client = AuthenticatedClient(base_url=url, token=token)
body = CreateArtifactJsonBody(mark_id=UUID(mark_id), fingerprint=fingerprint, filename="a.txt")

created = create_artifact.sync(client=client, body=body)
print("created", created.fingerprint)

found = get_public_artifact.sync(fingerprint, client=Client(base_url=url))
print("found", found.metadata.filename)

refused = create_artifact.sync(client=client, body=body)
print("refused", refused.code)
