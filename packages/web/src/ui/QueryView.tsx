// The state of a query: loading, failed or loaded.

import type { ReactNode } from 'react';
import { ErrorNotice } from './ErrorNotice.js';
import type { QueryState } from './useQuery.js';

interface QueryViewProps<T> {
  readonly query: QueryState<T>;
  /** What is loaded, as in "Loading Marks …". */
  readonly what: string;
  readonly children: (value: T) => ReactNode;
}

export function QueryView<T>({ query: { value, error, isLoading, reload }, what, children }: QueryViewProps<T>) {
  return (
    <>
      <ErrorNotice error={error} onRetry={reload} isBusy={isLoading} />
      {value !== undefined && children(value)}
      {value === undefined && error === undefined && (
        <p className="quiet" role="status">
          Loading {what} …
        </p>
      )}
    </>
  );
}
