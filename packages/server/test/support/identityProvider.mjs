// An OpenID provider as a process of its own: `node identityProvider.mjs PORT KEYS`, KEYS being a JSON Web Key Set.
// Clients get tokens with their own client credentials; each algorithm has a client.

import { Provider } from 'oidc-provider';

const [port, keys] = process.argv.slice(2);
const issuer = `http://127.0.0.1:${port}`;

const provider = new Provider(issuer, {
  jwks: JSON.parse(keys),
  clients: ['RS256', 'ES256', 'EdDSA', 'PS256'].map((algorithm) => ({
    client_id: `client-${algorithm}`,
    client_secret: 'secret',
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
  })),
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (_context, resource, client) => ({
        scope: 'registry',
        audience: resource,
        accessTokenTTL: 600,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: client.clientId.replace('client-', '') } },
      }),
    },
  },
  enabledJWA: { idTokenSigningAlgValues: ['RS256', 'ES256', 'EdDSA', 'PS256'] },
  extraTokenClaims: () => ({ name: 'Provided Person', email: 'provided@example.com', email_verified: true }),
});

provider.listen(Number(port), '127.0.0.1', () => process.stdout.write('listening\n'));
