import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * The periods of what organizations pay for, each of which ends in at most one invoice of the profiles beyond those included, and how much
 * that may be at most. A period that is closed is counted; `operation` is the key with which the provider is asked.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
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
`.execute(db)
}
