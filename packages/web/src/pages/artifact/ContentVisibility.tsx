// Sets what others see of an Artifact's content. For the admin of its Mark.

import type { Artifact } from '@provenance-registry/core';
import { useState } from 'preact/compat';
import * as texts from '#texts/artifacts/artifactCopies';
import { useRegistryClient } from '../../registryClient.js';
import { announce } from '../../ui/feedback/LiveRegion.js';
import { Button } from '../../ui/form/Button.js';
import { ConfirmDialog } from '../../ui/form/Dialog.js';
import { Card } from '../../ui/layout/Card.js';

interface ContentVisibilityProps {
  readonly artifact: Artifact;
  readonly userId: string | undefined;
  /** Loads the Artifact again. */
  readonly onChanged: () => void;
}

/** Nothing for other visitors. */
export function ContentVisibility({ artifact, userId, onChanged }: ContentVisibilityProps) {
  const client = useRegistryClient();
  const { fingerprint, contentVisibility, mark } = artifact;
  const adminId = 'admin' in mark ? mark.admin.id : undefined;
  const [isAsking, setIsAsking] = useState(false);
  if (userId === undefined || userId !== adminId) return null;
  const isPrivate = contentVisibility === 'private';
  const change = isPrivate ? texts.toPublic : texts.toPrivate;
  const work = async () => {
    await client.setContentVisibility({ fingerprint, contentVisibility: isPrivate ? 'public' : 'private' });
    announce(change.done);
    onChanged();
  };
  return (
    <Card title={texts.details}>
      <p>{change.state}</p>
      <Button onClick={() => setIsAsking(true)}>{change.button}</Button>
      {isAsking && (
        <ConfirmDialog title={change.title} action={change.action} work={work} onClose={() => setIsAsking(false)}>
          {change.text}
        </ConfirmDialog>
      )}
    </Card>
  );
}
