// Texts for screen readers about changes on the page.

import { createStore, useStore } from '../store.js';

/** `number` tells two announcements with the same text apart. */
const announcement = createStore({ text: '', number: 0 });

export function announce(text: string): void {
  announcement.set({ text, number: announcement.get().number + 1 });
}

export function useAnnouncement() {
  return useStore(announcement);
}
