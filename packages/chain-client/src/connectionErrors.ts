// Why a connection failed, in plain words, and whether the same request would fail again. The reasons name the peer as
// the caller calls it: messages of runtimes contain hosts, which may be secret.

export interface ConnectionFailure {
  /** Without a period at its end. */
  readonly reason: string;
  /** Only a change of the URL, the certificates or the proxy helps; a retry does not. */
  readonly isPermanent: boolean;
}

/** Node's codes for certificates that it does not accept. */
const certificateProblems: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its authority is not a known one',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its authority is not a known one',
  UNABLE_TO_GET_ISSUER_CERT: 'its authority is not a known one',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its authority is not a known one',
  CERT_UNTRUSTED: 'its authority is not trusted',
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  CERT_REVOKED: 'it was revoked',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for another host',
  HOSTNAME_MISMATCH: 'it is for another host',
  CERT_SIGNATURE_FAILURE: 'its signature is wrong',
  INVALID_PURPOSE: 'it is not for servers',
};

/** undici's message when a proxy answers CONNECT with another status than 200. */
const PROXY_REFUSAL = /^Proxy response \((\d{3})\)|^Proxy Authentication Required \((407)\)/;

/** `peer` is used in sentences: 'registry.example', 'the node'. */
export function describeConnectionError(error: unknown, peer: string): ConnectionFailure {
  const cause = findCause(error);
  const code = cause && 'code' in cause ? String(cause.code) : '';
  const certificateProblem = certificateProblems[code];
  if (certificateProblem !== undefined) {
    return { reason: `the certificate of ${peer} is not trusted: ${certificateProblem}`, isPermanent: true };
  }
  // EAI_AGAIN, in contrast, says that the name servers did not respond.
  if (code === 'ENOTFOUND') return { reason: `the host of ${peer} does not exist`, isPermanent: true };
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) {
    return { reason: `${peer} does not accept TLS connections (${code})`, isPermanent: true };
  }
  if (code.startsWith('HPE_')) return { reason: `${peer} does not speak HTTP (${code})`, isPermanent: true };
  const [, ...statuses] = PROXY_REFUSAL.exec(cause?.message ?? '') ?? [];
  const status = Number(statuses.find((text) => text !== undefined));
  if (status > 0) return describeProxyRefusal(status, peer);
  return { reason: `${peer} cannot be reached${code && ` (${code})`}`, isPermanent: false };
}

function describeProxyRefusal(status: number, peer: string): ConnectionFailure {
  const reason =
    status === 407
      ? 'the proxy requires a user name and a password (407)'
      : `the proxy refuses to connect to ${peer} (${status})`;
  return { reason, isPermanent: status < 500 };
}

/** fetch puts the actual error into `cause`, and several addresses of a host into an AggregateError. */
function findCause(error: unknown): Error | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof AggregateError && !('code' in error)) return findCause(error.errors[0]);
  return error.cause instanceof Error ? findCause(error.cause) : error;
}
