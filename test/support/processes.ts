// Which processes run, as /proc has them.

import { readdir, readFile } from 'node:fs/promises';

/** Running processes whose command line contains that text, and that are not zombies. */
export async function findProcesses(text: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(pids.map(async (pid) => (await readCommandLine(pid)).includes(text)));
  return pids.filter((_, index) => found[index]);
}

/** The process's children, with theirs. */
export async function findDescendants(pid: number, text: string): Promise<number[]> {
  const candidates = await findProcesses(text);
  const related = await Promise.all(candidates.map((candidate) => isDescendant(candidate, pid)));
  return candidates.filter((_, index) => related[index]);
}

async function isDescendant(pid: number, ancestor: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const parent = Number(/^PPid:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  return parent === ancestor || (parent > 1 && isDescendant(parent, ancestor));
}

/** Arguments are separated by spaces. Empty for a process that has ended. */
async function readCommandLine(pid: number): Promise<string> {
  return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ');
}
