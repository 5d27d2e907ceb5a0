// Errors that several rules throw.

import { RegistryError } from '@provenance-registry/core';

/** An error of one field of the body, or of one parameter. */
export function fieldError(
  field: string,
  expected: string,
  message = `"${field}" must be ${expected}.`,
): RegistryError {
  return new RegistryError('BAD_REQUEST', message, { problems: [{ pointer: `/${field}`, expected }] });
}

export function closedAccountError(): RegistryError {
  return new RegistryError('UNAUTHORIZED', 'The account is closed.');
}

export function notOwnerError(): RegistryError {
  return new RegistryError('FORBIDDEN', 'Only the owner of the organization may do this.');
}

export function notAdminError(): RegistryError {
  return new RegistryError('FORBIDDEN', 'Only the owner and admin members of the organization may do this.');
}

export function unknownArtifactError(): RegistryError {
  return new RegistryError('NOT_FOUND', 'This fingerprint has no Artifact.');
}
