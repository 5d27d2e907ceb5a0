// Why a domain could not be confirmed, in words for the admin of the Mark.

import { OutboundError } from '../outbound/outboundError.js';

export class DomainCheckError extends OutboundError {
  override readonly name = 'DomainCheckError';
}
