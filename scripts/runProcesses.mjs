// The processes of a test run: everything that it started, also what has left its parent since. All of them name the run's
// temporary folder, in their arguments, environment or working folder, or descend from one that does.

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** Time for an orderly end, in which PostgreSQL removes its shared memory. Whatever is left is killed. */
const GRACE_MS = 4_000;
/** Killed processes are gone within milliseconds; one that a disk holds up is not waited for. */
const KILL_MS = 4_000;
const POLL_MS = 50;

/** @typedef {{ pid: number, parent: number, command: string, namesFolder: boolean }} RunningProcess */

/** @param {string} folder @returns {RunningProcess[]} without this process */
export function findRunProcesses(folder) {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? readProcess(name, folder) : []));
  const byPid = new Map(all.map((running) => [running.pid, running]));
  /** @param {RunningProcess | undefined} running @returns {boolean} */
  const belongs = (running) =>
    running !== undefined && running.pid !== process.pid && (running.namesFolder || belongs(byPid.get(running.parent)));
  return all.filter(belongs);
}

/** Ends every process of the run. @param {string} folder */
export async function endRunProcesses(folder) {
  signalAll(folder, 'SIGTERM');
  if (await waitUntilGone(folder, GRACE_MS)) return;
  signalAll(folder, 'SIGKILL');
  await waitUntilGone(folder, KILL_MS);
}

/** Removes the folder of a run, also when a test that was stopped has left a file system mounted there. @param {string} folder */
export function removeRunFolder(folder) {
  const places = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '');
  for (const place of places) if (place.startsWith(`${folder}/`)) spawnSync('umount', ['-l', place]);
  rmSync(folder, { recursive: true, force: true });
}

/** @param {string} folder @param {number} milliseconds */
async function waitUntilGone(folder, milliseconds) {
  for (let waited = 0; waited < milliseconds; waited += POLL_MS) {
    if (findRunProcesses(folder).length === 0) return true;
    await delay(POLL_MS);
  }
  return false;
}

/** @param {string} folder @param {NodeJS.Signals} signal */
function signalAll(folder, signal) {
  for (const { pid } of findRunProcesses(folder)) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** @param {string} pid @param {string} folder @returns {RunningProcess[]} empty for one that has ended */
function readProcess(pid, folder) {
  const stat = readOrEmpty(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (stat === '' || state === 'Z') return [];
  const command = readOrEmpty(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
    .replaceAll('\0', ' ')
    .trim();
  // Other users' processes do not show these.
  const environment = readOrEmpty(() => readFileSync(`/proc/${pid}/environ`, 'utf8'));
  const workingFolder = readOrEmpty(() => readlinkSync(`/proc/${pid}/cwd`));
  const namesFolder = [command, environment, workingFolder].some((text) => text.includes(folder));
  return [{ pid: Number(pid), parent: Number(parent), command, namesFolder }];
}

/** @param {() => string} read */
function readOrEmpty(read) {
  try {
    return read();
  } catch {
    return '';
  }
}
