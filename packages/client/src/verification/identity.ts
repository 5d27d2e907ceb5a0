// The identity in a manifest (CAWG): the domains that a service says it has verified, in a credential that c2pa-rs checks.

import Type, { type Static } from 'typebox';
import { Check } from 'typebox/schema';
import { sanitize } from '../sanitize.js';

/**
 * The domains that a registry has verified for the Mark, in a credential that it signed for this very manifest.
 * @example
 * ```ts
 * const describe = ({ domains, issuer }: ManifestIdentity) => `${domains.map(({ domain }) => domain)} (${issuer})`;
 * ```
 */
export interface ManifestIdentity {
  /** The DID of the registry. */
  readonly issuer: string;
  readonly domains: readonly {
    /** The domain in its ASCII form. */
    readonly domain: string;
    /** The first time that it was confirmed (ISO 8601). */
    readonly verifiedAt: string;
  }[];
}

const LABEL = 'cawg.identity';
const VALID = 'cawg.ica.credential_valid';
const FAILURES = 'cawg.';
/** A DID that contains its key. */
const SELF_CONTAINED = 'did:jwk:';
/** The service responds in milliseconds; without a response, the identity is not confirmed. */
const TIMEOUT_MS = 10_000;

/** The part of the crJSON report for identities that name their issuer. */
const IssuedIdentity = Type.Object({ signature: Type.Object({ issuer: Type.String() }) });
const Statuses = Type.Array(Type.Object({ code: Type.String(), url: Type.Optional(Type.String()) }));
const IdentityReport = Type.Object({
  active_manifest: Type.String(),
  manifests: Type.Record(
    Type.String(),
    Type.Object({ assertions: Type.Array(Type.Object({ label: Type.String(), data: Type.Unknown() })) }),
  ),
  validation_results: Type.Object({ activeManifest: Type.Object({ success: Statuses, failure: Statuses }) }),
});
const Credential = Type.Object({
  issuer: Type.String(),
  verifiedIdentities: Type.Array(
    Type.Object({
      type: Type.Literal('cawg.web_site'),
      uri: Type.String({ pattern: '^https://[a-z0-9.-]+$' }),
      verifiedAt: Type.String(),
    }),
    { minItems: 1 },
  ),
});

interface CrReport {
  readonly manifests: readonly { readonly label: string; readonly assertions: Readonly<Record<string, unknown>> }[];
}

/** The DID of the service at this address, if the document that it serves is its own. */
export function acceptIssuer(did: string, baseUrl: string): string | undefined {
  const isOwn = did === `did:web:${encodeURIComponent(new URL(baseUrl).host)}`;
  return isOwn || did.startsWith(SELF_CONTAINED) ? did : undefined;
}

/** Settings for c2pa-rs, which resolves the DIDs of all issuers over the network unless it is told not to decode identities. */
export function identitySettings(issuer: string | undefined) {
  return {
    core: { decode_identity_assertions: issuer !== undefined },
    ...(issuer !== undefined && {
      anchors: [{ trust_kind: 'cawg', trust_anchors: '', trusted_ica_issuers: [issuer] }],
    }),
  };
}

/** Whether the manifest states an identity in the name of this issuer. */
export function hasIdentityOf(crReport: CrReport, label: string, issuer: string): boolean {
  const assertion = crReport.manifests.find((manifest) => manifest.label === label)?.assertions[LABEL];
  return Check(IssuedIdentity, assertion) && assertion.signature.issuer === issuer;
}

/**
 * Has c2pa-rs read the manifest again and check the identity, for which it may load the DID document of the service. Does
 * not if it would load those of others too: they would learn that the file is read.
 * @returns undefined unless the identity is valid
 */
export async function checkIdentity(
  crReport: CrReport,
  label: string,
  issuer: string,
  read: () => Promise<unknown>,
): Promise<ManifestIdentity | undefined> {
  if (!hasIdentityOf(crReport, label, issuer)) return undefined;
  const issuers = crReport.manifests.flatMap(({ assertions }) =>
    Object.values(assertions).flatMap((assertion) =>
      Check(IssuedIdentity, assertion) ? [assertion.signature.issuer] : [],
    ),
  );
  if (issuers.some((other) => other !== issuer && !other.startsWith(SELF_CONTAINED))) return undefined;
  let cancel = () => {};
  const timeout = new Promise<undefined>((resolve) => {
    const timer = setTimeout(() => resolve(undefined), TIMEOUT_MS);
    cancel = () => clearTimeout(timer);
  });
  const report = await Promise.race([read().catch(() => undefined), timeout]).finally(() => cancel());
  return Check(IdentityReport, report) && report.active_manifest === label ? readIdentity(report, issuer) : undefined;
}

/** It must be valid and must not have failed: c2pa-rs reports both of a credential that is for another manifest. */
function readIdentity(report: Static<typeof IdentityReport>, issuer: string): ManifestIdentity | undefined {
  const { active_manifest, manifests, validation_results } = report;
  const { success, failure } = validation_results.activeManifest;
  const url = `self#jumbf=/c2pa/${active_manifest}/c2pa.assertions/${LABEL}`;
  const isValid = success.some((status) => status.code === VALID && status.url === url);
  const assertions = (manifests[active_manifest]?.assertions ?? []).filter(({ label }) => label.startsWith(LABEL));
  const credential = assertions[0]?.data;
  if (!isValid || failure.some(({ code }) => code.startsWith(FAILURES)) || assertions.length !== 1) return undefined;
  if (!Check(Credential, credential) || credential.issuer !== issuer) return undefined;
  return {
    issuer,
    domains: credential.verifiedIdentities.map(({ uri, verifiedAt }) => ({
      domain: uri.replace('https://', ''),
      verifiedAt: sanitize(verifiedAt),
    })),
  };
}
