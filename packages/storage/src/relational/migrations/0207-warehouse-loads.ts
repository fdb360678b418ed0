import { type QueryExecutorProvider, sql } from 'kysely'

const statements = `
-- Loads of warehouses, and changes of their columns by users.
create table warehouse_loads (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  destination_id uuid not null references destinations on delete cascade,
  kind text not null,
  -- The table, the column, and the new type or name, as JSON; null for a load.
  change jsonb,
  state text not null,
  trigger text not null,
  created_by uuid references users on delete set null,
  create_time timestamptz not null,
  start_time timestamptz,
  finish_time timestamptz,
  -- Rows by table, as JSON.
  table_rows jsonb not null default '{}',
  bytes bigint not null default 0,
  unfit_count bigint not null default 0,
  attempts integer not null default 0,
  reason text not null default '',
  -- The statement that failed.
  statement text not null default ''
);
create index warehouse_loads_destination on warehouse_loads (destination_id, create_time desc, id);
create index warehouse_loads_open on warehouse_loads (destination_id) where state in ('waiting', 'running');

-- How far the tables of each warehouse are complete.
create table warehouse_states (
  destination_id uuid primary key references destinations on delete cascade,
  -- The time of the next load by schedule.
  next_load_time timestamptz not null,
  -- The beginning of the last load that succeeded.
  load_time timestamptz,
  -- Events that were received before are in their tables.
  complete_time timestamptz,
  -- The last comparison with the product, as JSON.
  comparison jsonb
);
`

/** Adds the loads of warehouses. There are none before. */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql.raw(statements).execute(db)
}
