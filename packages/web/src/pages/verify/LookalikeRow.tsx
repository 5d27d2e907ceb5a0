// Whether registered files look or sound like the user's, in a few sentences.

import type { ReactNode } from 'preact/compat';
import * as texts from '#texts/lookups/lookalikes';
import { lookalikes as title } from '#texts/lookups/verifyResult';
import { describeError } from '../../errorMessages.js';
import { Button } from '../../ui/form/Button.js';
import { FindingRow, type FindingState } from '../../ui/lookup/FindingRow.js';
import { Link } from '../../ui/text/Link.js';
import { Timestamp } from '../../ui/text/Timestamp.js';
import type { FileChecks } from './fileChecks.js';
import type { LookalikeState } from './useLookalikes.js';

const errorMessages = { UNAVAILABLE: texts.unavailable };

export function LookalikeRow({ checks: { lookalikes } }: { readonly checks: FileChecks }) {
  const { state, text, action } = describeSearch(lookalikes);
  return (
    <FindingRow title={title} state={state}>
      <p>{text}</p>
      {action && (
        <p>
          <Button onClick={action.run}>{action.label}</Button>
        </p>
      )}
    </FindingRow>
  );
}

interface SearchDescription {
  readonly state: FindingState;
  readonly text: ReactNode;
  readonly action?: { readonly label: string; readonly run: () => void };
}

function describeSearch({ search, kind, start, retry }: LookalikeState): SearchDescription {
  const searchAnyway = { label: texts.search[kind], run: start };
  switch (search.step) {
    case 'otherKind':
      return { state: 'notChecked', text: texts.onlyPicturesAndRecordings };
    case 'noContent':
      return { state: 'notChecked', text: texts.chooseAgain };
    case 'waiting':
      return { state: 'checking', text: texts.waiting };
    case 'noLookup':
      return { state: 'notChecked', text: texts.withoutExactMatch };
    case 'notNeeded':
      return { state: 'notChecked', text: texts.notNeeded, action: searchAnyway };
    case 'off':
      return { state: 'notChecked', text: texts.isOff, action: searchAnyway };
    case 'computing':
      return { state: 'checking', text: texts.computing[kind] };
    case 'searching':
      return { state: 'checking', text: texts.searching };
    case 'incomparable':
      return { state: 'notChecked', text: texts.incomparable(search.missing) };
    case 'failed': {
      const text = texts.failed(describeError(search.error, errorMessages));
      return { state: 'failed', text, action: { label: texts.searchAgain, run: retry } };
    }
    case 'done': {
      const [closest] = search.lookalikes;
      if (!closest) return { state: 'notFound', text: texts.noneFound[kind] };
      const { mark, registeredAt } = closest;
      const name = mark && (
        <Link to={`/marks/${mark.id}`}>
          <bdi>{mark.name}</bdi>
        </Link>
      );
      const text = (
        <>
          {texts.found(search.lookalikes.length, kind)} {name && texts.closest(name, <Timestamp at={registeredAt} />)}
        </>
      );
      return { state: 'noted', text };
    }
  }
}
