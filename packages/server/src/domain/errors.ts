// Errors that several rules throw.

import { RegistryError } from '@provenance-registry/core';

/** An error of one field of the body, or of one parameter. */
export function fieldError(field: string, message: string): RegistryError {
  return new RegistryError('BAD_REQUEST', message, { problems: [{ path: `/${field}`, message }] });
}

export function unexpectedValueError(field: string, expected: string): RegistryError {
  return fieldError(field, `"${field}" must be ${expected}.`);
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
