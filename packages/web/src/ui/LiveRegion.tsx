// What a screen reader says about changes that are seen elsewhere on the page.

import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let said = { text: '', times: 0 };

export function announce(text: string): void {
  said = { text, times: said.times + 1 };
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Once on the page. */
export function LiveRegion() {
  const { text, times } = useSyncExternalStore(subscribe, () => said);
  return (
    <div className="unseen" role="status">
      {/* The same text twice is two announcements: a new element is what is noticed. */}
      <span key={times}>{text}</span>
    </div>
  );
}
