// Connects to the account of the current token.

import type { RegistryClient } from '@provenance-registry/client';
import type { User } from '@provenance-registry/core';
import { connectLoggedIn } from '../../connect.js';
import type { Context } from '../../context.js';

/** Asks the service for the account first: a password is not prompted for in vain, and a later 401 is about it. */
export async function connectAccount(context: Context): Promise<{ client: RegistryClient; user: User }> {
  const client = await connectLoggedIn(context);
  return { client, user: (await client.getMe()).user };
}
