/** Subscriptions and their operations, usage of plans, and the sandbox: a payment provider of our own that moves no money. */
export const billingSql = `
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
  next_interval text check (next_interval in ('MONTHLY','ANNUALLY')),
  past_due_time timestamptz
);
create index subscriptions_period_end on subscriptions (period_end_time);

create table billing_companies (
  organization_id uuid primary key references organizations on delete cascade,
  company text not null
);

-- One at a time for an organization.
create table payment_operations (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  request text not null,
  actor text not null,
  create_time timestamptz not null,
  done_time timestamptz,
  outcome text check (outcome in ('done','declined','refused','unconfirmed'))
);
create unique index payment_operations_open on payment_operations (organization_id) where done_time is null;
create index payment_operations_organization on payment_operations (organization_id, create_time);

create table payment_snapshots (
  organization_id uuid not null references organizations on delete cascade,
  what text not null check (what in ('subscription','payment-methods','invoices')),
  content text not null,
  read_time timestamptz not null,
  primary key (organization_id, what)
);

create table stripe_customers (
  organization_id uuid primary key references organizations on delete cascade,
  customer text not null unique
);

create table plan_usage (
  organization_id uuid primary key references organizations on delete cascade,
  period_start_time timestamptz not null,
  profiles bigint not null,
  events bigint not null,
  over_time timestamptz,
  hold_time timestamptz,
  hold_end_time timestamptz,
  told text[] not null default '{}',
  has_held boolean not null default false,
  removed_events bigint not null default 0,
  removed_until timestamptz,
  week_announced_until timestamptz,
  day_announced_until timestamptz,
  measure_time timestamptz not null,
  removing text
);

create table kept_usage (
  organization_id uuid not null references organizations on delete cascade,
  workspace_id uuid not null,
  period_start_time timestamptz not null,
  day timestamptz not null,
  events bigint not null,
  profiles bigint not null,
  primary key (organization_id, period_start_time, workspace_id, day)
);

create table usage_periods (
  organization_id uuid not null references organizations on delete cascade,
  start_time timestamptz not null,
  end_time timestamptz not null,
  anchor_time timestamptz not null,
  provider text not null,
  subscription text not null,
  plan text not null,
  included bigint not null,
  price bigint not null,
  currency text not null,
  least_blocks bigint not null default 0,
  profiles bigint,
  blocks bigint,
  operation uuid,
  invoice_url text,
  close_time timestamptz,
  done_time timestamptz,
  primary key (organization_id, start_time)
);
create index usage_periods_due on usage_periods (end_time) where done_time is null;

create table overage_caps (
  organization_id uuid primary key references organizations on delete cascade,
  amount bigint not null,
  currency text not null
);

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
  exp_month integer not null,
  exp_year integer not null,
  declines boolean not null,
  create_time timestamptz not null,
  confirms boolean not null default false
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
  period_end_time timestamptz not null,
  days_until_due integer
);
create unique index sandbox_subscriptions_live on sandbox_subscriptions (customer) where status <> 'canceled';

create table sandbox_invoices (
  id text primary key,
  number bigint generated always as identity,
  customer text not null references sandbox_customers on delete cascade,
  company text,
  status text not null check (status in ('paid','open','void')),
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

create table sandbox_confirmations (
  client_secret text primary key,
  customer text not null references sandbox_customers on delete cascade,
  request text not null,
  create_time timestamptz not null
);
create index sandbox_confirmations_customer on sandbox_confirmations (customer);
`
