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
  /** Deletes them, with an event for each; returns their number. `actorId` undefined: the operator. */
  withdraw(which: InvitationsToWithdraw, actorId: string | undefined): Promise<number>;
  /** Deletes those that have expired, with an event for each. */
  deleteExpired(): Promise<void>;
}

/** What an invitation makes its recipient a member of. */
export type InvitationTarget = { readonly organizationId: string } | { readonly markId: string };

export type InvitationsToWithdraw =
  /** This one, if it is to that. */
  | { readonly id: string; readonly target: InvitationTarget }
  /** Invitations to the organization and to its Marks. */
  | { readonly organizationId: string }
  /** Invitations to Marks of the organization, made by these users. */
  | { readonly marksOf: string; readonly invitedBy: readonly string[] }
  /** Invitations to the Mark, made by this user. */
  | { readonly markId: string; readonly invitedBy: string }
  /** Made by the user, or to what the user owns. */
  | { readonly madeOrOwnedBy: string };

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
