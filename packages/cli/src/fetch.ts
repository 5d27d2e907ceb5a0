// Prepares the global fetch, which the SDK, its JSON-RPC client and downloads use: it names the command to servers, and
// honors the proxy variables of the environment, which Node's own fetch ignores.

import type { Dispatcher } from 'undici';
import { errorCode, UsageError } from './errors.js';
import { sendPlainRequest, toPlainRequest } from './plainRequest.js';
import type { Environment } from './processIo.js';
import { readVersion } from './version.js';

const prepared = new WeakSet<typeof fetch>();

export async function prepareFetch(env: Environment): Promise<void> {
  const isProxied = await useProxies(env);
  const send = globalThis.fetch;
  if (prepared.has(send)) return;
  // The service shows it in lists of sessions and API keys.
  const userAgent = `provenance/${readVersion()} (node ${process.versions.node}; ${process.platform})`;
  const fetchAsCommand: typeof fetch = (input, init = {}) => {
    const plain = isProxied ? undefined : toPlainRequest(input, init);
    if (plain) return sendPlainRequest({ ...plain, headers: { 'user-agent': userAgent, ...plain.headers } });
    const headers = new Headers(init.headers ?? (input instanceof Request ? input.headers : undefined));
    if (!headers.has('user-agent')) headers.set('user-agent', userAgent);
    return send(input, { ...init, headers });
  };
  prepared.add(fetchAsCommand);
  globalThis.fetch = fetchAsCommand;
}

/**
 * Replaces the global fetch, and returns true, when a proxy is set. As in curl, the lower-case names come first, and a value
 * may lack its scheme.
 */
async function useProxies(env: Environment): Promise<boolean> {
  const httpProxy = readProxy(env, 'HTTP_PROXY') ?? readProxy(env, 'ALL_PROXY');
  const httpsProxy = readProxy(env, 'HTTPS_PROXY') ?? readProxy(env, 'ALL_PROXY');
  if (httpProxy === undefined && httpsProxy === undefined) return false;
  // Loaded on demand: it would double the start time of every command.
  const { EnvHttpProxyAgent, install, Pool, setGlobalDispatcher } = await import('undici');

  /** undici 7 repeats a CONNECT without end, and without delay, when it fails with an error of its own. */
  function createProxyClient(origin: URL, options: object): Dispatcher {
    const pool = new Pool(origin, options);
    const connect = pool.connect.bind(pool);
    const connectOnce = (request: Dispatcher.ConnectOptions) => connect(request).catch(throwProxyError);
    return Object.assign(pool, { connect: connectOnce });
  }

  // With FormData and the other classes, which undici's fetch only accepts from undici.
  install();
  setGlobalDispatcher(
    new EnvHttpProxyAgent({
      ...(httpProxy !== undefined && { httpProxy }),
      ...(httpsProxy !== undefined && { httpsProxy }),
      noProxy: readVariable(env, 'NO_PROXY') ?? '',
      // Many proxies tunnel https alone.
      proxyTunnel: false,
      clientFactory: createProxyClient,
    }),
  );
  return true;
}

function throwProxyError(cause: unknown): never {
  const isClosed = errorCode(cause) === 'UND_ERR_SOCKET';
  throw isClosed ? new Error('the proxy closed the connection', { cause }) : cause;
}

function readProxy(env: Environment, name: string): string | undefined {
  const value = readVariable(env, name);
  if (value === undefined) return undefined;
  const url = value.includes('://') ? value : `http://${value}`;
  const protocol = URL.canParse(url) ? new URL(url).protocol : undefined;
  if (protocol === 'http:' || protocol === 'https:') return url;
  // The value is not shown: it may contain a password.
  throw new UsageError(`${name} is not the URL of an http or https proxy.`);
}

function readVariable(env: Environment, name: string): string | undefined {
  return env[name.toLowerCase()] || env[name] || undefined;
}
