// Generated from the migrations by vitest run --project unit generate-schema -u
import type { ColumnType, Generated, JSONColumnType } from 'kysely'

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
  create_time: ColumnType<Date, Date | string, Date | string>
  last_sent_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  failure: Generated<string>
  failure_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
}

/** Alerts that a channel did not get yet. */
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
  /** The key before the last rotation, which goes on for a while. */
  previous_hash: Uint8Array | null
  previous_expire_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  create_time: ColumnType<Date, Date | string, Date | string>
  expire_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** To a minute. */
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

/** Destinations that get the changes of audiences, and how far they are. Members as of first_change are sent first, by profile up to fill_cursor, and then each later change up to sent_change. */
export type AudienceDestinationsTable = {
  id: string
  workspace_id: string
  audience_id: string
  destination_id: string
  state: 'filling' | 'live'
  /** The last change before the members that are sent first: members as of it are sent. */
  first_change: ColumnType<string, string | number, string | number>
  fill_total: number
  fill_sent: Generated<number>
  /** The last of these profiles that was sent. */
  fill_cursor: string | null
  sent_change: ColumnType<string, string | number, string | number>
  create_time: ColumnType<Date, Date | string, Date | string>
  /** How often members were sent again, and when that was last requested. */
  run: Generated<number>
  run_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
}

/** Deleted users that a destination still counts among an audience: it is notified before their identifiers are erased. Deleted users that destinations still count among an audience. */
export type AudienceFarewellsTable = {
  request_id: string
  connection_id: string
  /** The number of the person in the identifiers of the request. */
  person: number
  profile_id: string
}

/** The size of audiences as it was last in each hour of UTC, and how many entered and left in it. */
export type AudienceHoursTable = {
  audience_id: string
  hour: ColumnType<Date, Date | string, Date | string>
  size: number
  entered_count: number
  left_count: number
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
  create_time: ColumnType<Date, Date | string, Date | string>
}

/** Identifiers on the lists of audiences, in the versions from one on and before another. An entry names an identifier by its sequence, without a foreign key: profiles can be made again with the same ones. */
export type AudienceListEntriesTable = {
  workspace_id: string
  audience_id: string
  /** Its sequence in profile_identifiers. */
  identifier: ColumnType<string, string | number, string | number>
  from_version: number
  /** Null while it is on the list as it was changed last. */
  until_version: number | null
}

/** The members of an audience when it was computed last. */
export type AudienceMembersTable = {
  audience_id: string
  profile_id: string
  enter_time: ColumnType<Date, Date | string, Date | string>
}

/** Changed profiles, which audiences evaluate again. Changed profiles. When no transaction below a number runs any more, all rows below it are seen. A row waits until the request at log_offset is stored. */
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
  /** The version that was restored by it. */
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
  /** Why it failed, in words. */
  failure: Generated<string>
  size: number | null
  entered_count: Generated<number>
  left_count: Generated<number>
  as_of: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  author_id: string | null
  create_time: ColumnType<Date, Date | string, Date | string>
  update_time: ColumnType<Date, Date | string, Date | string>
  /** Every touch of a transaction below it is taken into account; null before the first computation. */
  touched_before: ColumnType<string | null, string | null | number | undefined, string | null | number>
  /** When all profiles were looked at last. */
  whole_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** The step of its computation, and the finished share of that. */
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
  /** The API key with which it was done. */
  key_id: string | null
  /** Whether staff acted in an organization that is not theirs. */
  on_behalf: Generated<boolean>
  ip: Generated<string>
  user_agent: Generated<string>
  /** For each field that was changed, what it was before and after, without secrets. */
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
  /** The version that all profiles have been computed by; 0 before the first time. */
  computed_version: Generated<number>
  /** When the pass began that is under way; null when none is. */
  pass_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** The last profile that it has done. */
  pass_after: string | null
  pass_done: Generated<number>
  pass_total: Generated<number>
  /** When the last whole pass began. */
  compute_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** Why it could not be computed, in words, and when it is tried again. */
  failure: Generated<string>
  retry_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** When it was deleted: no request finds it any more, and its values are being removed. */
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
  /** Another one has taken its place, and its bytes are gone. */
  replaced: Generated<boolean>
  create_time: ColumnType<Date, Date | string, Date | string>
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
  create_time: ColumnType<Date, Date | string, Date | string>
  update_time: ColumnType<Date, Date | string, Date | string>
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
  create_time: ColumnType<Date, Date | string | undefined, Date | string>
  update_time: ColumnType<Date, Date | string | undefined, Date | string>
  delete_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** The contract's EventMapping[] as JSON; null while it uses the presets of its app. */
  mappings: ColumnType<unknown, string | null | undefined, string | null>
  mappings_revision: Generated<number>
  consent_categories: Generated<string[]>
}

/** The last changes of what configuration caches hold, with the version of each; kept for deleted objects. */
export type DirectoryChangesTable = {
  kind: 'source' | 'destination' | 'write_key' | 'identity_settings' | 'profile_key' | 'computed_traits' | 'sync_token' | 'signals'
  id: string
  version: ColumnType<string, string | number, string | number>
}

/** One row whose version grows with every change that the configuration caches of other threads must see. */
export type DirectoryVersionTable = {
  version: ColumnType<string, string | number, string | number>
  /** Transaction that raised it last: one transaction raises it once. */
  changed_by: ColumnType<string, string | number, string | number>
}

/** The newest round in which the files of the database are rewritten. The newest round in which the files of an embedded database are rewritten, for all requests together. An unfinished one is tried again at next_time. */
export type FileRoundsTable = {
  start_time: ColumnType<Date, Date | string, Date | string>
  /** Tables that are rewritten, with their schemas, quoted. */
  done_tables: Generated<string[]>
  tries: Generated<number>
  /** When an unfinished round is tried again. */
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
  /** The text that always names it. */
  item: string
  workspace_id: string | null
  thread: string
  step: string
  /** One entry for each time that it blocked a thread. */
  blocks: string[]
  block_time: ColumnType<Date, Date | string, Date | string>
  /** When it began to be skipped. */
  hold_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
}

/** How far the ledger of a workspace is. Its writers hold the lock of the row. The erasures are counted changes of hashes: 0 while there are none. The revision counts changes after which known facts are verified again. */
export type IdentityLedgersTable = {
  workspace_id: string
  sequence: ColumnType<string, string | number | undefined, string | number>
  has_splits: Generated<boolean>
  /** Changes of privacy_hashes. */
  erasures: ColumnType<string, string | number | undefined, string | number>
  /** The key of the identifiers' hashes; null while there are no hashes. */
  privacy_key: Uint8Array | null
  /** Whether an alias call has named an identifier. */
  has_previous: Generated<boolean>
  /** Counts changes after which known facts have to be looked at again. */
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
  /** Identifiers that a split took away. */
  members: ColumnType<unknown, string | null | undefined, never>
  /** The event that caused it; '' and null for a split. */
  event_id: Generated<string>
  source_id: string | null
  actor_id: string | null
  time: ColumnType<Date, Date | string, Date | string>
}

/** Up to where accepted events of a partition are in the ledgers. Written in the transactions that write into ledgers. A restored database goes back with its positions; the consumer notices by their marks. */
export type IdentityPlacesTable = {
  partition: number
  /** Another one with each change. */
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

/** The usage of a deleted workspace in a period on a day in UTC. */
export type KeptUsageTable = {
  organization_id: string
  workspace_id: string
  period_start_time: ColumnType<Date, Date | string, Date | string>
  day: ColumnType<Date, Date | string, Date | string>
  events: ColumnType<string, string | number, string | number>
  profiles: ColumnType<string, string | number, string | number>
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
  create_time: ColumnType<Date, Date | string | undefined, Date | string>
  sent_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** From then on it is not sent any more. */
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
  /** The audience whose members its rows are. */
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
  /** The cause of the notification: one cause notifies a user once. Empty for notifications that may repeat. */
  cause: Generated<string>
  create_time: ColumnType<Date, Date | string | undefined, Date | string>
  read_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
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
  /** Whether something is still to be asked of the payment provider; null when nothing ever was. */
  billing: 'open' | 'done' | null
}

export type OneTimeCodesTable = {
  id: string
  /** In lower case. */
  email: string
  action: 'login' | 'sign up'
  code_hash: Uint8Array
  /** Wrong tries so far. */
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
  /** The e-mail domain whose people may join by themselves, or empty. */
  auto_join_domain: Generated<string>
  /** When it was deleted: no request finds it from then on, and it is removed when its data is gone. */
  delete_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** When the leftovers of a deleted one are looked for next. */
  remove_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** Its creator; null for one that staff, or a set-up, made. */
  creator_id: string | null
}

/** The largest amount that an organization pays for additional profiles in a period. */
export type OverageCapsTable = {
  organization_id: string
  amount: ColumnType<string, string | number, string | number>
  currency: string
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
  /** Which events of the log record, by index. */
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
  /** The replay that makes it due again, or did. */
  replay_id: string | null
  /** Their ids in the same order; empty for a range. */
  event_ids: Generated<string[]>
  /** For a dead letter: the part of event_indexes that the replay has chosen; null for all of them. */
  replay_indexes: number[] | null
  /** When dead, its outcome must still be reported to the producer of its rows. */
  tells: Generated<boolean>
  /** Stands for event_indexes in the key. */
  event_indexes_hash: ColumnType<string, never, never>
  /** It goes behind live events. */
  bulk: Generated<boolean>
  /** Which records a range is of; '' for all that name the destination, and for rows. */
  holds: Generated<'' | 'live' | 'bulk'>
}

/** The number of groups that the partitions of the logs are divided into: one row. */
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
  /** How it ended; null until then. */
  outcome: 'done' | 'declined' | 'refused' | 'unconfirmed' | null
}

/** The last data of the payment provider, as JSON: shown while it is away. */
export type PaymentSnapshotsTable = {
  organization_id: string
  what: 'subscription' | 'payment-methods' | 'invoices'
  content: string
  read_time: ColumnType<Date, Date | string, Date | string>
}

/** How much of its plan an organization has used in the period that is measured, and what follows from that. */
export type PlanUsageTable = {
  organization_id: string
  /** The start of the period. */
  period_start_time: ColumnType<Date, Date | string, Date | string>
  profiles: ColumnType<string, string | number, string | number>
  events: ColumnType<string, string | number, string | number>
  /** When it was first seen beyond a limit in this period. */
  over_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** Since when its events are held, and when that ended last. */
  hold_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  hold_end_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** The notifications that its administrators got in this period. */
  told: Generated<string[]>
  /** There may be held events that were not released. */
  has_held: Generated<boolean>
  /** Held events that retention removed, ever. */
  removed_events: ColumnType<string, string | number | undefined, string | number>
  /** Received before this, held events were counted as removed, or their removal was announced a week or a day ahead. */
  removed_until: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  week_announced_until: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  day_announced_until: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  measure_time: ColumnType<Date, Date | string, Date | string>
  /** Those that are being counted as removed, as JSON; null while none are. */
  removing: string | null
}

/** Deleted and suppressed users: keyed hashes of their identifiers. */
export type PrivacyHashesTable = {
  workspace_id: string
  /** Hexadecimal. */
  hash: string
  /** The kind of the identifier. */
  type: string
  /** Events received until then have no owner. */
  delete_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** While it is set, events have no owner. */
  suppress_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** Events that were refused a profile. */
  refused_events: ColumnType<string, string | number | undefined, string | number>
  /** The last request that named it. */
  request_id: string
  /** The change of the ledger's hashes that wrote it. */
  changed: ColumnType<string, string | number | undefined, string | number>
  /** Its number in the event store, the column owner of events; null for kinds that own none. */
  owner: ColumnType<string | null, string | null | number | undefined, string | null | number>
  /** Its sequence in profile_identifiers; null when none had it, or its profile was erased. */
  identifier: ColumnType<string | null, string | null | number | undefined, string | null | number>
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
  owner: ColumnType<string, string | number, string | number>
}

/** How far a request is in a place. */
export type PrivacyPlacesTable = {
  request_id: string
  place: string
  state: 'waiting' | 'running' | 'done'
  /** When it ends automatically. */
  until: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  last_error: Generated<string>
  update_time: ColumnType<Date, Date | string, Date | string>
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
  sequence: ColumnType<string, string | number, string | number>
  create_time: ColumnType<Date, Date | string, Date | string>
  finish_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** When the files of the database were rewritten without the deleted data; files_error is why they were not. */
  files_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  files_error: Generated<string>
  /** The start of the round that rewrites the files for it; null before. */
  files_round: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
}

/** Syncs that may have rows of the people of a privacy request, until these are gone. Syncs of profiles that may have rows of deleted users, until these are removed. */
export type PrivacySyncsTable = {
  request_id: string
  sync_id: string
  /** The keys that their rows may have at the destination. */
  keys: string[]
  /** The number of the sync's last run when rows were removed; null when they were not. */
  swept_run: number | null
}

/** The request to a destination to delete a person of a privacy request. Destinations that are to delete users, and the outcome for each. */
export type PrivacyTellingsTable = {
  request_id: string
  destination_id: string
  person: number
  state: 'waiting' | 'sent' | 'done' | 'failed' | 'not_told'
  /** Why it failed or was not sent. */
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

export type ProfileIdentifiersTable = {
  workspace_id: string
  type: string
  value: string
  profile_id: string
  sequence: ColumnType<string, string | number, string | number>
  create_time: ColumnType<Date, Date | string, Date | string>
}

/** Identifiers that are never in one profile again; each pair in both directions. */
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
  /** Names of traits that a public key reads. */
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
  /** Sequence of the identifier that it came with. */
  identifier: ColumnType<string, string | number, string | number>
  /** '' stands for names that are not kept. */
  name: string
  /** JSON text; null when it was too large. */
  value: string | null
  /** The time of the event with which it was written. */
  time: ColumnType<Date, Date | string, Date | string>
  event_id: string
  source_id: string
  /** Values of before, latest first. */
  earlier: ColumnType<{ value: string | null; time: string; event_id: string; source_id: string }[], string | undefined, string>
  /** When the value of a computed trait is to be computed again, infinity for never; null for values of events. */
  due: ColumnType<Date | number | null, Date | string | null | undefined, Date | string | null>
  /** The set with which it came last. */
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
  /** Why it failed; '' otherwise. */
  failure: Generated<string>
  /** Events that it is to send, counted when it was made, and how many it has sent. */
  event_count: ColumnType<string, string | number, string | number>
  sent_count: ColumnType<string, string | number | undefined, string | number>
  /** Place in the log of requests that its events lie before; '' for no bound. */
  stored_before: Generated<string>
  /** The last event it has looked at: receive time (epoch ms) and id. */
  cursor_ms: ColumnType<string | null, string | null | number | undefined, string | null | number>
  cursor_id: Generated<string>
  /** Where in the log of deliveries the search for what it appended last begins. */
  log_partition: number | null
  log_offset: ColumnType<string | null, string | null | number | undefined, string | null | number>
  creator_id: string | null
  create_time: ColumnType<Date, Date | string | undefined, Date | string>
  finish_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** For a history: the time of events that start and end refer to. */
  time_by: Generated<'receive_time' | 'event_time'>
}

/** The sandbox's answer to a key, for the same request again. */
export type SandboxAnswersTable = {
  key: string
  customer: string
  answer: string
  create_time: ColumnType<Date, Date | string, Date | string>
}

/** Payments that wait for the payer, as JSON of the request. */
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
  /** A secret, with which it opens. */
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
  /** JSON of a price, as the next one. */
  price: string
  next_price: string | null
  cancel_at_period_end: Generated<boolean>
  /** From which periods are counted. */
  anchor_time: ColumnType<Date, Date | string, Date | string>
  period_start_time: ColumnType<Date, Date | string, Date | string>
  period_end_time: ColumnType<Date, Date | string, Date | string>
  /** Where invoices are sent instead of charged, in how many days they are due. */
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
  /** Its place in the log of requests. */
  partition: number
  record: ColumnType<string, string | number, string | number>
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
  receive_time: ColumnType<Date, Date | string, Date | string>
  fail_time: ColumnType<Date, Date | string, Date | string>
  set_aside_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** Whether a user wants it to be appended again. */
  take_back: Generated<boolean>
  end_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
}

export type SetPasswordTokensTable = {
  token_hash: Uint8Array
  user_id: string
  expire_time: ColumnType<Date, Date | string, Date | string>
  /** The session that it came with; null for one of a version before, which any session of the user may use. */
  session_id: string | null
}

/** A place that a user has signed in from. As keyed hashes: wrong attempts elsewhere cannot lock a user out here. */
export type SignInPlacesTable = {
  user_id: string
  /** HMAC-SHA256 of the place; a byte longer for that of its larger network and browser. */
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

/** The conversions that a signal made of events, each once. */
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
  /** Hashes of identifiers of the person. */
  subjects: Uint8Array[]
  /** JSON text: by destination, why it was not sent there, and which identifiers it had. */
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

/** Conversions and their worth by UTC day and by the click that they are due to. */
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

/** Conversions that are still to be put into the stream. Put into the stream in the order of id within a workspace. Its writer holds the advisory lock of the workspace until the end of its transaction. */
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

/** The sources that a signal is fed from. */
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
  /** When it was enabled last: what was received before is no conversion. */
  enable_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** JSON text, as signalDefinition of the contract reads it, without platforms. */
  definition: string
  revision: Generated<number>
  /** The audience of a trigger that is one; null otherwise, and when it was deleted. */
  audience_id: string | null
  /** The last change of the audience that was looked at. */
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
  /** Slug of the catalogue entry. */
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
  /** Its events are held: the organization is over a limit of its plan. */
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
  /** The plan from the end of the period on, when that is another one. */
  next_plan: string | null
  next_interval: 'MONTHLY' | 'ANNUALLY' | null
  /** Since when an invoice is not paid. */
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
  /** The source whose events rows become. */
  source_id: string | null
  object: Generated<string>
  object_name: Generated<string>
  owns_object: Generated<boolean>
  /** The destination that the dry run asks. */
  destination_id: string | null
  /** JSON text. */
  cursor: string | null
}

/** One time that a sync brought rows over. */
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
  /** Keys that are to be sent. */
  plan_size: Generated<number>
  /** The offset from which on the log of outcomes may have outcomes of this run. */
  outcome_offset: ColumnType<string, string | number | undefined, string | number>
  message: Generated<string>
  approved_by: string | null
  create_time: ColumnType<Date, Date | string, Date | string>
  start_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  finish_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** JSON: when it came to each state after the first, the last time. */
  state_times: Generated<string>
  /** The alert that was sent for it. */
  alert: Generated<string>
  /** The key by which a caller of the API identifies the run it asked for. */
  request_key: string | null
  /** The run whose rejected rows it sends again. */
  rerun_of: string | null
  /** People were notified that the schedule waits for it. */
  told_stalled: Generated<boolean>
  /** JSON text: what it read by the cursor of its sync. */
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
  /** To a minute. */
  last_used_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  revoke_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
}

/** Rows of a model that are brought to a destination. The reference to the sync before is checked at the commit, after the trigger that ends it. */
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
  /** Number of the last run that was begun. */
  run_number: Generated<number>
  create_time: ColumnType<Date, Date | string, Date | string>
  update_time: ColumnType<Date, Date | string, Date | string>
  cron: string | null
  cron_time_zone: string | null
  after_sync_id: string | null
  /** JSON text. */
  alerts: Generated<string>
  /** The source whose events rows become. */
  source_id: string | null
  /** Whether events go to the destinations of their source. */
  to_destinations: Generated<boolean>
  /** The outcome of the last time of its schedule. After another sync: the outcome of that one's run, or that it was deleted. */
  schedule_state: Generated<'on_time' | 'not_ended' | 'failed' | 'canceled' | 'deleted'>
  /** The title of the sync that the state is about; '' for its own runs. */
  schedule_title: Generated<string>
  /** People were notified that the sync it ran after is gone. */
  schedule_told: Generated<boolean>
  /** When that was worked out. */
  next_run_from: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** Rows of its object that are not in the model are removed, whichever program wrote them. */
  owns_object: Generated<boolean>
  /** JSON texts: the column by which new and changed rows are read, and how far the last run that ended well has come. */
  cursor: string | null
  cursor_reached: string | null
}

/** A period of what an organization pays for, and the invoice of what it used beyond what is included. */
export type UsagePeriodsTable = {
  organization_id: string
  start_time: ColumnType<Date, Date | string, Date | string>
  end_time: ColumnType<Date, Date | string, Date | string>
  /** From which the ends of its months are counted. */
  anchor_time: ColumnType<Date, Date | string, Date | string>
  provider: string
  subscription: string
  plan: string
  /** The most profiles that were included at any time of it; -1 where more are not billed. */
  included: ColumnType<string, string | number, string | number>
  /** The price of a started block of profiles, in minor units. */
  price: ColumnType<string, string | number, string | number>
  currency: string
  /** Blocks that were used before the cap was lowered: it does not take them back. */
  least_blocks: ColumnType<string, string | number | undefined, string | number>
  /** The count when it was closed, and how many blocks are billed. */
  profiles: ColumnType<string | null, string | null | number | undefined, string | null | number>
  blocks: ColumnType<string | null, string | null | number | undefined, string | null | number>
  /** The key with which its invoice is asked for; null where nothing is billed. */
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

/** Retries of held work by users in the last 24 hours. An item is a hash of what names the work. */
export type WorkReleasesTable = {
  id: string
  /** A hash of what names the work. */
  item: string
  workspace_id: string
  release_time: ColumnType<Date, Date | string, Date | string>
}

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
  change_time: ColumnType<Date, Date | string, Date | string>
  /** When acceptance of its events stopped for the change; null while they are accepted. */
  pause_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** Why the change is stuck, or the last one was aborted; '' when there is no reason. */
  problem: Generated<string>
}

export type WorkspacesTable = {
  id: string
  organization_id: string
  title: string
  create_time: ColumnType<Date, Date | string | undefined, Date | string>
  /** When it was deleted: no request finds it from then on, and it is removed when its data is gone. */
  delete_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** When the leftovers of a deleted one are looked for next. */
  remove_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** When the usage of a deleted one was counted: from then on its events may be deleted. */
  usage_kept_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
}

export type WriteKeysTable = {
  id: string
  source_id: string
  workspace_id: string
  title: Generated<string>
  /** SHA-256 of the key: look-ups go by it. */
  key_hash: Uint8Array
  key_encrypted: Uint8Array
  create_time: ColumnType<Date, Date | string | undefined, Date | string>
  last_used_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  revoke_time: ColumnType<Date | null, Date | null | string | undefined, Date | null | string>
  /** The API key that made it; null when a person did. */
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
  parked_deliveries: ParkedDeliveriesTable
  partition_groups: PartitionGroupsTable
  payment_operations: PaymentOperationsTable
  payment_snapshots: PaymentSnapshotsTable
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
  work_releases: WorkReleasesTable
  workspace_spreads: WorkspaceSpreadsTable
  workspaces: WorkspacesTable
  write_keys: WriteKeysTable
}
