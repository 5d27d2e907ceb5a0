// The service is killed twenty times while people create Artifacts: what it has answered is there, and what it could
// not answer any more is there whole or not at all.

import { createHash, randomUUID } from 'node:crypto';
import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SOFT_BINDING_ALGORITHM } from '@provenance-registry/core';
import pg from 'pg';
import { createPublicClient, http, parseAbi } from 'viem';
import { expect, it, vi } from 'vitest';
import { access, findServer } from '../src/database/embedded/server.js';
import { changesIn, door, seeded } from './support/killing.js';
import { createMark, person } from './support/people.js';
import { freePort } from './support/ports.js';
import { type Answer, call, launch, type Service, startEmbedded, temporaryFolder } from './support/service.js';

const KILLS = 20;
const CLIENTS = 6;
const SEED = 20_261_115;
/** The longest that a service is left alone once it answers. */
const LONGEST_LIFE_MS = 800;
/** The first creation of a life compiles the verifier: a second, when the machine has nothing else to do. */
const LONGEST_WARM_UP_MS = 2_000;
/** A service starts in half of this. */
const LONGEST_START_MS = 1_500;
/** What died is noticed after 30 s, by a look every 15 s. */
const SWEPT_AFTER_MS = 60_000;
/** Two minutes are enough on a machine with nothing else to do. */
const TIME_LIMIT_MS = 600_000;
const extensions = ['c2pa', 'json', 'png'];

interface Attempt {
  readonly fingerprint: string;
  readonly key: string;
}
interface Known extends Attempt {
  readonly id: string;
}

it(
  'a service that is killed under load keeps what it has answered, and half of nothing',
  async () => {
    const random = seeded(SEED);
    const below = (limit: number) => Math.floor(random() * limit);
    const dataDir = await temporaryFolder();
    const ports = { PORT: String(await freePort()), CHAIN_PORT: String(await freePort()) };
    const counts = { kills: 0, answered: 0, lost: 0, whole: 0, neverThere: 0, unavailable: 0 };
    /** Creations that died after they had begun a draft, by how many of their files were there. */
    const abandoned = new Map<string, number>();

    let service = await startEmbedded(dataDir, ports);
    const { token } = await person(service, 'enterprise');
    const { body: mark } = await createMark(service, { token });
    const database = await openEmbedded(dataDir);
    const publicFolder = join(dataDir, 'public');

    const answered: Known[] = [];
    const absent: Attempt[] = [];
    const up = door();
    let answers = () => {};
    let loaded = true;

    /** Undefined: no answer came. */
    async function ask(...request: Parameters<typeof call>): Promise<Answer | undefined> {
      for (;;) {
        await up.passed();
        try {
          return await call(...request);
        } catch (error) {
          if (!isRefusedConnection(error)) return undefined;
          // Not even sent. The door closes when the kill is noticed here, which may be a moment later.
          await delay(5);
        }
      }
    }
    const create = ({ fingerprint, key }: Attempt) =>
      ask(service, 'POST', '/api/v1/artifacts', {
        token,
        body: { markId: mark.id, fingerprint, filename: 'photo.jpg' },
        headers: { 'idempotency-key': key },
      });
    async function look(attempt: Attempt): Promise<Answer> {
      const found = await ask(service, 'GET', `/api/v1/artifacts/${attempt.fingerprint}`, { token });
      return found ?? look(attempt);
    }

    /** What a client does whose answer did not come: it looks, and asks again with its key, or gives up. */
    async function settle(attempt: Attempt): Promise<void> {
      counts.lost += 1;
      const found = await look(attempt);
      expect([200, 404]).toContain(found.status);
      counts[found.status === 200 ? 'whole' : 'neverThere'] += 1;
      if (found.status === 404 && random() < 0.5) {
        absent.push(attempt);
        return;
      }
      let again = await create(attempt);
      while (again === undefined) again = await create(attempt);
      expect(again.status).toBe(201);
      if (found.status === 200) expect(again.body.id).toBe(found.body.id);
      answered.push({ ...attempt, id: again.body.id });
    }

    async function client(): Promise<void> {
      while (loaded) {
        const attempt = {
          fingerprint: `0x${createHash('sha256').update(randomUUID()).digest('hex')}`,
          key: randomUUID(),
        };
        const answer = await create(attempt);
        if (answer?.status === 201) {
          counts.answered += 1;
          answered.push({ ...attempt, id: answer.body.id });
          answers();
        } else {
          if (answer) counts.unavailable += 1;
          await settle(attempt);
        }
      }
    }

    const nextAnswers = (count: number) =>
      new Promise<void>((resolve) => {
        let left = count;
        answers = () => {
          left -= 1;
          if (left <= 0) resolve();
        };
      });
    const soon = (event: Promise<unknown>) => Promise.race([event, delay(LONGEST_LIFE_MS)]);
    /** Chance alone would leave out what takes a moment only, so some kills follow what they are to hit. */
    const moments: (() => Promise<unknown>)[] = [
      () => delay(below(LONGEST_LIFE_MS)),
      () => changesIn(publicFolder, 1 + below(100), LONGEST_LIFE_MS),
      () => changesIn(join(dataDir, 'chain'), 1 + below(4), LONGEST_LIFE_MS),
      () => soon(nextAnswers(1 + below(40))),
    ];
    /** Most of them while it is busy; every fifth before it has got that far. */
    async function nextMoment(): Promise<void> {
      if (counts.kills % 5 === 4) await delay(below(LONGEST_WARM_UP_MS));
      else {
        await nextAnswers(1);
        await moments[counts.kills % moments.length]?.();
      }
    }

    async function kill(victim: Service): Promise<void> {
      up.close();
      await victim.end('SIGKILL');
      counts.kills += 1;
      const { rows } = await database.query<{ artifact_id: string }>('select artifact_id from drafts');
      const files = await readdir(publicFolder);
      for (const { artifact_id } of rows) {
        if (abandoned.has(artifact_id)) continue;
        abandoned.set(artifact_id, files.filter((file) => file.startsWith(artifact_id)).length);
      }
    }

    const clients = Promise.all(Array.from({ length: CLIENTS }, client));
    // A client's complaint ends the test now, and not when the last kill is through.
    const complaint = clients.then(() => undefined);
    complaint.catch(() => undefined);
    async function killAgainAndAgain(): Promise<void> {
      while (counts.kills < KILLS) {
        await nextMoment();
        await kill(service);
        if (counts.kills % 10 === 5) {
          const starting = await launch({ ...ports, DATA_DIR: dataDir });
          await delay(below(LONGEST_START_MS));
          await kill(starting);
        }
        service = await startEmbedded(dataDir, ports);
        up.open();
      }
      loaded = false;
    }
    await Promise.race([killAgainAndAgain(), complaint]);
    await clients;

    // Everything that was answered is resolvable, and reaches the chain.
    const waiting = [...answered];
    await Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        for (let next = waiting.pop(); next; next = waiting.pop()) {
          const shown = await untilSubmitted(service, token, next.fingerprint);
          expect(shown.body).toMatchObject({ id: next.id, status: 'submitted', fingerprint: next.fingerprint });
          const value = encodeURIComponent(Buffer.from(next.fingerprint.slice(2), 'hex').toString('base64'));
          const matches = await call(
            service,
            'GET',
            `/api/c2pa/matches/byBinding?alg=${SOFT_BINDING_ALGORITHM}&value=${value}`,
          );
          expect(matches.body.matches).toMatchObject([{ manifestId: next.id }]);
          expect((await call(service, 'GET', `/api/c2pa/manifests/${next.id}`)).status).toBe(200);
          for (const url of Object.values<string>(shown.body.c2paAssets).slice(1)) {
            expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
          }
        }
      }),
    );
    // An answer that comes again is the first one, however many lives ago that was.
    for (const known of answered.slice(0, 50)) expect((await create(known))?.body.id).toBe(known.id);
    for (const attempt of absent) expect((await look(attempt)).status).toBe(404);

    // Nothing is left of what died.
    await vi.waitFor(
      async () => {
        const { rows } = await database.query('select from drafts');
        expect(rows).toEqual([]);
      },
      { timeout: SWEPT_AFTER_MS, interval: 250 },
    );
    const ids = answered.map(({ id }) => id).sort();
    const { rows } = await database.query<{ id: string }>('select id from artifacts order by id::text');
    expect(rows.map(({ id }) => id)).toEqual(ids);
    const published = (await readdir(publicFolder)).filter((name) => !name.endsWith('.draft'));
    expect(published.sort()).toEqual(ids.flatMap((id) => extensions.map((extension) => `${id}.${extension}`)));
    const limits = await call(service, 'GET', '/api/tier/limits', { token });
    expect(limits.body.usage.lifetimeArtifacts).toBe(answered.length);
    expect(
      (await database.query('select from outbox join artifacts on artifacts.id = artifact_id where status <> 2')).rows,
    ).toEqual([]);
    expect((await registered(service, ports.CHAIN_PORT)).sort()).toEqual(
      answered.map(({ fingerprint }) => fingerprint).sort(),
    );

    await database.end();
    const withFiles = [0, 1, 2, 3].map((count) => [...abandoned.values()].filter((files) => files === count).length);
    console.log(
      `${counts.kills} kills: ${counts.answered} answers, ${counts.lost} lost on the way (${counts.whole} Artifacts whole, ` +
        `${counts.neverThere} never there), ${counts.unavailable} other answers; ${abandoned.size} drafts, with 0, 1, 2 and ` +
        `3 files: ${withFiles.join(', ')}; ${answered.length} Artifacts in the end`,
    );
    expect(counts.kills).toBeGreaterThanOrEqual(KILLS);
  },
  TIME_LIMIT_MS,
);

function isRefusedConnection(error: unknown): boolean {
  return (
    error instanceof TypeError &&
    error.cause instanceof Error &&
    'code' in error.cause &&
    error.cause.code === 'ECONNREFUSED'
  );
}

async function untilSubmitted(service: Service, token: string, fingerprint: string): Promise<Answer> {
  for (;;) {
    const shown = await call(service, 'GET', `/api/v1/artifacts/${fingerprint}?wait=30`, { token });
    expect(shown.status).toBe(200);
    if (shown.body.status !== 'pending' && shown.body.status !== 'submitting') return shown;
  }
}

/** The database of a service, which outlives it when it is killed. */
async function openEmbedded(dataDir: string): Promise<pg.Client> {
  const link = join(dataDir, 'postgresql');
  const server = await findServer({ folder: await readlink(link).catch(() => link), user: undefined });
  if (!server) throw new Error('the database is not there');
  const client = new pg.Client({ host: server.socketFolder, port: server.port, ...access });
  // Its server is stopped when the test gives up.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** The fingerprints in the registry's log, each as often as it is there. */
async function registered(service: Service, chainPort: string): Promise<string[]> {
  const { body: contract } = await call(service, 'GET', '/c2pa/contract');
  const node = createPublicClient({ transport: http(`http://127.0.0.1:${chainPort}`) });
  const logs = await node.getLogs({
    address: contract.address,
    event: parseAbi([
      'event SoftBindingRegistered(bytes32 indexed fingerprint, string[] endpoints, string manifestId)',
    ])[0],
    fromBlock: 0n,
    strict: true,
  });
  return logs.map(({ args }) => args.fingerprint);
}
