// Claims: users who contest an Artifact, with evidence that the service checks.

import Type, { type Static } from 'typebox';
import { FingerprintText } from '../../fingerprints/fingerprintSchemas.js';
import { PlainText, StringEnum } from '../../text/text.js';
import {
  created,
  exampleAuthor,
  exampleMember,
  exampleTime,
  NextCursor,
  Nullable,
  NullableReference,
  ok,
  operations,
  route,
} from '../declarations.js';
import { BinaryFile, exampleIds, Person, Timestamp, Uuid } from '../operation.js';

export const claimKinds = ['statement', 'timestamp', 'manifest', 'chain-entry'] as const;
export type ClaimKind = (typeof claimKinds)[number];
const ClaimKind = StringEnum(claimKinds, {
  description:
    '`statement`: no evidence but words. `timestamp`: an RFC 3161 time-stamp of the fingerprint. `manifest`: a C2PA manifest ' +
    'of the file with a time-stamp. `chain-entry`: an entry in the public registry on chain.',
});

const MarkReference = { id: Uuid('The Mark.'), name: Type.String() };

const ClaimEvidence = Type.Object(
  {
    state: StringEnum(['none', 'unchecked', 'checked'], {
      description:
        '`checked`: it is about this fingerprint, older than the registration, and its source is one that the operator ' +
        'trusts. `unchecked`: its source is not trusted, so nothing is known about its time.',
    }),
    time: Nullable<string>('string', 'The time that the evidence states.'),
    source: Nullable<string>('string', 'The time-stamp authority, the signer, or the account on chain.'),
    reason: Nullable<string>('string', 'Why it is unchecked.'),
    url: Nullable<string>('string', 'The evidence itself, so that anyone can check it; null without one.'),
  },
  { title: 'ClaimEvidence' },
);

const ClaimEntry = Type.Object(
  {
    type: StringEnum(['answer', 'withdrawal', 'superseded', 'operator-note'], {
      description:
        "`answer`: of the Mark's admin. `withdrawal`: of the claimant. `superseded`: the Mark's admin concedes the file to " +
        'the Mark of the claimant. `operator-note`: of the operator of the registry.',
    }),
    author: NullableReference(Person.properties, 'Null for the operator, and for the admin of a private Mark.'),
    text: Nullable<string>('string', 'In words.'),
    mark: NullableReference(MarkReference, 'The Mark that the file is conceded to.'),
    at: Timestamp('When it was written.'),
  },
  { title: 'ClaimEntry' },
);

export const Claim = Type.Object(
  {
    id: Uuid('The claim.'),
    fingerprint: FingerprintText('The contested Artifact.'),
    status: StringEnum(['open', 'withdrawn', 'superseded'], {
      description: 'Open until the claimant withdraws it or it is conceded.',
    }),
    kind: ClaimKind,
    claimant: Person,
    mark: NullableReference(
      MarkReference,
      'The Mark that the claimant speaks for. Its name is hidden once it is private.',
    ),
    statement: Type.String(),
    evidence: ClaimEvidence,
    entries: Type.Array(ClaimEntry, { description: 'Oldest first. Entries are never changed or removed.' }),
    createdAt: Timestamp('When the claim was made.'),
  },
  { title: 'Claim' },
);
export type Claim = Static<typeof Claim>;

const exampleFingerprint = '0x2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';
const example: Claim = {
  id: exampleIds.CLAIM_ID,
  fingerprint: exampleFingerprint,
  status: 'open',
  kind: 'statement',
  claimant: exampleMember,
  mark: null,
  statement: 'I took this photo in May and can show the raw file.',
  evidence: { state: 'none', time: null, source: null, reason: null, url: null },
  entries: [],
  createdAt: exampleTime,
};
const exampleWith = (entry: Pick<Static<typeof ClaimEntry>, 'type' | 'author' | 'text'>): Claim => ({
  ...example,
  entries: [{ ...entry, mark: null, at: exampleTime }],
});

/** Enough to explain, not to publish. */
export const MAX_CLAIM_TEXT = 2000;
const ClaimText = (description: string) => PlainText(description, MAX_CLAIM_TEXT);

const FingerprintParams = Type.Object({ fingerprint: FingerprintText('SHA-256 of the exact bytes.') });
const ClaimParams = Type.Object({ claimId: Uuid('The claim.') });
const fields = {
  kind: ClaimKind,
  statement: ClaimText('Why the claimant contests the Artifact. Public.'),
  markId: Type.Optional(Uuid('The Mark that the claimant speaks for: a public one, with write access to it.')),
  account: Type.Optional(
    Type.String({
      pattern: '^0x[0-9a-fA-F]{40}$',
      description: 'With `chain-entry`: the account that wrote the entry.',
    }),
  ),
};
const unknownClaim = 'No such claim.';
const notAdmin = 'The caller is not the admin of the contested Mark, or is an API key.';

export const claimOperations = operations('Claims', {
  createClaim: {
    ...route('POST', '/api/v1/artifacts/{fingerprint}/claims', 'bearer'),
    summary: 'Contest an Artifact',
    description:
      'Evidence must be about the same fingerprint and at least five minutes older than the registration. A form carries it ' +
      'as the part `file`: a time-stamp token or response, a manifest, or the registered file with a manifest inside, of ' +
      'which only the manifest is kept. Claims are public and permanent; they never change who registered the file. ' +
      'For users, not for API keys.',
    params: FingerprintParams,
    body: Type.Object(fields),
    multipart: Type.Object({ ...fields, file: Type.Optional(BinaryFile('The evidence.')) }),
    exampleBody: { kind: 'statement', statement: example.statement },
    success: created('The claim is recorded.', Claim, example, '/api/v1/public/artifacts/{fingerprint}/claims'),
    errors: {
      BAD_REQUEST:
        'A field is malformed, or the evidence is not about this file, forged, or not older than the registration.',
      FORBIDDEN:
        'The caller may register under the Mark of the Artifact, is an API key, has no write access to `markId`, or, where ' +
        'mail is sent, has not verified the email address.',
      NOT_FOUND: 'The fingerprint is not registered, or there is no such Mark.',
      CONFLICT: 'The caller has an open claim to this Artifact, or too many open claims.',
      PAYLOAD_TOO_LARGE: 'The evidence is too large.',
    },
  },
  listArtifactClaims: {
    ...route('GET', '/api/v1/public/artifacts/{fingerprint}/claims', 'none'),
    summary: 'List the claims to an Artifact',
    description:
      'Withdrawn ones last; of the others, those with checked evidence first; then the oldest first. At most 100. No token ' +
      'needed.',
    params: FingerprintParams,
    success: ok('The claims.', Type.Object({ claims: Type.Array(Claim) }), { claims: [example] }),
    hasEtag: true,
    errors: { NOT_FOUND: 'The fingerprint is not registered.' },
  },
  getClaimEvidence: {
    ...route('GET', '/api/v1/public/claims/{claimId}/evidence', 'none'),
    summary: 'Get the evidence of a claim',
    description: 'The time-stamp token or the manifest, byte for byte. No token needed.',
    params: ClaimParams,
    success: {
      status: 200,
      description: 'The evidence.',
      mediaType: 'application/octet-stream',
      schema: Type.Unsafe<never>({ type: 'string', format: 'binary' }),
    },
    errors: { NOT_FOUND: `${unknownClaim} Or it has no evidence.` },
  },
  listOwnClaims: {
    ...route('GET', '/api/v1/claims', 'bearer'),
    summary: 'List claims made or received',
    description:
      '`made`: by the caller. `received`: to Artifacts of Marks that the caller is the admin of. Newest first, in pages.',
    query: Type.Object({
      role: StringEnum(['made', 'received'], { description: 'Which claims.' }),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'Claims per page; 50 by default.' })),
      cursor: Type.Optional(Uuid('`nextCursor` of the previous page.')),
    }),
    exampleQuery: { role: 'made' },
    success: ok('A page of claims.', Type.Object({ claims: Type.Array(Claim), nextCursor: NextCursor }), {
      claims: [example],
      nextCursor: null,
    }),
    errors: { FORBIDDEN: 'The caller is an API key.' },
  },
  answerClaim: {
    ...route('POST', '/api/v1/claims/{claimId}/answers', 'bearer'),
    summary: 'Answer a claim',
    description: 'Public and permanent; the claim stays open. For the admin of the contested Mark.',
    params: ClaimParams,
    body: Type.Object({ text: ClaimText('The answer.') }),
    exampleBody: { text: 'The photo was made by us on assignment.' },
    success: ok(
      'The claim.',
      Claim,
      exampleWith({ type: 'answer', author: exampleAuthor, text: 'The photo was made by us on assignment.' }),
    ),
    errors: {
      FORBIDDEN: notAdmin,
      NOT_FOUND: unknownClaim,
      CONFLICT: 'The claim is not open, or has too many entries.',
    },
  },
  withdrawClaim: {
    ...route('POST', '/api/v1/claims/{claimId}/withdraw', 'bearer'),
    summary: 'Withdraw a claim',
    description: 'The claim stays visible as withdrawn. For the claimant.',
    params: ClaimParams,
    body: Type.Object({ text: Type.Optional(ClaimText('The reason.')) }),
    exampleBody: {},
    success: ok('The claim.', Claim, { ...example, status: 'withdrawn' }),
    errors: {
      FORBIDDEN: 'The caller did not make the claim, or is an API key.',
      NOT_FOUND: unknownClaim,
      CONFLICT: 'The claim is not open.',
    },
  },
  concedeClaim: {
    ...route('POST', '/api/v1/claims/{claimId}/concede', 'bearer'),
    summary: 'Concede a claim',
    description:
      "The Artifact is shown as superseded by the claimant's Mark from then on. Its own Mark does not change. Cannot be " +
      'undone. For the admin of the contested Mark.',
    params: ClaimParams,
    body: Type.Object({ text: Type.Optional(ClaimText('In words.')) }),
    exampleBody: {},
    success: ok('The claim.', Claim, { ...example, status: 'superseded' }),
    errors: {
      FORBIDDEN: notAdmin,
      NOT_FOUND: unknownClaim,
      CONFLICT: 'The claim is not open, or names no public Mark.',
    },
  },
});

export const claimNoteOperations = operations('Operator', {
  addOperatorNote: {
    ...route('POST', '/api/operator/claims/{claimId}/notes', 'operator'),
    summary: 'Add a note to a claim',
    description: 'Public and permanent, shown as a note of the operator.',
    params: ClaimParams,
    body: Type.Object({ text: ClaimText('The note.') }),
    exampleBody: { text: 'The claimant showed the raw file to us.' },
    success: ok(
      'The claim.',
      Claim,
      exampleWith({ type: 'operator-note', author: null, text: 'The claimant showed the raw file to us.' }),
    ),
    errors: { NOT_FOUND: unknownClaim, CONFLICT: 'The claim has too many entries.' },
  },
});
