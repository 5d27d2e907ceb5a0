// Runs in a worker: sends requests to nodes that the visitor named. The policy of the page allows connections to the service
// alone; a worker has a policy of its own, so neither the service nor a cookie has to know the nodes.

export interface NodeRequest {
  readonly id: number;
  readonly url: string;
  readonly method: string;
  readonly headers: [string, string][];
  readonly body: string;
}

/** Without a status: the node could not be reached. */
export type NodeResponse = { readonly id: number } & (
  | { readonly status: number; readonly body: ArrayBuffer }
  | { readonly error: string }
);

export type NodeMessage = NodeRequest | { readonly canceled: number };

/** What the SDK reads at most: it refuses a response that has more. */
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;

const active = new Map<number, AbortController>();

async function send({ id, url, ...request }: NodeRequest): Promise<NodeResponse> {
  const controller = new AbortController();
  active.set(id, controller);
  try {
    // Redirects are not followed: the visitor chose this node, and the request may carry a password.
    const options = { ...request, redirect: 'manual', signal: controller.signal } as const;
    const response = await fetch(url, options);
    // Of a redirect, the browser tells nothing else.
    const status = response.type === 'opaqueredirect' ? 302 : response.status;
    return { id, status, body: await readBody(response) };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  } finally {
    active.delete(id);
  }
}

async function readBody({ body }: Response): Promise<ArrayBuffer> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const reader = body?.getReader();
  for (let size = 0; reader && size <= MAX_RESPONSE_BYTES; ) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    chunks.push(value);
  }
  await reader?.cancel();
  return new Blob(chunks).arrayBuffer();
}

self.onmessage = async ({ data }: MessageEvent<NodeMessage>) => {
  if ('canceled' in data) active.get(data.canceled)?.abort();
  else self.postMessage(await send(data));
};
