// What the declarations of command outputs share.

import { FingerprintText } from '@provenance-registry/core';
import Type, { type TSchema } from 'typebox';

/** What a command prints with `--json`. */
export interface CommandOutput {
  readonly schema: TSchema;
  /** Schema of what `--format` prints a line for, if that is a part of the result. */
  readonly lineSchema?: TSchema;
  readonly example: unknown;
}

/** Printed values are never changed. */
export type DeepReadonly<T> = T extends object ? { readonly [Name in keyof T]: DeepReadonly<T[Name]> } : T;

export const exampleFingerprint = '0x2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';
export const exampleTime = '2026-06-01T12:00:00.000Z';

export const Fingerprint = FingerprintText('SHA-256 of the exact bytes.');
export const Text = (description: string) => Type.String({ description });
export const NullableText = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], description });
export const Flag = (description: string) => Type.Boolean({ description });
export const Time = (description: string) => Type.String({ format: 'date-time', description });
export const NullableTime = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time', description });
export const Count = (description: string) => Type.Integer({ minimum: 0, description });

/** Error in place of the result of one of several files. */
export const FileFailure = Type.Object(
  {
    file: Text('As named on the command line, or found in a folder.'),
    error: Text('A message for people; may change at any time.'),
    code: Text('For programs, such as `FILE_PROBLEM` or `FILE_CHANGED`.'),
  },
  { title: 'FileFailure', description: 'A file that has no result.' },
);

export const CommandFailure = Type.Object(
  {
    error: Text('A message for people; may change at any time.'),
    code: Text('For programs: `WRONG_USE`, `UNREACHABLE`, `FILE_PROBLEM`, or the code of the service.'),
  },
  { title: 'CommandFailure', description: 'What any command prints when it fails as a whole.' },
);
