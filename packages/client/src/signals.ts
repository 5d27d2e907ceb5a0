// One signal that follows others for as long as something goes on. Not AbortSignal.any: Node 20 keeps what that makes
// for as long as the signals live. And one listener a signal, however many follow it: Node warns of more than ten.

const followers = new WeakMap<AbortSignal, Set<() => void>>();

export interface Following {
  readonly signal: AbortSignal;
  readonly stop: (reason: unknown) => void;
  readonly release: () => void;
}

export function follow(...signals: readonly (AbortSignal | undefined)[]): Following {
  const controller = new AbortController();
  const releases = signals.map((signal) => signal && whenAborted(signal, () => controller.abort(signal.reason)));
  return {
    signal: controller.signal,
    stop: (reason) => controller.abort(reason),
    release: () => {
      for (const release of releases) release?.();
    },
  };
}

function whenAborted(signal: AbortSignal, stop: () => void): () => void {
  if (signal.aborted) stop();
  const stops = followers.get(signal) ?? listen(signal);
  stops.add(stop);
  return () => stops.delete(stop);
}

function listen(signal: AbortSignal): Set<() => void> {
  const stops = new Set<() => void>();
  followers.set(signal, stops);
  const tellAll = () => {
    for (const stop of stops) stop();
  };
  signal.addEventListener('abort', tellAll, { once: true });
  return stops;
}
