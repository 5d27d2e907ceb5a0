// Look-alikes: its parts are files of their own, which can also be run alone.

await import('./lookalikeEdits.mjs');
await import('./lookalikeIndex.mjs');
await import('./lookalikeSounds.mjs');
