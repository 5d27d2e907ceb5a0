// `fetch` for nodes that the visitor named, which a worker does: nodeWorker.ts says why.

import type { NodeMessage, NodeResponse } from './nodeWorker.js';

interface Waiting {
  readonly resolve: (response: Response) => void;
  readonly reject: (reason: unknown) => void;
}

const waiting = new Map<number, Waiting>();
let lastId = 0;
let worker: Worker | undefined;

/** Takes what the SDK sends to nodes. Only the status and the body of the response are those of the node. */
export async function fetchFromNode(...[resource, options]: Parameters<typeof fetch>): Promise<Response> {
  const request = new Request(resource, options);
  const { signal, method, url } = request;
  const body = await request.text();
  signal.throwIfAborted();
  lastId += 1;
  const id = lastId;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    signal.addEventListener('abort', () => {
      waiting.delete(id);
      post({ canceled: id });
      reject(signal.reason);
    });
    post({ id, url, method, headers: [...request.headers], body });
  });
}

function post(message: NodeMessage): void {
  worker ??= startWorker();
  worker.postMessage(message);
}

function startWorker(): Worker {
  const started = new Worker(new URL('./nodeWorker.ts', import.meta.url), { type: 'module' });
  started.onmessage = ({ data }: MessageEvent<NodeResponse>) => {
    const { resolve, reject } = waiting.get(data.id) ?? {};
    waiting.delete(data.id);
    if ('error' in data) reject?.(new TypeError(data.error));
    // Some statuses allow no body, not even an empty one.
    else resolve?.(new Response(data.body.byteLength === 0 ? null : data.body, { status: data.status }));
  };
  started.onerror = () => {
    worker = undefined;
    for (const { reject } of waiting.values()) reject(new TypeError('The worker for nodes could not be started.'));
    waiting.clear();
  };
  return started;
}
