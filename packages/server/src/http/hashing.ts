// SHA-256 of what arrives, in flat memory. Reading a large file from a connection and hashing it take about as long as
// each other: beyond the first block, a thread hashes while this one reads.

import { createHash } from 'node:crypto';
import { Worker } from 'node:worker_threads';

/** What is smaller is hashed here and at once. */
const BLOCK_BYTES = 512 * 1024;
/** Of one file, between the two threads: one is filled, one is hashed, one is on its way. */
const MAX_BLOCKS = 3;

/** The last order may have no block; what was given up ends so, too. */
export interface HashOrder {
  readonly id: number;
  readonly block: ArrayBuffer | undefined;
  readonly length: number;
  readonly isLast: boolean;
}

export interface HashAnswer {
  readonly id: number;
  readonly block: ArrayBuffer | undefined;
  readonly digest: Uint8Array | undefined;
}

export class StreamingHash {
  readonly #id = nextId();
  #block = new ArrayBuffer(BLOCK_BYTES);
  #filled = 0;
  /** Blocks that the thread has, and those that it gave back. */
  #away = 0;
  #free: ArrayBuffer[] = [];
  #onAnswer: (() => void) | undefined;
  #digest: Uint8Array | undefined;
  #fault: Error | undefined;

  /** The chunk is copied. Only when the answer is a promise is there something to wait for. */
  update(chunk: Uint8Array): Promise<void> | undefined {
    const part = chunk.subarray(0, BLOCK_BYTES - this.#filled);
    new Uint8Array(this.#block).set(part, this.#filled);
    this.#filled += part.length;
    const rest = chunk.subarray(part.length);
    return rest.length === 0 ? undefined : this.#exchangeBlock().then(() => this.update(rest));
  }

  async digest(): Promise<Uint8Array> {
    const rest = new Uint8Array(this.#block, 0, this.#filled);
    if (this.#away === 0 && this.#free.length === 0) return createHash('sha256').update(rest).digest();
    this.#send(this.#block, this.#filled, true);
    while (!this.#digest) await this.#nextAnswer();
    this.#end();
    return this.#digest;
  }

  /** Nobody wants it any more. */
  drop(): void {
    if (underWay.has(this.#id)) this.#send(undefined, 0, true);
    this.#end();
  }

  async #exchangeBlock(): Promise<void> {
    this.#send(this.#block, this.#filled, false);
    while (this.#free.length === 0 && this.#away >= MAX_BLOCKS) await this.#nextAnswer();
    this.#block = this.#free.pop() ?? new ArrayBuffer(BLOCK_BYTES);
    this.#filled = 0;
  }

  #send(block: ArrayBuffer | undefined, length: number, isLast: boolean): void {
    if (!underWay.has(this.#id)) {
      underWay.set(this.#id, {
        answered: (answer) => this.#take(answer),
        failed: (fault) => {
          this.#fault = fault;
          this.#onAnswer?.();
        },
      });
    }
    this.#away += 1;
    const order: HashOrder = { id: this.#id, block, length, isLast };
    thread().postMessage(order, block ? [block] : []);
  }

  #take({ block, digest }: HashAnswer): void {
    this.#away -= 1;
    if (block) this.#free.push(block);
    this.#digest = digest;
    this.#onAnswer?.();
  }

  async #nextAnswer(): Promise<void> {
    if (this.#fault) throw this.#fault;
    await new Promise<void>((resolve) => {
      this.#onAnswer = resolve;
    });
    if (this.#fault) throw this.#fault;
  }

  #end(): void {
    underWay.delete(this.#id);
    if (underWay.size === 0) worker?.unref();
  }
}

/** It makes no objects but those that come and go with the blocks. */
const resourceLimits = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 };

interface Arriving {
  readonly answered: (answer: HashAnswer) => void;
  readonly failed: (fault: Error) => void;
}

const underWay = new Map<number, Arriving>();
let lastId = 0;
let worker: Worker | undefined;

function nextId(): number {
  lastId += 1;
  return lastId;
}

/** One for all uploads: it hashes faster than one thread can read. It keeps the process alive only while it is needed. */
function thread(): Worker {
  if (!worker) {
    const started = new Worker(new URL('./hashWorker.js', import.meta.url), { resourceLimits });
    const fail = (fault: Error) => {
      if (worker === started) worker = undefined;
      for (const { failed } of underWay.values()) failed(fault);
    };
    started.on('message', (answer: HashAnswer) => underWay.get(answer.id)?.answered(answer));
    started.on('error', fail);
    started.on('exit', () => fail(new Error('the hashing thread ended')));
    worker = started;
  }
  worker.ref();
  return worker;
}
