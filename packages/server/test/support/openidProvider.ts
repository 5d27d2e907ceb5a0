// A real OpenID provider in a process of its own, with keys that a test also has.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';
import { freePort } from '../../../../test/support/ports.js';

export const AUDIENCE = 'https://registry.example';
const program = fileURLToPath(new URL('identityProvider.mjs', import.meta.url));

export interface ProviderKey extends JWK {
  readonly alg: string;
  readonly kid: string;
}

export interface TestProvider {
  readonly issuer: string;
  readonly keys: readonly ProviderKey[];
  /** The settings of a service that accepts its tokens. */
  readonly settings: Readonly<Record<string, string>>;
  /** A token that the provider issues. */
  issue(algorithm: string, resource?: string): Promise<string>;
  /** A token that is signed with the provider's key, with claims that the provider would not issue. */
  sign(claims: Record<string, unknown>): Promise<string>;
  stop(): Promise<void>;
}

export async function createKeys(generation: string): Promise<ProviderKey[]> {
  const keys = await Promise.all(
    ['RS256', 'ES256', 'EdDSA'].map(async (alg) => {
      const { privateKey } = await generateKeyPair(alg, { extractable: true });
      return { ...(await exportJWK(privateKey)), alg, use: 'sig', kid: `${alg}-${generation}` };
    }),
  );
  const forPss = keys.slice(0, 1).map((key) => ({ ...key, alg: 'PS256', kid: `PS256-${generation}` }));
  return [...keys, ...forPss];
}

export async function startProvider({ generation = 'first', port = 0 } = {}): Promise<TestProvider> {
  const keys = await createKeys(generation);
  const usedPort = port || (await freePort());
  const issuer = `http://127.0.0.1:${usedPort}`;
  const provider = spawn(process.execPath, [program, String(usedPort), JSON.stringify({ keys })], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  if (provider.stdout) await once(provider.stdout, 'data');
  return {
    issuer,
    keys,
    settings: { AUTH_JWKS_URL: `${issuer}/jwks`, AUTH_ISSUER: issuer, AUTH_AUDIENCE: AUDIENCE },
    async issue(algorithm, resource = AUDIENCE) {
      const response = await fetch(`${issuer}/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from(`client-${algorithm}:secret`).toString('base64')}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', resource, scope: 'registry' }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`the provider refuses: ${text}`);
      return JSON.parse(text).access_token;
    },
    async sign(claims) {
      const key = keys.find(({ alg }) => alg === 'ES256');
      if (!key) throw new Error('no key');
      const now = Math.floor(Date.now() / 1000);
      return new SignJWT({ iss: issuer, aud: AUDIENCE, sub: 'forged', iat: now, exp: now + 600, ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: key.kid })
        .sign(await importJWK(key, 'ES256'));
    },
    async stop() {
      const ended = once(provider, 'exit');
      provider.kill();
      await ended;
    },
  };
}

export function publicPart({ kty, n, e, kid, alg, use }: JWK): JWK {
  return { kty, n, e, kid, alg, use } as JWK;
}
