// A client of the stream of events, which collects what arrives until it is closed, or ends.

import type { Service } from '../../../../test/support/service.js';

export async function openEventStream(
  service: Pick<Service, 'url'>,
  { token }: { token: string },
  headers: Record<string, string> = {},
  search = '',
) {
  const controller = new AbortController();
  const response = await fetch(`${service.url}/api/v1/events/stream${search}`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
    signal: controller.signal,
  });
  let text = '';
  let isEnded = false;
  const ended = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
  })()
    .catch(() => {})
    .finally(() => {
      isEnded = true;
    });
  return {
    response,
    ended,
    isEnded: () => isEnded,
    text: () => text,
    ids: () => [...text.matchAll(/^id: (\d+)\nevent: /gm)].map(([, id]) => id),
    types: () => [...text.matchAll(/^event: (.*)$/gm)].map(([, type]) => type),
    close: () => controller.abort(),
  };
}
