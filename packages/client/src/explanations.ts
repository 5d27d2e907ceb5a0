// Every sentence that SDK, page, extension and command show about lookups and verifications, by code. Values in them are
// sanitized. A translation is a module with the same exports.

import { signerTrust } from './credentialExplanations.js';
import type { Disclosure } from './lookups/disclosure.js';
import type { LookalikeSearch } from './lookups/lookalikes.js';
import type { MissingHashReason } from './lookups/perceptualHashes.js';
import { safeText } from './sanitize.js';
import type {
  EvidenceKind,
  Fact,
  FactName,
  IndependentSource,
  Notice,
  ProblemCode,
  Reason,
  TimeEvidence,
  Verdict,
  Verification,
} from './verification/types.js';

export * from './credentialExplanations.js';

/** A sentence, a function of its values, or several of them for one code. */
type Explanation = string | ((...values: never[]) => string) | { readonly [variant: string]: Explanation };
type ByCode<Code extends string> = Readonly<Record<Code, Explanation>>;

// Lookups.

/** What the registry learned from a lookup. */
export function disclosed({ lookupBy, fingerprintDisclosed, prefix }: Disclosure): string {
  if (lookupBy === 'fingerprint') return 'The registry was sent the fingerprint of this file.';
  const asked = `asked for all fingerprints that start with ${prefix}`;
  if (!fingerprintDisclosed) return `The registry does not learn which file you checked. It was ${asked}.`;
  return `The registry was ${asked}. It has one that matches, whose record was then read: so it knows which file was checked.`;
}

/** What the registry learned from many lookups, `disclosedFiles` of which told it which file it was. */
export function disclosedOfMany(lookupBy: Disclosure['lookupBy'], files: number, disclosedFiles: number): string {
  const count = (number: number) => `${number} ${number === 1 ? 'file' : 'files'}`;
  if (lookupBy === 'fingerprint') return `The service was sent the fingerprints of ${count(files)}.`;
  const unknown = 'The service does not learn which files you checked';
  return disclosedFiles === 0 ? `${unknown}.` : `${unknown}, except for ${count(disclosedFiles)} that it has.`;
}

export const matches = {
  artifact: 'Registered, according to the registry.',
  chain: 'Not registered with this registry, but written on chain by others.',
  none: 'Exactly this file is not registered, as far as the registry knows. Copies that were edited, cropped or saved again have other fingerprints.',
} as const;

/** A match on chain, by the registry of the entry. */
export const chainEntries = {
  curated:
    'According to the registry, the curated registry on chain has an entry for it that this service did not record.',
  public:
    'According to the registry, the public registry on chain has an entry for it. Everyone can write there, and this service did not.',
} as const;

export const chainBehind =
  'The registry has not read the latest blocks of the chain, which may have an entry for this file.';
export const registrationFailed = 'A registration was attempted, but did not reach the chain.';
export const signedCopy = 'This is a signed copy of the registered file.';

export const claims = {
  none: 'No open claim to this registration, according to the registry.',
  notRegistered: 'Claims are made to registrations, and exactly this file has none.',
  unknown: 'Not known, because the registration could not be looked up.',
} as const;

/** The state of one finding about a file, such as its exact match. */
export const findingStates = {
  checking: 'Checking …',
  computed: 'Computed here',
  found: 'Found',
  /** Found, but no good news by itself. */
  noted: 'Found',
  notFound: 'Not found',
  notChecked: 'Not checked',
  failed: 'Could not check',
  invalid: 'Not valid',
  contested: 'Contested',
  contradicted: 'Contradicted',
  changed: 'Registry changed',
} as const;

// Look-alikes.

/** Why a file was not compared, as a part of a sentence. */
export const missingHashes: Readonly<Record<MissingHashReason, string>> = {
  unsupported: 'it is not an image or recording in a format that can be compared',
  'too-large': 'the file is larger than 32 MiB or 100 megapixels',
  featureless: 'an image of one color, silence or a recording of few seconds has nothing to compare',
  unreadable: 'the file is broken, or cannot be decoded here',
  'no-decoder': "the package 'sharp', which reads images, is not installed for this platform",
};

export const lookalikesFound = (count: number, kind: 'image' | 'audio') => {
  const verb = kind === 'image' ? 'look' : 'sound';
  return count === 1
    ? `One registered file ${verb}s like it.`
    : `${count.toLocaleString('en')} registered files ${verb} like it, the closest first.`;
};
export const noLookalikes = 'No look-alike found. Files of private Marks, heavy crops and heavy edits are not found.';
export const lookalikeHint = 'A look-alike is a hint, not a proof: compare the files yourself.';
export const lookalikeLimits =
  'Different works can have close fingerprints of this kind, and they can be made to match: a look-alike does not prove that it is the same work, or who made it.';

/** What the service was sent to search for look-alikes. */
export const sentForSearch: Readonly<Record<LookalikeSearch['sent'], string>> = {
  perceptualHashes: 'Only visual and audio fingerprints were sent, not the files.',
  file: 'The files were sent to the service, which does not store them.',
  nothing: 'Nothing was sent.',
};
export const disclosedBySearch = 'By its visual or audio fingerprint, the registry learned what the file is like.';

// Verdicts.

/** The verdict in plain words. */
export function verdict(verification: Verification): string {
  const { verdict: word, reason, checks } = verification;
  const reasonText = reason?.text ?? '';
  const areClaimsKnown = checks.registry.details.claims !== undefined;
  const unknownClaims = ' Whether another user contests it is not known: only the service can tell.';
  const registered = `${confirmation(verification)}${areClaimsKnown ? '' : unknownClaims}`;
  const words: Readonly<Record<Verdict, string>> = {
    verified: registered,
    consistent: registered,
    contested: `Registered, contested. ${confirmation(verification)} ${reasonText}`,
    superseded: `Registered, superseded. ${confirmation(verification)} ${reasonText}`,
    contradicted: 'Do not rely on what the sources say about this file.',
    unknown: reasonText,
    incomplete: reasonText,
  };
  return words[word];
}

/** What confirms the registration, or why nothing does. */
function confirmation({ verdict: word, independentSources, reason }: Verification): string {
  const names = listSources(independentSources);
  if (names === '') return word === 'consistent' && reason ? reason.text : reasons.NOTHING_NAMED;
  const verb = independentSources.length > 1 ? 'confirm' : 'confirms';
  const confirmed = `${names.charAt(0).toUpperCase()}${names.slice(1)} ${verb} the registration independently of the service.`;
  return word === 'consistent' && reason ? `${confirmed} ${reason.text}` : confirmed;
}

const sourceNames: Readonly<Record<IndependentSource, string>> = {
  chain: 'the chain',
  manifest: 'the signed manifest',
  log: 'the public log',
};

/** `the chain, the signed manifest and the public log`. */
export function listSources(sources: readonly IndependentSource[]): string {
  const names = sources.map((source) => sourceNames[source]);
  return [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((part) => part !== '').join(' and ');
}

/** Why a verification is not `verified`. */
export const reasons = {
  SOURCE_UNUSABLE: (cause: string) => safeText`A source that you named could not be used: ${cause}`,
  SOURCES_UNAVAILABLE: (cause = 'no source was given') => safeText`Not enough sources could be checked: ${cause}`,
  REQUIRED: 'A required source does not confirm independently of the service.',
  MARK_HIDDEN: 'Whether it is registered under the expected Mark is not known: its Mark is hidden.',
  REGISTRY_NOT_CHECKED: (cause: string) =>
    safeText`Whether this is still the registry that you know could not be checked: ${cause}`,
  NOTHING_NAMED: 'Everything agrees, but all of it comes from one party: this is not an independent confirmation.',
  CONTRACT_NOT_NAMED: (address: string, from: string) =>
    safeText`The address of the contract, ${address}, comes from the ${from}: compare it with one that you know from elsewhere.`,
  BLOCK_NOT_COMPARED: 'The bundle agrees with itself, but the block of its proof was not compared with the chain.',
  REGISTRANT_NOT_PROVEN: "The entry is confirmed, but who registered the file, or its license, is the service's word.",
  REGISTRATION_FAILED: 'According to the service, this registration has failed, so that it no longer counts.',
  NO_OWN_ENTRY: 'Exactly this file has no entry of its own: it is a copy or the card of a registered one.',
  CONTRADICTED: 'Sources contradict each other.',
  UNEXPECTED_MARK: (mark: unknown, expected: string) =>
    safeText`It is registered under the Mark ${mark}, not under ${expected}.`,
  REGISTRY_CHANGED: 'The registry is not the one that you know.',
  UNKNOWN: 'No source that was read has anything about this file.',
  CONTESTED: 'Another user contests the registration with older evidence, according to the service.',
  SUPERSEDED: "The Mark's admin conceded the file to another Mark, according to the service.",
} as const satisfies ByCode<Reason['code']>;

// Facts.

export const factLabels: Readonly<Record<FactName, string>> = {
  signedCopyOf: 'Signed copy of',
  mark: 'Mark',
  markId: 'Mark id',
  currentMarkName: 'Mark now',
  author: 'Author',
  authorId: 'Author id',
  license: 'License',
  allowAiTraining: 'AI training',
  data_mining: 'Data mining',
  ai_inference: 'AI inference',
  ai_training: 'Non-generative training',
  ai_generative_training: 'Generative training',
  since: 'Since',
  filename: 'File name',
  previousFingerprint: 'Previous version',
  fileSeen: 'Possession',
  authorshipStated: 'Statement',
  registrar: 'Registrar',
};

export const timeSources: Readonly<Record<TimeEvidence['source'], string>> = {
  block: 'block on chain',
  timestamp: 'time-stamp of the manifest',
  service: "the service's word",
};

// Sources that were not read.

export const skippedSources = {
  NO_SERVICE: 'no service was given',
  NO_NODE: 'no node of the chain was given',
  NO_CONTRACT: 'the address of the contract is not known',
  NODE_WOULD_LEARN:
    'the node that the service names would learn which file this is; according to the service, the chain has no entry',
  NODE_WOULD_LEARN_CHAIN_UNKNOWN:
    'the node that the service names would learn which file this is, and the service has not read the latest blocks',
  NO_MANIFEST_NAMED: 'no source named a manifest',
  MANIFEST_SERVICE_UNAVAILABLE: 'the service that has the manifest is unavailable',
  NO_PROOF: 'the bundle has no proof',
  NO_PROOF_AND_CONTRACT: 'the bundle has no proof, and the contract is not known',
  BUNDLE: 'the service was not asked',
  BLOCK_NOT_COMPARED: 'the block of the proof was not compared with anything',
  NO_LOG: 'the service has no public log, as far as it says',
  NO_RECORD_FOR_LOG: 'the service has no record of its own, and its log is not asked',
  NO_RECEIPT: 'the bundle has no receipt of the public log',
  NO_LOG_KEY: 'no key of the log was given',
  LOG_NOT_VOUCHED_FOR: 'no root vouches for what the service states about its log',
} as const satisfies ByCode<string>;

export const serviceDegraded = (status: string) => safeText`the service has no record, and its status is ${status}`;
export const noResponse = (seconds: number) => `no response within ${seconds} s`;

// Contradictions.

export const problems = {
  UNKNOWN_TO_SERVICE: (manifestId: unknown) =>
    safeText`The service has no record of this file, but the chain has the manifest ${manifestId} for it.`,
  NOT_ON_CHAIN: {
    stated: 'The service says that this file is registered on chain, but the contract has no entry for it.',
    curated: 'The service says that it registered this file on chain, but the curated registry has no entry for it.',
    proven: 'The bundle has a proof that this file is on chain, but the contract has no entry for it.',
  },
  RECORD_MISSING: 'The service says that it registered this file, but does not have the record.',
  MANIFEST_MISSING: 'The service does not have the signed manifest of this file, although it must have published it.',
  FINGERPRINT_MISMATCH: {
    bundle: (fingerprint: string) => safeText`The bundle is for another file: ${fingerprint}.`,
    manifest: (fingerprint: unknown) => safeText`The manifest is for another file: ${fingerprint}.`,
    softBinding: (fingerprint: unknown) =>
      safeText`The soft binding in the manifest is for another file: ${fingerprint}.`,
    log: (fingerprint: string) => safeText`The receipt of the log is for another file: ${fingerprint}.`,
    record: 'The service returned the record of another file.',
    ownManifest: (original: string) =>
      safeText`The service says that this file is a signed copy of ${original}, but the manifest is for this file itself.`,
    content: (original: string) =>
      safeText`The service says that this file is a signed copy of ${original}, but no intact manifest inside this file says so.`,
  },
  MANIFEST_ID_MISMATCH: {
    manifest: (expected: unknown, found: string) => safeText`The manifest should be ${expected}, but it is ${found}.`,
    log: (expected: unknown, found: string) => safeText`The manifest should be ${expected}, but the log has ${found}.`,
    record: (looked: string, recorded: string) =>
      safeText`The service names the manifest ${looked} in its lookup, but ${recorded} in its record.`,
    files: (record: string, files: string) =>
      safeText`The record of the service is of ${record}, but names the files of ${files}.`,
    chain: (stated: string, entry: string) =>
      safeText`The service names the manifest ${stated}, but the chain has ${entry}.`,
  },
  RECORD_MISMATCH: (name: string) => `The service shows another ${name} than the one that it recorded with this file.`,
  METADATA_MISMATCH: 'The record (author, Mark, license, filename, …) does not match the hash on chain.',
  CLAIMS_MISMATCH: {
    field: (name: string, recorded: unknown, signed: unknown) =>
      safeText`The service says that the ${name} is "${recorded}", but the signed manifest says "${signed}".`,
    previous: (recorded: unknown, signed: unknown) =>
      safeText`The service says that the previous version is ${recorded ?? 'none'}, but the signed manifest says ${signed}.`,
  },
  STATUS_MISMATCH: (status: unknown) =>
    safeText`The service says that the registration is ${status}, but it is on chain.`,
  TIME_MISMATCH: {
    chain: (block: string, signed: string) =>
      safeText`The entry on chain is of ${block}, before the manifest was signed (${signed}).`,
    certificate: (block: string, since: string) =>
      safeText`The entry on chain is of ${block}, before the certificate of the manifest's signer began (${since}).`,
    manifest: (recorded: string, signed: string) =>
      safeText`The service says that it recorded the file at ${recorded}, but the manifest was signed at ${signed}.`,
    record: (recorded: string, block: string) =>
      safeText`The service says that it recorded the file at ${recorded}, after it was on chain (${block}).`,
  },
  SOURCE_MISMATCH: (stated: unknown, entry: string) =>
    safeText`The service says that the entry on chain is ${stated}, but it is ${entry}.`,
  REGISTRANT_MISMATCH: {
    service: (stated: unknown, entry: unknown) =>
      safeText`The service says that ${stated} wrote the entry on chain, but it was ${entry}.`,
    sender: (entry: string, sender: string) =>
      safeText`The contract says that ${entry} wrote the entry, but ${sender} sent the transaction.`,
  },
  TRANSACTION_MISMATCH: (stated: unknown, found: unknown) =>
    safeText`The service says that the transaction ${stated} registered this file, but it was ${found}.`,
  CHAIN_ID_MISMATCH: {
    node: (named: number, node: number) => `You named chain ${named}, but the node is on chain ${node}.`,
    bundle: (named: unknown, bundle: number) => `You named chain ${named}, but the bundle is of chain ${bundle}.`,
    bundleNode: (bundle: number, node: number) => `The bundle is of chain ${bundle}, but the node is on chain ${node}.`,
    service: (stated: unknown, node: number) =>
      safeText`The service says that its chain is ${stated}, but the node is on chain ${node}.`,
  },
  CONTRACT_MISMATCH: {
    bundle: (named: unknown, proof: string) => safeText`You named the contract ${named}, but the proof is of ${proof}.`,
    node: (stated: string, cause: string) =>
      safeText`The service names the contract ${stated}, but ${cause} on this chain.`,
    service: (stated: string, named: string) =>
      safeText`The service names the contract ${stated}, but you named ${named}.`,
  },
  BLOCK_MISMATCH: {
    compared: (compared: unknown, proven: string) =>
      `You compared the block ${compared}, but the proof leads to ${proven}.`,
    proof: (proven: unknown) => safeText`The proof leads to the block ${proven}, which the node does not have there.`,
    missing: 'The node does not have the block of its receipt.',
    entry: 'The time or the number of the entry is not the one of its block.',
  },
  ENTRY_MISMATCH: {
    proof: 'The node has another entry for this file than the proof in the bundle.',
    log: 'The entry in the contract differs from the log of its registration.',
  },
  NODE_MISMATCH: 'The nodes disagree about this file.',
  PROOF_INVALID: (cause: string) => cause,
  MANIFEST_INVALID: {
    failures: (failures: readonly string[]) => safeText`The manifest is not valid: ${failures.join(', ')}.`,
    unbound: 'The manifest is not bound to a whole file.',
  },
  MANIFEST_UNREADABLE: (cause: string) => cause,
  RECEIPT_INVALID: {
    proof: (cause: string) => safeText`The receipt of the log does not hold: ${cause}`,
    otherKind: 'The receipt of the log is not that of a registration.',
  },
  LEAF_MISMATCH: {
    manifest: 'The log has another signed manifest for this file.',
    metadata: 'The record (author, Mark, license, filename, …) does not match the hash in the log.',
    metadataOnChain: 'The log has another hash of the metadata than the chain.',
    signed: (name: string) => `The log has other values than the signed manifest: ${name}.`,
    recorded: (name: string) => `The log has other values than the record of the service: ${name}.`,
  },
  UNTRUSTED_SIGNER: (signer: string) => safeText`It was signed by "${signer}", which is not a signer that you trust.`,
} as const satisfies ByCode<ProblemCode>;

export const notices = {
  STATUS_BEHIND: 'The entry is on chain, but the service does not count it as final yet.',
  TIMES_DIFFER: (block: string, source: 'timestamp' | 'service', signed: string) =>
    safeText`The entry on chain is of ${block}. According to ${source === 'service' ? 'the service' : "the manifest's time-stamp"}, the file was registered at ${signed}, more than an hour before.`,
  NODE_BEHIND: 'One of the nodes does not have the entry yet.',
  BLOCK_UNKNOWN: 'The node does not show the block of the registration, so that its time is not confirmed.',
  SIGNER_NOT_PUBLISHED: (signer: string) =>
    safeText`The manifest was signed by "${signer}", which is not a signer that the service publishes.`,
  IDENTITY_NOT_CONFIRMED: "The manifest states an identity in the service's name that could not be confirmed.",
  REQUIRED: {
    source: (source: string) => `The ${source} is required, but does not confirm independently of the service.`,
    copy: (source: string) => `The ${source} does not confirm that this is a copy of the file.`,
  },
} as const satisfies ByCode<Notice['code']>;

// What the check of a source proves and does not prove.

const PUBLIC_ENTRY =
  'Anyone can write to the public registry: the entry proves that this account knew the fingerprint at that time, and nothing about who made the file.';

export const registryCheck = {
  contradicted: 'The service contradicts other evidence: do not rely on anything it says about this file.',
  absent: 'The service has no record of this file. This does not prove that the file was never registered.',
  unavailable: 'The service could not be checked.',
  bundle: "What the bundle says about the service is its creator's word and proves nothing.",
  public: (registeredBy: unknown) =>
    `${safeText`The service has no record of its own for this file. It relays an entry that the account ${registeredBy} wrote on chain.`} ${PUBLIC_ENTRY}`,
  agrees: (record: { service: string; manifestId: string; signedCopyOf?: unknown }, isOnChain: boolean) => {
    const copy = record.signedCopyOf === undefined ? '' : safeText`, as a signed copy of ${record.signedCopyOf}`;
    const claim = `${safeText`The service at ${record.service} says that the manifest ${record.manifestId} belongs to this file`}${copy}.`;
    const metadata = isOnChain
      ? 'The keccak-256 of the metadata that it shows is the one on chain.'
      : 'The metadata that it shows could not be compared with the hash on chain.';
    return `${claim} This is the service's own word: the chain and the manifest show whether it is true. ${metadata}`;
  },
} as const satisfies ByCode<string>;

interface ChainEntry {
  readonly from: 'caller' | 'service' | 'bundle';
  readonly address: string;
  readonly addressFrom: 'caller' | 'service' | 'bundle';
  /** Undefined when nothing proves it. */
  readonly chainId: number | undefined;
  readonly manifestId: string;
  readonly block: { readonly number: number; readonly time: string; readonly hash: string } | undefined;
  readonly registrar: string | undefined;
  /** False when it is a proof whose block was not compared with the chain. */
  readonly isOnChain: boolean;
}

export const chainCheck = {
  contradicted: 'The chain data is inconsistent or about another file: it proves nothing.',
  absent:
    'According to the node, the contract has no entry for this file. This does not prove that the file was never registered: the registration may be pending, or be in another registry.',
  unavailable: 'The chain could not be checked.',
  public: (registeredBy: unknown) =>
    `${safeText`The curated registry has no entry for this file. The account ${registeredBy} wrote one to the public registry.`} ${PUBLIC_ENTRY}`,
  confirmed: (entry: ChainEntry) => {
    const { from, address, addressFrom, chainId, manifestId, block, registrar, isOnChain } = entry;
    const source = from === 'bundle' ? 'According to the proof in the bundle' : 'According to the node';
    const chain = chainId === undefined ? '' : ` on chain ${chainId}`;
    const since = block ? safeText` since block ${block.number} of ${block.time}, whose hash is ${block.hash}` : '';
    const writer = registrar === undefined ? '' : safeText`, written by its registrar ${registrar}`;
    return [
      `${source}, ${safeText`the contract ${address}${chain} has the manifest ${manifestId} for this file`}${since}${writer}.`,
      isOnChain
        ? 'This entry cannot be changed or removed, not even by the service. It does not prove that the registrant made the file.'
        : 'Anyone can make such a proof for a block of their own: compare the hash of the block with an explorer.',
      ...(from === 'service' ? ["The node is the service's own: use one that you know from elsewhere."] : []),
      ...(addressFrom === 'caller'
        ? []
        : [
            `The address of the contract comes from the ${addressFrom}: compare it with one that you know from elsewhere.`,
          ]),
    ].join(' ');
  },
} as const satisfies ByCode<string>;

interface SignedManifest {
  readonly signedBy: string;
  readonly trustedBy: 'caller' | 'service' | undefined;
  readonly timestamp: { readonly at: string; readonly isIndependent: boolean } | undefined;
}

export const manifestCheck = {
  contradicted: 'This manifest proves nothing about this file.',
  absent: 'No signed manifest of this file was found.',
  unavailable: 'No signed manifest could be checked.',
  notLinked: (original: unknown) =>
    safeText`the manifest is for ${original}, and only the service says that this file is a signed copy of that one`,
  copyOf: (original: string, [source]: readonly EvidenceKind[]) => {
    const has = source === 'chain' || source === 'log' ? `the ${source} has it for this copy too` : undefined;
    return safeText`the registered file ${original}, of which this file is a signed copy (${has ?? 'the manifest inside this copy names it'}),`;
  },
  confirmed: ({ signedBy, trustedBy, timestamp }: SignedManifest, subject = 'exactly this file') => {
    // The time of any other authority is not proven, so it is told with what the service says.
    const time = timestamp?.isIndependent
      ? safeText`A time-stamp authority that you trust gives the time ${timestamp.at}.`
      : "Its time-stamp is of an authority under the signer's own or the service's roots, so that the time is their word.";
    return [
      `The manifest is for ${subject} and has not been changed since ${safeText`"${signedBy}"`} signed it.`,
      signerTrust[trustedBy ?? 'none'],
      ...(timestamp ? [time] : []),
      'It does not prove that the statements in the manifest are true.',
    ].join(' ');
  },
} as const satisfies ByCode<string>;

interface LoggedLeaf {
  readonly origin: string;
  readonly index: number;
  readonly size: number;
  readonly keyFrom: 'caller' | 'service';
  readonly keyStatedBy: string | undefined;
  readonly leaf: { readonly id: string; readonly imported?: true };
}

export const logCheck = {
  contradicted: 'This receipt proves nothing about this file.',
  absent: 'The public log has no receipt for this file yet. A registration is in the log within a minute.',
  unavailable: 'The public log could not be checked.',
  confirmed: ({ origin, index, size, keyFrom, keyStatedBy, leaf }: LoggedLeaf) =>
    [
      safeText`The log ${origin} has the manifest ${leaf.id} for this file, as leaf ${index}, under a signed checkpoint of ${size} leaves.`,
      'A later log without this leaf would contradict that checkpoint.',
      ...(keyFrom === 'service'
        ? ["The key of the log is the service's word: compare it with one that you know from elsewhere."]
        : []),
      ...(keyStatedBy === undefined
        ? []
        : [safeText`Its key is stated by "${keyStatedBy}", under roots that you trust.`]),
      ...(leaf.imported ? ['It was recorded before the log began, which proves no earlier time.'] : []),
      'It does not prove that the registrant made the file, or when it was registered: times in the log are its own word.',
    ].join(' '),
} as const satisfies ByCode<string>;

/** About copies of a registry's log and manifests. */
/** Of a checkpoint that has the leaf: the registration is not younger. */
export const witnessed = (name: string, at: string): string => safeText`${name} signed it by ${at}, says its clock`;

export const mirrorTexts = {
  missing: (path: string) => safeText`the copy has no ${path}`,
  malformed: (path: string) => safeText`the copy has a ${path} that cannot be read`,
  absent: (origin: string, size: number) =>
    safeText`This copy has no registration of this file among the first ${size} leaves of the log ${origin}. It does not show whether there is one later, or elsewhere.`,
} as const satisfies ByCode<string>;

export const provesNothing = (summary: string) => `${summary} This proves nothing.`;

/** Turns a sentence about this file into one about the registered file of which it is a copy. */
export const aboutOriginal = (sentence: string) => sentence.replaceAll('this file', 'the registered file');

/** The value of a fact, for people. */
export function factValue({ name, value }: Fact, facts: readonly Fact[]): string {
  if (name === 'allowAiTraining') return value === null ? 'not specified' : value ? 'allowed' : 'forbidden';
  if (name === 'fileSeen')
    return value === true ? 'the service read the file' : 'not shown: only the fingerprint was sent';
  const currentName = name === 'mark' && facts.find((fact) => fact.name === 'currentMarkName')?.value;
  return currentName
    ? `registered as "${value}" (now called "${currentName}", according to the service)`
    : String(value ?? 'none');
}
