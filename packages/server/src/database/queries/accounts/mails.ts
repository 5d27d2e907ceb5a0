// Queries about mails to be sent.

import { sql } from 'kysely';
import type { LeasedMail, MailBacklog, MailOutbox, Mails, NewMail } from '../../../domain/ports/index.js';
import { Queries } from '../queries.js';

export class MailQueries extends Queries implements Mails, MailOutbox {
  async insert({ id, recipient, template, data }: NewMail & { readonly id: string }, lifetimeMs: number) {
    await sql`
      insert into mails (id, recipient, template, data, expires_at)
      values (${id}, ${recipient}, ${template}, ${JSON.stringify(data)}, ${inTheFuture(lifetimeMs)})`.execute(
      this.database,
    );
  }

  async insertWithLimit(
    { id, recipient, template, data }: NewMail & { readonly id: string },
    lifetimeMs: number,
    { key, max, withinMs }: { readonly key: string; readonly max: number; readonly withinMs: number },
  ) {
    // Of two requests at once, the second one waits for the first, and sees its row.
    await sql`
      select pg_advisory_xact_lock(hashtextextended(${`${template} ${key}`}, 0))`.execute(this.database);
    await sql`
      insert into mails (id, recipient, limited_by, template, data, expires_at)
      select ${id}, ${recipient}, ${key}, ${template}, ${JSON.stringify(data)}, ${inTheFuture(lifetimeMs)}
      where (
        select count(*) from mails
        where limited_by = ${key} and template = ${template} and created_at > ${inTheFuture(-withinMs)}
      ) < ${max}`.execute(this.database);
  }

  async deleteTo(recipient: string, template?: NewMail['template']) {
    const mails = this.database.deleteFrom('mails').where('recipient', '=', recipient);
    await (template === undefined ? mails : mails.where('template', '=', template)).execute();
  }

  async deleteOlderThan(ageMs: number) {
    await sql`
      delete from mails
      where created_at < ${inTheFuture(-ageMs)} and (sent_at is not null or expires_at < ${inTheFuture(-ageMs)})`.execute(
      this.database,
    );
  }

  async leaseDue(limit: number, leaseMs: number) {
    const { rows } = await sql<LeasedMail>`
      with due as materialized (
        select id from mails where sent_at is null and run_at <= now()
        order by run_at limit ${limit} for update skip locked
      )
      update mails set run_at = ${inTheFuture(leaseMs)}, attempts = attempts + 1
      from due where mails.id = due.id
      returning mails.id, recipient, attempts, expires_at <= now() as "isExpired",
        jsonb_build_object('template', template, 'data', data) as content`.execute(this.database);
    return rows;
  }

  async markSent(id: string) {
    await sql`update mails set sent_at = now(), last_error = null where id = ${id}`.execute(this.database);
  }

  async retryLater(id: string, delayMs: number, error: string) {
    await sql`
      update mails set run_at = ${inTheFuture(delayMs)}, last_error = ${error} where id = ${id}`.execute(this.database);
  }

  async delete(id: string) {
    await this.database.deleteFrom('mails').where('id', '=', id).execute();
  }

  async readBacklog() {
    const { rows } = await sql<MailBacklog>`
      select count(*)::int as waiting,
        extract(epoch from now() - min(created_at))::float8 as "oldestSeconds"
      from mails where sent_at is null`.execute(this.database);
    return { waiting: rows[0]?.waiting ?? 0, oldestSeconds: rows[0]?.oldestSeconds ?? undefined };
  }
}

function inTheFuture(ms: number) {
  return sql`now() + ${ms} * interval '1 millisecond'`;
}
