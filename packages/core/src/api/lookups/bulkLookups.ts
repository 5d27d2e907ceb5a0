// Lookups of many fingerprints at once, for pipelines and data sets.

import Type, { type Static } from 'typebox';
import { FingerprintText } from '../../fingerprints/fingerprintSchemas.js';
import { AiPreferences, aiPreferencesOf } from '../../metadata/aiPreferences.js';
import { LicenseKey } from '../../metadata/licenses.js';
import { StringEnum } from '../../text/text.js';
import { exampleFingerprint } from '../artifacts/artifactRecord.js';
import { exampleManifestId, exampleTime, License, NullableReference, ok, operations, route } from '../declarations.js';
import { DomainText, exampleMark } from '../marks/marks.js';
import { ErrorBody, type LinesForm, Timestamp, Uuid } from '../operation.js';

/** The body and its response stay below a megabyte or two, which every client can hold. */
export const MAX_LOOKUPS = 10_000;
/** A day of a large crawler; a longer list is sent in parts. */
export const MAX_LOOKUP_LINES = 1_000_000;
/** A fingerprint in an object has 88 bytes; the rest is for blanks and for what an error names. */
const MAX_LOOKUP_LINE_BYTES = 1_024;

export const LookupResult = Type.Object(
  {
    fingerprint: FingerprintText('As asked for.'),
    match: StringEnum(['artifact', 'chain', 'none'], {
      description:
        '`artifact`: registered with this service. `chain`: not here, but written on chain by others. `none`: neither.',
    }),
    manifestId: Type.Optional(Type.String({ description: 'Of an Artifact, its id. Absent without a match.' })),
    registeredAt: Type.Optional(
      Timestamp('When the Artifact was created, or of the block. Absent if the Mark is private.'),
    ),
    mark: Type.Optional(
      Type.Object(
        {
          id: Uuid('The Mark.'),
          name: Type.String({ description: 'Its name now.' }),
          nameAtRegistration: Type.Optional(Type.String({ description: 'If it was another one.' })),
        },
        { title: 'LookupMark', description: 'The Mark of the Artifact, if it is public.' },
      ),
    ),
    verifiedDomain: Type.Optional({
      ...DomainText,
      description: 'The domain that the Mark has had verified for the longest time; absent if it has none.',
    }),
    license: Type.Optional(License('The license at registration, if the Mark is public.')),
    licenseKey: Type.Optional(LicenseKey),
    aiPreferences: Type.Optional(AiPreferences),
    contested: Type.Optional(
      Type.Boolean({ description: 'True when an open claim to the file has evidence that was checked and is older.' }),
    ),
    supersededBy: Type.Optional(
      NullableReference(
        { id: Uuid('The Mark.'), name: Type.String() },
        "The Mark that the Mark's admin has conceded the file to; null otherwise.",
      ),
    ),
    source: Type.Optional(StringEnum(['curated', 'public'], { description: 'Of a match on chain: the registry.' })),
    registeredBy: Type.Optional(Type.String({ description: 'The account that wrote the entry on chain.' })),
    endpoints: Type.Optional(
      Type.Array(Type.String(), { description: 'Resolution APIs that serve the manifest, as stated on chain.' }),
    ),
    isChainKnown: Type.Optional(
      Type.Boolean({
        description:
          'Without a match: false when entries on chain may be missing, because the mirror of the chain is behind.',
      }),
    ),
  },
  { title: 'LookupResult' },
);

/**
 * What is registered about one fingerprint. Of Artifacts under private Marks, only the manifest id is shown.
 * @example
 * ```ts
 * const isOpenForTraining = ({ aiPreferences }: LookupResult) => aiPreferences?.ai_training?.use === 'allowed';
 * ```
 */
export type LookupResult = Static<typeof LookupResult>;

const LineError = Type.Object(
  { line: Type.Integer({ minimum: 1, description: 'The number of the line.' }), ...ErrorBody.properties },
  // Without a title: linters of the document would not see that it is used.
  { description: 'In place of the result of a line that is not valid.' },
);
/**
 * The error of one line of a stream.
 * @example
 * ```ts
 * const describe = ({ line, error }: LineError) => `Line ${line}: ${error}`;
 * ```
 */
export type LineError = Static<typeof LineError>;

const { allowAiTraining, license, licenseKey, verifiedDomains } = exampleMark;
const example: LookupResult = {
  fingerprint: exampleFingerprint,
  match: 'artifact',
  manifestId: exampleManifestId,
  registeredAt: exampleTime,
  mark: { id: exampleMark.id, name: exampleMark.name },
  ...(verifiedDomains[0] && { verifiedDomain: verifiedDomains[0].domain }),
  license,
  licenseKey,
  aiPreferences: aiPreferencesOf({ allowAiTraining }),
  contested: false,
  supersededBy: null,
};
const unknown: LookupResult = { fingerprint: `0x${'ab'.repeat(32)}`, match: 'none', isChainKnown: true };

export const bulkLookupOperations = operations('Public', {
  lookUpFingerprints: {
    ...route('POST', '/api/v1/public/lookups', 'none'),
    summary: 'Look up many fingerprints',
    description:
      `Up to ${MAX_LOOKUPS.toLocaleString('en')} fingerprints as JSON, or a stream of up to ` +
      `${MAX_LOOKUP_LINES.toLocaleString('en')} lines, each a fingerprint as a JSON string or an object with ` +
      '`fingerprint`. There is one result for each, in the same order. The results of a stream arrive while it is being ' +
      'sent: read them at the same time. A line that is not valid gets an error with its number. If the service cannot ' +
      'go on, the last line says why, and from which line on there are no results. No token needed.',
    body: Type.Object({
      fingerprints: Type.Array(FingerprintText('SHA-256 of the exact bytes.'), { maxItems: MAX_LOOKUPS }),
    }),
    exampleBody: { fingerprints: [exampleFingerprint, unknown.fingerprint] },
    lines: {
      member: 'fingerprints',
      maxLines: MAX_LOOKUP_LINES,
      maxLineBytes: MAX_LOOKUP_LINE_BYTES,
      item: Type.Union([
        FingerprintText('SHA-256 of the exact bytes.'),
        Type.Object({ fingerprint: FingerprintText('SHA-256 of the exact bytes.') }),
      ]),
      result: Type.Union([LookupResult, LineError]),
      exampleItems: [exampleFingerprint, { fingerprint: unknown.fingerprint }],
      exampleResults: [example, unknown],
    } satisfies LinesForm,
    success: ok('The results.', Type.Object({ results: Type.Array(LookupResult) }), { results: [example, unknown] }),
    errors: { UNAVAILABLE: 'Too many lookups are in progress.' },
  },
});
