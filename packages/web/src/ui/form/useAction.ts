// Work that the user starts, such as submitting a form.

import { useRef, useState } from 'preact/compat';

/** `run` calls `work`; while that is running, further calls do nothing. */
export function useAction<A extends readonly unknown[]>(work: (...args: A) => Promise<void>) {
  const [state, setState] = useState<{ isBusy: boolean; error: unknown }>({ isBusy: false, error: undefined });
  const isBusy = useRef(false);
  const run = async (...args: A) => {
    if (isBusy.current) return;
    isBusy.current = true;
    setState({ isBusy: true, error: undefined });
    let error: unknown;
    try {
      await work(...args);
    } catch (thrown) {
      error = thrown;
    }
    isBusy.current = false;
    setState({ isBusy: false, error });
  };
  return { ...state, run };
}
