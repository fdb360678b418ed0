import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * Domains on which workspaces collect their events. Until its records are found, several workspaces may wait for one: whoever can
 * show the records has it, and nobody can keep it from them. A change of what is served is a change of the directory.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
create table custom_domains (
  id uuid primary key,
  workspace_id uuid not null unique references workspaces on delete cascade,
  domain text not null,
  challenge text not null,
  state text not null default 'pending' check (state in ('pending','active','failing')),
  cname_found boolean not null default false,
  txt_found boolean not null default false,
  problem text not null default '',
  check_time timestamptz,
  create_time timestamptz not null
);
create unique index custom_domains_served on custom_domains (domain) where state <> 'pending';
create index custom_domains_check on custom_domains (check_time nulls first);

create function note_custom_domain_change() returns trigger language plpgsql as $$
begin
  update directory_version set version = version + 1, changed_by = txid_current()
    where changed_by <> txid_current();
  if found then
    perform pg_notify('directory_changed', '');
  end if;
  return null;
end $$;
create constraint trigger directory_custom_domains
  after insert or delete or update of state on custom_domains
  deferrable initially deferred for each row execute function note_custom_domain_change();
`.execute(db)
}
