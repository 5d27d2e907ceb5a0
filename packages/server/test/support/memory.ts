// Measures the memory that a service uses after garbage collection.

import { once } from 'node:events';
import type { ServiceProcess } from '../../../../test/support/service.js';

/** Settings of a service whose memory can be measured. */
export const withMemoryProbe = { NODE_OPTIONS: `--import=${new URL('./memoryProbe.mjs', import.meta.url)}` };

/** Bytes of objects and of buffers. */
export async function measureBytesInUse({ process: child, output }: ServiceProcess): Promise<number> {
  const { stderr } = child;
  if (!stderr) throw new Error('the service has no standard error');
  const reports = () => [...output().messages.matchAll(/^in use: (\d+)$/gm)].map(([, bytes]) => Number(bytes));
  const before = reports().length;
  child.kill('SIGUSR2');
  while (reports().length === before) await once(stderr, 'data');
  return reports().at(-1) ?? 0;
}
