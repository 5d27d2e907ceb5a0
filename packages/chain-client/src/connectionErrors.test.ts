import { describe, expect, it } from 'vitest';
import { findPermanentFailure } from './connectionErrors.js';

const URL_OF_SERVICE = 'https://registry.example/api';

/** Creates an error as fetch throws it. */
function fetchError(fields: object): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error('reason'), fields) });
}

function reasonOf(error: unknown): string | undefined {
  return findPermanentFailure(error, URL_OF_SERVICE, 'the host')?.reason;
}

describe('a connection error', () => {
  it.each([
    ['name servers that do not respond', fetchError({ code: 'EAI_AGAIN', hostname: 'registry.example' })],
    ['a refused connection', fetchError({ code: 'ECONNREFUSED' })],
    ['a broken connection', fetchError({ code: 'UND_ERR_SOCKET' })],
    ['a proxy that cannot reach the host', fetchError({ message: 'Proxy response (502) !== 200 when HTTP Tunneling' })],
    ['several addresses that refuse', new TypeError('fetch failed', { cause: new AggregateError([fetchError({})]) })],
    ['an error of a browser', new TypeError('Failed to fetch')],
    ['something else', 'no error'],
  ])('is worth a retry: %s', (_, error) => {
    expect(reasonOf(error)).toBeUndefined();
  });

  it.each([
    [fetchError({ code: 'ENOTFOUND', hostname: 'registry.example' }), 'the host does not exist'],
    [fetchError({ code: 'ENOTFOUND', hostname: 'proxy.example' }), 'the proxy proxy.example does not exist'],
    [fetchError({ code: 'CERT_HAS_EXPIRED' }), 'the certificate of the host is not trusted: expired'],
    [
      new TypeError('fetch failed', { cause: new AggregateError([fetchError({ code: 'CERT_NOT_YET_VALID' })]) }),
      'the certificate of the host is not trusted: not valid yet',
    ],
    [fetchError({ message: 'Proxy response (403) !== 200' }), 'the proxy does not connect to the host (403)'],
  ])('is permanent: %o', (error, reason) => {
    expect(reasonOf(error)).toBe(reason);
  });
});
