// What the tests use of vitest's state of the process that they run in.

declare global {
  var __vitest_worker__: {
    /** Loaded modules, by their path or name. */
    readonly evaluatedModules: { readonly idToModuleMap: Map<string, { readonly importers: Set<unknown> }> };
    /** Runs after the last file. */
    onCleanup(listener: () => unknown): void;
  };
}

export {};
