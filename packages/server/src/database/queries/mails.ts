// Queries about mails to be sent.

import { sql } from 'kysely';
import type { Mails, NewMail } from '../../domain/ports/index.js';
import type { Database } from '../connection.js';

export function mailQueries(database: Database): Mails {
  return {
    async insert({ id, recipient, template, data }, lifetimeMs) {
      await sql`
        insert into mails (id, recipient, template, data, expires_at)
        values (${id}, ${recipient}, ${template}, ${JSON.stringify(data)}, ${inTheFuture(lifetimeMs)})`.execute(
        database,
      );
    },

    async insertUnlessRecent({ id, recipient, template, data }, lifetimeMs, withinMs) {
      // Of two requests at once, the second one waits for the first, and sees its row.
      await sql`
        select pg_advisory_xact_lock(hashtextextended(${`${template} ${recipient}`}, 0))`.execute(database);
      await sql`
        insert into mails (id, recipient, template, data, expires_at)
        select ${id}, ${recipient}, ${template}, ${JSON.stringify(data)}, ${inTheFuture(lifetimeMs)}
        where not exists (
          select 1 from mails
          where recipient = ${recipient} and template = ${template} and created_at > ${inTheFuture(-withinMs)}
        )`.execute(database);
    },

    async deleteTo(recipient, template?: NewMail['template']) {
      const mails = database.deleteFrom('mails').where('recipient', '=', recipient);
      await (template === undefined ? mails : mails.where('template', '=', template)).execute();
    },
  };
}

function inTheFuture(ms: number) {
  return sql`now() + ${ms} * interval '1 millisecond'`;
}
