// Creates the files of an Artifact: the signed sidecar, the report about it and the signed card.

import { randomUUID } from 'node:crypto';
import { childrenOf } from '@provenance-registry/c2pa';
import type { ManifestRequest, Manifests } from '../../domain/ports/index.js';
import { signPng } from '../embedding/signPng.js';
import type { ManifestReader } from '../reading/manifestReader.js';
import { readSignature } from '../reading/readSignature.js';
import { createdActionAssertion, describeStatements, softBindingAssertion } from './assertions.js';
import { dataHashAssertion } from './hardBinding.js';
import { identityAssertions } from './identityAssertion.js';
import { superbox } from './jumbf.js';
import { buildManifestStore, type Signing } from './manifestStore.js';
import { readStatements } from './report.js';

export function createManifestWriter(signing: Signing, reader: ManifestReader): Manifests {
  return {
    activeOnly: (sidecar) => superbox('c2pa', 'c2pa', childrenOf(Buffer.from(sidecar)).at(-1) ?? Buffer.alloc(0)),
    readStatements,
    readSignature,
    async create(request) {
      const { fingerprint, digest, parent, previous, identity } = request;
      const sidecar = await buildSidecar(request, signing);
      const hasHistory = parent !== undefined || previous !== undefined;
      const { report, picture } = await reader.create(
        request.client,
        { sidecar, digest, fingerprint, hasIdentity: identity !== undefined },
        hasHistory,
      );
      return { sidecar, report: Buffer.from(report), card: await signCard(picture, fingerprint, signing) };
    },
  };
}

function buildSidecar(request: ManifestRequest, signing: Signing): Promise<Buffer> {
  const { artifactId, title, fingerprint } = request;
  const { assertions, ingredientManifests } = describeStatements(request, fingerprint);
  const content = {
    label: `urn:c2pa:${artifactId}`,
    title,
    assertions: [...assertions, dataHashAssertion(fingerprint), ...identityAssertions(request, signing)],
    ingredientManifests,
  };
  return buildManifestStore(content, signing);
}

/** The card is created by the service itself, by a program. */
export function signCard(png: Uint8Array, fingerprint: Uint8Array, signing: Signing): Promise<Buffer> {
  return signPng(
    png,
    {
      label: `urn:c2pa:${randomUUID()}`,
      title: 'Fingerprint card',
      assertions: [createdActionAssertion('algorithmicMedia'), softBindingAssertion(fingerprint)],
    },
    signing,
  );
}
