// Queries about the certificates that this service has signed with.

import { Queries } from '../queries.js';

export interface SigningCertificates {
  record(sha256: Uint8Array): Promise<void>;
  has(sha256: Uint8Array): Promise<boolean>;
}

export class SigningCertificateQueries extends Queries implements SigningCertificates {
  async record(sha256: Uint8Array) {
    await this.database
      .insertInto('signing_certificates')
      .values({ sha256 })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }

  async has(sha256: Uint8Array) {
    const found = await this.database
      .selectFrom('signing_certificates')
      .select('sha256')
      .where('sha256', '=', sha256)
      .executeTakeFirst();
    return found !== undefined;
  }
}
