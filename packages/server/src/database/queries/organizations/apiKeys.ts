// Queries about API keys.

import { sql } from 'kysely';
import type { ApiKeys, ApiKeyUse, NewApiKey } from '../../../domain/ports/index.js';
import type { Database } from '../../connection.js';
import type { UseBuffer } from '../../useBuffer.js';

/** Expired keys that one sweep revokes; the next one goes on. */
const MAX_EXPIRED = 1_000;

export class ApiKeyQueries implements ApiKeys {
  constructor(
    private readonly database: Database,
    private readonly uses: UseBuffer<ApiKeyUse>,
  ) {}

  async insert({ organizationId, createdBy, tokenHash, createdAt, expiresAt, ...key }: NewApiKey) {
    await this.database
      .insertInto('api_keys')
      .values({
        ...key,
        organization_id: organizationId,
        created_by: createdBy,
        token_hash: tokenHash,
        created_at: createdAt,
        expires_at: expiresAt,
      })
      .execute();
  }

  async listActive(organizationId: string, now: Date) {
    await this.uses.flush();
    const rows = await this.database
      .selectFrom('api_keys')
      .select(['id', 'name', 'prefix', 'last4', 'created_at', 'last_used_at', 'scope', 'expires_at'])
      .select(['last_used_address as lastUsedAddress', 'last_used_agent as lastUsedAgent'])
      .where('organization_id', '=', organizationId)
      .where('revoked_at', 'is', null)
      .where((key) => key.or([key('expires_at', 'is', null), key('expires_at', '>', now)]))
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    return rows.map(({ created_at, last_used_at, expires_at, ...key }) => ({
      ...key,
      createdAt: created_at.toISOString(),
      expiresAt: expires_at?.toISOString() ?? null,
      lastUsedAt: last_used_at?.toISOString() ?? null,
    }));
  }

  listExpired(now: Date, organizationId?: string) {
    const keys = this.database
      .selectFrom('api_keys')
      .select(['id', 'organization_id as organizationId'])
      .where('expires_at', '<=', now)
      .where('revoked_at', 'is', null)
      .limit(MAX_EXPIRED);
    return (organizationId === undefined ? keys : keys.where('organization_id', '=', organizationId)).execute();
  }

  async takeExpiring(now: Date, withinMs: number) {
    const { rows } = await sql<{ id: string; organizationId: string; expiresAt: Date }>`
      update api_keys set expiry_announced_at = ${now}
      where expires_at > ${now} and expires_at <= ${new Date(now.getTime() + withinMs)} and revoked_at is null
        and expiry_announced_at is null and expires_at - created_at > ${withinMs / 1000} * interval '1 second'
      returning id, organization_id as "organizationId", expires_at as "expiresAt"`.execute(this.database);
    return rows;
  }

  async revoke(organizationId: string, keyId: string, at: Date) {
    const { numUpdatedRows } = await this.database
      .updateTable('api_keys')
      .set({ revoked_at: at })
      .where('id', '=', keyId)
      .where('organization_id', '=', organizationId)
      .where('revoked_at', 'is', null)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 1n) await this.database.deleteFrom('api_key_networks').where('key_id', '=', keyId).execute();
    return numUpdatedRows === 1n;
  }

  async lockActive(keyId: string) {
    const key = this.database
      .selectFrom('api_keys')
      .select('id')
      .where('id', '=', keyId)
      .where('revoked_at', 'is', null);
    return (await key.forShare().executeTakeFirst()) !== undefined;
  }

  async findByTokenHash(tokenHash: Uint8Array) {
    const row = await this.database
      .selectFrom('api_keys as key')
      .innerJoin('organizations as organization', 'organization.id', 'key.organization_id')
      .innerJoin('users as owner', 'owner.id', 'organization.owner_id')
      .select([
        'key.id as keyId',
        'key.organization_id as organizationId',
        'key.revoked_at as revokedAt',
        'key.scope',
        'key.expires_at as expiresAt',
        'organization.status as organizationStatus',
        'owner.id',
        'owner.email',
        'owner.name',
        'owner.tier',
        'owner.email_verified as emailVerified',
        'owner.has_totp as hasTotp',
      ])
      .where('key.token_hash', '=', tokenHash)
      .executeTakeFirst();
    if (!row) return undefined;
    const { keyId, organizationId, revokedAt, organizationStatus, scope, expiresAt, ...owner } = row;
    return { id: keyId, organizationId, organizationStatus, active: revokedAt === null, scope, expiresAt, owner };
  }

  recordUse(keyId: string, use: ApiKeyUse) {
    this.uses.record(keyId, use);
  }
}
