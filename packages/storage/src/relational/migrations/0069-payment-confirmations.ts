import { type QueryExecutorProvider, sql } from 'kysely'

/** Payments that the bank of whoever pays wants to be confirmed: how an operation ends with that, and what the sandbox waits for. */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
alter table payment_operations drop constraint payment_operations_outcome_check;
alter table payment_operations add constraint payment_operations_outcome_check
  check (outcome in ('done','declined','refused','unconfirmed'));

alter table sandbox_payment_methods add column confirms boolean not null default false;
create table sandbox_confirmations (
  client_secret text primary key,
  customer text not null references sandbox_customers on delete cascade,
  request text not null,
  create_time timestamptz not null
);
create index sandbox_confirmations_customer on sandbox_confirmations (customer);
`.execute(db)
}
