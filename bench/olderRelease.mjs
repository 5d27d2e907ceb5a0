// A database as release 0.2.0 left it, and what processes of 0.2.0 do with it: the statements are those of that release.
// Used by tests and by the measurement of an upgrade.

import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';

const migrations = new URL('../packages/server/migrations/', import.meta.url);
/** The first migration that 0.2.0 does not have. */
export const FIRST_LATER_MIGRATION = '0006';
/** Of its connections. */
const STATEMENT_TIMEOUT_MS = 10_000;
const MARKS_PER_USER = 5;

/** Makes an empty database one from before that migration. @param {pg.ClientBase} client @param {string} migration */
export async function createEarlierTables(client, migration) {
  const files = (await readdir(migrations)).filter((file) => /^\d.*\.sql$/.test(file)).toSorted();
  await client.query('create table migrations (name varchar(255) primary key, timestamp varchar(255) not null)');
  for (const file of files.filter((one) => one < migration)) {
    await client.query(await readFile(new URL(file, migrations), 'utf8'));
    await client.query('insert into migrations values ($1, $2)', [file.replace('.sql', ''), new Date().toISOString()]);
  }
}

/**
 * Fills it: the fingerprint of each Artifact is the SHA-256 of its number, from 1. Every third is an image with a perceptual
 * hash, every seventh a recording; one in a hundred has failed. The first Mark has half of them.
 * @param {pg.ClientBase} client
 * @param {{ artifacts: number, users: number }} sizes
 */
export async function fillTables(client, { artifacts, users }) {
  await client.query(`
    insert into users (id, email, name, tier)
    select md5('user' || n)::uuid, 'user' || n || '@example.com', 'User ' || n, 'enterprise' from generate_series(1, ${users}) n;
    insert into counters (owner_id, marks) select id, ${MARKS_PER_USER} from users;
    insert into marks (id, name, search_name, visibility, license, admin_id, owner_id)
    select md5('mark' || n)::uuid, 'Mark ' || n, 'mark ' || n, case when n % 10 = 0 then 'private' else 'public' end, 'CC-BY-4.0',
      md5('user' || 1 + n % ${users})::uuid, md5('user' || 1 + n % ${users})::uuid
    from generate_series(1, ${users * MARKS_PER_USER}) n;
    with numbered as (
      select n, case when n % 2 = 0 then 1 else 1 + n % ${users * MARKS_PER_USER} end as mark from generate_series(1, ${artifacts}) n
    )
    insert into artifacts (id, mark_id, created_by, created_at, status, error_reason, fingerprint, manifest_hash, transaction_hash, metadata)
    select md5('artifact' || n)::uuid, md5('mark' || mark)::uuid, md5('user' || 1 + mark % ${users})::uuid,
      now() - (${artifacts} - n) * interval '1 second', case when n % 100 = 0 then 3 else 2 end,
      case when n % 100 = 0 then 'The contract refused it.' end, sha256(n::text::bytea), sha256('manifest'),
      case when n % 100 > 0 then sha256('transaction') end,
      jsonb_build_object(
        'filename', 'file-' || n || '.jpg', 'mediaType', 'image/jpeg', 'size', 482133, 'kind', 'image',
        'license', jsonb_build_object('name', 'CC BY 4.0', 'url', 'https://creativecommons.org/licenses/by/4.0/'),
        'licenseKey', 'CC-BY-4.0', 'allowAiTraining', false,
        'author', jsonb_build_object('id', md5('user' || 1 + mark % ${users})::uuid, 'name', 'User'),
        'mark', jsonb_build_object('id', md5('mark' || mark)::uuid, 'name', 'Mark ' || mark)
      ) || case when n % 3 = 0 then jsonb_build_object('pHash', '0x' || substr(md5('image' || n), 1, 16)) else '{}' end
        || case when n % 7 = 0 then '{"chromaprint": "AQAAAA"}' else '{}' end::jsonb
    from numbered;
    update counters set lifetime_artifacts = counted.count from (
      select owner_id, count(*) from artifacts join marks on marks.id = mark_id where status <> 3 group by 1
    ) counted where counters.owner_id = counted.owner_id;
    insert into idempotency_keys (caller_id, key, request_hash, response)
    select created_by, 'key ' || id, sha256('request'), jsonb_build_object('id', id, 'status', 'pending')
    from artifacts where status <> 3 order by created_at desc limit 1000`);
  await client.query('vacuum analyze');
}

/** A process of 0.2.0, as far as the database sees it. */
export class OlderProcess {
  /** Artifacts that were created, by the number whose hash is the fingerprint. @type {string[]} */
  created = [];

  /** @param {pg.ClientConfig} address @param {{ connections: number, users: number }} options */
  constructor(address, { connections, users }) {
    this.users = users;
    this.pool = new pg.Pool({
      ...address,
      application_name: 'provenance-registry',
      statement_timeout: STATEMENT_TIMEOUT_MS,
      options: '-c plan_cache_mode=force_generic_plan',
      max: connections,
    });
    this.pool.on('error', () => {});
  }

  /** Finds the Artifact of a fingerprint, as `byBinding` does. @param {string | number} number */
  async lookUp(number) {
    const { rows } = await this.#run(
      'select id, fingerprint from artifacts where fingerprint = any($1::bytea[]) and error_reason is null',
      [[fingerprintOf(number)]],
    );
    return rows[0]?.id;
  }

  /** Reads it with its Mark, as a page of an Artifact does. @param {string | number} number */
  async read(number) {
    const { rows } = await this.#run(
      `select artifacts.id, artifacts.metadata, creator.name, mark.name as mark_name
       from artifacts inner join users as creator on creator.id = artifacts.created_by
       inner join marks as mark on mark.id = artifacts.mark_id
       where fingerprint = $1 and error_reason is null`,
      [fingerprintOf(number)],
    );
    return rows[0]?.id;
  }

  /** @param {string} number a text that no Artifact has been made of */
  async create(number) {
    const mark = 1 + (Number.parseInt(createHash('md5').update(number).digest('hex').slice(0, 6), 16) % this.users);
    const [id, user] = [randomUUID(), uuidOf(`user${1 + (mark % this.users)}`)];
    await this.#run(
      'insert into drafts (artifact_id) values ($1) on conflict (artifact_id) do update set created_at = now()',
      [id],
    );
    const input = {
      id,
      mark_id: uuidOf(`mark${mark}`),
      created_by: user,
      created_at: new Date(),
      fingerprint: `\\x${fingerprintOf(number).toString('hex')}`,
      manifest_hash: `\\x${fingerprintOf('manifest').toString('hex')}`,
      metadata: {
        filename: `${number}.jpg`,
        kind: 'image',
        pHash: `0x${id.slice(0, 8)}${id.slice(-8)}`,
        chromaprint: 'AQAAAA',
      },
    };
    await this.#run(RECORD, [JSON.stringify([input]), user, [id], 'enterprise', '1', '-1', new Date(), user]);
    this.created.push(number);
    return id;
  }

  /** Lets Artifacts fail, as the submitter does when the contract refuses them. @param {string[]} ids */
  async fail(ids) {
    const client = await this.pool.connect();
    try {
      await client.query('begin');
      await client.query(
        'update artifacts set status = 1 where id = any($1::uuid[]) and status = any($2::smallint[])',
        [ids, [0]],
      );
      await client.query('delete from outbox where artifact_id = any($1::uuid[])', [ids]);
      await client.query(MARK_FAILED, [ids, ids.map(() => 'The contract refused it.')]);
      await client.query('commit');
    } finally {
      client.release();
    }
  }

  end() {
    return this.pool.end();
  }

  /** @param {string} text @param {unknown[]} values */
  #run(text, values) {
    return this.pool.query({ text, values, name: createHash('md5').update(text).digest('hex') });
  }
}

/** @param {string | number} number */
function fingerprintOf(number) {
  return createHash('sha256').update(String(number)).digest();
}

/** As `md5(text)::uuid` in SQL. @param {string} text */
function uuidOf(text) {
  return createHash('md5')
    .update(text)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** The statement by which 0.2.0 records Artifacts. */
const RECORD = `
    with input as materialized (
      select * from json_to_recordset($1) as input (
        id uuid, mark_id uuid, created_by uuid, created_at timestamptz, fingerprint bytea, manifest_hash bytea, metadata jsonb,
        caller_id uuid, key text, request_hash bytea, response jsonb, since timestamptz
      )
    ), billing_user as materialized (
      select tier from users where id = $2 for share
    ), draft as (
      delete from drafts where artifact_id = any($3::uuid[]) returning artifact_id
    ), artifact as (
      insert into artifacts (id, mark_id, created_by, created_at, fingerprint, manifest_hash, metadata)
      select id, mark_id, created_by, created_at, fingerprint, manifest_hash, metadata
      from input
      where id in (select artifact_id from draft) and exists (select 1 from billing_user where tier = $4)
      order by fingerprint
      on conflict (fingerprint) where error_reason is null do nothing
      returning id
    ), queued as (
      insert into outbox (artifact_id) select id from artifact
    ), remembered as (
      insert into idempotency_keys (caller_id, key, request_hash, response)
      select caller_id, key, request_hash, response
      from input where key is not null and id in (select id from artifact)
      on conflict (caller_id, key) do update
        set request_hash = excluded.request_hash, response = excluded.response, created_at = now()
        where idempotency_keys.created_at < (select min(since) from input)
      returning 1
    ), counted as (
      update counters set
        lifetime_artifacts = lifetime_artifacts + $5::bigint,
        -- A creation of yesterday that is recorded after one of today counts for neither day.
        daily_artifacts =
          case when day < ($7::timestamptz at time zone 'utc')::date then $5::bigint
            when day = ($7::timestamptz at time zone 'utc')::date then daily_artifacts + $5::bigint else daily_artifacts end,
        day = greatest(day, ($7::timestamptz at time zone 'utc')::date)
      where owner_id = $8 and exists (select 1 from artifact)
        and ($6::bigint = -1 or lifetime_artifacts + $5::bigint <= $6::bigint)
      returning 1
    )
    select case
      when (select count(*) from draft) < $5::bigint then refuse('abandoned')
      when not exists (select 1 from billing_user where tier = $4) then refuse('tierChanged')
      when (select count(*) from artifact) < $5::bigint then refuse('duplicate')
      when (select count(*) from remembered) < (select count(key) from input) then refuse('keyUsed')
      when not exists (select 1 from counted) then refuse('quotaExceeded')
    end`;

/** The statement by which 0.2.0 lets Artifacts fail. */
const MARK_FAILED = `
    with failed as (
      update artifacts set status = 3, error_reason = refused.reason
      from unnest($1::uuid[], $2::text[]) as refused (id, reason)
      where artifacts.id = refused.id and status = 1
      returning artifacts.mark_id, (artifacts.created_at at time zone 'utc')::date as day
    ), places as (
      select coalesce(marks.owner_id, marks.organization_id) as owner_id, failed.day, count(*) as freed
      from failed join marks on marks.id = failed.mark_id
      group by 1, 2
    ), sums as (
      select places.owner_id, sum(freed) as all_days,
        coalesce(sum(freed) filter (where places.day = counters.day), 0) as today
      from places join counters on counters.owner_id = places.owner_id
      group by 1
    )
    update counters set
      lifetime_artifacts = lifetime_artifacts - sums.all_days,
      daily_artifacts = greatest(0, daily_artifacts - sums.today)
    from sums where counters.owner_id = sums.owner_id`;
