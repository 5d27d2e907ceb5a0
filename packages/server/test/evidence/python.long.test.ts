// The Python package judges time-stamps of authorities of every kind, right and wrong.

import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { python, pythonVariables } from '../../../../test/support/python.js';
import {
  type Authority,
  type AuthorityOptions,
  asRoot,
  asStamper,
  attribute,
  CONTENT_TYPE,
  criticalExtension,
  hashOf,
  makeAuthority,
  makeResponse,
  makeToken,
  STAMPED_AT,
  type TokenOptions,
  x509,
} from '../support/timestampForge.js';

const readScript = `
import base64, json, sys
from provenance_registry.certificates import SignatureError, parse_roots
from provenance_registry.timestamps import read_timestamp
question = json.load(sys.stdin)
roots, data = parse_roots(question["roots"]), question["data"].encode()
for token in question["tokens"]:
    try:
        timestamp = read_timestamp(base64.b64decode(token), data)
        print(timestamp.time.isoformat() if timestamp.is_trusted(roots) else "not trusted")
    except SignatureError:
        print("refused")
`;

const HOUR_MS = 3_600_000;
const EMAIL_PROTECTION = '1.3.6.1.5.5.7.3.4';
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';
const DATA = 'what was signed';
const imprint = hashOf('sha256', Buffer.from(DATA));
const before = new Date(STAMPED_AT.getTime() - HOUR_MS);
const after = new Date(STAMPED_AT.getTime() + HOUR_MS);

const trusted = `${STAMPED_AT.toISOString().slice(0, 19)}+00:00`;
type Result = typeof trusted | 'not trusted' | 'refused';

const makeStamper = (options: AuthorityOptions) =>
  makeAuthority({ name: 'CN=Stamper, O=Test', serial: '0a', key: 'p256', extensions: asStamper(), ...options });

/** Tokens with what a reader must say who named the root. */
async function listCases(root: Authority): Promise<[name: string, token: Buffer, result: Result][]> {
  const stamper = await makeStamper({ issuer: root });
  const intermediate = await makeAuthority({ name: 'CN=Intermediate', issuer: root, serial: '02' });
  const stranger = await makeStamper({ issuer: await makeAuthority() });
  const certificateAuthority = x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature;
  const stamp = (options: Partial<TokenOptions> = {}) => makeToken({ imprint, signer: stamper, ...options });
  /** Below the root, or below the last of others that the token has too. */
  const by = async (
    options: AuthorityOptions,
    issuers: readonly Authority[] = [],
    token: Partial<TokenOptions> = {},
  ) => {
    const signer = await makeStamper({ issuer: issuers[0] ?? root, ...options });
    return stamp({ signer, certificates: [signer, ...issuers].map(({ raw }) => raw), ...token });
  };
  const issuer = (options: AuthorityOptions) => makeAuthority({ name: 'CN=Issuer', issuer: root, ...options });
  return [
    ['right', stamp(), trusted],
    ['of the key of the kind Ed25519', await by({ key: 'ed25519' }, [], { digest: 'sha512' }), trusted],
    ['of the key of the kind P-384', await by({ key: 'p384' }, [], { digest: 'sha384' }), trusted],
    ['of the key of the kind RSA', await by({ key: 'rsa' }), trusted],
    ['of the key of the kind RSA-PSS', await by({ key: 'rsa' }, [], { scheme: 'pss' }), trusted],
    ['in a response', makeResponse(1, stamp()), trusted],
    ['with an authority between', await by({}, [intermediate]), trusted],
    ['exact to a minute', stamp({ accuracySeconds: 60 }), trusted],
    ["a stranger's", stamp({ signer: stranger }), 'not trusted'],
    ['without the authority between', await by({}, [intermediate], { certificates: [] }), 'refused'],
    ['of an expired certificate', await by({ validTo: before }), 'not trusted'],
    ['of a certificate that was not valid yet', await by({ validFrom: after }), 'not trusted'],
    ['below an expired authority', await by({}, [await issuer({ validTo: before })]), 'not trusted'],
    ['below one that may have no authority below it', await byTwo(asRoot(0)), 'not trusted'],
    ['below one that may have one', await byTwo(asRoot(1)), trusted],
    [
      'below one for other purposes',
      await by({}, [await issuer({ extensions: [...asRoot(), forMail()] })]),
      'not trusted',
    ],
    ['below none', await by({}, [await issuer({ extensions: asStamper() })]), 'not trusted'],
    ['in a response that refuses', makeResponse(2, stamp()), 'refused'],
    ['of a certificate without a purpose', await by({ extensions: asStamper([]) }), 'refused'],
    ['of one whose purpose is not critical', await by({ extensions: asStamper([TIME_STAMPING], false) }), 'refused'],
    ['of one with two purposes', await by({ extensions: asStamper([TIME_STAMPING, EMAIL_PROTECTION]) }), 'refused'],
    ['of one for mail', await by({ extensions: asStamper([EMAIL_PROTECTION]) }), 'refused'],
    ['of one that issues certificates', await by({ extensions: forTimes(certificateAuthority) }), 'refused'],
    ['of a key that is too small', await by({ key: 'rsa1024' }), 'refused'],
    ['exact to two minutes', stamp({ accuracySeconds: 120 }), 'refused'],
    ['with a critical extension', stamp({ extensions: criticalExtension }), 'refused'],
    ['of other data', stamp({ imprint: hashOf('sha256', Buffer.from('other')) }), 'refused'],
    [
      'with a hash that is broken',
      stamp({ imprint: hashOf('sha1', Buffer.from(DATA)), imprintDigest: 'sha1' }),
      'refused',
    ],
    ['signed with such a hash', stamp({ digest: 'sha1' }), 'refused'],
    ['whose content was changed', stamp({ changeContent: (content) => Buffer.concat([content, content]) }), 'refused'],
    ['whose content is something else', stamp({ contentType: Buffer.from('06022a03', 'hex') }), 'refused'],
    [
      'with two contents',
      stamp({ moreAttributes: [attribute(CONTENT_TYPE, Buffer.from('06022a03', 'hex'))] }),
      'refused',
    ],
    ['that names another certificate', stamp({ named: stranger.raw }), 'refused'],
    ['that names none', stamp({ named: null }), 'refused'],
    ['with two signers', stamp({ moreSigners: true }), 'refused'],
    ['without a certificate', stamp({ certificates: [] }), 'refused'],
    ['cut off', stamp().subarray(0, -1), 'refused'],
    ['with bytes after its end', Buffer.concat([stamp(), Buffer.from([0])]), 'refused'],
  ];

  /** An authority below this one, and the stamper below that. */
  async function byTwo(extensions: readonly x509.Extension[]): Promise<Buffer> {
    const upper = await issuer({ extensions, serial: '03' });
    const lower = await makeAuthority({ name: 'CN=Lower', issuer: upper, serial: '04' });
    return by({}, [lower, upper]);
  }

  function forMail(): x509.Extension {
    return new x509.ExtendedKeyUsageExtension([EMAIL_PROTECTION]);
  }

  function forTimes(usages: number): x509.Extension[] {
    return [new x509.KeyUsagesExtension(usages, true), new x509.ExtendedKeyUsageExtension([TIME_STAMPING], true)];
  }
}

it('A time-stamp counts only if its authority was made for that, valid then, and below a named root', async () => {
  const root = await makeAuthority();
  const cases = await listCases(root);
  const tokens = cases.map(([, token]) => token.toString('base64'));
  const output = execFileSync(python, ['-c', readScript], {
    input: JSON.stringify({ roots: root.pem, data: DATA, tokens }),
    encoding: 'utf8',
    env: pythonVariables,
  });
  const results = output.trim().split('\n');
  expect(cases.map(([name], index) => [name, results[index]])).toEqual(cases.map(([name, , result]) => [name, result]));
});
