// The selected files, by their ids.

import type { Artifact } from '@provenance-registry/core';
import { useCallback, useMemo, useRef, useState } from 'preact/compat';

export type Selection = ReturnType<typeof useSelection>;

/** `shown` are the files in memory, in the order of the list. */
export function useSelection(shown: readonly Artifact[]) {
  const [selected, setSelected] = useState<ReadonlyMap<string, Artifact>>(new Map());
  /** Where a range begins. */
  const anchorId = useRef<string | undefined>(undefined);
  const latestShown = useRef(shown);
  latestShown.current = shown;

  const set = useCallback((artifacts: readonly Artifact[], isSelected: boolean) => {
    setSelected((last) => {
      const next = new Map(last);
      for (const artifact of artifacts) {
        if (isSelected) next.set(artifact.id, artifact);
        else next.delete(artifact.id);
      }
      return next;
    });
  }, []);

  const toggle = useCallback(
    (artifact: Artifact, isSelected: boolean, isRange: boolean) => {
      const range = isRange ? findRange(latestShown.current, anchorId.current, artifact.id) : undefined;
      set(range ?? [artifact], isSelected);
      anchorId.current = artifact.id;
    },
    [set],
  );

  const clear = useCallback(() => setSelected(new Map()), []);
  const artifacts = useMemo(() => inOrder(selected, shown), [selected, shown]);
  return { artifacts, has: (id: string) => selected.has(id), set, toggle, clear };
}

/** Files in the order of the list, not of the selection; those that are not in memory anymore come last. */
function inOrder(selected: ReadonlyMap<string, Artifact>, shown: readonly Artifact[]): readonly Artifact[] {
  const listed = shown.filter(({ id }) => selected.has(id));
  const ids = new Set(listed.map(({ id }) => id));
  return [...listed, ...[...selected.values()].filter(({ id }) => !ids.has(id))];
}

/** Undefined when an end is not in memory anymore. */
function findRange(shown: readonly Artifact[], from: string | undefined, to: string): readonly Artifact[] | undefined {
  const [start, end] = [from, to].map((id) => shown.findIndex((artifact) => artifact.id === id));
  if (start === undefined || end === undefined || start < 0 || end < 0) return undefined;
  return shown.slice(Math.min(start, end), Math.max(start, end) + 1);
}
