// Links abort signals for the duration of an operation. AbortSignal.any is no alternative: Node 20 keeps its result as
// long as the sources live. Each source gets one listener in total, since Node warns about more than ten.

const abortHandlers = new WeakMap<AbortSignal, Set<() => void>>();

/** A signal that aborts when any of the given ones does, until it is released. */
export function linkSignals(...sources: readonly (AbortSignal | undefined)[]) {
  const controller = new AbortController();
  const releases = sources.map((source) => source && onAbort(source, () => controller.abort(source.reason)));
  return {
    signal: controller.signal,
    abort: (reason: unknown) => controller.abort(reason),
    release: () => {
      for (const release of releases) release?.();
    },
  };
}

function onAbort(signal: AbortSignal, handler: () => void): () => void {
  if (signal.aborted) handler();
  const handlers = abortHandlers.get(signal) ?? listen(signal);
  handlers.add(handler);
  return () => handlers.delete(handler);
}

function listen(signal: AbortSignal): Set<() => void> {
  const handlers = new Set<() => void>();
  abortHandlers.set(signal, handlers);
  const callAll = () => {
    for (const handler of handlers) handler();
  };
  signal.addEventListener('abort', callAll, { once: true });
  return handlers;
}
