import { expect, it } from 'vitest';
import { parseNodeUrl } from './nodeUrl.js';

it('A user name and password are sent as a header, whatever characters they have', () => {
  const { endpoint, headers } = parseNodeUrl('https://ada:p%C3%A4ss%E2%82%ACword@node.example/rpc');
  expect(endpoint).toBe('https://node.example/rpc');
  const credentials = headers['authorization']?.replace('Basic ', '') ?? '';
  expect(Buffer.from(credentials, 'base64').toString()).toBe('ada:päss€word');
  expect(parseNodeUrl('https://node.example').headers).toEqual({ 'content-type': 'application/json' });
});

it('Parts of the URL that may be secret are redacted, and ordinary words are kept', () => {
  const { redact } = parseNodeUrl('https://node.example/rpc/v2/0123456789?token=abcdefgh');
  expect(redact('v2 rpc: no project 0123456789 for abcdefgh')).toBe('v2 rpc: no project … for …');
});

it('Credentials that are not percent-encoded correctly are used as they are', () => {
  const { headers } = parseNodeUrl('https://ada:100%@node.example');
  expect(headers['authorization']).toBe(`Basic ${btoa('ada:100%')}`);
});
