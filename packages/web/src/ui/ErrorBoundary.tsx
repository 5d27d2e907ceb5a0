// When a page breaks, the frame stays and says so. Another address is another try.

import { Component, type ReactNode } from 'react';
import { Button } from './Button.js';
import { Notice } from './Notice.js';

interface BoundaryProps {
  readonly place: string;
  readonly children: ReactNode;
}

interface BoundaryState {
  readonly place: string;
  readonly isBroken: boolean;
}

export class ErrorBoundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { place: this.props.place, isBroken: false };

  static getDerivedStateFromProps({ place }: BoundaryProps, state: BoundaryState): BoundaryState | null {
    return place === state.place ? null : { place, isBroken: false };
  }

  static getDerivedStateFromError(): Pick<BoundaryState, 'isBroken'> {
    return { isBroken: true };
  }

  override render(): ReactNode {
    if (!this.state.isBroken) return this.props.children;
    // Also when a part of the page cannot be fetched, because the network is away or a newer page is out.
    const reload = (
      <Button kind="primary" onClick={() => location.reload()}>
        Reload the page
      </Button>
    );
    return (
      <>
        <h1>This page could not be shown</h1>
        <Notice tone="bad" isAlert actions={reload}>
          <p>Something went wrong in the page itself, or a part of it could not be fetched. Nothing was changed.</p>
        </Notice>
      </>
    );
  }
}
