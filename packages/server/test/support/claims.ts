// Claims over HTTP: contests Artifacts, and acts on claims.

import { expect } from 'vitest';
import { createMark } from '../../../../test/support/accounts.js';
import {
  BOUNDARY,
  createArtifact,
  fieldParts,
  filePart,
  formBody,
  newArtifact,
} from '../../../../test/support/artifacts.js';
import { call, type Service, type TestResponse } from '../../../../test/support/service.js';

type At = Pick<Service, 'url'>;
type Credential = { readonly token: string };
type Fields = Readonly<Record<string, unknown>>;

export const statement = 'I took this photo in May.\nI can show the raw file.';

/** Under a new Mark of the user. */
export async function registerUnderNewMark(at: At, user: Credential, mark: Fields = {}, artifact: Fields = {}) {
  const markId = String((await createMark(at, user, mark)).body.id);
  const { fingerprint, ...fields } = newArtifact({ markId, ...artifact });
  const { body, status } = await createArtifact(at, user, { fingerprint, ...fields });
  expect(status).toBe(201);
  return { markId, fingerprint, artifactId: String(body.id) };
}

export function contest(at: At, { token }: Credential, fingerprint: string, fields: Fields = {}) {
  const body = { kind: 'statement', statement, ...fields };
  return call(at, 'POST', `/api/v1/artifacts/${fingerprint}/claims`, { token, body });
}

/** With a file as evidence. */
export async function contestWithFile(
  at: At,
  { token }: Credential,
  fingerprint: string,
  file: Uint8Array,
  fields: Readonly<Record<string, string>> = {},
): Promise<TestResponse> {
  const response = await fetch(`${at.url}/api/v1/artifacts/${fingerprint}/claims`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    body: new Uint8Array(formBody([...fieldParts({ kind: 'timestamp', statement, ...fields }), filePart(file)])),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

export function actOnClaim(
  at: At,
  { token }: Credential,
  claimId: string,
  action: 'answers' | 'withdraw' | 'concede',
  body: Fields = {},
) {
  return call(at, 'POST', `/api/v1/claims/${claimId}/${action}`, { token, body });
}

export function listClaims(at: At, fingerprint: string) {
  return call(at, 'GET', `/api/v1/public/artifacts/${fingerprint}/claims`);
}

/** The summary that the Artifact shows. */
export async function readSummary(at: At, fingerprint: string) {
  return (await call(at, 'GET', `/api/v1/public/artifacts/${fingerprint}`)).body.claims;
}
