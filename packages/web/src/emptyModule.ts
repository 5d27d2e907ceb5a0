// In place of a package that is never loaded: see vite.config.ts.

export {};
