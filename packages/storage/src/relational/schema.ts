import type { ColumnType, Generated, JSONColumnType } from 'kysely'

type Time = ColumnType<Date, Date | string | undefined, Date | string>
type NullableTime = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>

export type UsersTable = {
  id: string
  email: string
  first_name: Generated<string>
  last_name: Generated<string>
  photo_url: Generated<string>
  password_hash: string | null
  is_admin: Generated<boolean>
  email_verified_at: NullableTime
  create_time: Time
}

export type SessionsTable = {
  id: string
  user_id: string
  /** SHA-256 of the bearer token; the token itself is never stored. */
  token_hash: Uint8Array
  create_time: Time
  last_used_time: Time
  expire_time: ColumnType<Date, Date | string, Date | string>
  user_agent: Generated<string>
  ip: Generated<string>
}

export type OrganizationsTable = {
  id: string
  title: string
  industry: Generated<string>
  /** Key of the image below `/media`, or empty. */
  logo: Generated<string>
  /** The e-mail domain whose people may join by themselves, or empty. */
  auto_join_domain: Generated<string>
  create_time: Time
  /** Its creator; null for one that staff, or a set-up, made. */
  creator_id: Generated<string | null>
  /** When it was deleted: no request finds it from then on, and it is removed when its data is gone. */
  delete_time: NullableTime
  /** When the leftovers of a deleted one are looked for next. */
  remove_time: NullableTime
}

export type MembershipsTable = {
  id: string
  organization_id: string
  user_id: string
  role: 'ORG_ADMIN' | 'ORG_COLLABORATOR' | 'ORG_GUEST'
  create_time: Time
}

export type WorkspacesTable = {
  id: string
  organization_id: string
  title: string
  create_time: Time
  /** When it was deleted: no request finds it from then on, and it is removed when its data is gone. */
  delete_time: NullableTime
  /** When the leftovers of a deleted one are looked for next. */
  remove_time: NullableTime
  /** When the usage of a deleted one was counted: from then on its events may be deleted. */
  usage_kept_time: NullableTime
}

/** The number of groups that the partitions of the logs are divided into: one row. */
export type PartitionGroupsTable = { id: Generated<boolean>; groups: number }

/** Spreads of workspaces that are in more than one partition, or were. */
export type WorkspaceSpreadsTable = {
  workspace_id: string
  /** The number of partitions that it is spread over now. */
  spread: Generated<number>
  /** The largest number that it was ever spread over: its data may be in any of these. */
  widest: Generated<number>
  /** The number of partitions after the change under way; null without one. */
  next: number | null
  /** When a change was last requested. */
  change_time: Time
  /** When acceptance of its events stopped for the change; null while they are accepted. */
  pause_time: NullableTime
  /** Why the change is stuck, or the last one was aborted; '' when there is no reason. */
  problem: Generated<string>
}

export type SourcesTable = {
  id: string
  workspace_id: string
  title: string
  /** Slug of the catalogue entry. */
  app: string
  target_product: Generated<string>
  enabled: Generated<boolean>
  /** Version of its schema in `source_schemas`. */
  schema_version: Generated<number>
  enforcement: Generated<string>
  /** Its events are held: the organization is over a limit of its plan. */
  held: Generated<boolean>
  settings: JSONColumnType<Record<string, unknown>, string | undefined, string>
  secrets_encrypted: ColumnType<Uint8Array | null, Uint8Array | null | undefined, Uint8Array | null>
  create_time: Time
  update_time: Time
  delete_time: NullableTime
}

/** Every version of the schema of a source. */
export type SourceSchemasTable = {
  source_id: string
  version: number
  /** JSON text, as the contract's `parseSourceSchema` reads it. */
  schema: string
  /** One of the contract's `schemaChanges`. */
  change: string
  author_id: string | null
  event_count: Generated<number>
  property_count: Generated<number>
  create_time: Time
}

export type WriteKeysTable = {
  id: string
  source_id: string
  workspace_id: string
  title: Generated<string>
  /** SHA-256 of the key: look-ups go by it. */
  key_hash: Uint8Array
  key_encrypted: Uint8Array
  /** The API key that made it; null when a person did. */
  api_key_id: string | null
  create_time: Time
  last_used_time: NullableTime
  revoke_time: NullableTime
}

export type DestinationsTable = {
  id: string
  workspace_id: string
  title: string
  app: string
  enabled: Generated<boolean>
  /** Settings that may be shown. */
  settings: JSONColumnType<Record<string, unknown>, string | undefined, string>
  /** Settings that may not, as one encrypted JSON object. */
  secrets_encrypted: Uint8Array | null
  /** The contract's `EventMapping[]` as JSON; null while it uses the presets of its app. */
  mappings: ColumnType<unknown, string | null | undefined, string | null>
  mappings_revision: Generated<number>
  consent_categories: Generated<string[]>
  create_time: Time
  update_time: Time
  delete_time: NullableTime
}

/** A permission of a destination by OAuth 2. */
export type OauthGrantsTable = {
  destination_id: string
  /** Another one after each consent. */
  id: string
  status: 'connected' | 'expired'
  /** Fingerprint of the client and the token address that it was given to. */
  issued_for: string
  /** Access and refresh token with their times, sealed; null once they are of no use. */
  tokens_encrypted: Uint8Array | null
  /** The account that granted it, as the other side names it, or empty. */
  account: Generated<string>
  /** Why it expired, or why its tokens could not be renewed the last time. */
  error: Generated<string>
  /** The lease of the process that renews the tokens now, and when it ends. */
  lease_id: string | null
  lease_until: NullableTime
  connected_by: string | null
  connect_time: ColumnType<Date, Date | string, Date | string>
  update_time: ColumnType<Date, Date | string, Date | string>
}

/** A permission that a user is being asked for. */
export type OauthConsentsTable = {
  /** SHA-256 of the state that comes back. */
  state_hash: Uint8Array
  destination_id: string
  /** The user that began it, the only one that may complete it. */
  user_id: string
  /** PKCE verifier (RFC 7636), sealed. */
  verifier_encrypted: Uint8Array
  issued_for: string
  redirect_uri: string
  create_time: ColumnType<Date, Date | string, Date | string>
  expire_time: ColumnType<Date, Date | string, Date | string>
}

/** A place that a user has signed in from. */
export type SignInPlacesTable = {
  user_id: string
  /** HMAC-SHA256 of the place; a byte longer for that of its larger network and browser. */
  place_hash: Uint8Array
  last_time: ColumnType<Date, Date | string, Date | string>
}

export type ConnectionsTable = {
  id: string
  workspace_id: string
  source_id: string
  destination_id: string
  enabled: Generated<boolean>
  /** The contract's `EventConditions` as JSON. */
  filter: ColumnType<unknown, string | undefined, string>
  create_time: Time
}

export type AuditLogTable = {
  id: string
  organization_id: string | null
  workspace_id: string | null
  actor_id: string | null
  action: string
  resource: string
  detail: JSONColumnType<Record<string, unknown>, string | undefined, string>
  create_time: Time
  /** The API key with which it was done. */
  key_id: string | null
  /** Whether staff acted in an organization that is not theirs. */
  on_behalf: Generated<boolean>
  ip: Generated<string>
  user_agent: Generated<string>
  /** For each field that was changed, what it was before and after, without secrets. */
  changes: JSONColumnType<Record<string, { before: unknown; after: unknown }>, string, string> | null
}

/** A domain on which a workspace collects its events. */
export type CustomDomainsTable = {
  id: string
  workspace_id: string
  /** In lower case. */
  domain: string
  /** The required value of the TXT record. */
  challenge: string
  state: Generated<'pending' | 'active' | 'failing'>
  cname_found: Generated<boolean>
  txt_found: Generated<boolean>
  problem: Generated<string>
  check_time: NullableTime
  create_time: Time
}

/** Keys with which programs call the API. */
export type ApiKeysTable = {
  id: string
  organization_id: string
  workspace_id: string | null
  creator_id: string
  title: string
  role: 'ORG_ADMIN' | 'ORG_COLLABORATOR' | 'ORG_GUEST'
  areas: string[]
  /** SHA-256 of the key. */
  key_hash: Uint8Array
  /** Its last characters. */
  hint: string
  /** The key before the last rotation, which goes on for a while. */
  previous_hash: Uint8Array | null
  previous_expire_time: NullableTime
  create_time: Time
  expire_time: NullableTime
  /** To a minute. */
  last_used_time: NullableTime
  revoke_time: NullableTime
}

export type RefusedRequestsTable = {
  workspace_id: string | null
  source_id: string | null
  key_hint: Generated<string>
  reason: string
  code: number
  hour: ColumnType<Date, Date | string, Date | string>
  count: ColumnType<string, number | string, number | string>
  last_time: ColumnType<Date, Date | string, Date | string>
  message: Generated<string>
  sample: Generated<string>
}

export type ParkedDeliveriesTable = {
  id: string
  workspace_id: string
  source_id: string
  destination_id: string
  log_partition: number
  log_offset: ColumnType<string, number | string, number | string>
  /**
   * The offset behind the last record of a range that was held without an attempt; null for a row that names events of
   * one record. A range has all events of its records for this destination (event_indexes is empty).
   */
  log_end: ColumnType<string | null, number | string | null | undefined, number | string | null>
  /** Which events of the log record, by index. */
  event_indexes: number[]
  /** Stands for `event_indexes` in the key. */
  event_indexes_hash: ColumnType<string, never, never>
  /** Their ids in the same order; empty for a range. */
  event_ids: Generated<string[]>
  event_count: number
  bytes: ColumnType<string, number | string | undefined, number | string>
  state: 'waiting' | 'dead'
  attempts: Generated<number>
  first_time: ColumnType<Date, Date | string, Date | string>
  next_time: ColumnType<Date, Date | string, Date | string>
  last_status: number | null
  last_reason: Generated<string>
  request: Generated<string>
  response: Generated<string>
  /** When dead, its outcome must still be reported to the producer of its rows. */
  tells: Generated<boolean>
  /** The replay that makes it due again, or did. */
  replay_id: Generated<string | null>
  /** For a dead letter: the part of `event_indexes` that the replay has chosen; null for all of them. */
  replay_indexes: Generated<number[] | null>
  /** It goes behind live events. */
  bulk: Generated<boolean>
  /** Which records a range is of; '' for all that name the destination, and for rows. */
  holds: Generated<'' | 'live' | 'bulk'>
}

/** Stored events or dead letters that are sent to one destination again. */
export type ReplaysTable = {
  id: string
  workspace_id: string
  destination_id: string
  kind: 'history' | 'dead'
  start_time: ColumnType<Date, Date | string, never>
  end_time: ColumnType<Date, Date | string, never>
  /** For a history: the time of events that start and end refer to. */
  time_by: ColumnType<'receive_time' | 'event_time', 'receive_time' | 'event_time' | undefined, never>
  source_id: string | null
  event: string | null
  event_type: string | null
  /** Conditions, as the contract's `eventFilter`. */
  filter: ColumnType<unknown, string, never>
  /** For dead letters: the reason of their failure. */
  reason: string | null
  events_per_second: number
  state: 'running' | 'paused' | 'cancelled' | 'done' | 'failed'
  /** Why it failed; '' otherwise. */
  failure: Generated<string>
  /** Events that it is to send, counted when it was made, and how many it has sent. */
  event_count: ColumnType<string, number | string, never>
  sent_count: ColumnType<string, number | string | undefined, number | string>
  /** Place in the log of requests that its events lie before; '' for no bound. */
  stored_before: string
  /** The last event it has looked at: receive time (epoch ms) and id. */
  cursor_ms: ColumnType<string | null, number | null | undefined, number | null>
  cursor_id: Generated<string>
  /** Where in the log of deliveries the search for what it appended last begins. */
  log_partition: Generated<number | null>
  log_offset: ColumnType<string | null, number | null | undefined, number | null>
  creator_id: string | null
  create_time: Time
  finish_time: NullableTime
}

/** One row whose version grows with every change that the configuration caches of other threads must see. */
export type DirectoryVersionTable = {
  version: ColumnType<string, number | string, number | string>
  /** Transaction that raised it last: one transaction raises it once. */
  changed_by: ColumnType<string, number | string, number | string>
}

/** The last changes of what configuration caches hold, with the version of each; kept for deleted objects. */
export type DirectoryChangesTable = {
  kind:
    | 'source'
    | 'destination'
    | 'write_key'
    | 'identity_settings'
    | 'profile_key'
    | 'computed_traits'
    | 'sync_token'
    | 'signals'
  id: string
  version: ColumnType<string, number | string, number | string>
}

export type OneTimeCodesTable = {
  id: string
  /** In lower case. */
  email: string
  action: 'login' | 'sign up'
  code_hash: Uint8Array
  /** Wrong tries so far. */
  tries: Generated<number>
  create_time: Time
  expire_time: ColumnType<Date, Date | string, Date | string>
}

export type SetPasswordTokensTable = {
  token_hash: Uint8Array
  user_id: string
  /** The session that it came with; null for one of a version before, which any session of the user may use. */
  session_id: string | null
  expire_time: ColumnType<Date, Date | string, Date | string>
}

/** The identity of a user at a third-party sign-in. */
export type UserIdentitiesTable = {
  id: string
  user_id: string
  issuer: string
  subject: string
  email: string
  create_time: Time
}

/** Mail written in the same transaction as its cause, sent afterwards by a job with its id. */
export type MailsTable = {
  id: string
  kind: string
  recipient: string
  subject: string
  body_text: string
  body_html: string
  attempts: Generated<number>
  last_error: Generated<string>
  create_time: Time
  sent_time: NullableTime
  /** From then on it is not sent any more. */
  expire_time: ColumnType<Date, Date | string, Date | string>
}

export type InvitationsTable = {
  id: string
  organization_id: string
  invitee_email: string
  role: 'ORG_ADMIN' | 'ORG_COLLABORATOR' | 'ORG_GUEST'
  inviter_id: string | null
  token_hash: Uint8Array
  create_time: Time
  send_time: Time
  expire_time: ColumnType<Date, Date | string, Date | string>
  accept_time: NullableTime
  accepted_by: string | null
  revoke_time: NullableTime
}

export type InvitationLinksTable = {
  id: string
  organization_id: string
  role: 'ORG_COLLABORATOR' | 'ORG_GUEST'
  creator_id: string | null
  create_time: Time
  expire_time: ColumnType<Date, Date | string, Date | string>
  revoke_time: NullableTime
}

/** Former members, until they join again. */
export type FormerMembersTable = {
  organization_id: string
  user_id: string
  role: 'ORG_ADMIN' | 'ORG_COLLABORATOR' | 'ORG_GUEST'
  /** Whether another member removed them. */
  removed: boolean
  end_time: ColumnType<Date, Date, Date>
}

export type OnboardingsTable = {
  id: string
  user_id: string
  organization_id: string
  token_hash: Uint8Array
  /** Decimal text. */
  yearly_amount: Generated<string>
  setup_amount: Generated<string>
  create_time: Time
  expire_time: ColumnType<Date, Date | string, Date | string>
  complete_time: NullableTime
  revoke_time: NullableTime
  /** The ID of the set-up invoice at the payment provider, and its URL. */
  invoice: string | null
  invoice_url: string | null
  /** Whether something is still to be asked of the payment provider; null when nothing ever was. */
  billing: 'open' | 'done' | null
}

export type NotificationsTable = {
  id: string
  user_id: string
  organization_id: string | null
  kind: string
  title: string
  body: Generated<string>
  link: Generated<string>
  /** The cause of the notification: one cause notifies a user once. Empty for notifications that may repeat. */
  cause: Generated<string>
  create_time: Time
  read_time: NullableTime
}

/** How far the ledger of a workspace is; its writers hold the lock of the row. */
export type IdentityLedgersTable = {
  workspace_id: string
  sequence: ColumnType<string, number | string | undefined, number | string>
  has_splits: Generated<boolean>
  /** Changes of `privacy_hashes`. */
  erasures: ColumnType<string, number | undefined, number>
  /** The key of the identifiers' hashes; null while there are no hashes. */
  privacy_key: Uint8Array | null
  /** Whether an alias call has named an identifier. */
  has_previous: Generated<boolean>
  /** Counts changes after which known facts have to be looked at again. */
  revision: Generated<string>
}

/** Up to where accepted events of a partition are in the ledgers. */
export type IdentityPlacesTable = {
  partition: number
  /** Another one with each change. */
  mark: string
  next: ColumnType<string, number, number>
  incarnation: string | null
  note: string
}

/** The operations of identity resolution. */
export type IdentityOperationsTable = {
  workspace_id: string
  sequence: ColumnType<string, number | string, never>
  kind: 'create' | 'link' | 'merge' | 'refuse' | 'split' | 'erase'
  profile_id: string
  /** The profile that was merged, or that a split made. */
  other_id: string | null
  type: Generated<string>
  value: Generated<string>
  by_type: Generated<string>
  by_value: Generated<string>
  alias: Generated<boolean>
  reason: Generated<string>
  /** Identifiers that a split took away. */
  members: ColumnType<unknown, string | null | undefined, never>
  /** The event that caused it; '' and null for a split. */
  event_id: Generated<string>
  source_id: string | null
  actor_id: string | null
  time: ColumnType<Date, Date | string, never>
}

export type ProfilesTable = {
  workspace_id: string
  id: string
  sequence: ColumnType<string, number | string, never>
  create_time: ColumnType<Date, Date | string, never>
  merged_into: string | null
}

export type ProfileIdentifiersTable = {
  workspace_id: string
  type: string
  value: string
  profile_id: string
  sequence: ColumnType<string, number | string, never>
  create_time: ColumnType<Date, Date | string, never>
}

/** Identifiers that are never in one profile again; each pair in both directions. */
export type ProfileIdentifiersApartTable = {
  workspace_id: string
  type: string
  value: string
  other_type: string
  other_value: string
}

export type ProfileTraitsTable = {
  workspace_id: string
  /** Sequence of the identifier that it came with. */
  identifier: ColumnType<string, number | string, never>
  /** '' stands for names that are not kept. */
  name: string
  /** JSON text; null when it was too large. */
  value: string | null
  /** The time of the event with which it was written. */
  time: ColumnType<Date, Date | string, Date | string>
  event_id: string
  source_id: string
  /** The set with which it came last. */
  set_id: ColumnType<string | null, string | null | undefined, string | null>
  /** Values of before, latest first. */
  earlier: ColumnType<
    { value: string | null; time: string; event_id: string; source_id: string }[],
    string | undefined,
    string
  >
  /** When the value of a computed trait is to be computed again, infinity for never; null for values of events. */
  due: ColumnType<Date | number | null, Date | string | null | undefined, Date | string | null>
}

/** Deleted and suppressed users: keyed hashes of their identifiers. */
export type PrivacyHashesTable = {
  workspace_id: string
  /** Hexadecimal. */
  hash: string
  /** The kind of the identifier. */
  type: string
  /** Its number in the event store, the column `owner` of events; null for kinds that own none. */
  owner: string | null
  /** Its sequence in `profile_identifiers`; null when none had it, or its profile was erased. */
  identifier: string | null
  /** Events received until then have no owner. */
  delete_time: NullableTime
  /** While it is set, events have no owner. */
  suppress_time: NullableTime
  /** Events that were refused a profile. */
  refused_events: ColumnType<string, number | undefined, number>
  /** The change of the ledger's hashes that wrote it. */
  changed: ColumnType<string, number | undefined, number>
  /** The last request that named it. */
  request_id: string
}

export type PrivacyRequestsTable = {
  id: string
  workspace_id: string
  kind: 'delete' | 'suppress' | 'delete_and_suppress'
  actor_id: string
  /** Identifiers that were named, and profiles that had them. */
  identifiers: number
  profiles: number
  /** How far the ledger was: what it has up to there of these identifiers is to be forgotten. */
  sequence: ColumnType<string, number, never>
  create_time: Time
  finish_time: NullableTime
  /** When the files of the database were rewritten without the deleted data; `files_error` is why they were not. */
  files_time: NullableTime
  files_error: ColumnType<string, string | undefined, string>
  /** The start of the round that rewrites the files for it; null before. */
  files_round: NullableTime
}

/** The newest round in which the files of the database are rewritten. */
export type FileRoundsTable = {
  start_time: Time
  /** Tables that are rewritten, with their schemas, quoted. */
  done_tables: ColumnType<string[], string[] | undefined, string[]>
  tries: ColumnType<number, number | undefined, number>
  /** When an unfinished round is tried again. */
  next_time: Time
  end_time: NullableTime
}

/** The values that are to be removed, while a step still needs them. */
export type PrivacyIdentifiersTable = {
  request_id: string
  type: string
  value: string
  /** Identifiers of one person have the same number. */
  person: Generated<number>
}

/** Owners whose stored events a request removes, for identifiers whose values are not stored. */
export type PrivacyOwnersTable = {
  request_id: string
  owner: string
}

/** The request to a destination to delete a person of a privacy request. */
export type PrivacyTellingsTable = {
  request_id: string
  destination_id: string
  person: number
  state: 'waiting' | 'sent' | 'done' | 'failed' | 'not_told'
  /** Why it failed or was not sent. */
  reason: Generated<string>
}

/** How far a request is in a place. */
export type PrivacyPlacesTable = {
  request_id: string
  place: string
  state: 'waiting' | 'running' | 'done'
  /** When it ends automatically. */
  until: NullableTime
  last_error: Generated<string>
  update_time: ColumnType<Date, Date | string, Date | string>
}

export type IdentitySettingsTable = {
  workspace_id: string
  /** `identityRules` of the contract; those that are not there have their defaults. */
  rules: JSONColumnType<object>
  update_time: ColumnType<Date, Date | string, Date | string>
}

export type AudiencesTable = {
  id: string
  workspace_id: string
  title: string
  /** JSON text, as the contract's `audienceQuery` reads it. */
  query: string
  version: Generated<number>
  state: Generated<'preparing' | 'computing' | 'live' | 'paused' | 'failed'>
  /** Why it failed, in words. */
  failure: Generated<string>
  /** The step of its computation, and the finished share of that. */
  progress_step: Generated<'waiting' | 'events' | 'profiles' | null>
  progress_share: Generated<number | null>
  size: number | null
  entered_count: Generated<number>
  left_count: Generated<number>
  as_of: NullableTime
  /** Every touch of a transaction below it is taken into account; null before the first computation. */
  touched_before: ColumnType<string | null, string | null | undefined, string | null>
  /** When all profiles were looked at last. */
  whole_time: NullableTime
  author_id: string | null
  create_time: Time
  update_time: Time
}

/** The title and query of an audience in a version. */
export type AudienceVersionsTable = {
  audience_id: string
  version: number
  title: string
  /** JSON text, as the contract's `audienceQuery` reads it. */
  query: string
  /** The version that was restored by it. */
  restored_version: number | null
  author_id: string | null
  create_time: Time
}

/** Identifiers on the lists of audiences, in the versions from one on and before another. */
export type AudienceListEntriesTable = {
  workspace_id: string
  audience_id: string
  /** Its sequence in `profile_identifiers`. */
  identifier: ColumnType<string, never, never>
  from_version: number
  /** Null while it is on the list as it was changed last. */
  until_version: number | null
}

/** How lists of audiences were changed, by the version that did it. */
export type AudienceListChangesTable = {
  audience_id: string
  version: number
  operation: 'import' | 'add' | 'replace' | 'remove'
  kind: 'user_id' | 'anonymous_id' | 'email' | 'phone' | null
  value_count: number
  found_count: number
  author_id: string | null
  create_time: Time
}

/** Definitions of conversions from events or an audience, with their destinations. */
export type SignalsTable = {
  id: string
  workspace_id: string
  title: string
  enabled: boolean
  /** When it was enabled last: what was received before is no conversion. */
  enable_time: NullableTime
  /** JSON text, as `signalDefinition` of the contract reads it, without platforms. */
  definition: string
  revision: Generated<number>
  /** The audience of a trigger that is one; null otherwise, and when it was deleted. */
  audience_id: string | null
  /** The last change of the audience that was looked at. */
  seen_change: ColumnType<string, number | string | undefined, number | string>
  last_conversion_time: NullableTime
  author_id: string | null
  create_time: Time
  update_time: ColumnType<Date, Date | string, Date | string>
}

/** The sources that a signal is fed from. */
export type SignalSourcesTable = { signal_id: string; source_id: string }

/** The destinations that a signal is sent to. */
export type SignalPlatformsTable = {
  signal_id: string
  destination_id: string
  workspace_id: string
  place: number
  platform: string
  event_name: string
  test_event_code: string
  /** JSON text; null while it uses what suits the platform. */
  field_mappings: string | null
}

/** Settings of all signals of a workspace. */
export type SignalSettingsTable = {
  workspace_id: string
  without_consent: string
  consent_path: string
  update_time: ColumnType<Date, Date | string, Date | string>
}

/** The conversions that a signal made of events, each once. */
export type SignalConversionsTable = {
  id: ColumnType<string, never, never>
  signal_id: string
  workspace_id: string
  key: Uint8Array
  origin: string
  event_id: string
  source_event: string
  event_time: Time
  create_time: Time
  amount: number | null
  currency: string
  test: boolean
  /** Hashes of identifiers of the person. */
  subjects: Uint8Array[]
  /** JSON text: by destination, why it was not sent there, and which identifiers it had. */
  platforms: string
}

/** Conversions that are still to be put into the stream. */
export type SignalOutboxTable = {
  id: ColumnType<string, never, never>
  workspace_id: string
  signal_id: string
  destinations: string[]
  key: string
  source_id: string
  subjects: Uint8Array[]
  json: string
}

/** Click IDs and first-party IDs of persons, until they expire. */
export type SignalClicksTable = {
  workspace_id: string
  /** Hash of an identifier. */
  person: Uint8Array
  name: string
  first_value: string
  first_time: Time
  first_campaign: string
  last_value: string
  last_time: Time
  last_campaign: string
  expire_time: Time
}

/** Counts by signal, destination and UTC day: of what was sent, of each reason why not, and of each identifier. */
export type SignalCountsTable = {
  signal_id: string
  destination_id: string
  day: ColumnType<string, string, never>
  kind: string
  count: ColumnType<string, number | string, number | string>
}

/** Conversions and their worth by UTC day and by the click that they are due to. */
export type SignalDaysTable = {
  signal_id: string
  workspace_id: string
  day: ColumnType<string, string, never>
  touch: string
  clicked: string
  utm_source: string
  utm_medium: string
  utm_campaign: string
  currency: string
  count: ColumnType<string, number | string, number | string>
  amount: number
}

export type ComputedTraitsTable = {
  id: string
  workspace_id: string
  /** The name of the trait. */
  trait: string
  /** JSON text, as the contract's `computedTraitDefinition` reads it. */
  definition: string
  version: Generated<number>
  /** The version that all profiles have been computed by; 0 before the first time. */
  computed_version: Generated<number>
  /** When the pass began that is under way; null when none is. */
  pass_time: NullableTime
  /** The last profile that it has done. */
  pass_after: Generated<string | null>
  pass_done: Generated<number>
  pass_total: Generated<number>
  /** When the last whole pass began. */
  compute_time: NullableTime
  /** Why it could not be computed, in words, and when it is tried again. */
  failure: Generated<string>
  retry_time: NullableTime
  /** When it was deleted: no request finds it any more, and its values are being removed. */
  delete_time: NullableTime
  author_id: string | null
  create_time: Time
  update_time: Time
}

/** How far computed traits of a workspace follow its ledger, and as of when they are up to date. */
export type ComputedTraitPlacesTable = {
  workspace_id: string
  sequence: ColumnType<string, number | string, number | string>
  as_of: NullableTime
}

/**
 * Identifiers (the sequences of their operations) whose profiles are to be computed again, once the request at this
 * place of the log is stored.
 */
export type ComputedTraitChangesTable = {
  trait_id: string
  identifier: ColumnType<string, number | string, never>
  log_partition: number
  log_offset: ColumnType<string, number | string>
  serial: Generated<string>
}

/** Destinations that get the changes of audiences, and how far they are. */
export type AudienceDestinationsTable = {
  id: string
  workspace_id: string
  audience_id: string
  destination_id: string
  state: 'filling' | 'live'
  /** The last change before the members that are sent first: members as of it are sent. */
  first_change: ColumnType<string, number | string, number | string>
  fill_total: number
  fill_sent: Generated<number>
  /** The last of these profiles that was sent. */
  fill_cursor: string | null
  sent_change: ColumnType<string, number | string, number | string>
  create_time: Time
  /** How often members were sent again, and when that was last requested. */
  run: Generated<number>
  run_time: NullableTime
}

/** Syncs that may have rows of the people of a privacy request, until these are gone. */
export type PrivacySyncsTable = {
  request_id: string
  sync_id: string
  /** The keys that their rows may have at the destination. */
  keys: string[]
  /** The number of the sync's last run when rows were removed; null when they were not. */
  swept_run: number | null
}

/**
 * Deleted users that a destination still counts among an audience: it is notified before their identifiers are erased.
 */
export type AudienceFarewellsTable = {
  request_id: string
  connection_id: string
  /** The number of the person in the identifiers of the request. */
  person: number
  profile_id: string
}

/** Changed profiles, which audiences evaluate again. */
export type AudienceTouchesTable = {
  id: ColumnType<string, never, never>
  workspace_id: string
  profiles: string[]
  transaction: ColumnType<string, never, never>
  log_partition: number | null
  log_offset: ColumnType<string | null, number | null | undefined, never>
  time: ColumnType<Date, never, never>
}

/** The members of an audience when it was computed last. */
export type AudienceMembersTable = {
  audience_id: string
  profile_id: string
  enter_time: Time
}

/** Profiles that entered and left audiences, in the order of `id`: the last row of a profile says whether it is in. */
export type AudienceChangesTable = {
  id: ColumnType<string, never, never>
  audience_id: string
  profile_id: string
  kind: 'entered' | 'left'
  time: Time
}

/** The size of audiences as it was last in each hour of UTC, and how many entered and left in it. */
export type AudienceHoursTable = {
  audience_id: string
  hour: ColumnType<Date, Date | string, never>
  size: number
  entered_count: number
  left_count: number
}

export type ProfileKeysTable = {
  id: string
  workspace_id: string
  title: string
  kind: 'secret' | 'public'
  /** Names of traits that a public key reads. */
  traits: string[]
  /** SHA-256 of the key. */
  key_hash: Uint8Array
  /** Its last characters. */
  hint: string
  create_time: ColumnType<Date, Date | string, Date | string>
  revoke_time: ColumnType<Date | null, Date | null | undefined, Date | null>
}

/** A company's database that models are read from. */
export type DataSourcesTable = {
  id: string
  workspace_id: string
  title: string
  app: string
  /** Settings that may be shown. */
  settings: JSONColumnType<Record<string, unknown>, string | undefined, string>
  /** Settings that may not, as one encrypted JSON object. */
  secrets_encrypted: Uint8Array | null
  create_time: Time
  update_time: Time
}

/** Files that were uploaded for data sources. */
export type DataSourceUploadsTable = {
  id: string
  workspace_id: string
  data_source_id: string
  user_id: string | null
  file_name: string
  bytes: ColumnType<string, number, never>
  rows: ColumnType<string, number, never>
  /** JSON texts. */
  columns: string
  settings: string
  /** Another one has taken its place, and its bytes are gone. */
  replaced: ColumnType<boolean, boolean | undefined, boolean>
  create_time: Time
}

export type ModelsTable = {
  id: string
  workspace_id: string
  data_source_id: string
  /** The audience whose members its rows are. */
  audience_id: string | null
  title: string
  /** JSON text, as the contract's `dataQuery` reads it. */
  query: string
  primary_key: string[]
  /** JSON text: the contract's `DataColumn[]`. */
  columns: string
  create_time: Time
  update_time: Time
}

/** Rows of a model that are brought to a destination. */
export type SyncsTable = {
  id: string
  workspace_id: string
  model_id: string
  /** The destination; either this or `source_id` is null. */
  destination_id: string | null
  /** The source whose events rows become. */
  source_id: ColumnType<string | null, string | null | undefined, string | null>
  title: string
  object: string
  object_name: string
  mode: 'FULL_SYNC' | 'UPSERT_ONLY' | 'UPDATE_ONLY' | 'INSERT_ONLY'
  identifier: string
  /** JSON text. */
  fields: string
  guard_percent: number
  /** Whether events go to the destinations of their source. */
  to_destinations: Generated<boolean>
  /** Rows of its object that are not in the model are removed, whichever program wrote them. */
  owns_object: Generated<boolean>
  /** JSON texts: the column by which new and changed rows are read, and how far the last run that ended well has come. */
  cursor: ColumnType<string | null, string | null | undefined, string | null>
  cursor_reached: ColumnType<string | null, string | null | undefined, string | null>
  interval_minutes: number | null
  cron: ColumnType<string | null, string | null | undefined, string | null>
  cron_time_zone: ColumnType<string | null, string | null | undefined, string | null>
  after_sync_id: ColumnType<string | null, string | null | undefined, string | null>
  paused: Generated<boolean>
  next_run_time: NullableTime
  /** When that was worked out. */
  next_run_from: NullableTime
  /**
   * The outcome of the last time of its schedule. After another sync: the outcome of that one's run, or that it was
   * deleted.
   */
  schedule_state: Generated<'on_time' | 'not_ended' | 'failed' | 'canceled' | 'deleted'>
  /** The title of the sync that the state is about; '' for its own runs. */
  schedule_title: Generated<string>
  /** People were notified that the sync it ran after is gone. */
  schedule_told: Generated<boolean>
  /** JSON text. */
  alerts: Generated<string>
  /** Number of the last run that was begun. */
  run_number: Generated<number>
  create_time: Time
  update_time: Time
}

/** Where alerts of syncs are sent, beside inbox and mail. */
export type AlertChannelsTable = {
  id: string
  workspace_id: string
  title: string
  kind: 'slack' | 'webhook'
  /** The server of its URL. */
  host: string
  /** JSON of URL and signing secret. */
  secrets_encrypted: Uint8Array
  /** The syncs whose alerts it gets, some of which may be gone; null for all. */
  sync_ids: string[] | null
  create_time: Time
  last_sent_time: NullableTime
  failure: Generated<string>
  failure_time: NullableTime
}

/** The subscription of an organization, as its payment provider has it; amounts in minor units. */
export type SubscriptionsTable = {
  organization_id: string
  provider: string
  subscription: string
  plan: string
  recurring_interval: 'MONTHLY' | 'ANNUALLY'
  status: 'active' | 'past_due'
  amount: ColumnType<string, number, number>
  currency: string
  period_start_time: Time
  period_end_time: Time
  /** The plan from the end of the period on, when that is another one. */
  next_plan: string | null
  next_interval: 'MONTHLY' | 'ANNUALLY' | null
  /** Since when an invoice is not paid. */
  past_due_time: NullableTime
}

/** The last data of the payment provider, as JSON: shown while it is away. */
export type PaymentSnapshotsTable = {
  organization_id: string
  what: 'subscription' | 'payment-methods' | 'invoices'
  content: string
  read_time: Time
}

/** The Stripe customer of an organization. */
export type StripeCustomersTable = { organization_id: string; customer: string }

/** How much of its plan an organization has used in the period that is measured, and what follows from that. */
export type PlanUsageTable = {
  organization_id: string
  /** The start of the period. */
  period_start_time: Time
  profiles: ColumnType<string, number, number>
  events: ColumnType<string, number, number>
  /** When it was first seen beyond a limit in this period. */
  over_time: NullableTime
  /** Since when its events are held, and when that ended last. */
  hold_time: NullableTime
  hold_end_time: NullableTime
  /** The notifications that its administrators got in this period. */
  told: Generated<string[]>
  /** There may be held events that were not released. */
  has_held: Generated<boolean>
  /** Held events that retention removed, ever. */
  removed_events: ColumnType<string, number | undefined, number>
  /** Received before this, held events were counted as removed, or their removal was announced a week or a day ahead. */
  removed_until: NullableTime
  /** Those that are being counted as removed, as JSON; null while none are. */
  removing: string | null
  week_announced_until: NullableTime
  day_announced_until: NullableTime
  measure_time: Time
}

/** The usage of a deleted workspace in a period on a day in UTC. */
export type KeptUsageTable = {
  organization_id: string
  workspace_id: string
  period_start_time: Time
  day: Time
  events: ColumnType<string, number, number>
  profiles: ColumnType<string, number, number>
}

/** A period of what an organization pays for, and the invoice of what it used beyond what is included. */
export type UsagePeriodsTable = {
  organization_id: string
  start_time: Time
  end_time: Time
  /** From which the ends of its months are counted. */
  anchor_time: Time
  provider: string
  subscription: string
  plan: string
  /** The most profiles that were included at any time of it; -1 where more are not billed. */
  included: ColumnType<string, number, number>
  /** The price of a started block of profiles, in minor units. */
  price: ColumnType<string, number, number>
  currency: string
  /** Blocks that were used before the cap was lowered: it does not take them back. */
  least_blocks: ColumnType<string, number | undefined, number>
  /** The count when it was closed, and how many blocks are billed. */
  profiles: ColumnType<string | null, number | null | undefined, number | null>
  blocks: ColumnType<string | null, number | null | undefined, number | null>
  /** The key with which its invoice is asked for; null where nothing is billed. */
  operation: string | null
  invoice_url: string | null
  close_time: NullableTime
  done_time: NullableTime
}

/** The largest amount that an organization pays for additional profiles in a period. */
export type OverageCapsTable = {
  organization_id: string
  amount: ColumnType<string, number, number>
  currency: string
}

/** A change requested of a payment provider, with its id as the key: at most one of an organization is not done. */
export type PaymentOperationsTable = {
  id: string
  organization_id: string
  /** JSON of the request, and of the actor. */
  request: string
  actor: string
  create_time: Time
  done_time: NullableTime
  /** How it ended; null until then. */
  outcome: 'done' | 'declined' | 'refused' | 'unconfirmed' | null
}

/** The addressee of invoices, as JSON. */
export type BillingCompaniesTable = { organization_id: string; company: string }

export type SandboxCustomersTable = {
  id: string
  organization_id: string
  default_payment_method: string | null
  /** JSON of the addressee of invoices. */
  company: string | null
}
export type SandboxSetupIntentsTable = { client_secret: string; customer: string; create_time: Time }
/** A test card. Its number is not kept. */
export type SandboxPaymentMethodsTable = {
  id: string
  customer: string
  brand: string
  last4: string
  exp_month: number
  exp_year: number
  /** Whether charges to it fail, or are to be confirmed. */
  declines: boolean
  confirms: Generated<boolean>
  create_time: Time
}
/** Payments that wait for the payer, as JSON of the request. */
export type SandboxConfirmationsTable = { client_secret: string; customer: string; request: string; create_time: Time }
export type SandboxSubscriptionsTable = {
  id: string
  customer: string
  status: 'active' | 'past_due' | 'canceled'
  /** JSON of a price, as the next one. */
  price: string
  next_price: string | null
  cancel_at_period_end: Generated<boolean>
  /** From which periods are counted. */
  anchor_time: Time
  period_start_time: Time
  period_end_time: Time
  /** Where invoices are sent instead of charged, in how many days they are due. */
  days_until_due: number | null
}
export type SandboxInvoicesTable = {
  /** A secret, with which it opens. */
  id: string
  number: Generated<string>
  customer: string
  /** JSON of its addressee. */
  company: string | null
  status: 'paid' | 'open' | 'void'
  currency: string
  /** JSON of descriptions and minor units. */
  lines: string
  total: ColumnType<string, number, number>
  create_time: Time
}
/** The sandbox's answer to a key, for the same request again. */
export type SandboxAnswersTable = { key: string; customer: string; answer: string; create_time: Time }

/** Alerts that a channel did not get yet. */
export type AlertMessagesTable = {
  id: string
  channel_id: string
  /** JSON text. */
  message: string
  create_time: Time
  expire_time: Time
}

/** Tokens with which orchestrators start syncs. */
export type SyncTokensTable = {
  id: string
  workspace_id: string
  title: string
  /** SHA-256 of the token. */
  token_hash: Uint8Array
  /** Its last characters. */
  hint: string
  create_time: Time
  /** To a minute. */
  last_used_time: NullableTime
  revoke_time: NullableTime
}

/** One time that a sync brought rows over. */
export type SyncRunsTable = {
  id: string
  sync_id: string
  workspace_id: string
  number: number
  state:
    | 'queued'
    | 'extracting'
    | 'diffing'
    | 'needs_approval'
    | 'sending'
    | 'canceling'
    | 'succeeded'
    | 'partial'
    | 'failed'
    | 'canceled'
  trigger: 'manual' | 'schedule' | 'after' | 'api'
  /** The key by which a caller of the API identifies the run it asked for. */
  request_key: ColumnType<string | null, string | null | undefined, string | null>
  /** The run whose rejected rows it sends again. */
  rerun_of: ColumnType<string | null, string | null | undefined, string | null>
  resync: boolean
  /** JSON texts; null until they are known. */
  planned: string | null
  counts: string | null
  /** JSON text: what it read by the cursor of its sync. */
  cursor: ColumnType<string | null, string | null | undefined, string | null>
  /** Keys that are to be sent. */
  plan_size: Generated<number>
  /** The offset from which on the log of outcomes may have outcomes of this run. */
  outcome_offset: ColumnType<string, number | string | undefined, number | string>
  message: Generated<string>
  /** The alert that was sent for it. */
  alert: Generated<string>
  /** People were notified that the schedule waits for it. */
  told_stalled: Generated<boolean>
  /** JSON: when it came to each state after the first, the last time. */
  state_times: Generated<string>
  approved_by: string | null
  create_time: Time
  start_time: NullableTime
  finish_time: NullableTime
}

/** A dry run of a sync. */
export type SyncDryRunsTable = {
  id: string
  workspace_id: string
  /** Null for a sync that is not saved. */
  sync_id: string | null
  model_id: string
  /** The source whose events rows become. */
  source_id: ColumnType<string | null, string | null | undefined, string | null>
  /** The destination that the dry run asks. */
  destination_id: ColumnType<string | null, string | null | undefined, string | null>
  owns_object: Generated<boolean>
  /** JSON text. */
  cursor: ColumnType<string | null, string | null | undefined, string | null>
  object: Generated<string>
  object_name: Generated<string>
  mode: 'FULL_SYNC' | 'UPSERT_ONLY' | 'UPDATE_ONLY' | 'INSERT_ONLY'
  identifier: string
  /** JSON text. */
  fields: string
  guard_percent: number
  resync: boolean
  state: 'queued' | 'reading' | 'comparing' | 'done' | 'failed' | 'canceled'
  read_rows: ColumnType<string, number | undefined, number>
  /** JSON texts. */
  counts: string | null
  samples: Generated<string>
  asks: Generated<string>
  message: Generated<string>
  create_time: Time
  finish_time: NullableTime
}

/** A sync that a user is about to create. */
export type SyncDraftsTable = {
  workspace_id: string
  user_id: string
  /** The API key that the draft belongs to; null for a draft of the user. */
  key_id: string | null
  /** JSON text. */
  draft: string
  update_time: Time
}

/** A signal that a user is about to create. */
export type SignalDraftsTable = SyncDraftsTable

/** An accepted request on which processing failed. */
export type SetAsideRequestsTable = {
  id: string
  /** Its place in the log of requests. */
  partition: number
  record: ColumnType<string, number, never>
  incarnation: string
  workspace_id: string | null
  /** As of the log. */
  key: string
  meta: string
  /** From when it is set aside until its end. */
  body: Uint8Array | null
  bytes: number
  failures: number
  error: string
  receive_time: Time
  fail_time: Time
  set_aside_time: NullableTime
  /** Whether a user wants it to be appended again. */
  take_back: Generated<boolean>
  end_time: NullableTime
}

/** Work that blocked a thread until that was ended, see `noteWork`. */
export type HeldWorkTable = {
  id: string
  /** The text that always names it. */
  item: string
  workspace_id: string | null
  thread: string
  step: string
  /** One entry for each time that it blocked a thread. */
  blocks: string[]
  block_time: Time
  /** When it began to be skipped. */
  hold_time: NullableTime
}

/** The retries of held work by users in the last 24 hours. */
export type WorkReleasesTable = {
  id: string
  /** A hash of what names the work. */
  item: string
  workspace_id: string
  release_time: Time
}

/** Every table of the relational store. */
export type Database = {
  users: UsersTable
  sessions: SessionsTable
  organizations: OrganizationsTable
  memberships: MembershipsTable
  workspaces: WorkspacesTable
  workspace_spreads: WorkspaceSpreadsTable
  partition_groups: PartitionGroupsTable
  sources: SourcesTable
  source_schemas: SourceSchemasTable
  write_keys: WriteKeysTable
  destinations: DestinationsTable
  oauth_grants: OauthGrantsTable
  oauth_consents: OauthConsentsTable
  sign_in_places: SignInPlacesTable
  connections: ConnectionsTable
  audit_log: AuditLogTable
  api_keys: ApiKeysTable
  custom_domains: CustomDomainsTable
  refused_requests: RefusedRequestsTable
  parked_deliveries: ParkedDeliveriesTable
  replays: ReplaysTable
  directory_version: DirectoryVersionTable
  directory_changes: DirectoryChangesTable
  one_time_codes: OneTimeCodesTable
  set_password_tokens: SetPasswordTokensTable
  user_identities: UserIdentitiesTable
  mails: MailsTable
  invitations: InvitationsTable
  invitation_links: InvitationLinksTable
  former_members: FormerMembersTable
  onboardings: OnboardingsTable
  notifications: NotificationsTable
  identity_ledgers: IdentityLedgersTable
  identity_operations: IdentityOperationsTable
  identity_places: IdentityPlacesTable
  identity_settings: IdentitySettingsTable
  profile_keys: ProfileKeysTable
  profiles: ProfilesTable
  profile_identifiers: ProfileIdentifiersTable
  profile_identifiers_apart: ProfileIdentifiersApartTable
  profile_traits: ProfileTraitsTable
  privacy_hashes: PrivacyHashesTable
  privacy_requests: PrivacyRequestsTable
  file_rounds: FileRoundsTable
  privacy_identifiers: PrivacyIdentifiersTable
  privacy_owners: PrivacyOwnersTable
  privacy_places: PrivacyPlacesTable
  privacy_tellings: PrivacyTellingsTable
  privacy_syncs: PrivacySyncsTable
  audiences: AudiencesTable
  audience_members: AudienceMembersTable
  audience_touches: AudienceTouchesTable
  audience_destinations: AudienceDestinationsTable
  audience_farewells: AudienceFarewellsTable
  computed_traits: ComputedTraitsTable
  signals: SignalsTable
  signal_sources: SignalSourcesTable
  signal_platforms: SignalPlatformsTable
  signal_settings: SignalSettingsTable
  signal_conversions: SignalConversionsTable
  signal_outbox: SignalOutboxTable
  signal_clicks: SignalClicksTable
  signal_counts: SignalCountsTable
  signal_days: SignalDaysTable
  computed_trait_places: ComputedTraitPlacesTable
  computed_trait_changes: ComputedTraitChangesTable
  audience_changes: AudienceChangesTable
  audience_hours: AudienceHoursTable
  audience_versions: AudienceVersionsTable
  audience_list_entries: AudienceListEntriesTable
  audience_list_changes: AudienceListChangesTable
  data_sources: DataSourcesTable
  data_source_uploads: DataSourceUploadsTable
  models: ModelsTable
  syncs: SyncsTable
  sync_runs: SyncRunsTable
  sync_drafts: SyncDraftsTable
  signal_drafts: SignalDraftsTable
  set_aside_requests: SetAsideRequestsTable
  held_work: HeldWorkTable
  work_releases: WorkReleasesTable
  sync_tokens: SyncTokensTable
  alert_channels: AlertChannelsTable
  alert_messages: AlertMessagesTable
  subscriptions: SubscriptionsTable
  plan_usage: PlanUsageTable
  kept_usage: KeptUsageTable
  usage_periods: UsagePeriodsTable
  overage_caps: OverageCapsTable
  payment_operations: PaymentOperationsTable
  payment_snapshots: PaymentSnapshotsTable
  stripe_customers: StripeCustomersTable
  billing_companies: BillingCompaniesTable
  sandbox_customers: SandboxCustomersTable
  sandbox_setup_intents: SandboxSetupIntentsTable
  sandbox_payment_methods: SandboxPaymentMethodsTable
  sandbox_confirmations: SandboxConfirmationsTable
  sandbox_subscriptions: SandboxSubscriptionsTable
  sandbox_invoices: SandboxInvoicesTable
  sandbox_answers: SandboxAnswersTable
  sync_dry_runs: SyncDryRunsTable
}
