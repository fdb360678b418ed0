// Generated from the migrations by vitest run --project unit generate-schema -u
import type { ColumnType, Generated, JSONColumnType } from 'kysely'

/** Channels for alerts of syncs, in addition to inbox and mail. */
export type AlertChannelsTable = {
  id: string
  workspace_id: string
  title: string
  kind: 'slack' | 'webhook'
  /** The host of its URL. */
  host: string
  /** JSON of URL and signing secret, encrypted. */
  secrets_encrypted: Uint8Array
  /** The syncs whose alerts it receives, some of which may be deleted; null for all. */
  sync_ids: string[] | null
  create_time: ColumnType<Date, Date | string, Date | string>
  last_sent_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  failure: Generated<string>
  failure_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
}

/** Alerts that a channel has not received yet. */
export type AlertMessagesTable = {
  id: string
  channel_id: string
  /** JSON text. */
  message: string
  create_time: ColumnType<Date, Date | string, Date | string>
  expire_time: ColumnType<Date, Date | string, Date | string>
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
  /** The key before the last rotation, which remains valid for a while. */
  previous_hash: Uint8Array | null
  previous_expire_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  create_time: ColumnType<Date, Date | string, Date | string>
  expire_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** Rounded to a minute. */
  last_used_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  revoke_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
}

/** Profiles that entered and left audiences, in the order of id: the last row of a profile says whether it is in. */
export type AudienceChangesTable = {
  id: ColumnType<string, never, never>
  audience_id: string
  profile_id: string
  kind: 'entered' | 'left'
  time: ColumnType<Date, Date | string, Date | string>
}

/** Destinations that receive the changes of audiences, with their progress. Members as of first_change are sent first, by profile up to fill_cursor, and then each later change up to sent_change. */
export type AudienceDestinationsTable = {
  id: string
  workspace_id: string
  audience_id: string
  destination_id: string
  state: 'filling' | 'live'
  /** The last change before the initial send: members as of this change are sent first. */
  first_change: ColumnType<string, string | number, string | number>
  fill_total: number
  fill_sent: Generated<number>
  /** The last profile sent in the initial send. */
  fill_cursor: string | null
  sent_change: ColumnType<string, string | number, string | number>
  create_time: ColumnType<Date, Date | string, Date | string>
  /** How often all members were sent again, and when that was last requested. */
  run: Generated<number>
  run_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
}

/** Deleted users that a destination still counts among an audience: it is notified before their identifiers are erased. Deleted users that destinations still count among an audience. */
export type AudienceFarewellsTable = {
  request_id: string
  connection_id: string
  /** The person's number in the identifiers of the request. */
  person: number
  profile_id: string
}

/** The last size of an audience in each UTC hour, and how many profiles entered and left in it. */
export type AudienceHoursTable = {
  audience_id: string
  hour: ColumnType<Date, Date | string, Date | string>
  size: number
  entered_count: number
  left_count: number
}

/** The change to an audience's list in each version. */
export type AudienceListChangesTable = {
  audience_id: string
  version: number
  operation: 'import' | 'add' | 'replace' | 'remove'
  kind: 'user_id' | 'anonymous_id' | 'email' | 'phone' | null
  value_count: number
  found_count: number
  author_id: string | null
  create_time: ColumnType<Date, Date | string, Date | string>
}

/** Identifiers on the lists of audiences, each with the range of versions that contain it. An entry names an identifier by its sequence, without a foreign key: profiles can be made again with the same ones. */
export type AudienceListEntriesTable = {
  workspace_id: string
  audience_id: string
  /** Its sequence in profile_identifiers. */
  identifier: ColumnType<string, string | number, string | number>
  from_version: number
  /** Null while the identifier is on the current list. */
  until_version: number | null
}

/** The members of an audience at its last computation. */
export type AudienceMembersTable = {
  audience_id: string
  profile_id: string
  enter_time: ColumnType<Date, Date | string, Date | string>
}

/** Changed profiles that audiences must evaluate again. Changed profiles. When no transaction below a number runs any more, all rows below it are seen. A row waits until the request at log_offset is stored. */
export type AudienceTouchesTable = {
  id: ColumnType<string, never, never>
  workspace_id: string
  profiles: string[]
  transaction: ColumnType<string, string | number | undefined, string | number>
  log_partition: number | null
  log_offset: ColumnType<string | null, string | null | number | undefined, string | null | number>
  time: ColumnType<Date, Date | string | undefined, Date | string>
}

/** The title and query of an audience in a version. */
export type AudienceVersionsTable = {
  audience_id: string
  version: number
  title: string
  /** JSON text, as the contract's audienceQuery reads it. */
  query: string
  /** The earlier version that this version restored. */
  restored_version: number | null
  author_id: string | null
  create_time: ColumnType<Date, Date | string, Date | string>
}

export type AudiencesTable = {
  id: string
  workspace_id: string
  title: string
  /** JSON text, as the contract's audienceQuery reads it. */
  query: string
  version: Generated<number>
  state: Generated<'preparing' | 'computing' | 'live' | 'paused' | 'failed'>
  /** The reason of a failure, as a message. */
  failure: Generated<string>
  size: number | null
  entered_count: Generated<number>
  left_count: Generated<number>
  as_of: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  author_id: string | null
  create_time: ColumnType<Date, Date | string, Date | string>
  update_time: ColumnType<Date, Date | string, Date | string>
  /** Every touch by a transaction before this one is processed; null before the first computation. */
  touched_before: ColumnType<string | null, string | null | number | undefined, string | null | number>
  /** When all profiles were last evaluated. */
  whole_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** The current step of the computation, and its finished share. */
  progress_step: 'waiting' | 'events' | 'profiles' | null
  progress_share: number | null
}

export type AuditLogTable = {
  id: string
  organization_id: string | null
  workspace_id: string | null
  actor_id: string | null
  action: string
  resource: string
  detail: JSONColumnType<Record<string, unknown>, string | undefined, string>
  create_time: ColumnType<Date, Date | string | undefined, Date | string>
  /** The API key that performed the action. */
  key_id: string | null
  /** Whether staff acted in an organization to which they do not belong. */
  on_behalf: Generated<boolean>
  ip: Generated<string>
  user_agent: Generated<string>
  /** For each changed field, its value before and after, without secrets. */
  changes: JSONColumnType<Record<string, { before: unknown; after: unknown }>, string, string> | null
}

/** The addressee of invoices, as JSON. */
export type BillingCompaniesTable = {
  organization_id: string
  company: string
}

/** Identifiers (the sequences of their operations) whose profiles are to be computed again, once the request at this place of the log is stored. */
export type ComputedTraitChangesTable = {
  trait_id: string
  identifier: ColumnType<string, string | number, string | number>
  serial: ColumnType<string, string | number | undefined, string | number>
  log_partition: number
  log_offset: ColumnType<string, string | number, string | number>
}

/** How far computed traits of a workspace follow its ledger, and as of when they are up to date. */
export type ComputedTraitPlacesTable = {
  workspace_id: string
  sequence: ColumnType<string, string | number, string | number>
  as_of: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
}

/** One computation goes through all profiles by their IDs, up to pass_after. */
export type ComputedTraitsTable = {
  id: string
  workspace_id: string
  /** The name of the trait. */
  trait: string
  /** JSON text, as the contract's computedTraitDefinition reads it. */
  definition: string
  version: Generated<number>
  /** The version by which all profiles have been computed; 0 before the first computation. */
  computed_version: Generated<number>
  /** When the running pass over all profiles began; null if none runs. */
  pass_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** The last profile that the running pass has computed. */
  pass_after: string | null
  pass_done: Generated<number>
  pass_total: Generated<number>
  /** When the last complete pass began. */
  compute_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** Why it could not be computed, as a message, and when it is retried. */
  failure: Generated<string>
  retry_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** When the trait was deleted: requests no longer find it, and its values are being removed. */
  delete_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  author_id: string | null
  create_time: ColumnType<Date, Date | string, Date | string>
  update_time: ColumnType<Date, Date | string, Date | string>
}

export type ConnectionsTable = {
  id: string
  workspace_id: string
  source_id: string
  destination_id: string
  enabled: Generated<boolean>
  create_time: ColumnType<Date, Date | string | undefined, Date | string>
  /** The contract's EventConditions as JSON. */
  filter: ColumnType<unknown, string | undefined, string>
}

/** Short-lived, and not written to the log of the database. */
export type CoordinationCountersTable = {
  key_hash: Uint8Array
  value: ColumnType<string, string | number, string | number>
  expire_time: ColumnType<Date, Date | string, Date | string>
}

/** Leases stay when they are over: an epoch is never given again. */
export type CoordinationLeasesTable = {
  name: string
  holder: string
  epoch: ColumnType<string, string | number, string | number>
  expire_time: ColumnType<Date, Date | string, Date | string>
}

/** A domain on which a workspace collects its events. Several workspaces may wait for one domain. The first that can show the records gets it. */
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
  check_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  create_time: ColumnType<Date, Date | string, Date | string>
}

/** Files that were uploaded for data sources. */
export type DataSourceUploadsTable = {
  id: string
  workspace_id: string
  data_source_id: string
  user_id: string | null
  file_name: string
  bytes: ColumnType<string, string | number, string | number>
  rows: ColumnType<string, string | number, string | number>
  /** JSON texts. */
  columns: string
  settings: string
  /** Whether a newer upload has replaced it, and its bytes are deleted. */
  replaced: Generated<boolean>
  create_time: ColumnType<Date, Date | string, Date | string>
}

/** A company's database from which models read. */
export type DataSourcesTable = {
  id: string
  workspace_id: string
  title: string
  app: string
  /** Settings that may be returned. */
  settings: JSONColumnType<Record<string, unknown>, string | undefined, string>
  /** Settings that must not be returned, as one encrypted JSON object. */
  secrets_encrypted: Uint8Array | null
  create_time: ColumnType<Date, Date | string, Date | string>
  update_time: ColumnType<Date, Date | string, Date | string>
}

export type DestinationsTable = {
  id: string
  workspace_id: string
  title: string
  app: string
  enabled: Generated<boolean>
  /** Settings that may be returned. */
  settings: JSONColumnType<Record<string, unknown>, string | undefined, string>
  /** Settings that must not be returned, as one encrypted JSON object. */
  secrets_encrypted: Uint8Array | null
  create_time: ColumnType<Date, Date | string | undefined, Date | string>
  update_time: ColumnType<Date, Date | string | undefined, Date | string>
  delete_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** The contract's EventMapping[] as JSON; null while it uses the presets of its app. */
  mappings: ColumnType<unknown, string | null | undefined, string | null>
  mappings_revision: Generated<number>
  consent_categories: Generated<string[]>
  preset_version: Generated<number>
  secrets_to_enter: Generated<string[]>
}

/** The latest changes to the content of configuration caches, with their versions; kept for deleted objects. */
export type DirectoryChangesTable = {
  kind: 'source' | 'destination' | 'write_key' | 'identity_settings' | 'profile_key' | 'computed_traits' | 'sync_token' | 'signals'
  id: string
  version: ColumnType<string, string | number, string | number>
}

/** A single row whose version grows with every change that the configuration caches of other threads must read. */
export type DirectoryVersionTable = {
  version: ColumnType<string, string | number, string | number>
  /** The transaction that last raised the version: one transaction raises it only once. */
  changed_by: ColumnType<string, string | number, string | number>
}

/** The latest round of rewriting the files of the database. The newest round in which the files of an embedded database are rewritten, for all requests together. An unfinished one is tried again at next_time. */
export type FileRoundsTable = {
  start_time: ColumnType<Date, Date | string, Date | string>
  /** The tables that are already rewritten, with their schemas, quoted. */
  done_tables: Generated<string[]>
  tries: Generated<number>
  /** When an unfinished round is retried. */
  next_time: ColumnType<Date, Date | string, Date | string>
  end_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
}

/** People who left or were removed, until they join again. */
export type FormerMembersTable = {
  organization_id: string
  user_id: string
  role: 'ORG_ADMIN' | 'ORG_COLLABORATOR' | 'ORG_GUEST'
  /** Whether another member removed them. */
  removed: boolean
  end_time: ColumnType<Date, Date | string, Date | string>
}

/** Work that blocked a thread until that was ended. An item is always named by the same text. With hold_time it is skipped until a user releases it, which removes the row. */
export type HeldWorkTable = {
  id: string
  /** The name that always identifies the work. */
  item: string
  workspace_id: string | null
  thread: string
  step: string
  /** One entry for each time that the work blocked a thread. */
  blocks: string[]
  block_time: ColumnType<Date, Date | string, Date | string>
  /** When the work began to be skipped. */
  hold_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
}

/** How far the ledger of a workspace is. Its writers hold the lock of the row. The erasures are counted changes of hashes: 0 while there are none. The revision counts changes after which known facts are verified again. */
export type IdentityLedgersTable = {
  workspace_id: string
  sequence: ColumnType<string, string | number | undefined, string | number>
  has_splits: Generated<boolean>
  /** Changes of privacy_hashes. */
  erasures: ColumnType<string, string | number | undefined, string | number>
  /** The key of identifier hashes; null while there are no hashes. */
  privacy_key: Uint8Array | null
  /** Whether any alias call has named a previous ID. */
  has_previous: Generated<boolean>
  /** Counts changes after which known facts must be checked again. */
  revision: ColumnType<string, string | number | undefined, string | number>
}

/** The operations of identity resolution. The tables below have no foreign key to the ledger, whose row is locked by every writer. The check for each row was a large part of the cost of a new profile. A trigger removes what belongs to a ledger. */
export type IdentityOperationsTable = {
  workspace_id: string
  sequence: ColumnType<string, string | number, string | number>
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
  /** The identifiers that a split moved away. */
  members: ColumnType<unknown, string | null | undefined, never>
  /** The event that caused it; '' and null for a split. */
  event_id: Generated<string>
  source_id: string | null
  actor_id: string | null
  time: ColumnType<Date, Date | string, Date | string>
}

/** The position of each partition up to which accepted events are in the ledgers. Written in the transactions that write into ledgers. A restored database goes back with its positions; the consumer notices by their marks. */
export type IdentityPlacesTable = {
  partition: number
  /** A new value with each change. */
  mark: string
  next: ColumnType<string, string | number, string | number>
  incarnation: string | null
  note: string
}

export type IdentitySettingsTable = {
  workspace_id: string
  /** identityRules of the contract; those that are not there have their defaults. */
  rules: JSONColumnType<object>
  update_time: ColumnType<Date, Date | string, Date | string>
}

export type InvitationLinksTable = {
  id: string
  organization_id: string
  role: 'ORG_COLLABORATOR' | 'ORG_GUEST'
  creator_id: string | null
  create_time: ColumnType<Date, Date | string | undefined, Date | string>
  expire_time: ColumnType<Date, Date | string, Date | string>
  revoke_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
}

export type InvitationsTable = {
  id: string
  organization_id: string
  invitee_email: string
  role: 'ORG_ADMIN' | 'ORG_COLLABORATOR' | 'ORG_GUEST'
  inviter_id: string | null
  token_hash: Uint8Array
  create_time: ColumnType<Date, Date | string | undefined, Date | string>
  send_time: ColumnType<Date, Date | string | undefined, Date | string>
  expire_time: ColumnType<Date, Date | string, Date | string>
  accept_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  accepted_by: string | null
  revoke_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
}

export type JournalIdsTable = {
  consumer: string
  hash: Uint8Array
  partition: number
  record: ColumnType<string, string | number, string | number>
  index: number
  seen_time: ColumnType<Date, Date | string, Date | string>
}

export type JournalNotesTable = {
  consumer: string
  partition: number
  note: string
}

export type JournalPositionsTable = {
  consumer: string
  partition: number
  next: ColumnType<string, string | number, string | number>
  incarnation: string | null
}

export type JournalRangesTable = {
  consumer: string
  token: string
  partition: number
  serial: ColumnType<string, string | number, string | number>
  place: number
  first: ColumnType<string, string | number, string | number>
  behind: ColumnType<string, string | number, string | number>
  incarnation: string | null
}

/** Each write raises serial: a late one changes nothing. The file ids_file has all other message IDs, as of ids_serial. */
export type JournalsTable = {
  consumer: string
  serial: ColumnType<string, string | number, string | number>
  ids_file: string | null
  ids_serial: ColumnType<string, string | number | undefined, string | number>
}

/** Positions of consumers whose journal is in a data folder, for the case that the folder is lost. */
export type KeptPlacesTable = {
  consumer: string
  partition: number
  next: ColumnType<string, string | number, string | number>
  incarnation: string | null
  note: Generated<string>
}

/** The usage of a deleted workspace in a period on a UTC day. */
export type KeptUsageTable = {
  organization_id: string
  workspace_id: string
  period_start_time: ColumnType<Date, Date | string, Date | string>
  day: ColumnType<Date, Date | string, Date | string>
  events: ColumnType<string, string | number, string | number>
  profiles: ColumnType<string, string | number, string | number>
}

/** Mail written in the same transaction as its cause, and sent later by a job with its ID. */
export type MailsTable = {
  id: string
  kind: string
  recipient: string
  subject: string
  body_text: string
  body_html: string
  attempts: Generated<number>
  last_error: Generated<string>
  create_time: ColumnType<Date, Date | string | undefined, Date | string>
  sent_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** After this time the mail is no longer sent. */
  expire_time: ColumnType<Date, Date | string, Date | string>
}

export type MembershipsTable = {
  id: string
  organization_id: string
  user_id: string
  role: 'ORG_ADMIN' | 'ORG_COLLABORATOR' | 'ORG_GUEST'
  create_time: ColumnType<Date, Date | string | undefined, Date | string>
}

export type ModelsTable = {
  id: string
  workspace_id: string
  data_source_id: string
  title: string
  /** JSON text, as the contract's dataQuery reads it. */
  query: string
  primary_key: string[]
  /** JSON text: the contract's DataColumn[]. */
  columns: string
  create_time: ColumnType<Date, Date | string, Date | string>
  update_time: ColumnType<Date, Date | string, Date | string>
  /** The audience whose members are the rows. */
  audience_id: string | null
}

/** One cause notifies a user once. */
export type NotificationsTable = {
  id: string
  user_id: string
  organization_id: string | null
  kind: string
  title: string
  body: Generated<string>
  link: Generated<string>
  /** The cause of the notification: each cause notifies a user once. Empty for notifications that may repeat. */
  cause: Generated<string>
  create_time: ColumnType<Date, Date | string | undefined, Date | string>
  read_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
}

/** An OAuth consent that a user has started. */
export type OauthConsentsTable = {
  /** SHA-256 of the state that the redirect returns. */
  state_hash: Uint8Array
  destination_id: string
  /** The user that began the consent; only this user may complete it. */
  user_id: string
  /** PKCE verifier (RFC 7636), encrypted. */
  verifier_encrypted: Uint8Array
  issued_for: string
  redirect_uri: string
  create_time: ColumnType<Date, Date | string, Date | string>
  expire_time: ColumnType<Date, Date | string, Date | string>
}

/** An OAuth 2 grant of a destination. */
export type OauthGrantsTable = {
  destination_id: string
  /** A new ID after each consent. */
  id: string
  status: 'connected' | 'expired'
  /** Fingerprint of the client and the token URL for which the grant was issued. */
  issued_for: string
  /** Access and refresh token with their times, encrypted; null when they are of no use. */
  tokens_encrypted: Uint8Array | null
  /** The granting account, as named by the authorization server, or empty. */
  account: Generated<string>
  /** Why the grant expired, or why its tokens could not be renewed the last time. */
  error: Generated<string>
  /** The lease of the process that renews the tokens now, and when it ends. */
  lease_id: string | null
  lease_until: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  connected_by: string | null
  connect_time: ColumnType<Date, Date | string, Date | string>
  update_time: ColumnType<Date, Date | string, Date | string>
}

export type OnboardingsTable = {
  id: string
  user_id: string
  organization_id: string
  token_hash: Uint8Array
  /** Decimal text. */
  yearly_amount: ColumnType<string, string | number | undefined, string | number>
  setup_amount: ColumnType<string, string | number | undefined, string | number>
  create_time: ColumnType<Date, Date | string | undefined, Date | string>
  expire_time: ColumnType<Date, Date | string, Date | string>
  complete_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  revoke_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** The ID of the set-up invoice at the payment provider, and its URL. */
  invoice: string | null
  invoice_url: string | null
  /** Whether something must still be requested from the payment provider; null if nothing ever was. */
  billing: 'open' | 'done' | null
}

export type OneTimeCodesTable = {
  id: string
  /** In lower case. */
  email: string
  action: 'login' | 'sign up'
  code_hash: Uint8Array
  /** Number of wrong attempts so far. */
  tries: Generated<number>
  create_time: ColumnType<Date, Date | string | undefined, Date | string>
  expire_time: ColumnType<Date, Date | string, Date | string>
}

/** A deleted organization or workspace stays, empty, until no log has anything that was received for it: consumers that are behind refer to its rows. */
export type OrganizationsTable = {
  id: string
  title: string
  industry: Generated<string>
  /** Key of the image below /media, or empty. */
  logo: Generated<string>
  create_time: ColumnType<Date, Date | string | undefined, Date | string>
  /** The email domain whose users may join without an invitation, or empty. */
  auto_join_domain: Generated<string>
  /** When the organization was deleted: from then on no request finds it; the row is removed when its data is gone. */
  delete_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** When remaining data of the deleted organization is next looked for. */
  remove_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** The creator; null for an organization made by staff or by a set-up. */
  creator_id: string | null
}

/** The maximum amount that an organization pays for additional profiles in a period. */
export type OverageCapsTable = {
  organization_id: string
  amount: ColumnType<string, string | number, string | number>
  currency: string
}

/** The published versions. They never change. */
export type OwnConnectorVersionsTable = {
  own_connector_id: string
  version: number
  description: string
  guide: string
  /** What the catalog lists of it, as JSON. */
  listing: ColumnType<unknown, string, never>
  note: string
  created_by: string | null
  create_time: ColumnType<Date, Date | string, Date | string>
}

/** Destinations that a workspace describes itself. */
export type OwnConnectorsTable = {
  id: string
  workspace_id: string
  title: string
  /** The published version; 0 before the first one. */
  current_version: Generated<number>
  /** The description and guide that users edit. The description may have problems. */
  draft_description: string
  draft_guide: string
  /** Increases with each change of the draft. */
  draft_revision: Generated<number>
  create_time: ColumnType<Date, Date | string, Date | string>
  update_time: ColumnType<Date, Date | string, Date | string>
}

/** The hash stands for the indexes in the key: an index takes no key as long as the list of a large record. */
export type ParkedDeliveriesTable = {
  id: string
  workspace_id: string
  source_id: string
  destination_id: string
  log_partition: number
  log_offset: ColumnType<string, string | number, string | number>
  /** The offset behind the last record of a range that was held without an attempt; null for a row that names events of one record. A range has all events of its records for this destination (event_indexes is empty). */
  log_end: ColumnType<string | null, string | null | number | undefined, string | null | number>
  /** The indexes of the events in the log record. */
  event_indexes: number[]
  event_count: number
  bytes: ColumnType<string, string | number | undefined, string | number>
  state: 'waiting' | 'dead'
  attempts: Generated<number>
  first_time: ColumnType<Date, Date | string, Date | string>
  next_time: ColumnType<Date, Date | string, Date | string>
  last_status: number | null
  last_reason: Generated<string>
  request: Generated<string>
  response: Generated<string>
  /** The replay that makes, or made, the delivery due again. */
  replay_id: string | null
  /** IDs of the events, in the same order; empty for a range. */
  event_ids: Generated<string[]>
  /** For a dead letter: the part of event_indexes that the replay has chosen; null for all of them. */
  replay_indexes: number[] | null
  /** Whether the outcome of a dead row must still be reported to its producer. */
  tells: Generated<boolean>
  /** Stands for event_indexes in the key. */
  event_indexes_hash: ColumnType<string, never, never>
  /** Whether it is sent after live events. */
  bulk: Generated<boolean>
  /** Which records a range includes; '' for all that name the destination, and for rows. */
  holds: Generated<'' | 'live' | 'bulk'>
  /** By event ID, the values of the profile with which the event was mapped first; null if it used none. */
  profile: ColumnType<Record<string, { needs: string[]; json: string; lacks: string }> | null, string | null | undefined, string | null>
}

/** A single row with the number of groups into which the partitions of the logs are divided. */
export type PartitionGroupsTable = {
  id: Generated<boolean>
  groups: number
}

/** A change requested of a payment provider, with its id as the key: at most one of an organization is not done. One at a time for an organization. */
export type PaymentOperationsTable = {
  id: string
  organization_id: string
  /** JSON of the request, and of the actor. */
  request: string
  actor: string
  create_time: ColumnType<Date, Date | string, Date | string>
  done_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** The outcome; null until the end. */
  outcome: 'done' | 'declined' | 'refused' | 'unconfirmed' | null
}

/** The last data of the payment provider, as JSON; shown while the provider is unavailable. */
export type PaymentSnapshotsTable = {
  organization_id: string
  what: 'subscription' | 'payment-methods' | 'invoices'
  content: string
  read_time: ColumnType<Date, Date | string, Date | string>
}

export type PersonDataPlacesTable = {
  workspace_id: string
  /** The paths of the kinds of data whose paths are not the defaults, in their order. */
  places: ColumnType<unknown, string, string>
  revision: number
  update_time: ColumnType<Date, Date | string, Date | string>
}

/** The plan usage of an organization in the measured period, and its consequences. */
export type PlanUsageTable = {
  organization_id: string
  /** The start of the period. */
  period_start_time: ColumnType<Date, Date | string, Date | string>
  profiles: ColumnType<string, string | number, string | number>
  events: ColumnType<string, string | number, string | number>
  /** When the organization was first over a limit in this period. */
  over_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** Since when its events are held, and when holding last ended. */
  hold_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  hold_end_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** The notifications that its administrators received in this period. */
  told: Generated<string[]>
  /** Whether there may be held events that were not released. */
  has_held: Generated<boolean>
  /** The total number of held events that retention removed. */
  removed_events: ColumnType<string, string | number | undefined, string | number>
  /** Received before this, held events were counted as removed, or their removal was announced a week or a day ahead. */
  removed_until: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  week_announced_until: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  day_announced_until: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  measure_time: ColumnType<Date, Date | string, Date | string>
  /** The events that are being counted as removed, as JSON; null if there are none. */
  removing: string | null
}

/** Deleted and suppressed users: keyed hashes of their identifiers. */
export type PrivacyHashesTable = {
  workspace_id: string
  /** Hexadecimal. */
  hash: string
  /** The kind of the identifier. */
  type: string
  /** Events received until this time have no owner. */
  delete_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** While it is set, events have no owner. */
  suppress_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** The number of events that were refused a profile. */
  refused_events: ColumnType<string, string | number | undefined, string | number>
  /** The last request for this hash. */
  request_id: string
  /** The number of the ledger's hash change that wrote it. */
  changed: ColumnType<string, string | number | undefined, string | number>
  /** Its number in the event store, the column owner of events; null for kinds that own none. */
  owner: ColumnType<string | null, string | null | number | undefined, string | null | number>
  /** Its sequence in profile_identifiers; null when none had it, or its profile was erased. */
  identifier: ColumnType<string | null, string | null | number | undefined, string | null | number>
}

/** The values to remove, as long as a step needs them. */
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
  owner: ColumnType<string, string | number, string | number>
}

/** The progress of a privacy request in each place. */
export type PrivacyPlacesTable = {
  request_id: string
  place: string
  state: 'waiting' | 'running' | 'done'
  /** When the state ends automatically. */
  until: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  last_error: Generated<string>
  update_time: ColumnType<Date, Date | string, Date | string>
}

export type PrivacyRequestsTable = {
  id: string
  workspace_id: string
  kind: 'delete' | 'suppress' | 'delete_and_suppress'
  actor_id: string
  /** The number of requested identifiers, and of profiles that had them. */
  identifiers: number
  profiles: number
  /** The ledger position of the request: values of these identifiers up to it must be removed. */
  sequence: ColumnType<string, string | number, string | number>
  create_time: ColumnType<Date, Date | string, Date | string>
  finish_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** When the files of the database were rewritten without the deleted data; files_error is why they were not. */
  files_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  files_error: Generated<string>
  /** The start of the rewrite round for this request; null before. */
  files_round: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
}

/** Syncs that may have rows about the people of a privacy request, until the rows are removed. Syncs of profiles that may have rows of deleted users, until these are removed. */
export type PrivacySyncsTable = {
  request_id: string
  sync_id: string
  /** The keys that their rows may have at the destination. */
  keys: string[]
  /** The number of the sync's last run when the rows were removed; null if they were not yet. */
  swept_run: number | null
}

/** The request to a destination to delete a person of a privacy request. Destinations that are to delete users, and the outcome for each. */
export type PrivacyTellingsTable = {
  request_id: string
  destination_id: string
  person: number
  state: 'waiting' | 'sent' | 'done' | 'failed' | 'not_told'
  /** Why the request failed or was not sent. */
  reason: Generated<string>
}

/** A process announces which migrations it supports, and a migration that removes something waits for those that do not support it. */
export type ProcessSchemasTable = {
  id: string
  host: string
  version: string
  roles: string[]
  knows: string[]
  start_time: ColumnType<Date, Date | string | undefined, Date | string>
  seen_time: ColumnType<Date, Date | string, Date | string>
}

export type ProcessesTable = {
  id: string
  host: string
  version: string
  roles: string[]
  held: string[]
  start_time: ColumnType<Date, Date | string | undefined, Date | string>
  seen_time: ColumnType<Date, Date | string, Date | string>
}

/** The latest consent preferences of each identifier that owns events. A new time needs no entry of an index. */
export type ProfileConsentsTable = {
  workspace_id: string
  /** Sequence of the identifier that owns the event. */
  identifier: ColumnType<string, string | number, string | number>
  /** The categories with consent. Every other category has none. */
  granted: string[]
  /** The event that last had preferences. */
  time: ColumnType<Date, Date | string, Date | string>
  event_id: string
}

export type ProfileIdentifiersTable = {
  workspace_id: string
  type: string
  value: string
  profile_id: string
  sequence: ColumnType<string, string | number, string | number>
  create_time: ColumnType<Date, Date | string, Date | string>
}

/** Pairs of identifiers that must never be in one profile again, in both directions. */
export type ProfileIdentifiersApartTable = {
  workspace_id: string
  value: string
  type: string
  other_value: string
  other_type: string
}

export type ProfileKeysTable = {
  id: string
  workspace_id: string
  title: string
  kind: 'secret' | 'public'
  /** Names of the traits that a public key may read. */
  traits: string[]
  /** SHA-256 of the key. */
  key_hash: Uint8Array
  /** Its last characters. */
  hint: string
  create_time: ColumnType<Date, Date | string, Date | string>
  revoke_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
}

/** Traits that one event gave are a set: the same traits again change its row alone. Room beside each row, so that a new time needs no entry of an index. */
export type ProfileTraitSetsTable = {
  workspace_id: string
  identifier: ColumnType<string, string | number, string | number>
  id: string
  content: string | null
  time: ColumnType<Date, Date | string, Date | string>
  event_id: string
  source_id: string
}

/** earlier has the values before, latest first. For a value that is computed, source_id is the computed trait, due the time from which it is computed again, time infinity, and event_id the moment of its change. */
export type ProfileTraitsTable = {
  workspace_id: string
  /** Sequence of the identifier with which the trait came. */
  identifier: ColumnType<string, string | number, string | number>
  /** '' replaces names that are not stored. */
  name: string
  /** JSON text; null when it was too large. */
  value: string | null
  /** The time of the event that last wrote the trait. */
  time: ColumnType<Date, Date | string, Date | string>
  event_id: string
  source_id: string
  /** Earlier values, latest first. */
  earlier: ColumnType<{ value: string | null; time: string; event_id: string; source_id: string }[], string | undefined, string>
  /** When a computed trait's value must be computed again, infinity for never; null for values from events. */
  due: ColumnType<Date | number | null, Date | string | null | undefined, Date | string | null>
  /** The set with which the trait last came. */
  set_id: string | null
}

export type ProfilesTable = {
  workspace_id: string
  id: string
  sequence: ColumnType<string, string | number, string | number>
  create_time: ColumnType<Date, Date | string, Date | string>
  merged_into: string | null
}

export type RefusedRequestsTable = {
  workspace_id: string | null
  source_id: string | null
  key_hint: Generated<string>
  reason: string
  code: number
  hour: ColumnType<Date, Date | string, Date | string>
  count: ColumnType<string, string | number | undefined, string | number>
  last_time: ColumnType<Date, Date | string, Date | string>
  message: Generated<string>
  sample: Generated<string>
}

/** Stored events or dead letters that are sent to one destination again. */
export type ReplaysTable = {
  id: string
  workspace_id: string
  destination_id: string
  kind: 'history' | 'dead'
  start_time: ColumnType<Date, Date | string, Date | string>
  end_time: ColumnType<Date, Date | string, Date | string>
  source_id: string | null
  event: string | null
  event_type: string | null
  /** Conditions, as the contract's eventFilter. */
  filter: ColumnType<unknown, string, never>
  /** For dead letters: the reason of their failure. */
  reason: string | null
  events_per_second: number
  state: 'running' | 'paused' | 'cancelled' | 'done' | 'failed'
  /** Why the replay failed; '' otherwise. */
  failure: Generated<string>
  /** The number of events to send, counted at creation, and the number sent so far. */
  event_count: ColumnType<string, string | number, string | number>
  sent_count: ColumnType<string, string | number | undefined, string | number>
  /** The place in the log of requests before which its events lie; '' without a limit. */
  stored_before: Generated<string>
  /** The last event that was read: receive time (epoch ms) and ID. */
  cursor_ms: ColumnType<string | null, string | null | number | undefined, string | null | number>
  cursor_id: Generated<string>
  /** The position in the log of deliveries from which to search for the last appended events. */
  log_partition: number | null
  log_offset: ColumnType<string | null, string | null | number | undefined, string | null | number>
  creator_id: string | null
  create_time: ColumnType<Date, Date | string | undefined, Date | string>
  finish_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** For a history: the time of events that start and end refer to. */
  time_by: Generated<'receive_time' | 'event_time'>
  profile: Generated<'latest' | 'none'>
}

/** The sandbox's response to an idempotency key, for a repetition of the same request. */
export type SandboxAnswersTable = {
  key: string
  customer: string
  answer: string
  create_time: ColumnType<Date, Date | string, Date | string>
}

/** Payments that wait for the payer's confirmation, as JSON of the request. */
export type SandboxConfirmationsTable = {
  client_secret: string
  customer: string
  request: string
  create_time: ColumnType<Date, Date | string, Date | string>
}

export type SandboxCustomersTable = {
  id: string
  organization_id: string
  default_payment_method: string | null
  /** JSON of the addressee of invoices. */
  company: string | null
}

export type SandboxInvoicesTable = {
  /** A secret that opens the invoice. */
  id: string
  number: ColumnType<string, never, never>
  customer: string
  /** JSON of its addressee. */
  company: string | null
  status: 'paid' | 'open' | 'void'
  currency: string
  /** JSON of descriptions and minor units. */
  lines: string
  total: ColumnType<string, string | number, string | number>
  create_time: ColumnType<Date, Date | string, Date | string>
}

/** A test card. Its number is not stored. */
export type SandboxPaymentMethodsTable = {
  id: string
  customer: string
  brand: string
  last4: string
  exp_month: number
  exp_year: number
  /** Whether charges to it fail (declines), or require a confirmation (confirms). */
  declines: boolean
  create_time: ColumnType<Date, Date | string, Date | string>
  confirms: Generated<boolean>
}

export type SandboxSetupIntentsTable = {
  client_secret: string
  customer: string
  create_time: ColumnType<Date, Date | string, Date | string>
}

export type SandboxSubscriptionsTable = {
  id: string
  customer: string
  status: 'active' | 'past_due' | 'canceled'
  /** JSON of a price; next_price is the next one. */
  price: string
  next_price: string | null
  cancel_at_period_end: Generated<boolean>
  /** The time from which periods are counted. */
  anchor_time: ColumnType<Date, Date | string, Date | string>
  period_start_time: ColumnType<Date, Date | string, Date | string>
  period_end_time: ColumnType<Date, Date | string, Date | string>
  /** Days until an invoice is due, if invoices are sent instead of charged. */
  days_until_due: number | null
}

export type SchemaMigrationsTable = {
  name: string
  applied_time: ColumnType<Date, Date | string | undefined, Date | string>
  oldest: string | null
}

export type SessionsTable = {
  id: string
  user_id: string
  /** SHA-256 of the bearer token; the token itself is never stored. */
  token_hash: Uint8Array
  create_time: ColumnType<Date, Date | string | undefined, Date | string>
  last_used_time: ColumnType<Date, Date | string | undefined, Date | string>
  expire_time: ColumnType<Date, Date | string, Date | string>
  user_agent: Generated<string>
  ip: Generated<string>
}

/** An accepted request on which processing failed. By their position in the log. From set_aside_time to end_time processing skips one, and its body is here. */
export type SetAsideRequestsTable = {
  id: string
  /** The request's position in the log of requests. */
  partition: number
  record: ColumnType<string, string | number, string | number>
  incarnation: string
  workspace_id: string | null
  /** Key and metadata as in the log. */
  key: string
  meta: string
  /** Present from when the request is set aside until its end. */
  body: Uint8Array | null
  bytes: number
  failures: number
  error: string
  receive_time: ColumnType<Date, Date | string, Date | string>
  fail_time: ColumnType<Date, Date | string, Date | string>
  set_aside_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** Whether a user wants the request to be appended again. */
  take_back: Generated<boolean>
  end_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
}

export type SetPasswordTokensTable = {
  token_hash: Uint8Array
  user_id: string
  expire_time: ColumnType<Date, Date | string, Date | string>
  /** The session of the code; null for codes from the previous version, which any session of the user may use. */
  session_id: string | null
}

/** A place from which a user has signed in. As keyed hashes: wrong attempts elsewhere cannot lock a user out here. */
export type SignInPlacesTable = {
  user_id: string
  /** HMAC-SHA256 of the place; one byte longer for the larger network and browser of a place. */
  place_hash: Uint8Array
  last_time: ColumnType<Date, Date | string, Date | string>
}

/** Click IDs and first-party IDs by hash of an identifier, the first and the last of each name, until they expire. */
export type SignalClicksTable = {
  workspace_id: string
  /** Hash of an identifier. */
  person: Uint8Array
  name: string
  first_value: string
  first_time: ColumnType<Date, Date | string, Date | string>
  first_campaign: string
  last_value: string
  last_time: ColumnType<Date, Date | string, Date | string>
  last_campaign: string
  expire_time: ColumnType<Date, Date | string, Date | string>
}

/** The conversions of a signal, each once. */
export type SignalConversionsTable = {
  id: ColumnType<string, never, never>
  signal_id: string
  workspace_id: string
  key: Uint8Array
  origin: string
  event_id: string
  source_event: string
  event_time: ColumnType<Date, Date | string, Date | string>
  create_time: ColumnType<Date, Date | string, Date | string>
  amount: number | null
  currency: string
  test: boolean
  /** Hashes of the person's identifiers. */
  subjects: Uint8Array[]
  /** JSON by destination: why the conversion was not sent, and its identifiers. */
  platforms: string
}

/** Counts by signal, destination and UTC day: of what was sent, of each reason why not, and of each identifier. */
export type SignalCountsTable = {
  signal_id: string
  destination_id: string
  day: string
  kind: string
  count: ColumnType<string, string | number, string | number>
}

/** Conversions and their value by UTC day and by the click to which they are attributed. */
export type SignalDaysTable = {
  signal_id: string
  workspace_id: string
  day: string
  touch: string
  clicked: string
  utm_source: string
  utm_medium: string
  utm_campaign: string
  currency: string
  count: ColumnType<string, string | number, string | number>
  amount: number
}

export type SignalDraftsTable = {
  workspace_id: string
  user_id: string
  key_id: string | null
  draft: string
  update_time: ColumnType<Date, Date | string, Date | string>
}

/** Conversions that are still to be written to the stream. Put into the stream in the order of id within a workspace. Its writer holds the advisory lock of the workspace until the end of its transaction. */
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

/** The destinations that a signal is sent to. */
export type SignalPlatformsTable = {
  signal_id: string
  destination_id: string
  workspace_id: string
  place: number
  platform: string
  event_name: string
  test_event_code: string
  /** JSON; null while the platform's default mapping is used. */
  field_mappings: string | null
}

/** Settings of all signals of a workspace. */
export type SignalSettingsTable = {
  workspace_id: string
  without_consent: string
  consent_path: string
  update_time: ColumnType<Date, Date | string, Date | string>
}

/** The sources whose events a signal uses. */
export type SignalSourcesTable = {
  signal_id: string
  source_id: string
}

/** Definitions of conversions from events or an audience, with their destinations. */
export type SignalsTable = {
  id: string
  workspace_id: string
  title: string
  enabled: boolean
  /** When the signal was last enabled: events received earlier are not conversions. */
  enable_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** JSON text, as signalDefinition of the contract reads it, without platforms. */
  definition: string
  revision: Generated<number>
  /** The audience of an audience trigger; null for other triggers, and after the audience was deleted. */
  audience_id: string | null
  /** The last audience change that was processed. */
  seen_change: ColumnType<string, string | number | undefined, string | number>
  last_conversion_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  author_id: string | null
  create_time: ColumnType<Date, Date | string, Date | string>
  update_time: ColumnType<Date, Date | string, Date | string>
}

/** Every version of the schema of a source. */
export type SourceSchemasTable = {
  source_id: string
  version: number
  /** JSON text, as the contract's parseSourceSchema reads it. */
  schema: string
  /** One of the contract's schemaChanges. */
  change: string
  author_id: string | null
  event_count: Generated<number>
  property_count: Generated<number>
  create_time: ColumnType<Date, Date | string | undefined, Date | string>
}

export type SourcesTable = {
  id: string
  workspace_id: string
  title: string
  /** Slug of the catalog entry. */
  app: string
  target_product: Generated<string>
  enabled: Generated<boolean>
  create_time: ColumnType<Date, Date | string | undefined, Date | string>
  update_time: ColumnType<Date, Date | string | undefined, Date | string>
  delete_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** Version of its schema in source_schemas. */
  schema_version: Generated<number>
  enforcement: Generated<'allow' | 'block'>
  settings: JSONColumnType<Record<string, unknown>, string | undefined, string>
  secrets_encrypted: Uint8Array | null
  /** Whether events are held because the organization is over a limit of its plan. */
  held: Generated<boolean>
}

/** The Stripe customer of an organization. */
export type StripeCustomersTable = {
  organization_id: string
  customer: string
}

/** The subscription of an organization, as its payment provider has it; amounts in minor units. */
export type SubscriptionsTable = {
  organization_id: string
  provider: string
  subscription: string
  plan: string
  recurring_interval: 'MONTHLY' | 'ANNUALLY'
  status: 'active' | 'past_due'
  amount: ColumnType<string, string | number, string | number>
  currency: string
  period_start_time: ColumnType<Date, Date | string, Date | string>
  period_end_time: ColumnType<Date, Date | string, Date | string>
  /** The plan after the end of the period, if it differs. */
  next_plan: string | null
  next_interval: 'MONTHLY' | 'ANNUALLY' | null
  /** Since when an invoice is unpaid. */
  past_due_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
}

/** A sync that a user is about to create. */
export type SyncDraftsTable = {
  workspace_id: string
  user_id: string
  /** JSON text. */
  draft: string
  update_time: ColumnType<Date, Date | string, Date | string>
  /** The API key that the draft belongs to; null for a draft of the user. */
  key_id: string | null
}

/** A dry run of a sync. */
export type SyncDryRunsTable = {
  id: string
  workspace_id: string
  /** Null for a sync that is not saved. */
  sync_id: string | null
  model_id: string
  mode: 'FULL_SYNC' | 'UPSERT_ONLY' | 'UPDATE_ONLY' | 'INSERT_ONLY'
  identifier: string
  /** JSON text. */
  fields: string
  guard_percent: number
  resync: boolean
  state: 'queued' | 'reading' | 'comparing' | 'done' | 'failed' | 'canceled'
  read_rows: ColumnType<string, string | number | undefined, string | number>
  /** JSON texts. */
  counts: string | null
  asks: Generated<string>
  samples: Generated<string>
  message: Generated<string>
  create_time: ColumnType<Date, Date | string, Date | string>
  finish_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** The source that receives rows as events. */
  source_id: string | null
  object: Generated<string>
  object_name: Generated<string>
  owns_object: Generated<boolean>
  /** The destination that the dry run queries. */
  destination_id: string | null
  /** JSON text. */
  cursor: string | null
}

/** One run of a sync. */
export type SyncRunsTable = {
  id: string
  sync_id: string
  workspace_id: string
  number: number
  state: 'queued' | 'extracting' | 'diffing' | 'needs_approval' | 'sending' | 'canceling' | 'succeeded' | 'partial' | 'failed' | 'canceled'
  trigger: 'manual' | 'schedule' | 'after' | 'api'
  resync: boolean
  /** JSON texts; null until they are known. */
  planned: string | null
  counts: string | null
  /** Number of keys to send. */
  plan_size: Generated<number>
  /** The offset from which on the log of outcomes may contain outcomes of this run. */
  outcome_offset: ColumnType<string, string | number | undefined, string | number>
  message: Generated<string>
  approved_by: string | null
  create_time: ColumnType<Date, Date | string, Date | string>
  start_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  finish_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** JSON: when the run last entered each state after the first. */
  state_times: Generated<string>
  /** The alert that was sent for the run. */
  alert: Generated<string>
  /** The key by which an API caller identifies the run that it requested. */
  request_key: string | null
  /** The run whose rejected rows this run sends again. */
  rerun_of: string | null
  /** Whether users were notified that the schedule waits for this run. */
  told_stalled: Generated<boolean>
  /** JSON: what the run read by the cursor of its sync. */
  cursor: string | null
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
  create_time: ColumnType<Date, Date | string, Date | string>
  /** Rounded to a minute. */
  last_used_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  revoke_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
}

/** Syncs write the rows of a model to a destination or a source. The reference to the sync before is checked at the commit, after the trigger that ends it. */
export type SyncsTable = {
  id: string
  workspace_id: string
  model_id: string
  /** The destination; either this or source_id is null. */
  destination_id: string | null
  title: string
  object: string
  object_name: string
  mode: 'FULL_SYNC' | 'UPSERT_ONLY' | 'UPDATE_ONLY' | 'INSERT_ONLY'
  identifier: string
  /** JSON text. */
  fields: string
  guard_percent: number
  interval_minutes: number | null
  paused: Generated<boolean>
  next_run_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** Number of the last run that was started. */
  run_number: Generated<number>
  create_time: ColumnType<Date, Date | string, Date | string>
  update_time: ColumnType<Date, Date | string, Date | string>
  cron: string | null
  cron_time_zone: string | null
  after_sync_id: string | null
  /** JSON text. */
  alerts: Generated<string>
  /** The source that receives rows as events. */
  source_id: string | null
  /** Whether events go to the destinations of their source. */
  to_destinations: Generated<boolean>
  /** The outcome of the last time of its schedule. After another sync: the outcome of that one's run, or that it was deleted. */
  schedule_state: Generated<'on_time' | 'not_ended' | 'failed' | 'canceled' | 'deleted'>
  /** The title of the sync that the state is about; '' for the sync itself. */
  schedule_title: Generated<string>
  /** Whether users were notified that the sync after which it runs was deleted. */
  schedule_told: Generated<boolean>
  /** When next_run_time was computed. */
  next_run_from: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** Whether rows of the object that are not in the model are removed, whichever program wrote them. */
  owns_object: Generated<boolean>
  /** JSON texts: the column by which new and changed rows are read, and how far the last run that ended well has come. */
  cursor: string | null
  cursor_reached: string | null
}

/** A paid period of an organization, and the invoice for usage beyond the included amount. */
export type UsagePeriodsTable = {
  organization_id: string
  start_time: ColumnType<Date, Date | string, Date | string>
  end_time: ColumnType<Date, Date | string, Date | string>
  /** The time from which the ends of its months are counted. */
  anchor_time: ColumnType<Date, Date | string, Date | string>
  provider: string
  subscription: string
  plan: string
  /** The maximum number of profiles included at any time of the period; -1 if more profiles are not billed. */
  included: ColumnType<string, string | number, string | number>
  /** The price of each started block of profiles, in minor units. */
  price: ColumnType<string, string | number, string | number>
  currency: string
  /** Blocks used before the cap was lowered: a lower cap does not void them. */
  least_blocks: ColumnType<string, string | number | undefined, string | number>
  /** The profile count at the end of the period, and the number of billed blocks. */
  profiles: ColumnType<string | null, string | null | number | undefined, string | null | number>
  blocks: ColumnType<string | null, string | null | number | undefined, string | null | number>
  /** The idempotency key of its invoice; null if nothing is billed. */
  operation: string | null
  invoice_url: string | null
  close_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  done_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
}

/** The identity of a user at a third-party sign-in. */
export type UserIdentitiesTable = {
  id: string
  user_id: string
  issuer: string
  subject: string
  email: string
  create_time: ColumnType<Date, Date | string | undefined, Date | string>
}

export type UsersTable = {
  id: string
  email: string
  first_name: Generated<string>
  last_name: Generated<string>
  photo_url: Generated<string>
  password_hash: string | null
  is_admin: Generated<boolean>
  email_verified_at: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  create_time: ColumnType<Date, Date | string | undefined, Date | string>
}

/** Loads of warehouses, and changes of their columns by users. */
export type WarehouseLoadsTable = {
  id: string
  workspace_id: string
  destination_id: string
  kind: 'load' | 'change_type' | 'rename_column' | 'drop_column'
  /** The table, the column, and the new type or name, as JSON; null for a load. */
  change: ColumnType<unknown, string | null | undefined, never>
  state: 'waiting' | 'running' | 'succeeded' | 'failed'
  trigger: 'schedule' | 'user'
  created_by: string | null
  create_time: ColumnType<Date, Date | string, Date | string>
  start_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  finish_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** Rows by table, as JSON. */
  table_rows: ColumnType<Record<string, number>, string | undefined, string>
  bytes: ColumnType<string, string | number | undefined, string | number>
  unfit_count: ColumnType<string, string | number | undefined, string | number>
  attempts: Generated<number>
  reason: Generated<string>
  /** The statement that failed. */
  statement: Generated<string>
}

/** How far the tables of each warehouse are complete. */
export type WarehouseStatesTable = {
  destination_id: string
  /** The time of the next load by schedule. */
  next_load_time: ColumnType<Date, Date | string, Date | string>
  /** The beginning of the last load that succeeded. */
  load_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** Events that were received before are in their tables. */
  complete_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** The last comparison with the product, as JSON. */
  comparison: ColumnType<unknown, string | null | undefined, string | null>
}

/** Retries of held work by users in the last 24 hours. An item is a hash of what names the work. */
export type WorkReleasesTable = {
  id: string
  /** A hash of the name of the work. */
  item: string
  workspace_id: string
  release_time: ColumnType<Date, Date | string, Date | string>
}

/** Spreads of workspaces that are, or were, in more than one partition. */
export type WorkspaceSpreadsTable = {
  workspace_id: string
  /** The current number of partitions of the workspace. */
  spread: Generated<number>
  /** The largest number of partitions that the workspace ever had: its data may be in any of these. */
  widest: Generated<number>
  /** The number of partitions after the running change; null without one. */
  next: number | null
  /** When a change was last requested. */
  change_time: ColumnType<Date, Date | string, Date | string>
  /** When the workspace's events stopped being accepted for the change; null while they are accepted. */
  pause_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** Why the running change is stuck, or why the last one was aborted; '' without a reason. */
  problem: Generated<string>
}

export type WorkspacesTable = {
  id: string
  organization_id: string
  title: string
  create_time: ColumnType<Date, Date | string | undefined, Date | string>
  /** When the organization was deleted: from then on no request finds it; the row is removed when its data is gone. */
  delete_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** When remaining data of the deleted organization is next looked for. */
  remove_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** When the usage of the deleted workspace was counted: from then on its events may be deleted. */
  usage_kept_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
}

export type WriteKeysTable = {
  id: string
  source_id: string
  workspace_id: string
  title: Generated<string>
  /** SHA-256 of the key, for lookups. */
  key_hash: Uint8Array
  key_encrypted: Uint8Array
  create_time: ColumnType<Date, Date | string | undefined, Date | string>
  last_used_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  revoke_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** The API key that created it; null if a person did. */
  api_key_id: string | null
}

/** The tables of the relational store. */
export type Database = {
  alert_channels: AlertChannelsTable
  alert_messages: AlertMessagesTable
  api_keys: ApiKeysTable
  audience_changes: AudienceChangesTable
  audience_destinations: AudienceDestinationsTable
  audience_farewells: AudienceFarewellsTable
  audience_hours: AudienceHoursTable
  audience_list_changes: AudienceListChangesTable
  audience_list_entries: AudienceListEntriesTable
  audience_members: AudienceMembersTable
  audience_touches: AudienceTouchesTable
  audience_versions: AudienceVersionsTable
  audiences: AudiencesTable
  audit_log: AuditLogTable
  billing_companies: BillingCompaniesTable
  computed_trait_changes: ComputedTraitChangesTable
  computed_trait_places: ComputedTraitPlacesTable
  computed_traits: ComputedTraitsTable
  connections: ConnectionsTable
  coordination_counters: CoordinationCountersTable
  coordination_leases: CoordinationLeasesTable
  custom_domains: CustomDomainsTable
  data_source_uploads: DataSourceUploadsTable
  data_sources: DataSourcesTable
  destinations: DestinationsTable
  directory_changes: DirectoryChangesTable
  directory_version: DirectoryVersionTable
  file_rounds: FileRoundsTable
  former_members: FormerMembersTable
  held_work: HeldWorkTable
  identity_ledgers: IdentityLedgersTable
  identity_operations: IdentityOperationsTable
  identity_places: IdentityPlacesTable
  identity_settings: IdentitySettingsTable
  invitation_links: InvitationLinksTable
  invitations: InvitationsTable
  journal_ids: JournalIdsTable
  journal_notes: JournalNotesTable
  journal_positions: JournalPositionsTable
  journal_ranges: JournalRangesTable
  journals: JournalsTable
  kept_places: KeptPlacesTable
  kept_usage: KeptUsageTable
  mails: MailsTable
  memberships: MembershipsTable
  models: ModelsTable
  notifications: NotificationsTable
  oauth_consents: OauthConsentsTable
  oauth_grants: OauthGrantsTable
  onboardings: OnboardingsTable
  one_time_codes: OneTimeCodesTable
  organizations: OrganizationsTable
  overage_caps: OverageCapsTable
  own_connector_versions: OwnConnectorVersionsTable
  own_connectors: OwnConnectorsTable
  parked_deliveries: ParkedDeliveriesTable
  partition_groups: PartitionGroupsTable
  payment_operations: PaymentOperationsTable
  payment_snapshots: PaymentSnapshotsTable
  person_data_places: PersonDataPlacesTable
  plan_usage: PlanUsageTable
  privacy_hashes: PrivacyHashesTable
  privacy_identifiers: PrivacyIdentifiersTable
  privacy_owners: PrivacyOwnersTable
  privacy_places: PrivacyPlacesTable
  privacy_requests: PrivacyRequestsTable
  privacy_syncs: PrivacySyncsTable
  privacy_tellings: PrivacyTellingsTable
  process_schemas: ProcessSchemasTable
  processes: ProcessesTable
  profile_consents: ProfileConsentsTable
  profile_identifiers: ProfileIdentifiersTable
  profile_identifiers_apart: ProfileIdentifiersApartTable
  profile_keys: ProfileKeysTable
  profile_trait_sets: ProfileTraitSetsTable
  profile_traits: ProfileTraitsTable
  profiles: ProfilesTable
  refused_requests: RefusedRequestsTable
  replays: ReplaysTable
  sandbox_answers: SandboxAnswersTable
  sandbox_confirmations: SandboxConfirmationsTable
  sandbox_customers: SandboxCustomersTable
  sandbox_invoices: SandboxInvoicesTable
  sandbox_payment_methods: SandboxPaymentMethodsTable
  sandbox_setup_intents: SandboxSetupIntentsTable
  sandbox_subscriptions: SandboxSubscriptionsTable
  schema_migrations: SchemaMigrationsTable
  sessions: SessionsTable
  set_aside_requests: SetAsideRequestsTable
  set_password_tokens: SetPasswordTokensTable
  sign_in_places: SignInPlacesTable
  signal_clicks: SignalClicksTable
  signal_conversions: SignalConversionsTable
  signal_counts: SignalCountsTable
  signal_days: SignalDaysTable
  signal_drafts: SignalDraftsTable
  signal_outbox: SignalOutboxTable
  signal_platforms: SignalPlatformsTable
  signal_settings: SignalSettingsTable
  signal_sources: SignalSourcesTable
  signals: SignalsTable
  source_schemas: SourceSchemasTable
  sources: SourcesTable
  stripe_customers: StripeCustomersTable
  subscriptions: SubscriptionsTable
  sync_drafts: SyncDraftsTable
  sync_dry_runs: SyncDryRunsTable
  sync_runs: SyncRunsTable
  sync_tokens: SyncTokensTable
  syncs: SyncsTable
  usage_periods: UsagePeriodsTable
  user_identities: UserIdentitiesTable
  users: UsersTable
  warehouse_loads: WarehouseLoadsTable
  warehouse_states: WarehouseStatesTable
  work_releases: WorkReleasesTable
  workspace_spreads: WorkspaceSpreadsTable
  workspaces: WorkspacesTable
  write_keys: WriteKeysTable
}
