// Why a domain could not be confirmed, in words for the admin of the Mark: nothing about networks of this service.

export class DomainCheckError extends Error {
  override readonly name = 'DomainCheckError';
}
