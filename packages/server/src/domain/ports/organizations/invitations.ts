// Port for open invitations. An expired one counts as gone everywhere, also before it is deleted.

import type { Person } from '@provenance-registry/core';

export interface Invitations {
  insert(invitation: NewInvitationRow): Promise<void>;
  find(tokenHash: Uint8Array): Promise<OpenInvitation | undefined>;
  /** Oldest first. */
  listOf(target: InvitationTarget): Promise<OpenInvitation[]>;
  /** Those that name the address, oldest first. */
  listFor(email: string): Promise<OpenInvitation[]>;
  countOf(target: InvitationTarget): Promise<number>;
  /** False when there is no such open invitation. */
  delete(id: string): Promise<boolean>;
  /** Deletes the invitation, with an event. False when there is no such open invitation to the target. */
  withdraw(id: string, target: InvitationTarget, actorId: string): Promise<boolean>;
  /** Deletes those that have expired, with an event for each. */
  deleteExpired(): Promise<void>;
}

/** What an invitation makes its recipient a member of. */
export type InvitationTarget = { readonly organizationId: string } | { readonly markId: string };

export interface NewInvitationRow {
  readonly id: string;
  readonly target: InvitationTarget;
  readonly tokenHash: Uint8Array;
  /** Null: for anyone with the link. */
  readonly email: string | null;
  /** True: an account must have this verified address to accept it. */
  readonly requiresEmail: boolean;
  readonly isAdmin: boolean;
  readonly invitedBy: string;
  /** The API key that the user's request had. */
  readonly keyId: string | undefined;
  readonly expiresAt: Date;
}

export interface OpenInvitation
  extends Pick<NewInvitationRow, 'id' | 'email' | 'requiresEmail' | 'isAdmin' | 'expiresAt'> {
  /** Null for a Mark. */
  readonly organization: { readonly id: string; readonly name: string } | null;
  /** Null for an organization. */
  readonly mark: { readonly id: string; readonly name: string } | null;
  readonly invitedBy: Person;
  /** The organization whose history it belongs to; null for a personal Mark. */
  readonly eventOrganizationId: string | null;
}
