// The options of commands that search for look-alikes.

export const searchOptions = {
  maxDistance: {
    kind: 'integer',
    label: 'BITS',
    summary: 'bits of 64 that may differ, from 0 to 12 (default: 8); more finds more edits and more strangers',
  },
  limit: { kind: 'integer', label: 'COUNT', summary: 'look-alikes of each file, from 1 to 50 (default: 10)' },
} as const;
