// Tells tokens of an OpenID provider from those of the service: users of a provider have no password at the service.

/** Available in Node and in browsers. */
declare function atob(base64: string): string;

/** Tells them by their algorithm: the service signs with HS256, which it refuses for tokens of a provider. */
export function isProviderToken(token: string): boolean {
  const [header = ''] = token.split('.');
  try {
    const parsed: unknown = JSON.parse(atob(header.replaceAll('-', '+').replaceAll('_', '/')));
    return typeof parsed === 'object' && parsed !== null && 'alg' in parsed && parsed.alg !== 'HS256';
  } catch {
    // An API key, for example.
    return false;
  }
}
