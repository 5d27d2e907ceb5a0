// Has c2pa-rs read a manifest that the configured certificate signed, before the service starts: what readers would refuse
// is a bad setting, not an error of every creation.

import { randomBytes, randomUUID } from 'node:crypto';
import Type from 'typebox';
import { Value } from 'typebox/value';
import { createdActionAssertion } from '../manifest/assertions.js';
import { dataHashAssertion } from '../manifest/hardBinding.js';
import { buildManifestStore, type Signing } from '../manifest/manifestStore.js';
import { createC2paProcesses } from '../reading/c2paProcesses.js';
import { readerSettings } from '../reading/readerSettings.js';

/** Any bytes show how readers judge the certificate. */
const SIGNATURE_BYTES = 64;

const Statuses = Type.Array(Type.Object({ code: Type.String(), explanation: Type.Optional(Type.String()) }));
const Report = Type.Object({
  validation_results: Type.Object({
    activeManifest: Type.Object({ success: Statuses, informational: Statuses, failure: Statuses }),
  }),
});

/** The explanations of c2pa-rs in words that say what to change. */
const reasons: Readonly<Record<string, string>> = {
  "certificate 'any' EKU not allowed": 'its extended key usage has anyExtendedKeyUsage',
  'certificate invalid set of EKUs': 'its extended key usage has timeStamping or OCSPSigning besides signing',
  'certificate missing digitalSignature EKU': 'its key usage has keyCertSign, which is for authorities',
  'certificate key length too short': 'its RSA key is shorter than 2048 bits',
  'expected end-entity certificate': 'it is the certificate of an authority',
};

/** There is no file whose hash could match, and the root need not be known here. */
const ignoredCodes = ['assertion.dataHash.mismatch', 'signingCredential.untrusted'];

/** The settings name a time-stamp authority whose time-stamps are not valid. */
export class UnusableTimestampsError extends Error {}

export interface SigningProbe {
  /** The time-stamper is undefined when the built-in authority is used. */
  readonly signing: Omit<Signing, 'timestamper'> & { readonly timestamper: Signing['timestamper'] | undefined };
  /** Roots of the signing certificate; none if the settings name none. */
  readonly rootsPem: string;
  /** Shows the operator what could not be checked, because a signer or an authority elsewhere does not respond. */
  readonly warn: (message: string) => void;
}

/** Throws with the reason if readers would refuse what is signed with these settings. */
export async function probeSigning({ signing, rootsPem, warn }: SigningProbe): Promise<void> {
  const { signer, timestamper, generator } = signing;
  let hasSignature = true;
  let hasTimestamp = timestamper !== undefined;
  const store = await buildManifestStore(
    {
      label: `urn:c2pa:${randomUUID()}`,
      title: undefined,
      assertions: [createdActionAssertion(), dataHashAssertion(randomBytes(32))],
      ingredientManifests: [],
    },
    {
      generator,
      signer: {
        ...signer,
        sign: (data) =>
          signer.sign(data).catch((error: unknown) => {
            hasSignature = false;
            warn(`The signer could not be checked: ${reasonOf(error)}.`);
            return randomBytes(SIGNATURE_BYTES);
          }),
      },
      timestamper: {
        async stamp(data) {
          const token = await timestamper?.stamp(data).catch((error: unknown) => {
            hasTimestamp = false;
            warn(`The time-stamp authority could not be checked: ${reasonOf(error)}.`);
            return undefined;
          });
          return token ?? Buffer.alloc(0);
        },
      },
    },
  );
  const { success, informational, failure } = await readBack(store, rootsPem);
  for (const { code, explanation = '' } of failure) {
    if (ignoredCodes.includes(code) || (!hasSignature && code === 'claimSignature.mismatch')) continue;
    throw new Error(reasons[explanation] ?? `C2PA readers refuse it: ${explanation} (${code})`);
  }
  if (hasTimestamp && !success.some(({ code }) => code === 'timeStamp.validated')) {
    const fault = informational.find(({ code }) => code.startsWith('timeStamp.'));
    throw new UnusableTimestampsError(`C2PA readers refuse its time-stamps: ${fault?.explanation} (${fault?.code})`);
  }
}

async function readBack(store: Uint8Array, rootsPem: string) {
  const pool = createC2paProcesses({ maxWorkers: 1, maxQueuedJobs: 0 });
  try {
    const settings = readerSettings(rootsPem);
    const report = await pool.run('read', { format: 'application/c2pa', bytes: store, settings });
    return Value.Parse(Report, JSON.parse(report)).validation_results.activeManifest;
  } finally {
    await pool.close();
  }
}

/** Signers and authorities reject with UNAVAILABLE; the cause says why, of an authority that of its last attempt. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const last: unknown = error.cause instanceof AggregateError ? error.cause.errors.at(-1) : error.cause;
  return last instanceof Error ? reasonOf(last) : error.message;
}
