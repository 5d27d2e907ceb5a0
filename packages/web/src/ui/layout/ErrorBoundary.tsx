// Shows an error in place of a page that throws while rendering. Another address resets it.

import { Component, type ReactNode } from 'preact/compat';
import * as texts from '#texts/site/ui';
import { Notice } from '../feedback/Notice.js';
import { Button } from '../form/Button.js';

interface BoundaryProps {
  readonly pathname: string;
  readonly children: ReactNode;
}

interface BoundaryState {
  readonly pathname: string;
  readonly isBroken: boolean;
}

export class ErrorBoundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { pathname: this.props.pathname, isBroken: false };

  static override getDerivedStateFromProps({ pathname }: BoundaryProps, state: BoundaryState): BoundaryState | null {
    return pathname === state.pathname ? null : { pathname, isBroken: false };
  }

  static override getDerivedStateFromError(): Pick<BoundaryState, 'isBroken'> {
    return { isBroken: true };
  }

  override render(): ReactNode {
    if (!this.state.isBroken) return this.props.children;
    // Also when a chunk of the page cannot be loaded, because the network is down or a newer version is deployed.
    const reload = (
      <Button kind="primary" onClick={() => location.reload()}>
        {texts.brokenPage.reload}
      </Button>
    );
    return (
      <>
        <h1>{texts.brokenPage.title}</h1>
        <Notice tone="bad" isAlert actions={reload}>
          <p>{texts.brokenPage.text}</p>
        </Notice>
      </>
    );
  }
}
