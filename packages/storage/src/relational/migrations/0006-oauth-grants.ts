import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * What destinations were permitted by OAuth 2, and the permissions that somebody is being asked for just now. Delivery
 * hears when a grant is given, ends or is taken back; that its tokens were renewed changes nothing for the directories.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
create table oauth_grants (
  destination_id uuid primary key references destinations on delete cascade,
  id uuid not null unique,
  status text not null check (status in ('connected','expired')),
  issued_for text not null,
  tokens_encrypted bytea,
  account text not null default '',
  error text not null default '',
  lease_id uuid,
  lease_until timestamptz,
  connected_by uuid references users on delete set null,
  connect_time timestamptz not null,
  update_time timestamptz not null,
  check (status = 'expired' or tokens_encrypted is not null)
);

create table oauth_consents (
  state_hash bytea primary key,
  destination_id uuid not null references destinations on delete cascade,
  user_id uuid not null references users on delete cascade,
  verifier_encrypted bytea not null,
  issued_for text not null,
  redirect_uri text not null,
  create_time timestamptz not null,
  expire_time timestamptz not null
);
create index oauth_consents_destination on oauth_consents (destination_id);

create constraint trigger directory_oauth_grants
  after insert or delete or update of id, status, issued_for on oauth_grants
  deferrable initially deferred for each row execute function note_directory_change();
`.execute(db)
}
