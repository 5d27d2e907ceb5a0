// "My files": all files that the user can register for, with search, filters, export, and actions for many at a time.

import type { Artifact, Mark } from '@provenance-registry/core';
import { useCallback, useEffect, useRef, useState } from 'preact/compat';
import * as texts from '#texts/artifacts/files';
import { navigate, useCurrentUrl, useTitle } from '../../../routing.js';
import { ErrorNotice } from '../../../ui/feedback/ErrorNotice.js';
import { announce } from '../../../ui/feedback/LiveRegion.js';
import { Button, buttonClass } from '../../../ui/form/Button.js';
import { useAction } from '../../../ui/form/useAction.js';
import * as basics from '../../../ui/layout/basics.module.css';
import { LongList } from '../../../ui/list/LongList.js';
import { pageSize } from '../../../ui/list/pagedList.js';
import { Link } from '../../../ui/text/Link.js';
import { useAccount, useAuthedQuery } from '../account.js';
import { BulkActions } from './BulkActions.js';
import { ExportControls } from './ExportControls.js';
import { FileRow } from './FileRow.js';
import * as fileRowStyles from './FileRow.module.css';
import * as styles from './FilesPage.module.css';
import { FilterForm } from './FilterForm.js';
import { type FileFilters, isFiltered, noFilters, parseFilters, toAddress, toQuery } from './fileFilters.js';
import { listAll } from './listAll.js';
import { useLiveStatuses } from './useLiveStatuses.js';
import { useNewFiles } from './useNewFiles.js';
import { type Selection, useSelection } from './useSelection.js';

/** What a tab can hold and work through in reasonable time. */
const MAX_SELECTED = 10_000;

export function FilesPage() {
  useTitle(texts.title);
  const { client } = useAccount();
  const { search } = useCurrentUrl();
  const filters = parseFilters(new URLSearchParams(search));
  const { value: marks = [] } = useAuthedQuery(
    useCallback((signal: AbortSignal): Promise<Mark[]> => client.listMarks({ signal }), [client]),
  );
  return (
    <>
      <h1>{texts.title}</h1>
      <p className={basics.lead}>{texts.lead}</p>
      <FilterForm filters={filters} marks={marks} />
      <Files key={toAddress({ ...filters, sort: '' })} filters={filters} />
    </>
  );
}

/** What is selected stays when the order changes, and not when other files are shown. */
function Files({ filters }: { readonly filters: FileFilters }) {
  const { client } = useAccount();
  const address = toAddress(filters);
  const [shown, setShown] = useState<{ items: readonly Artifact[]; isComplete: boolean }>({
    items: [],
    isComplete: false,
  });
  const selection = useSelection(shown.items);
  const { current, update } = useLiveStatuses(client, shown.items);
  const section = useRef<HTMLElement>(null);
  const { version, hasNew, show } = useNewFiles(section, selection.artifacts.length > 0);
  const load = useCallback(
    async (cursor: string | undefined, signal: AbortSignal) => {
      const query = toQuery(parseFilters(new URL(address, location.origin).searchParams));
      const { artifacts, nextCursor } = await client.listOwnArtifacts(
        { ...query, limit: pageSize(cursor), cursor },
        { signal },
      );
      return { items: artifacts, nextCursor };
    },
    [client, address],
  );
  const onItems = useCallback((items: readonly Artifact[], isComplete: boolean) => setShown({ items, isComplete }), []);
  const onChanged = useCallback((artifact: Artifact) => update([artifact]), [update]);
  return (
    <section ref={section} aria-label={texts.title}>
      <ExportControls filters={filters} />
      <div className={styles.toolbar}>
        <SelectionBar shown={shown} selection={selection} filters={filters} />
        <BulkActions selected={selection.artifacts.map(current)} onChanged={onChanged} />
        <p className={styles.newFiles} role="status">
          {hasNew && <Button onClick={show}>{texts.showNew}</Button>}
        </p>
      </div>
      <LongList
        key={address}
        load={load}
        keyOf={({ id }) => id}
        row={(artifact) => (
          <FileRow artifact={current(artifact)} isSelected={selection.has(artifact.id)} onToggle={selection.toggle} />
        )}
        what={texts.files}
        empty={<NoFiles filters={filters} />}
        version={version}
        onItems={onItems}
      />
    </section>
  );
}

interface SelectionBarProps {
  readonly shown: { readonly items: readonly Artifact[]; readonly isComplete: boolean };
  readonly selection: Selection;
  readonly filters: FileFilters;
}

function SelectionBar({ shown: { items, isComplete }, selection, filters }: SelectionBarProps) {
  const { client } = useAccount();
  const box = useRef<HTMLInputElement>(null);
  const [progress, setProgress] = useState(0);
  const controller = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => controller.current?.abort(), []);
  const number = selection.artifacts.length;
  const isAll = items.length > 0 && items.every(({ id }) => selection.has(id));
  useEffect(() => {
    if (box.current) box.current.indeterminate = number > 0 && !isAll;
  }, [number, isAll]);
  const { isBusy, error, run } = useAction(async () => {
    controller.current = new AbortController();
    const { signal } = controller.current;
    const found: Artifact[] = [];
    try {
      for await (const artifact of listAll(client, filters, signal)) {
        if (found.length === MAX_SELECTED) break;
        found.push(artifact);
        if (found.length % 200 === 0) setProgress(found.length);
      }
    } catch (thrown) {
      if (!signal.aborted) throw thrown;
      return;
    }
    selection.set(found, true);
    announce(found.length === MAX_SELECTED ? texts.selectedTooMany(MAX_SELECTED) : texts.selectedCount(found.length));
  });
  const count = isComplete ? texts.shownCount(items.length) : texts.shownSoFar(items.length);
  return (
    <div className={`${basics.row} ${styles.selection}`}>
      <label className={fileRowStyles.check}>
        <input
          ref={box}
          type="checkbox"
          aria-label={texts.selectShown}
          checked={isAll}
          disabled={items.length === 0}
          onChange={({ currentTarget }) => selection.set(items, currentTarget.checked)}
        />
        <span className={styles.count}>{number > 0 ? texts.selectedCount(number) : count}</span>
      </label>
      {isBusy && <span role="status">{texts.selecting(progress)}</span>}
      {isBusy && (
        <Button kind="quiet" onClick={() => controller.current?.abort()}>
          {texts.cancel}
        </Button>
      )}
      {!isBusy && number > 0 && !isComplete && number < MAX_SELECTED && (
        <Button kind="quiet" onClick={() => run()}>
          {texts.selectMatching}
        </Button>
      )}
      {number === MAX_SELECTED && <span className={basics.quiet}>{texts.selectedTooMany(MAX_SELECTED)}</span>}
      {number > 0 && (
        <Button kind="quiet" onClick={selection.clear}>
          {texts.clearSelection}
        </Button>
      )}
      <ErrorNotice error={error} />
    </div>
  );
}

function NoFiles({ filters }: { readonly filters: FileFilters }) {
  if (isFiltered(filters)) {
    return (
      <div className={styles.none}>
        <p role="status">{texts.hasNoMatch}</p>
        <Button onClick={() => navigate(toAddress({ ...noFilters, sort: filters.sort }))}>{texts.clearFilters}</Button>
      </div>
    );
  }
  return (
    <div className={styles.none}>
      <p role="status">{texts.isEmpty}</p>
      <Link to="/dashboard/register" className={buttonClass('primary')}>
        {texts.registerFiles}
      </Link>
    </div>
  );
}
