// Loaded into the service before it starts: tells its parent for how long the event loop was held, at most, in one turn. That
// is time in which its thread had a processor, so that other programs on the machine do not count.

import { openSync, readSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

// Threads of the service load it too.
if (isMainThread && process.send) {
  const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  const buffer = Buffer.alloc(64);
  let isWatching = false;
  let longest = 0;
  let last = { cpu: 0, wall: 0 };
  const read = () => ({
    cpu: Number(buffer.toString('latin1', 0, readSync(file, buffer, 0, 64, 0)).split(' ')[0]) / 1e6,
    wall: performance.now(),
  });
  const watch = () => {
    const now = read();
    // The kernel counts CPU time in steps of some milliseconds.
    longest = Math.max(longest, Math.min(now.cpu - last.cpu, now.wall - last.wall));
    last = now;
    if (isWatching) setImmediate(watch);
  };
  process.on('message', (message) => {
    isWatching = message === 'start';
    if (isWatching) {
      last = read();
      longest = 0;
      setImmediate(watch);
    } else process.send?.(longest);
  });
  process.channel?.unref();
}
