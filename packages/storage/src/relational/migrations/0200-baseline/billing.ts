/**
 * Subscriptions and their operations, usage of plans, and the sandbox: our own payment provider, which moves no money.
 */
export const billingSql = `
-- The subscription of an organization, as its payment provider has it; amounts in minor units.
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
  -- The plan after the end of the period, if it differs.
  next_plan text,
  next_interval text check (next_interval in ('MONTHLY','ANNUALLY')),
  -- Since when an invoice is unpaid.
  past_due_time timestamptz
);
create index subscriptions_period_end on subscriptions (period_end_time);

-- The addressee of invoices, as JSON.
create table billing_companies (
  organization_id uuid primary key references organizations on delete cascade,
  company text not null
);

-- A change requested of a payment provider, with its id as the key: at most one of an organization is not done.
-- One at a time for an organization.
create table payment_operations (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  -- JSON of the request, and of the actor.
  request text not null,
  actor text not null,
  create_time timestamptz not null,
  done_time timestamptz,
  -- The outcome; null until the end.
  outcome text check (outcome in ('done','declined','refused','unconfirmed'))
);
create unique index payment_operations_open on payment_operations (organization_id) where done_time is null;
create index payment_operations_organization on payment_operations (organization_id, create_time);

-- The last data of the payment provider, as JSON; shown while the provider is unavailable.
create table payment_snapshots (
  organization_id uuid not null references organizations on delete cascade,
  what text not null check (what in ('subscription','payment-methods','invoices')),
  content text not null,
  read_time timestamptz not null,
  primary key (organization_id, what)
);

-- The Stripe customer of an organization.
create table stripe_customers (
  organization_id uuid primary key references organizations on delete cascade,
  customer text not null unique
);

-- The plan usage of an organization in the measured period, and its consequences.
create table plan_usage (
  organization_id uuid primary key references organizations on delete cascade,
  -- The start of the period.
  period_start_time timestamptz not null,
  profiles bigint not null,
  events bigint not null,
  -- When the organization was first over a limit in this period.
  over_time timestamptz,
  -- Since when its events are held, and when holding last ended.
  hold_time timestamptz,
  hold_end_time timestamptz,
  -- The notifications that its administrators received in this period.
  told text[] not null default '{}',
  -- Whether there may be held events that were not released.
  has_held boolean not null default false,
  -- The total number of held events that retention removed.
  removed_events bigint not null default 0,
  -- Received before this, held events were counted as removed, or their removal was announced a week or a day ahead.
  removed_until timestamptz,
  week_announced_until timestamptz,
  day_announced_until timestamptz,
  measure_time timestamptz not null,
  -- The events that are being counted as removed, as JSON; null if there are none.
  removing text
);

-- The usage of a deleted workspace in a period on a UTC day.
create table kept_usage (
  organization_id uuid not null references organizations on delete cascade,
  workspace_id uuid not null,
  period_start_time timestamptz not null,
  day timestamptz not null,
  events bigint not null,
  profiles bigint not null,
  primary key (organization_id, period_start_time, workspace_id, day)
);

-- A paid period of an organization, and the invoice for usage beyond the included amount.
create table usage_periods (
  organization_id uuid not null references organizations on delete cascade,
  start_time timestamptz not null,
  end_time timestamptz not null,
  -- The time from which the ends of its months are counted.
  anchor_time timestamptz not null,
  provider text not null,
  subscription text not null,
  plan text not null,
  -- The maximum number of profiles included at any time of the period; -1 if more profiles are not billed.
  included bigint not null,
  -- The price of each started block of profiles, in minor units.
  price bigint not null,
  currency text not null,
  -- Blocks used before the cap was lowered: a lower cap does not void them.
  least_blocks bigint not null default 0,
  -- The profile count at the end of the period, and the number of billed blocks.
  profiles bigint,
  blocks bigint,
  -- The idempotency key of its invoice; null if nothing is billed.
  operation uuid,
  invoice_url text,
  close_time timestamptz,
  done_time timestamptz,
  primary key (organization_id, start_time)
);
create index usage_periods_due on usage_periods (end_time) where done_time is null;

-- The maximum amount that an organization pays for additional profiles in a period.
create table overage_caps (
  organization_id uuid primary key references organizations on delete cascade,
  amount bigint not null,
  currency text not null
);

create table sandbox_customers (
  id text primary key,
  organization_id uuid not null unique references organizations on delete cascade,
  default_payment_method uuid,
  -- JSON of the addressee of invoices.
  company text
);

create table sandbox_setup_intents (
  client_secret text primary key,
  customer text not null references sandbox_customers on delete cascade,
  create_time timestamptz not null
);
create index sandbox_setup_intents_customer on sandbox_setup_intents (customer);

-- A test card. Its number is not stored.
create table sandbox_payment_methods (
  id uuid primary key,
  customer text not null references sandbox_customers on delete cascade,
  brand text not null,
  last4 text not null,
  exp_month integer not null,
  exp_year integer not null,
  -- Whether charges to it fail (declines), or require a confirmation (confirms).
  declines boolean not null,
  create_time timestamptz not null,
  confirms boolean not null default false
);
create index sandbox_payment_methods_customer on sandbox_payment_methods (customer, create_time, id);

create table sandbox_subscriptions (
  id text primary key,
  customer text not null references sandbox_customers on delete cascade,
  status text not null check (status in ('active','past_due','canceled')),
  -- JSON of a price; next_price is the next one.
  price text not null,
  next_price text,
  cancel_at_period_end boolean not null default false,
  -- The time from which periods are counted.
  anchor_time timestamptz not null,
  period_start_time timestamptz not null,
  period_end_time timestamptz not null,
  -- Days until an invoice is due, if invoices are sent instead of charged.
  days_until_due integer
);
create unique index sandbox_subscriptions_live on sandbox_subscriptions (customer) where status <> 'canceled';

create table sandbox_invoices (
  -- A secret that opens the invoice.
  id text primary key,
  number bigint generated always as identity,
  customer text not null references sandbox_customers on delete cascade,
  -- JSON of its addressee.
  company text,
  status text not null check (status in ('paid','open','void')),
  currency text not null,
  -- JSON of descriptions and minor units.
  lines text not null,
  total bigint not null,
  create_time timestamptz not null
);
create index sandbox_invoices_customer on sandbox_invoices (customer, number desc);

-- The sandbox's response to an idempotency key, for a repetition of the same request.
create table sandbox_answers (
  key text primary key,
  customer text not null references sandbox_customers on delete cascade,
  answer text not null,
  create_time timestamptz not null
);
create index sandbox_answers_customer on sandbox_answers (customer);

-- Payments that wait for the payer's confirmation, as JSON of the request.
create table sandbox_confirmations (
  client_secret text primary key,
  customer text not null references sandbox_customers on delete cascade,
  request text not null,
  create_time timestamptz not null
);
create index sandbox_confirmations_customer on sandbox_confirmations (customer);
`
