// Where the signing certificate and its signatures come from.

/** Locations of the signing certificate and its key. */
export type SigningSource = { readonly certificateFile: string } & (
  | { readonly keyFile: string }
  | { readonly command: readonly [string, ...string[]] }
  | { readonly url: string }
);

/** Undefined unless there is a certificate and one source of signatures. */
export function signingSource(
  certificateFile: string | undefined,
  keyFile: string | undefined,
  command: readonly [string, ...string[]] | undefined,
  url: string | undefined,
): SigningSource | undefined {
  if (!certificateFile) return undefined;
  if (keyFile) return { certificateFile, keyFile };
  if (command) return { certificateFile, command };
  return url ? { certificateFile, url } : undefined;
}
