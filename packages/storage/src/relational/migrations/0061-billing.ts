import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * What organizations subscribe to, as their payment provider holds it, and the operations with which that is changed: one at a
 * time for each organization. An organization without a row is on the free plan. The sandbox is a payment provider of our own that
 * moves no money; what it knows is its own.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
create table subscriptions (
  organization_id uuid primary key references organizations on delete cascade,
  provider text not null,
  subscription text not null,
  plan text not null,
  recurring_interval text not null check (recurring_interval in ('MONTHLY','ANNUALLY')),
  status text not null check (status in ('active','past_due')),
  amount bigint not null,
  currency text not null,
  period_start_time timestamptz not null,
  period_end_time timestamptz not null,
  next_plan text,
  next_interval text check (next_interval in ('MONTHLY','ANNUALLY'))
);
create index subscriptions_period_end on subscriptions (period_end_time);

create table billing_companies (
  organization_id uuid primary key references organizations on delete cascade,
  company text not null
);

create table payment_operations (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  request text not null,
  actor text not null,
  create_time timestamptz not null,
  done_time timestamptz
);
create unique index payment_operations_open on payment_operations (organization_id) where done_time is null;
create index payment_operations_organization on payment_operations (organization_id, create_time);

create table sandbox_customers (
  id text primary key,
  organization_id uuid not null unique references organizations on delete cascade,
  default_payment_method uuid,
  company text
);
create table sandbox_setup_intents (
  client_secret text primary key,
  customer text not null references sandbox_customers on delete cascade,
  create_time timestamptz not null
);
create index sandbox_setup_intents_customer on sandbox_setup_intents (customer);
create table sandbox_payment_methods (
  id uuid primary key,
  customer text not null references sandbox_customers on delete cascade,
  brand text not null,
  last4 text not null,
  exp_month int not null,
  exp_year int not null,
  declines boolean not null,
  create_time timestamptz not null
);
create index sandbox_payment_methods_customer on sandbox_payment_methods (customer, create_time, id);
create table sandbox_subscriptions (
  id text primary key,
  customer text not null references sandbox_customers on delete cascade,
  status text not null check (status in ('active','past_due','canceled')),
  price text not null,
  next_price text,
  cancel_at_period_end boolean not null default false,
  anchor_time timestamptz not null,
  period_start_time timestamptz not null,
  period_end_time timestamptz not null
);
create unique index sandbox_subscriptions_live on sandbox_subscriptions (customer) where status <> 'canceled';
create table sandbox_invoices (
  id text primary key,
  number bigint generated always as identity,
  customer text not null references sandbox_customers on delete cascade,
  company text,
  status text not null check (status in ('paid','open')),
  currency text not null,
  lines text not null,
  total bigint not null,
  create_time timestamptz not null
);
create index sandbox_invoices_customer on sandbox_invoices (customer, number desc);
create table sandbox_answers (
  key text primary key,
  customer text not null references sandbox_customers on delete cascade,
  answer text not null,
  create_time timestamptz not null
);
create index sandbox_answers_customer on sandbox_answers (customer);
`.execute(db)
}
