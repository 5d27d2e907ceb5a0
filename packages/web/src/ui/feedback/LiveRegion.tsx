// Announces changes on the page to screen readers.

import { createStore, useStore } from '../../store.js';
import * as basics from '../layout/basics.module.css';

/** `number` tells two announcements with the same text apart. */
const announcement = createStore({ text: '', number: 0 });

export function announce(text: string): void {
  announcement.set({ text, number: announcement.get().number + 1 });
}

/** Rendered once. */
export function LiveRegion() {
  const { text, number } = useStore(announcement);
  return (
    <div className={basics.visuallyHidden} role="status">
      {/* Only a new element is announced when the text is the same as before. */}
      <span key={number}>{text}</span>
    </div>
  );
}
