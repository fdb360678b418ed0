import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * Keys with which programs call the API, of which hashes are kept: of the secret, and for a while of the one before a rotation.
 * Records of what was done say by which key, for whom, and from where, and what was there before.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
create table api_keys (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  workspace_id uuid references workspaces on delete cascade,
  creator_id uuid not null references users on delete cascade,
  title text not null,
  role text not null check (role in ('ORG_ADMIN','ORG_COLLABORATOR','ORG_GUEST')),
  areas text[] not null,
  key_hash bytea not null unique,
  hint text not null,
  previous_hash bytea unique,
  previous_expire_time timestamptz,
  create_time timestamptz not null,
  expire_time timestamptz,
  last_used_time timestamptz,
  revoke_time timestamptz
);
create index api_keys_organization on api_keys (organization_id, create_time desc, id desc) where revoke_time is null;

alter table audit_log
  add column key_id uuid,
  add column on_behalf boolean not null default false,
  add column ip text not null default '',
  add column user_agent text not null default '',
  add column changes jsonb;
create index audit_log_organization on audit_log (organization_id, create_time desc, id desc);
create index audit_log_time on audit_log (create_time);
`.execute(db)
}
