// The audit of published files, in a folder and in a bucket: each fault is created by hand, found, and repaired where
// possible, after which the audit finds nothing.

import { readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { listPublishedFiles, type Registry } from '../../../../test/support/artifacts.js';
import { randomUUID } from '../../../../test/support/random.js';
import { temporaryFolder } from '../../../../test/support/service.js';
import { openS3Store } from '../../src/files/s3.js';
import {
  changeFile,
  createEightArtifacts,
  createWaitingArtifacts,
  expectRepaired,
  expectUnrepairable,
  idAt,
  publishedFilePath,
  runSql,
  startAuditedRegistry,
  waitUntilOnChain,
} from '../support/auditedRegistry.js';
import type { Auditor } from '../support/auditor.js';
import { startS3 } from '../support/s3.js';

let registry: Registry;
let auditor: Auditor;
let landed: string[];
let waiting: string[];

beforeAll(async () => {
  const audited = await startAuditedRegistry();
  ({ registry, auditor } = audited);
  await createEightArtifacts(audited);
  landed = await waitUntilOnChain(audited);
  waiting = await createWaitingArtifacts(audited);
});

async function makeOld(path: string, hours: number): Promise<void> {
  const then = new Date(Date.now() - hours * 3_600_000);
  await utimes(path, then, then);
}

describe('files of an Artifact', () => {
  it('a missing sidecar', async () => {
    const file = `${idAt(landed)}.c2pa`;
    const bytes = await readFile(publishedFilePath(registry, file));
    await rm(publishedFilePath(registry, file));
    await expectUnrepairable(auditor, 'file-missing', { artifactId: idAt(landed), file });
    await writeFile(publishedFilePath(registry, file), bytes);
  });

  it('a missing report is created again', async () => {
    const file = `${idAt(landed)}.json`;
    const bytes = await readFile(publishedFilePath(registry, file));
    await rm(publishedFilePath(registry, file));
    await expectRepaired(auditor, 'file-missing', { artifactId: idAt(landed), file });
    expect(JSON.parse(await readFile(publishedFilePath(registry, file), 'utf8'))).toEqual(JSON.parse(bytes.toString()));
  });

  it('a missing card is created and signed again', async () => {
    const file = `${idAt(waiting)}.png`;
    await rm(publishedFilePath(registry, file));
    await expectRepaired(auditor, 'file-missing', { artifactId: idAt(waiting), file });
  });

  it('a sidecar with one bit changed', async () => {
    const file = `${idAt(landed)}.c2pa`;
    const before = await changeFile(registry, file, (bytes) => {
      const changed = Buffer.from(bytes);
      const place = changed.indexOf('a.jpg');
      changed.writeUInt8(changed.readUInt8(place) ^ 1, place);
      return changed;
    });
    await expectUnrepairable(auditor, 'signature-broken', { artifactId: idAt(landed), file });
    await writeFile(publishedFilePath(registry, file), before);
  });

  it('the sidecar of another Artifact', async () => {
    const file = `${idAt(landed)}.c2pa`;
    const before = await changeFile(registry, file, () =>
      readFile(publishedFilePath(registry, `${idAt(landed, 1)}.c2pa`)),
    );
    await expectUnrepairable(auditor, 'manifest-of-another', { artifactId: idAt(landed), file });
    await writeFile(publishedFilePath(registry, file), before);
  });

  it('files that are about another fingerprint than the Artifact', async () => {
    const artifactId = idAt(waiting);
    const [row] = await runSql(registry, 'select fingerprint from artifacts where id = $1', artifactId);
    await runSql(registry, 'update artifacts set fingerprint = $2 where id = $1', artifactId, Buffer.alloc(32, 9));
    const { found } = await auditor.audit();
    expect(found.map(({ code, about }) => [code, about.file])).toEqual([
      ['manifest-of-another', `${artifactId}.c2pa`],
      ['card-broken', `${artifactId}.png`],
    ]);
    await runSql(registry, 'update artifacts set fingerprint = $2 where id = $1', artifactId, row?.['fingerprint']);
  });

  it.each([
    ['of another Artifact', () => readFile(publishedFilePath(registry, `${idAt(landed, 1)}.json`))],
    ['cut off', (bytes: Buffer) => bytes.subarray(0, 500)],
    [
      'with another title',
      (bytes: Buffer) => Buffer.from(bytes.toString().replace('"title":"a.jpg"', '"title":"z.jpg"')),
    ],
  ])('a report %s', async (_, change) => {
    const file = `${idAt(landed)}.json`;
    const before = await changeFile(registry, file, change);
    await expectRepaired(auditor, 'report-differs', { artifactId: idAt(landed), file });
    expect(JSON.parse(await readFile(publishedFilePath(registry, file), 'utf8'))).toEqual(
      JSON.parse(before.toString()),
    );
  });

  it.each([
    ['of another Artifact', () => readFile(publishedFilePath(registry, `${idAt(landed, 1)}.png`))],
    ['cut off', (bytes: Buffer) => bytes.subarray(0, 5_000)],
  ])('a card %s', async (_, change) => {
    const file = `${idAt(landed)}.png`;
    await changeFile(registry, file, change);
    await expectRepaired(auditor, 'card-broken', { artifactId: idAt(landed), file });
  });
});

describe('files without an Artifact', () => {
  it('are removed when they are old', async () => {
    const [file, young] = [`${randomUUID()}.png`, `${randomUUID()}.json`];
    await writeFile(publishedFilePath(registry, file), 'stray');
    await writeFile(publishedFilePath(registry, young), 'young');
    await makeOld(publishedFilePath(registry, file), 1);
    await expectRepaired(auditor, 'file-stray', { file });
    expect(await listPublishedFiles(registry)).toEqual(expect.not.arrayContaining([file]));
    expect(await listPublishedFiles(registry)).toContain(young);
    await rm(publishedFilePath(registry, young));
  });

  it('are never removed when they are a whole Artifact: of another service, or of a lost database', async () => {
    const id = randomUUID();
    const names = ['c2pa', 'json', 'png'].map((extension) => `${id}.${extension}`);
    for (const name of names) {
      await writeFile(
        publishedFilePath(registry, name),
        await readFile(publishedFilePath(registry, name.replace(id, idAt(landed)))),
      );
      await makeOld(publishedFilePath(registry, name), 48);
    }
    const { found } = await auditor.audit({ repair: true });
    const finding = { code: 'artifact-unknown', repairable: false, repaired: false };
    expect(found).toHaveLength(3);
    expect(found).toEqual(expect.arrayContaining(names.map((file) => ({ ...finding, about: { file } }))));
    expect(await listPublishedFiles(registry)).toEqual(expect.arrayContaining(names));
    for (const name of names) await rm(publishedFilePath(registry, name));
  });

  it('do not include those of a running creation, and files with other names', async () => {
    const id = randomUUID();
    await runSql(registry, 'insert into drafts (artifact_id) values ($1)', id);
    for (const name of [`${id}.c2pa`, 'robots.txt', `${randomUUID()}.jpg`]) {
      await writeFile(publishedFilePath(registry, name), 'content');
      await makeOld(publishedFilePath(registry, name), 48);
    }
    expect((await auditor.audit({ repair: true })).found).toEqual([]);
    expect(await listPublishedFiles(registry)).toEqual(expect.arrayContaining([`${id}.c2pa`, 'robots.txt']));
    await runSql(registry, 'delete from drafts');
    await rm(publishedFilePath(registry, `${id}.c2pa`));
  });

  it('include unfinished files of a killed process, after an hour', async () => {
    const [file, young] = [`${randomUUID()}.draft`, `${randomUUID()}.draft`];
    for (const name of [file, young]) await writeFile(publishedFilePath(registry, name), 'half');
    await makeOld(publishedFilePath(registry, file), 2);
    await expectRepaired(auditor, 'draft-left', { file });
    expect(await listPublishedFiles(registry)).toContain(young);
  });
});

it('Files in a bucket are audited and repaired like those in a folder', async () => {
  const folder = await temporaryFolder();
  const s3 = await startS3(folder);
  try {
    const files = openS3Store({ bucket: s3.bucket, prefix: 'some files/a+b' }, s3.environment);
    const names = (await listPublishedFiles(registry)).filter((name) => /\.(c2pa|json|png)$/.test(name));
    for (const name of names) await files.publish({ [name]: await readFile(publishedFilePath(registry, name)) });
    const audit = (repair: boolean) => auditor.audit({ repair, parts: { files } });
    expect(await audit(false)).toMatchObject({ found: [], summary: { walked: { files: names.length } } });

    const [stray, lost] = [`${randomUUID()}.png`, `${idAt(landed)}.png`];
    await files.publish({ [stray]: Buffer.from('stray') });
    await makeOld(join(folder, s3.bucket, 'some files/a+b', `${stray}._S3rver_object`), 1);
    await files.remove(lost);
    const found = [
      { code: 'file-missing', about: { artifactId: idAt(landed), file: lost }, repairable: true },
      { code: 'file-stray', about: { file: stray }, repairable: true },
    ];
    expect((await audit(true)).found).toEqual(found.map((finding) => ({ ...finding, repaired: true })));
    expect((await audit(false)).found).toEqual([]);
  } finally {
    await s3.stop();
  }
});
