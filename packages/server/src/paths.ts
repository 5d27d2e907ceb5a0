// Where this package is, with what it reads beside its code. This file must stay at the top of the source: as a compiled
// file, and in a bundle, it is one folder below the package.

export const packageFolder = new URL('../', import.meta.url);
