// Honors the proxy variables of the environment, which Node's own fetch ignores.

import { UsageError } from './errors.js';
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
  const { EnvHttpProxyAgent, install, setGlobalDispatcher } = await import('undici');
  // With FormData and the other classes, which undici's fetch only accepts from undici.
  install();
  setGlobalDispatcher(
    new EnvHttpProxyAgent({
      ...(httpProxy !== undefined && { httpProxy }),
      ...(httpsProxy !== undefined && { httpsProxy }),
      noProxy: readVariable(env, 'NO_PROXY') ?? '',
      // Many proxies tunnel https alone.
      proxyTunnel: false,
    }),
  );
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
