import { type QueryExecutorProvider, sql } from 'kysely'

/** Ways in, mail, invitations, onboarding links and the inbox. Secrets of links and codes are kept as hashes only. */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
alter table organizations add column auto_join_domain text not null default '';
create index organizations_auto_join_domain on organizations (auto_join_domain) where auto_join_domain <> '';

create table one_time_codes (
  id uuid primary key,
  email text not null,
  action text not null check (action in ('login','sign up')),
  code_hash bytea not null,
  tries integer not null default 0,
  create_time timestamptz not null default now(),
  expire_time timestamptz not null
);
create unique index one_time_codes_email on one_time_codes (email, action);

create table set_password_tokens (
  token_hash bytea primary key,
  user_id uuid not null references users on delete cascade,
  expire_time timestamptz not null
);
create index set_password_tokens_user on set_password_tokens (user_id);

create table user_identities (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  issuer text not null,
  subject text not null,
  email text not null,
  create_time timestamptz not null default now(),
  unique (issuer, subject)
);
create index user_identities_user on user_identities (user_id);

create table mails (
  id uuid primary key,
  kind text not null,
  recipient text not null,
  subject text not null,
  body_text text not null,
  body_html text not null,
  attempts integer not null default 0,
  last_error text not null default '',
  create_time timestamptz not null default now(),
  next_time timestamptz not null default now(),
  sent_time timestamptz,
  expire_time timestamptz not null
);
create index mails_due on mails (next_time) where sent_time is null;

create table invitations (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  invitee_email text not null,
  role text not null check (role in ('ORG_ADMIN','ORG_COLLABORATOR','ORG_GUEST')),
  inviter_id uuid references users on delete set null,
  token_hash bytea not null,
  create_time timestamptz not null default now(),
  send_time timestamptz not null default now(),
  expire_time timestamptz not null,
  accept_time timestamptz,
  accepted_by uuid references users on delete set null,
  revoke_time timestamptz
);
create unique index invitations_open on invitations (organization_id, lower(invitee_email))
  where accept_time is null and revoke_time is null;

create table invitation_links (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  role text not null check (role in ('ORG_COLLABORATOR','ORG_GUEST')),
  creator_id uuid references users on delete set null,
  create_time timestamptz not null default now(),
  expire_time timestamptz not null,
  revoke_time timestamptz
);
create index invitation_links_organization on invitation_links (organization_id);

-- who has left or was removed, until they join again
create table former_members (
  organization_id uuid not null references organizations on delete cascade,
  user_id uuid not null references users on delete cascade,
  role text not null check (role in ('ORG_ADMIN','ORG_COLLABORATOR','ORG_GUEST')),
  removed boolean not null,
  end_time timestamptz not null,
  primary key (organization_id, user_id)
);
create index former_members_user on former_members (user_id);

create table onboardings (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  organization_id uuid not null references organizations on delete cascade,
  token_hash bytea not null unique,
  yearly_amount numeric(14,2) not null default 0,
  setup_amount numeric(14,2) not null default 0,
  create_time timestamptz not null default now(),
  expire_time timestamptz not null,
  complete_time timestamptz,
  revoke_time timestamptz
);

create table notifications (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  organization_id uuid references organizations on delete cascade,
  kind text not null,
  title text not null,
  body text not null default '',
  link text not null default '',
  -- what it is about: one cause is told once per user
  cause text not null default '',
  create_time timestamptz not null default now(),
  read_time timestamptz
);
create index notifications_user on notifications (user_id, create_time desc);
create unique index notifications_cause on notifications (user_id, cause) where cause <> '';
`.execute(db)
}
