// The worker pool: order, timeouts, crashes, limits and closing.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { getPriority } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TransferredResult } from '../../src/workers/jobs.js';
import { LostJobError, WorkerPool, type WorkerPoolOptions } from '../../src/workers/pool.js';

/** The jobs of support/obedientWorker.mjs. */
type ObedientJobs = {
  echo(text: string): string;
  giveBack(block: ArrayBuffer): TransferredResult<ArrayBuffer>;
  fail(reason: string): never;
  spin(nothing?: undefined): never;
  leave(nothing?: undefined): never;
  lowerThreadPriority(nothing?: undefined): void;
  priority(nothing?: undefined): number;
  environment(nothing?: undefined): string[];
  processId(nothing?: undefined): number;
  queryTwice(query: Uint8Array): string;
  allocate(nothing?: undefined): never;
  useCpu(seconds: number): number;
  kernelLimits(nothing?: undefined): string;
};

let pool: WorkerPool<ObedientJobs>;
let isolation: 'thread' | 'process';

function start(maxWorkers: number, options: Partial<WorkerPoolOptions> = {}): void {
  pool = new WorkerPool<ObedientJobs>({
    file: new URL('../support/obedientWorker.mjs', import.meta.url),
    ...(isolation === 'process' && { processLimits: { cpuSeconds: 60, memoryMb: 512, heapMb: 128 } }),
    maxWorkers,
    jobTimeoutMs: 30_000,
    maxQueuedJobs: 1000,
    idleTimeoutMs: 30_000,
    ...options,
  });
}

afterEach(() => pool?.close());

describe.each(['thread', 'process'] as const)('a worker pool with a %s each', (each) => {
  beforeEach(() => {
    isolation = each;
  });

  it.each([1, 4])('runs jobs in the order of their arrival, %i at a worker', async (jobsPerWorker) => {
    start(1, { jobsPerWorker });
    const finished: string[] = [];
    const jobs = Array.from({ length: 20 }, async (_, number) => {
      finished.push(await pool.run('echo', `first ${number}`));
      finished.push(await pool.run('echo', `second ${number}`));
    });
    await Promise.all(jobs);
    const inOrder = (which: string) => Array.from({ length: 20 }, (_, number) => `${which} ${number}`);
    expect(finished).toEqual([...inOrder('first'), ...inOrder('second')]);
  });

  it('reports why a job failed, and continues', async () => {
    start(1);
    await expect(pool.run('fail', 'no such color')).rejects.toThrow('no such color');
    expect(await pool.run('echo', 'still here')).toBe('still here');
  });

  it('handles the queries of a worker while it runs a job', async () => {
    start(1);
    const answers = ['first', 'second'];
    const handleQuery = async (query: Uint8Array) => Buffer.from(`${answers.shift()} ${Buffer.from(query)} `);
    expect(await pool.run('queryTwice', Buffer.from('answer'), { handleQuery })).toBe('first answer second answer ');
    const refuse = () => Promise.reject(new Error('no signature'));
    await expect(pool.run('queryTwice', Buffer.from(''), { handleQuery: refuse })).rejects.toThrow('no signature');
    await expect(pool.run('queryTwice', Buffer.from(''))).rejects.toThrow('this job may not send queries');
    expect(await pool.run('echo', 'still here')).toBe('still here');
  });

  it('passes its check if it is idle or gets on with its queue, and fails it if jobs fail', async () => {
    start(1);
    await pool.check('echo', '');
    await expect(pool.check('fail', 'broken')).rejects.toThrow('broken');
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const handleQuery = async (query: Uint8Array) => {
      await released;
      return Buffer.from(query);
    };
    const running = pool.run('queryTwice', Buffer.from('x'), { handleQuery });
    const queued = pool.run('spin', undefined).catch(() => 'closed');
    let hasPassed = false;
    const check = pool.check('echo', '').then(() => {
      hasPassed = true;
    });
    await new Promise(setImmediate);
    expect(hasPassed).toBe(false);
    release();
    await Promise.all([running, check]);
    await pool.close();
    expect(await queued).toBe('closed');
  });

  it('lets a worker lower its own priority without changing that of the main thread', async () => {
    start(1);
    const usual = getPriority();
    expect(await pool.run('priority', undefined)).toBe(usual);
    await pool.run('lowerThreadPriority', undefined);
    expect(await pool.run('priority', undefined)).toBeGreaterThan(usual);
    expect(getPriority()).toBe(usual);
  });

  it.each([1, 4])(
    'replaces a worker that hangs or exits, and runs the queued jobs in a new one, %i at a worker',
    async (jobsPerWorker) => {
      start(1, { jobsPerWorker, jobTimeoutMs: 500, firstJobTimeoutMs: 30_000 });
      await pool.run('echo', 'warm');
      for (const fault of ['spin', 'leave'] as const) {
        const sent = Array.from({ length: jobsPerWorker }, () => pool.run(fault, undefined));
        const queued = pool.run('echo', fault);
        expect((await Promise.allSettled(sent)).map(({ status }) => status)).toEqual(sent.map(() => 'rejected'));
        expect(await queued).toBe(fault);
      }
    },
  );

  it('loses jobs, which may be tried again, while no worker can be started, and goes on when one can', async () => {
    const file = new URL('../support/obedientWorker.mjs', import.meta.url);
    const { href } = file;
    start(1, { file });
    await pool.run('echo', 'warm');
    // Refused at once, as by a system without processes or memory.
    file.href = 'https://no.example/worker.mjs';
    const jobs = [pool.run('leave', undefined), ...['one', 'two'].map((text) => pool.run('echo', text))];
    const reasons = (await Promise.allSettled(jobs)).map((job) => job.status === 'rejected' && job.reason);
    for (const reason of reasons) expect(reason).toBeInstanceOf(LostJobError);
    await expect(pool.run('echo', 'three')).rejects.toBeInstanceOf(LostJobError);
    file.href = href;
    expect(await pool.run('echo', 'four')).toBe('four');
  });

  it("has a separate timeout for a worker's first job", async () => {
    // No worker starts within a millisecond.
    start(1, { jobTimeoutMs: 1, firstJobTimeoutMs: 30_000 });
    expect(await pool.run('echo', 'first')).toBe('first');
    await expect(pool.run('spin', undefined)).rejects.toThrow('the job took too long');
    expect(await pool.run('echo', 'first of the next')).toBe('first of the next');
  });

  it('rejects a job when the queue is full', async () => {
    start(1, { maxQueuedJobs: 1 });
    const accepted = [pool.run('echo', 'one'), pool.run('echo', 'two')];
    await expect(pool.run('echo', 'three')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(await Promise.all(accepted)).toEqual(['one', 'two']);
  });

  it('ends idle workers, and starts new ones for the next job', async () => {
    start(2, { idleTimeoutMs: 1 });
    for (let turn = 0; turn < 5; turn++) expect(await pool.run('echo', `${turn}`)).toBe(`${turn}`);
  });

  it('rejects running, queued and new jobs when it is closed', async () => {
    start(1);
    const jobs = [pool.run('spin', undefined), pool.run('echo', 'never')];
    const settled = Promise.allSettled(jobs);
    await pool.close();
    expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(pool.run('echo', 'later')).rejects.toThrow('the worker pool is closed');
  });
});

describe('a worker pool with threads', () => {
  it('moves memory to the worker and back without a copy', async () => {
    isolation = 'thread';
    start(1);
    const block = new Uint8Array([1, 2, 3]).buffer;
    const returned = await pool.run('giveBack', block, { transferList: [block] });
    expect([...new Uint8Array(returned)]).toEqual([1, 2, 3]);
    expect(block.byteLength).toBe(0);
  });
});

describe('a worker pool with processes', () => {
  it("hides the service's environment from them", async () => {
    isolation = 'process';
    start(1);
    expect(await pool.run('environment', undefined)).toEqual([]);
  });

  const limits = { cpuSeconds: 1, memoryMb: 300, heapMb: 64 };

  it('limits their memory, their CPU time and the files that they write', async () => {
    isolation = 'process';
    start(1, { processLimits: limits });
    const kernelLimits = await pool.run('kernelLimits', undefined);
    expect(kernelLimits).toMatch(/^Max data size +314572800 +314572800 /m);
    expect(kernelLimits).toMatch(/^Max cpu time +2 +2 /m);
    expect(kernelLimits).toMatch(/^Max file size +0 +0 /m);
  });

  it.each(['allocate', 'spin'] as const)('replaces one whose job would %s without end', async (job) => {
    isolation = 'process';
    // Longer than a test may take: only the kernel can end it.
    start(1, { processLimits: limits, jobTimeoutMs: 600_000 });
    await expect(pool.run(job, undefined)).rejects.toThrow('the worker ended');
    expect(await pool.run('echo', 'next')).toBe('next');
  });

  it('replaces one before its jobs together reach the limit of CPU time', async () => {
    isolation = 'process';
    start(1, { processLimits: { ...limits, cpuSeconds: 2 } });
    // The kernel ends a process after 4 s, and the second job alone would reach that in the process of the first.
    const [first, second] = [await pool.run('useCpu', 2.1), await pool.run('useCpu', 1)];
    expect(second).not.toBe(first);
    expect(await pool.run('useCpu', 1.1)).toBe(second);
  });

  it('starts them where the limits are lower already', async () => {
    const lowered = ['-c', 'ulimit -t 50; ulimit -d 400000; exec "$0" "$@"', process.execPath];
    const service = fork(new URL('../support/workerProcessOwner.mjs', import.meta.url), {
      execPath: '/bin/sh',
      execArgv: lowered,
    });
    const [workerId] = await once(service, 'message');
    expect(workerId).toEqual(expect.any(Number));
    service.kill('SIGKILL');
    await expect.poll(() => isRunning(Number(workerId))).toBe(false);
  });

  it('loses a job, which may be tried again, while no file descriptor is left for one', async () => {
    const lowered = ['-c', 'ulimit -n 1000; exec "$0" "$@"', process.execPath];
    const owner = fork(new URL('../support/exhaustedPoolOwner.mjs', import.meta.url), {
      execPath: '/bin/sh',
      execArgv: lowered,
    });
    expect((await once(owner, 'message'))[0]).toEqual(['LostJobError', 'some']);
  });

  it('leaves none of them behind when the service is killed', async () => {
    const service = fork(new URL('../support/workerProcessOwner.mjs', import.meta.url));
    const [workerId] = await once(service, 'message');
    service.kill('SIGKILL');
    await expect.poll(() => isRunning(Number(workerId))).toBe(false);
  });
});

function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch {
    return false;
  }
}
