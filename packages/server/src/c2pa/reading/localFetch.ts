// Stands in for the network in a worker that has loaded c2pa-rs, which reaches the network by `fetch` alone. It resolves every
// `did:web`, but only the documents of this service are known here, and nothing is requested from anywhere.

/** By URL, as JSON. */
export const knownDocuments = new Map<string, string>();

// What c2pa-rs uses of the classes for requests. Node's own take longer than the check of a credential.

class LocalRequest {
  constructor(readonly url: string) {}
}

class LocalHeaders {
  append(): void {
    // A document is the same for every request.
  }
}

class LocalAbortController {
  readonly signal = {};
  abort(): void {
    // There is nothing to abort.
  }
}

async function fetchKnownDocument({ url }: LocalRequest): Promise<Response> {
  const document = knownDocuments.get(url);
  if (document === undefined) throw new Error('manifests are read without network access');
  return Object.create(Response.prototype, {
    url: { value: url },
    status: { value: 200 },
    headers: { value: [] },
    arrayBuffer: { value: async () => Uint8Array.from(Buffer.from(document)).buffer },
  });
}

Object.assign(globalThis, {
  fetch: fetchKnownDocument,
  Request: LocalRequest,
  Headers: LocalHeaders,
  AbortController: LocalAbortController,
});
