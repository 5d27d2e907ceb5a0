// A collector of OpenTelemetry traces: receives OTLP over HTTP as JSON and keeps the spans.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';

const Attributes = Type.Array(
  Type.Object({
    key: Type.String(),
    value: Type.Object({ stringValue: Type.Optional(Type.String()), intValue: Type.Optional(Type.Number()) }),
  }),
);
const ReceivedSpan = Type.Object({
  traceId: Type.String(),
  spanId: Type.String(),
  parentSpanId: Type.Optional(Type.String()),
  name: Type.String(),
  attributes: Attributes,
  links: Type.Optional(Type.Array(Type.Object({ traceId: Type.String() }))),
});
const Export = Type.Object({
  resourceSpans: Type.Array(
    Type.Object({
      resource: Type.Object({ attributes: Attributes }),
      scopeSpans: Type.Array(Type.Object({ spans: Type.Array(ReceivedSpan) })),
    }),
  ),
});

export interface CollectedSpan extends Omit<Static<typeof ReceivedSpan>, 'attributes'> {
  readonly service: unknown;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface TraceCollector {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** Everything that was received, as it was sent. */
  received(): string;
  close(): void;
}

export async function startTraceCollector(): Promise<TraceCollector> {
  const spans: CollectedSpan[] = [];
  let received = '';
  const server = createServer(async (request, response) => {
    const body = await text(request);
    received += body;
    const { resourceSpans } = Value.Parse(Export, JSON.parse(body));
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = toRecord(resource.attributes)['service.name'];
      for (const span of scopeSpans.flatMap((scope) => scope.spans)) {
        spans.push({ ...span, service, attributes: toRecord(span.attributes) });
      }
    }
    response.writeHead(request.url === '/v1/traces' ? 200 : 404, { 'content-type': 'application/json' }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    spans,
    received: () => received,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function toRecord(attributes: Static<typeof Attributes>): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));
}
