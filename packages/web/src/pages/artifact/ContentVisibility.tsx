// Sets what others see of an Artifact's content. For the admin of its Mark.

import type { Artifact } from '@provenance-registry/core';
import { useState } from 'preact/compat';
import { useRegistryClient } from '../../registryClient.js';
import { Button } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { ConfirmDialog } from '../../ui/Dialog.js';
import { announce } from '../../ui/LiveRegion.js';

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
  const change = async () => {
    await client.setContentVisibility({ fingerprint, contentVisibility: isPrivate ? 'public' : 'private' });
    announce(isPrivate ? 'The file details are public now.' : 'The file details are private now.');
    onChanged();
  };
  return (
    <Card title="File details">
      <p>
        {isPrivate
          ? 'Private: name, size and perceptual hashes of this file are shown to members of the Mark only.'
          : 'Public: name, size and perceptual hashes of this file are shown to everyone who can see its Mark.'}
      </p>
      <Button onClick={() => setIsAsking(true)}>{isPrivate ? 'Make details public' : 'Make details private'}</Button>
      {isAsking && (
        <ConfirmDialog
          title={isPrivate ? 'Make the file details public?' : 'Make the file details private?'}
          action={isPrivate ? 'Make public' : 'Make private'}
          work={change}
          onClose={() => setIsAsking(false)}
        >
          {isPrivate ? (
            <p>
              Everyone who can see the Mark then sees name, size and perceptual hashes of this file. You can hide them
              again, but not take back what others have seen.
            </p>
          ) : (
            <>
              <p>
                This service then shows name, size and perceptual hashes of this file to members of the Mark only.
                Everything else stays as visible as before.
              </p>
              <p>
                <strong>This cannot be taken back for what is already published:</strong> the manifest, the report, the
                card and signed copies keep the names that were signed, and anyone with their address can read them. The
                entry on chain stays as it is.
              </p>
            </>
          )}
        </ConfirmDialog>
      )}
    </Card>
  );
}
