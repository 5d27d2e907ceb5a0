// Runs the commands of "Point-in-time recovery" in docs/operating.md: archive the log, back up, restore to a moment, recover
// and audit.

import { type ExecFileOptions, execFile } from 'node:child_process';
import { chown, cp, mkdir, readdir, readFile, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { createMark, createUser } from '../../../../test/support/accounts.js';
import { createArtifact, type Fingerprint, getArtifact, newFingerprint } from '../../../../test/support/artifacts.js';
import { listBlocks } from '../../../../test/support/documentedBlocks.js';
import { freePort } from '../../../../test/support/ports.js';
import { query, testBinaries } from '../../../../test/support/postgres.js';
import { newDataFolder, type Service, startService, temporaryFolder } from '../../../../test/support/service.js';
import { auditCommand } from '../../src/commands/audit.js';
import { recoverCommand } from '../../src/commands/recover.js';
import { startDeployedChain } from '../support/deployedChain.js';
import { runServerCommand } from '../support/serverCommand.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../../', import.meta.url));
const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const closers: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closers.toReversed()) await close();
});

/** pg_basebackup and others come with Debian's client, of any version. */
async function findClientFolders(): Promise<string[]> {
  const versions = await readdir('/usr/lib/postgresql').catch(() => []);
  return versions.map((version) => `/usr/lib/postgresql/${version}/bin`);
}

/** A server of its own, because it is stopped and replaced. */
async function startServer() {
  const folder = await temporaryFolder();
  const [binaries, port] = [await testBinaries(folder), await freePort()];
  const [PGDATA, BACKUP_DIR, METRICS_DIR] = ['data', 'backup', 'metrics'].map((name) => join(folder, name));
  if (!PGDATA || !BACKUP_DIR || !METRICS_DIR) throw new Error('no folders');
  for (const path of [BACKUP_DIR, METRICS_DIR]) await mkdir(path);
  const owner = { uid: user.uid ?? process.getuid?.() ?? 0, gid: user.gid ?? process.getgid?.() ?? 0 };
  for (const path of [folder, BACKUP_DIR, METRICS_DIR]) await chown(path, owner.uid, owner.gid);
  const url = `postgres://tester@127.0.0.1:${port}/postgres`;
  const env = {
    PATH: [join(binaries, 'bin'), ...(await findClientFolders()), '/usr/bin', '/bin'].join(':'),
    LC_ALL: 'C',
    PGDATA,
    BACKUP_DIR,
    METRICS_DIR,
    REPLICATION_URL: url,
  };
  const options: ExecFileOptions = { ...user, cwd: folder, env };
  await run('initdb', ['--username=tester', '--auth=trust', '--encoding=UTF8'], options);
  const settings = `port=${port}\nlisten_addresses='127.0.0.1'\nunix_socket_directories='${folder}'\nlogging_collector=on\n`;
  await shell(`cat >>"$PGDATA/postgresql.conf" <<'EOF'\n${settings}EOF\npg_ctl --wait start`, {});
  closers.push(() => shell('pg_ctl --mode=immediate --wait stop', {}).catch(() => undefined));

  async function shell(code: string, variables: Readonly<Record<string, string>>) {
    // A server that a command starts keeps the output open: nobody waits for its end.
    const text = `set -e\n${code.replaceAll('deploy/backup.sh', `bash ${join(folder, 'backup.sh')}`)}`;
    await run('bash', ['-c', `(${text}\n) >"$0" 2>&1`, join(folder, 'output')], {
      ...options,
      env: { ...env, ...variables },
    }).catch(async (error) => {
      throw new Error(await readFile(join(folder, 'output'), 'utf8'), { cause: error });
    });
  }
  await cp(join(root, 'deploy/backup.sh'), join(folder, 'backup.sh'));
  return { url, shell, PGDATA, BACKUP_DIR, METRICS_DIR };
}

/** The blocks of the section, by the words that they contain. */
async function findBlock(text: string): Promise<string> {
  const blocks = await listBlocks('docs/operating.md');
  const block = blocks.find(({ code }) => code.includes(text));
  if (!block) throw new Error(`no block has ${text}`);
  return block.code;
}

it('A database is restored to a moment, what was registered after it is recovered, and the audit finds nothing', async () => {
  const server = await startServer();
  await server.shell(await findBlock('archive_command'), {});
  const chain = await startDeployedChain();
  closers.push(() => chain.close());
  const settings = { ...chain.settings, DATABASE_URL: server.url, DATA_DIR: await newDataFolder() };
  const service = await startService(settings);
  const owner = await createUser(service);
  const markId = String((await createMark(service, owner)).body.id);
  const register = async (count: number) => {
    const fingerprints = Array.from({ length: count }, newFingerprint);
    for (const fingerprint of fingerprints) {
      expect((await createArtifact(service, owner, { markId, fingerprint, filename: 'a.jpg' })).status).toBe(201);
    }
    await expect.poll(() => listStatuses(service, owner, fingerprints)).toEqual(Array(count).fill('submitted'));
    return fingerprints;
  };

  const beforeBackup = await register(3);
  await server.shell(await findBlock('deploy/backup.sh'), {});
  expect(await readFile(join(server.METRICS_DIR, 'registry_backup.prom'), 'utf8')).toMatch(
    /^registry_backup_timestamp_seconds \d+$/m,
  );
  const beforeMoment = await register(2);
  const [{ now } = { now: '' }] = await query<{ now: string }>(server.url, 'select now()::text as now');
  const afterMoment = await register(4);
  await query(server.url, 'drop table webhook_deliveries cascade');
  // The running service goes on writing to later ones.
  const [{ wal } = { wal: '' }] = await query<{ wal: string }>(
    server.url,
    'select pg_walfile_name(pg_current_wal_insert_lsn()) as wal',
  );
  await query(server.url, 'select pg_switch_wal()');
  const isArchived = async () =>
    query<{ done: boolean }>(server.url, 'select last_archived_wal >= $1 as done from pg_stat_archiver', [wal]);
  await expect.poll(async () => (await isArchived())[0]?.done).toBe(true);
  await service.end();
  await server.shell(await findBlock('recovery_target_time'), { MOMENT: now });
  const isPromoted = () => query<{ done: boolean }>(server.url, 'select not pg_is_in_recovery() as done');
  await expect.poll(async () => (await isPromoted())[0]?.done).toBe(true);

  await ageFiles(join(settings.DATA_DIR, 'public'));
  const recovered = await runServerCommand(recoverCommand, settings, '--json');
  expect(JSON.parse(recovered.log.trim().split('\n').at(-1) ?? '')).toMatchObject({
    summary: { found: { recovered: 4 } },
  });
  await runServerCommand(auditCommand, settings, '--repair');
  expect(await runServerCommand(auditCommand, settings)).toMatchObject({ code: 0, log: '' });

  const restored = await startService(settings);
  const all = [...beforeBackup, ...beforeMoment, ...afterMoment];
  expect(await listStatuses(restored, owner, all)).toEqual(Array(9).fill('submitted'));
  for (const fingerprint of all) {
    const { status } = await createArtifact(restored, owner, { markId, fingerprint, filename: 'a.jpg' });
    expect(status).toBe(409);
  }
});

function listStatuses(service: Service, owner: { token: string }, fingerprints: readonly Fingerprint[]) {
  return Promise.all(fingerprints.map(async (one) => (await getArtifact(service, owner, one)).body.status));
}

/** Files of the last two minutes may belong to creations in progress. */
async function ageFiles(folder: string): Promise<void> {
  const yesterday = new Date(Date.now() - 86_400_000);
  for (const name of await readdir(folder)) await utimes(join(folder, name), yesterday, yesterday);
}
