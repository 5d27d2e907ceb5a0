// Where this package is installed. This file must stay at the top of the source folder: compiled and bundled, it is one
// folder below the package.

export const packageFolder = new URL('../', import.meta.url);
