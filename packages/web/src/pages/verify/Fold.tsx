// A part of a result that can be folded.

import { type ReactNode, useState } from 'preact/compat';

interface FoldProps {
  readonly title: string;
  /** Until the user folds or unfolds it. */
  readonly isOpen?: boolean;
  readonly children: ReactNode;
}

export function Fold({ title, isOpen = false, children }: FoldProps) {
  const [chosen, setChosen] = useState<boolean>();
  return (
    <details
      className="fold"
      open={chosen ?? isOpen}
      // Also when it is opened by its property.
      onToggle={({ currentTarget }) => setChosen(currentTarget.open)}
    >
      <summary>
        <h3>{title}</h3>
      </summary>
      <div className="fold-content stack">{children}</div>
    </details>
  );
}
