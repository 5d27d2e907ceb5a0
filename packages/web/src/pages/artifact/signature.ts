// Who signed a manifest and when, as the published report of c2pa-rs says.

export interface Signature {
  /** The name in the certificate. */
  readonly signer: string | undefined;
  readonly issuer: string | undefined;
  /** Time of the time-stamp. */
  readonly time: string | undefined;
}

/** Undefined when there is no such report. */
export async function readSignature(reportUrl: string, signal: AbortSignal): Promise<Signature | undefined> {
  const response = await fetch(reportUrl, { signal });
  if (!response.ok) return undefined;
  const report: unknown = await response.json();
  const active = readText(report, 'active_manifest') ?? '';
  const info = readField(readField(readField(report, 'manifests'), active), 'signature_info');
  return {
    signer: readText(info, 'common_name') ?? readText(info, 'issuer'),
    issuer: readText(info, 'common_name') === undefined ? undefined : readText(info, 'issuer'),
    time: readText(info, 'time'),
  };
}

function readField(from: unknown, name: string): unknown {
  return typeof from === 'object' && from !== null ? new Map(Object.entries(from)).get(name) : undefined;
}

function readText(from: unknown, name: string): string | undefined {
  const value = readField(from, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
