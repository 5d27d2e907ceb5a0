// Messages that several settings share.

export const NO_PASSWORD =
  'Your account belongs to an OpenID provider and has no password here. Use the settings of the provider.';
