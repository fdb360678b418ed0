import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * What is needed to pay in earnest: since when an invoice is not paid, what was last read of the provider for the time that
 * it is away, how operations ended, invoices of onboardings, and which customer of Stripe an organization is.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
alter table subscriptions add column past_due_time timestamptz;

create table payment_snapshots (
  organization_id uuid not null references organizations on delete cascade,
  what text not null check (what in ('subscription','payment-methods','invoices')),
  content text not null,
  read_time timestamptz not null,
  primary key (organization_id, what)
);

alter table payment_operations add column outcome text check (outcome in ('done','declined','refused'));
update payment_operations set outcome = 'done' where done_time is not null;

alter table onboardings add column invoice text;
alter table onboardings add column invoice_url text;
alter table onboardings add column billing text check (billing in ('open','done'));
create index onboardings_billing on onboardings (id) where billing = 'open';

create table stripe_customers (
  organization_id uuid primary key references organizations on delete cascade,
  customer text not null unique
);

alter table sandbox_invoices drop constraint sandbox_invoices_status_check;
alter table sandbox_invoices add constraint sandbox_invoices_status_check check (status in ('paid','open','void'));
alter table sandbox_subscriptions add column days_until_due int;
`.execute(db)
}
