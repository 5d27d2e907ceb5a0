// Connection errors after which the same request would fail again, in plain words. Exported by its own path, because every
// client needs them, and only verification the rest of this package.

export interface PermanentFailure {
  /** A sentence without a period at its end. */
  readonly reason: string;
  /** What the user can do, in sentences. */
  readonly advice: string;
}

const CHECK_URL = 'Check the URL.';
const TRUST_AUTHORITY = 'If you trust it, set NODE_EXTRA_CA_CERTS to a file with the certificate of its authority.';

/** Node's codes for certificates that it does not accept. */
const certificateProblems: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its authority is unknown',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its authority is unknown',
  UNABLE_TO_GET_ISSUER_CERT: 'its authority is unknown',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its authority is unknown',
  CERT_UNTRUSTED: 'its authority is unknown',
  CERT_HAS_EXPIRED: 'expired',
  CERT_NOT_YET_VALID: 'not valid yet',
  CERT_REVOKED: 'revoked',
  CERT_SIGNATURE_FAILURE: 'its signature is wrong',
  INVALID_PURPOSE: 'not meant for servers',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it belongs to another host',
  HOSTNAME_MISMATCH: 'it belongs to another host',
};
const AUTHORITY_PROBLEMS = ['self-signed', 'its authority is unknown'];

/** undici's messages for a proxy that refuses to connect. */
const PROXY_REFUSAL = /^Proxy (?:response|Authentication Required) \((4\d\d)\)/;

/** Undefined when a retry may help. `host` is used in sentences: 'the host registry.example'. */
export function findPermanentFailure(error: unknown, url: string, host: string): PermanentFailure | undefined {
  const cause = findCause(error);
  if (!cause) return undefined;
  const code = 'code' in cause ? String(cause.code) : '';
  // EAI_AGAIN, in contrast, says that the name servers did not respond.
  if (code === 'ENOTFOUND') {
    const isProxy = 'hostname' in cause && cause.hostname !== new URL(url).hostname;
    return isProxy
      ? { reason: `the proxy ${cause.hostname} does not exist`, advice: 'Check HTTPS_PROXY and HTTP_PROXY.' }
      : { reason: `${host} does not exist`, advice: CHECK_URL };
  }
  const problem = certificateProblems[code];
  if (problem !== undefined) {
    const advice = AUTHORITY_PROBLEMS.includes(problem) ? TRUST_AUTHORITY : '';
    return { reason: `the certificate of ${host} is not trusted: ${problem}`, advice };
  }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) {
    return { reason: `${host} does not accept https at this port (${code})`, advice: CHECK_URL };
  }
  // What fetch says of ports that belong to other protocols.
  if (cause.message === 'bad port')
    return { reason: `${host} has a port that no web service may use`, advice: CHECK_URL };
  if (code.startsWith('HPE_')) return { reason: `${host} does not speak HTTP (${code})`, advice: CHECK_URL };
  const status = PROXY_REFUSAL.exec(cause.message)?.[1];
  return status === undefined ? undefined : describeProxyRefusal(Number(status), host);
}

function describeProxyRefusal(status: number, host: string): PermanentFailure {
  return status === 407
    ? {
        reason: 'the proxy requires a user name and a password (407)',
        advice: 'Set them in HTTPS_PROXY or HTTP_PROXY: http://NAME:PASSWORD@HOST:PORT.',
      }
    : { reason: `the proxy does not connect to ${host} (${status})`, advice: 'Check NO_PROXY, or ask its operator.' };
}

/** fetch puts the actual error into `cause`; a host with several addresses has an error for each. */
function findCause(error: unknown): Error | undefined {
  if (error instanceof AggregateError) return findCause(error.errors[0]);
  if (!(error instanceof Error)) return undefined;
  return error.cause === undefined ? error : (findCause(error.cause) ?? error);
}
