/**
 * Users and their sessions, organizations and their people, workspaces, API keys, the audit log, and mail. Secrets are
 * kept as hashes only.
 */
export const accountsSql = `
create table users (
  id uuid primary key,
  email text not null,
  first_name text not null default '',
  last_name text not null default '',
  photo_url text not null default '',
  password_hash text,
  is_admin boolean not null default false,
  email_verified_at timestamptz,
  create_time timestamptz not null default now()
);
create unique index users_email on users (lower(email));

create table sessions (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  -- SHA-256 of the bearer token; the token itself is never stored.
  token_hash bytea not null unique,
  create_time timestamptz not null default now(),
  last_used_time timestamptz not null default now(),
  expire_time timestamptz not null,
  user_agent text not null default '',
  ip text not null default ''
);
create index sessions_user on sessions (user_id);

-- A place from which a user has signed in.
-- As keyed hashes: wrong attempts elsewhere cannot lock a user out here.
create table sign_in_places (
  user_id uuid not null references users on delete cascade,
  -- HMAC-SHA256 of the place; one byte longer for the larger network and browser of a place.
  place_hash bytea not null,
  last_time timestamptz not null,
  primary key (user_id, place_hash)
);

create table one_time_codes (
  id uuid primary key,
  -- In lower case.
  email text not null,
  action text not null check (action in ('login','sign up')),
  code_hash bytea not null,
  -- Number of wrong attempts so far.
  tries integer not null default 0,
  create_time timestamptz not null default now(),
  expire_time timestamptz not null
);
create unique index one_time_codes_email on one_time_codes (email, action);

create table set_password_tokens (
  token_hash bytea primary key,
  user_id uuid not null references users on delete cascade,
  expire_time timestamptz not null,
  -- The session of the code; null for codes from the previous version, which any session of the user may use.
  session_id uuid references sessions on delete cascade
);
create index set_password_tokens_user on set_password_tokens (user_id);
create index set_password_tokens_session on set_password_tokens (session_id) where session_id is not null;

-- The identity of a user at a third-party sign-in.
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

-- A deleted organization or workspace stays, empty, until no log has anything that was received for it: consumers that are behind refer to its rows.
create table organizations (
  id uuid primary key,
  title text not null,
  industry text not null default 'other',
  -- Key of the image below /media, or empty.
  logo text not null default '',
  create_time timestamptz not null default now(),
  -- The email domain whose users may join without an invitation, or empty.
  auto_join_domain text not null default '',
  -- When the organization was deleted: from then on no request finds it; the row is removed when its data is gone.
  delete_time timestamptz,
  -- When remaining data of the deleted organization is next looked for.
  remove_time timestamptz,
  -- The creator; null for an organization made by staff or by a set-up.
  creator_id uuid
);
create index organizations_auto_join_domain on organizations (auto_join_domain) where auto_join_domain <> '';
create index organizations_to_remove on organizations (remove_time) where delete_time is not null;
create index organizations_creator on organizations (creator_id) where creator_id is not null;

create table memberships (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  user_id uuid not null references users on delete cascade,
  role text not null check (role in ('ORG_ADMIN','ORG_COLLABORATOR','ORG_GUEST')),
  create_time timestamptz not null default now(),
  unique (organization_id, user_id)
);
create index memberships_user on memberships (user_id);

-- People who left or were removed, until they join again.
create table former_members (
  organization_id uuid not null references organizations on delete cascade,
  user_id uuid not null references users on delete cascade,
  role text not null check (role in ('ORG_ADMIN','ORG_COLLABORATOR','ORG_GUEST')),
  -- Whether another member removed them.
  removed boolean not null,
  end_time timestamptz not null,
  primary key (organization_id, user_id)
);
create index former_members_user on former_members (user_id);

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

create table onboardings (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  organization_id uuid not null references organizations on delete cascade,
  token_hash bytea not null unique,
  -- Decimal text.
  yearly_amount numeric(14,2) not null default 0,
  setup_amount numeric(14,2) not null default 0,
  create_time timestamptz not null default now(),
  expire_time timestamptz not null,
  complete_time timestamptz,
  revoke_time timestamptz,
  -- The ID of the set-up invoice at the payment provider, and its URL.
  invoice text,
  invoice_url text,
  -- Whether something must still be requested from the payment provider; null if nothing ever was.
  billing text check (billing in ('open','done'))
);
create index onboardings_billing on onboardings (id) where billing = 'open';

create table workspaces (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  title text not null,
  create_time timestamptz not null default now(),
  -- When the organization was deleted: from then on no request finds it; the row is removed when its data is gone.
  delete_time timestamptz,
  -- When remaining data of the deleted organization is next looked for.
  remove_time timestamptz,
  -- When the usage of the deleted workspace was counted: from then on its events may be deleted.
  usage_kept_time timestamptz
);
create index workspaces_organization on workspaces (organization_id);
create index workspaces_to_remove on workspaces (remove_time) where delete_time is not null;

-- Keys with which programs call the API.
create table api_keys (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  workspace_id uuid references workspaces on delete cascade,
  creator_id uuid not null references users on delete cascade,
  title text not null,
  role text not null check (role in ('ORG_ADMIN','ORG_COLLABORATOR','ORG_GUEST')),
  areas text[] not null,
  -- SHA-256 of the key.
  key_hash bytea not null unique,
  -- Its last characters.
  hint text not null,
  -- The key before the last rotation, which remains valid for a while.
  previous_hash bytea unique,
  previous_expire_time timestamptz,
  create_time timestamptz not null,
  expire_time timestamptz,
  -- Rounded to a minute.
  last_used_time timestamptz,
  revoke_time timestamptz
);
create index api_keys_organization on api_keys (organization_id, create_time desc, id desc) where revoke_time is null;

create table audit_log (
  id uuid primary key,
  organization_id uuid,
  workspace_id uuid,
  actor_id uuid,
  action text not null,
  resource text not null,
  detail jsonb not null default '{}',
  create_time timestamptz not null default now(),
  -- The API key that performed the action.
  key_id uuid,
  -- Whether staff acted in an organization to which they do not belong.
  on_behalf boolean not null default false,
  ip text not null default '',
  user_agent text not null default '',
  -- For each changed field, its value before and after, without secrets.
  changes jsonb
);
create index audit_log_workspace on audit_log (workspace_id, create_time desc);
create index audit_log_organization on audit_log (organization_id, create_time desc, id desc);
create index audit_log_time on audit_log (create_time);

-- One cause notifies a user once.
create table notifications (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  organization_id uuid references organizations on delete cascade,
  kind text not null,
  title text not null,
  body text not null default '',
  link text not null default '',
  -- The cause of the notification: each cause notifies a user once. Empty for notifications that may repeat.
  cause text not null default '',
  create_time timestamptz not null default now(),
  read_time timestamptz
);
create index notifications_user on notifications (user_id, create_time desc);
create unique index notifications_cause on notifications (user_id, cause) where cause <> '';

-- Mail written in the same transaction as its cause, and sent later by a job with its ID.
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
  sent_time timestamptz,
  -- After this time the mail is no longer sent.
  expire_time timestamptz not null
);
create index mails_waiting on mails (expire_time) where sent_time is null;
`
