// What the user allows about look-alikes, remembered in this browser: to search for them, and to register codes.

import { createStore, type Store } from './store.js';

/** Whether the codes of a file that is not registered are sent to search for look-alikes. */
export const isLookalikeSearchOn = createRememberedSwitch('provenance-lookalike-search');
/** Whether the codes of a file are registered with it, and compared before. */
export const isCodeRegistrationOn = createRememberedSwitch('provenance-register-codes');

/** The switch is on, unless the user has turned it off. */
function createRememberedSwitch(key: string): Store<boolean> {
  const store = createStore(readStored(key) !== 'off');
  return {
    ...store,
    set(isOn) {
      try {
        if (isOn) localStorage.removeItem(key);
        else localStorage.setItem(key, 'off');
      } catch {
        // Blocked: it holds for this page.
      }
      store.set(isOn);
    },
  };
}

function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}
