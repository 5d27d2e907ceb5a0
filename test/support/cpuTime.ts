// CPU time of a process with its children, as /proc has it.

import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts CPU time in hundredths of a second for programs. */
const MS_PER_TICK = 10;

interface ProcessTimes {
  readonly parent: number;
  /** Its own and that of children that have ended. */
  readonly cpuMs: number;
}

/** CPU time of the process and everything that it started so far, except processes that have left their parent. */
export function readCpuTimeMs(pid: number): number {
  const processes = new Map<number, ProcessTimes>();
  for (const name of readdirSync('/proc')) {
    const times = /^\d+$/.test(name) ? readTimes(name) : undefined;
    if (times) processes.set(Number(name), times);
  }
  let sum = 0;
  for (const [candidate, { cpuMs }] of processes) if (isWithin(candidate, pid, processes)) sum += cpuMs;
  return sum;
}

function isWithin(pid: number, ancestor: number, processes: ReadonlyMap<number, ProcessTimes>): boolean {
  for (let current: number | undefined = pid; current; current = processes.get(current)?.parent) {
    if (current === ancestor) return true;
  }
  return false;
}

/** Undefined if the process has ended. */
function readTimes(pid: string): ProcessTimes | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The program's name, in parentheses, may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { parent: Number(fields[1]), cpuMs: ticks * MS_PER_TICK };
}
