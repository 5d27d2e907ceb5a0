// The options of commands that search for look-alikes.

export const searchOptions = {
  maxDistance: {
    kind: 'integer',
    range: [0, 12],
    label: 'BITS',
    summary: 'bits of 64 that may differ, from 0 to 12 (default: 8); more finds more edits and more unrelated files',
  },
  limit: {
    kind: 'integer',
    range: [1, 50],
    label: 'COUNT',
    summary: 'look-alikes of each file, from 1 to 50 (default: 10)',
  },
} as const;
