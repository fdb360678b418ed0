import { type QueryExecutorProvider, sql } from 'kysely'

/** When a mail is tried again is known to its job; the table keeps what is in the mail and what became of it. */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
drop index mails_due;
alter table mails drop column next_time;
create index mails_waiting on mails (expire_time) where sent_time is null;
`.execute(db)
}
