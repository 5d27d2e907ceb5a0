// What a service has in use when its garbage is gone.

import { once } from 'node:events';
import type { Service } from './service.js';

/** Settings of a service that can be asked. */
export const withMemoryProbe = { NODE_OPTIONS: `--import=${new URL('./memoryProbe.mjs', import.meta.url)}` };

/** Bytes of objects and of buffers. */
export async function bytesInUse({ process: child, output }: Service): Promise<number> {
  const { stderr } = child;
  if (!stderr) throw new Error('the service has no standard error');
  const said = () => [...output().messages.matchAll(/^in use: (\d+)$/gm)].map(([, bytes]) => Number(bytes));
  const before = said().length;
  child.kill('SIGUSR2');
  while (said().length === before) await once(stderr, 'data');
  return said().at(-1) ?? 0;
}
