// Honors the proxy variables of the environment, which Node's own fetch ignores.

import type { Dispatcher } from 'undici';
import { errorCode, UsageError } from './errors.js';
import type { Environment } from './processIo.js';

/**
 * Replaces the global fetch, which the SDK and its JSON-RPC client use, when a proxy is set. As in curl, the lower-case
 * names come first, and a value may lack its scheme.
 */
export async function useProxies(env: Environment): Promise<void> {
  const httpProxy = readProxy(env, 'HTTP_PROXY') ?? readProxy(env, 'ALL_PROXY');
  const httpsProxy = readProxy(env, 'HTTPS_PROXY') ?? readProxy(env, 'ALL_PROXY');
  if (httpProxy === undefined && httpsProxy === undefined) return;
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
