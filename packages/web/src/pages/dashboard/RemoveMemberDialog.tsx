// Asks before a member is removed.

import type { ReactNode } from 'react';
import { ConfirmDialog } from '../../ui/Dialog.js';

interface RemoveMemberDialogProps {
  readonly member: { readonly name: string };
  readonly remove: () => Promise<void>;
  readonly onClose: () => void;
  /** The consequences. */
  readonly children: ReactNode;
}

export function RemoveMemberDialog({ member, remove, onClose, children }: RemoveMemberDialogProps) {
  const title = (
    <>
      Remove <bdi>{member.name}</bdi>?
    </>
  );
  return (
    <ConfirmDialog title={title} action="Remove member" work={remove} onClose={onClose}>
      <p>{children}</p>
    </ConfirmDialog>
  );
}
