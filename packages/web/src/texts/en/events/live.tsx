// Texts about pages that follow the feed of events.

export const interrupted = 'Not live: changes made elsewhere do not appear. Connecting again …';
export const refused = 'Not live: changes made elsewhere do not appear.';
export const refresh = 'Refresh';
export const updated = 'This page was updated.';
