import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { randomUUID } from '../../../../test/support/random.js';
import { loadConfig, type SecretPurpose } from '../config/config.js';
import { openIdentity } from './identity.js';
import { readSecrets } from './secrets.js';

const settingNames = {
  tokens: 'JWT_SECRET',
  pseudonyms: 'PSEUDONYM_SECRET',
  links: 'LINK_SECRET',
  secondFactors: 'SECOND_FACTOR_SECRET',
  webhooks: 'WEBHOOK_SECRET',
  domains: 'DOMAIN_SECRET',
  mailStops: 'MAIL_STOP_SECRET',
} as const satisfies Record<SecretPurpose, string>;
const purposes = ['tokens', 'pseudonyms', 'links', 'secondFactors', 'webhooks', 'domains', 'mailStops'] as const;

const newSecret = (name: string) => `the secret ${name} of this test, long enough`;
const read = (DATA_DIR: string, settings: Record<string, string> = {}) =>
  readSecrets(loadConfig({ DATA_DIR, ...settings }));
const newFolder = () => mkdtemp(join(tmpdir(), 'secrets-'));

it('A new service has a secret of its own for each purpose, and keeps them', async () => {
  const folder = await newFolder();
  const secrets = await read(folder);
  expect(new Set(Object.values(secrets)).size).toBe(purposes.length);
  expect(await read(folder)).toEqual(secrets);
  expect((await readdir(folder)).sort()).toEqual([
    'domain-secret',
    'jwt-secret',
    'link-secret',
    'mail-stop-secret',
    'pseudonym-secret',
    'second-factor-secret',
    'webhook-secret',
  ]);
});

it('What a release with two secrets has made stays valid, and its secrets are independent from then on', async () => {
  const folder = await newFolder();
  await writeFile(join(folder, 'jwt-secret'), `${newSecret('one')}\n`);
  await writeFile(join(folder, 'pseudonym-secret'), `${newSecret('two')}\n`);
  const [one, two] = [newSecret('one'), newSecret('two')];
  const before = {
    tokens: one,
    links: one,
    pseudonyms: two,
    secondFactors: two,
    webhooks: two,
    domains: two,
    mailStops: two,
  };
  expect(await read(folder)).toEqual(before);
  await rm(join(folder, 'pseudonym-secret'));
  const { pseudonyms, ...others } = await read(folder);
  expect({ ...others, pseudonyms: two }).toEqual(before);
  expect(pseudonyms).not.toBe(two);
});

it('Processes with the settings of such a release share its secrets, without a common folder', async () => {
  const settings = { JWT_SECRET: newSecret('one'), PSEUDONYM_SECRET: newSecret('two') };
  const [folder, other] = [await newFolder(), await newFolder()];
  expect(await read(folder, settings)).toEqual(await read(other, settings));
  expect(await readdir(folder)).toEqual([]);
  const named = { ...settings, WEBHOOK_SECRET: newSecret('three') };
  expect(await read(folder, named)).toEqual({ ...(await read(folder, settings)), webhooks: newSecret('three') });
});

it.each(purposes)('Another secret for %s changes nothing else', async (purpose) => {
  const folder = await newFolder();
  const settings = Object.fromEntries(purposes.map((one) => [settingNames[one], newSecret(one)]));
  const rotated = { ...settings, [settingNames[purpose]]: newSecret('rotated') };
  const [before, after] = [await describe(folder, settings), await describe(folder, rotated)];
  const changed = purposes.filter((one) => before[one] !== after[one]);
  expect(changed).toEqual([purpose]);
});

const [userId, markId] = [randomUUID(), randomUUID()];
let encrypted: Uint8Array | undefined;

/** What each secret makes, or whether it still reads what was made first. */
async function describe(folder: string, settings: Record<string, string>): Promise<Record<SecretPurpose, unknown>> {
  const config = loadConfig({ DATA_DIR: folder, ...settings });
  const secrets = await readSecrets(config);
  const identity = openIdentity(config, secrets);
  encrypted ??= identity.totp.create({ id: userId, label: 'ada@example.com' }).encryptedSecret;
  const { token } = await identity.tokens.issue(userId, markId, new Date(0));
  return {
    tokens: token,
    pseudonyms: secrets.pseudonyms,
    links: identity.linkTokens.tokenOf('reset-password', userId),
    secondFactors: isReadable(() =>
      identity.totp.findStep({ userId, secret: encrypted ?? new Uint8Array() }, '000000', new Date(0)),
    ),
    webhooks: identity.webhookSecrets.secretOf(userId, 1),
    domains: identity.domainTokens.tokenOf(markId, 'example.com'),
    mailStops: identity.recipientTokens.tokenOf('ada@example.com'),
  };
}

function isReadable(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}
