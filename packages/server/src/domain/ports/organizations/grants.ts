// Port for what ends with its reason: API keys, webhooks and invitations, which a user or a key has made by a right that it
// may lose.

export interface Grants {
  /**
   * Ends the grants of the scope whose maker may not make them any more, with an event for each. Called in every transaction
   * that takes a right away, after that. `actorId` undefined: the operator, or the service itself.
   */
  endUnfounded(scope: GrantScope, actorId: string | undefined): Promise<void>;
}

export type GrantScope =
  /** Those of the organization and of its Marks. */
  | { readonly organizationId: string }
  /** Invitations to the Mark. */
  | { readonly markId: string }
  /** Made by the user, or of what the user owns. */
  | { readonly userId: string };
