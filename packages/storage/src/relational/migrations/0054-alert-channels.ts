import { type QueryExecutorProvider, sql } from 'kysely'

/** Where alerts of syncs are sent beside inbox and mail, and the messages that were not taken yet. `sync_ids` is null for all syncs. */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
create table alert_channels (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  title text not null,
  kind text not null check (kind in ('slack','webhook')),
  host text not null,
  secrets_encrypted bytea not null,
  sync_ids uuid[],
  create_time timestamptz not null,
  last_sent_time timestamptz,
  failure text not null default '',
  failure_time timestamptz
);
create index alert_channels_workspace on alert_channels (workspace_id, create_time desc, id desc);

create table alert_messages (
  id uuid primary key,
  channel_id uuid not null references alert_channels on delete cascade,
  message text not null,
  create_time timestamptz not null,
  expire_time timestamptz not null
);
create index alert_messages_channel on alert_messages (channel_id);
create index alert_messages_expiry on alert_messages (expire_time);
`.execute(db)
}
