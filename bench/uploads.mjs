// The cost of looking up a large file by its content: hashed while it is uploaded, against `openssl` hashing it on disk; and a
// form against a server of Node that reads it and hashes nothing.

import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { report } from './report.mjs';
import { createFolder, measureRounds, openRegistry, readMegabytes, writeRandomFile } from './support.mjs';

const ROUNDS = 9;
const MEGABYTES = 200;
/** Without `Expect: 100-continue`, which would add a round trip. */
const CURL_OPTIONS = ['--silent', '--fail', '--header', 'expect:'];

const BARE = 'bare';
if (process.argv[2] === BARE) serveBare();
else if (process.send) await serve();
else await compare();

/** Reads every request, in a process of its own. */
function serveBare() {
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.end());
  });
  process.once('disconnect', () => server.close());
  server.listen(0, '127.0.0.1', () => process.send?.(Object(server.address()).port));
}

/** Runs this file as a separate process, to measure its memory alone. */
async function serve() {
  const registry = await openRegistry();
  process.once('disconnect', () => registry.close());
  process.send?.(await registry.serve());
}

async function compare() {
  const service = fork(fileURLToPath(import.meta.url));
  const [address] = await once(service, 'message');
  const url = `${address}/api/c2pa/matches/byContent`;
  const bare = fork(fileURLToPath(import.meta.url), [BARE]);
  const bareUrl = `http://127.0.0.1:${(await once(bare, 'message'))[0]}`;
  const folder = await createFolder();
  const path = join(folder, 'film.mp4');
  const small = join(folder, 'clip.mp4');
  await writeRandomFile(path, MEGABYTES);
  await writeRandomFile(small, 2);

  const body = ['--request', 'POST', '--header', 'content-type: video/mp4'];
  const variants = {
    openssl: () => measureRun('openssl', ['dgst', '-sha256', path]),
    body: () => measureRun('curl', [...CURL_OPTIONS, ...body, '-T', path, url]),
    form: () => measureRun('curl', [...CURL_OPTIONS, '--form', `file=@${path}`, url]),
    bare: () => measureRun('curl', [...CURL_OPTIONS, '--form', `file=@${path}`, bareUrl]),
  };

  // Allocates what uploads of any size need.
  execFileSync('curl', [...CURL_OPTIONS, ...body, '-T', small, url]);
  const idle = await readMegabytes(service.pid, 'VmRSS');
  // Resets the recorded peak.
  await writeFile(`/proc/${service.pid}/clear_refs`, '5');
  for (const warmUp of Object.values(variants)) await warmUp();
  const rounds = await measureRounds(ROUNDS, variants);
  const peak = await readMegabytes(service.pid, 'VmHWM');

  const speed = (/** @type {keyof typeof variants} */ name) => (MEGABYTES / rounds.median(name, 'seconds')).toFixed(0);
  report({
    what: `upload: byContent of ${MEGABYTES} MB as the body`,
    measured: `${speed('body')} MB/s`,
    against: `openssl dgst -sha256, ${speed('openssl')} MB/s`,
    value: rounds.ratio('openssl', 'body', 'seconds'),
    target: ['at least', 0.7],
  });
  report({
    what: `upload: byContent of ${MEGABYTES} MB in a form`,
    measured: `${speed('form')} MB/s`,
    against: `a server of Node that only reads it, ${speed('bare')} MB/s`,
    value: rounds.ratio('bare', 'form', 'seconds'),
    target: ['at least', 0.7],
  });
  report({
    what: 'the most that Node can do: reading the same form',
    measured: `${speed('bare')} MB/s`,
    against: `openssl dgst -sha256, ${speed('openssl')} MB/s`,
    value: rounds.ratio('openssl', 'bare', 'seconds'),
  });
  report({
    what: 'memory for these uploads, MB more than for one of 2 MB',
    measured: `${(peak - idle).toFixed(0)} MB`,
    value: peak - idle,
    target: ['at most', 64],
  });
  for (const server of [service, bare]) {
    server.disconnect();
    await once(server, 'exit');
  }
  await rm(folder, { recursive: true });
}

/** @param {string} command @param {readonly string[]} args */
async function measureRun(command, args) {
  const startedAt = performance.now();
  execFileSync(command, args);
  return { seconds: (performance.now() - startedAt) / 1000 };
}
