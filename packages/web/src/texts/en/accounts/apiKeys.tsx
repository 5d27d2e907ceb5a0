// Texts of API keys.

import type { ApiKeyScope } from '@provenance-registry/core';
import type { ReactNode } from 'preact/compat';

export const title = 'API keys';
export const lead = (reference: ReactNode) => (
  <>An API key lets software act on behalf of the organization's owner. {reference}</>
);
export const reference = 'API reference';
export const organization = 'Organization';
export const ownsNoOrganization = (next: ReactNode) => (
  <>An API key belongs to an organization, and you do not own one. {next}</>
);
export const createOrganization = 'Create an organization';
export const whatIsLoaded = 'API keys';
export const isEmpty = 'No API keys yet.';

export const newKeyTitle = 'Your new API key';
export const newKeyHint = 'Save it in a safe place now. It cannot be shown again.';
export const key = 'key';
export const hasSaved = 'I have saved it';

export const neverExpires = 'Never expires';
export const expiresAt = (time: ReactNode) => <>Expires {time}</>;
export const neverUsed = 'Never used';
export const lastUsed = (time: ReactNode) => <>Last used {time}</>;
export const lastUsedFrom = (time: ReactNode, address: string) => (
  <>
    Last used {time} from {address}
  </>
);
export const lastUsedWith = (time: ReactNode, program: ReactNode) => (
  <>
    Last used {time} with {program}
  </>
);
export const lastUsedFromWith = (time: ReactNode, address: string, program: ReactNode) => (
  <>
    Last used {time} from {address} with {program}
  </>
);

export const revoke = 'Revoke';
export const revokeKey = 'Revoke key';
export const revokeConsequences = 'Software that uses this key loses access immediately. This cannot be undone.';
export const revoked = (name: string) => `The key ${name} was revoked.`;

export const scopes: Readonly<Record<ApiKeyScope | 'all', { readonly label: string; readonly hint: string }>> = {
  all: { label: 'Full access', hint: 'Everything that the owner can do in the organization.' },
  read: { label: 'Read', hint: 'Read only.' },
  register: { label: 'Register files', hint: 'Read, and register files.' },
  manage: {
    label: 'Manage',
    hint: 'Read, and manage Marks, members and settings of the organization. It cannot register files.',
  },
};

export const createTitle = 'New API key';
export const activeKeys = 'Active keys';
export const isFull = 'Revoke a key to create another one.';
export const limitReached = 'The limit of API keys is reached. Revoke one first.';
export const create = 'Create key';
export const creating = 'Creating …';
export const nameLabel = 'Name';
export const nameHint = 'What the key is for, such as “build server”.';
export const scopeLabel = 'Scope';
export const expiresLabel = 'Expires';
export const never = 'Never';
export const in30Days = 'In 30 days';
export const in90Days = 'In 90 days';
export const inOneYear = 'In one year';
