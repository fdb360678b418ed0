import { entryPaths, queryOf } from './entry-paths.ts'
import type { EventFilters } from './events/event-filters.ts'
import { slugOf } from './format/names.ts'

/** The filters of a list: a search text, and the type and state of its objects. */
export type ListQuery = { search?: string; type?: string; state?: string }

/** Every link of the application. A page about a resource has the resource's name as its path. */
export const paths = {
  ...entryPaths,
  onboarding: () => '/onboarding/',
  /** The page to which banks return that confirm a payment on their own page. */
  paymentSuccess: () => '/payment/success',
  /** The public page of an invitation link (a resource name). */
  invitationLink: (link: string) => `/${link}`,
  /** `user` is a resource name: `users/{id}`. */
  completeOnboarding: (user: string, token: string) =>
    `/${user}/onboarding/complete?token=${encodeURIComponent(token)}`,
  /** A page of the workspace used last: `lib/keyboard/shortcuts.ts` lists the names. */
  shortcut: (name: string) => `/s/${name}`,
  /** `workspace` is a resource name in all of these: `workspaces/{id}`. */
  workspace: (workspace: string) => `/${workspace}`,
  /** A list of sources. The query of the URL filters it. */
  sources: (workspace: string, query: ListQuery = {}) => `/${workspace}/sources${queryOf(query)}`,
  source: (source: string, tab?: SourceTab) => `/${source}${tab === undefined ? '' : `#${tab}`}`,
  events: (workspace: string, filters: { [Name in keyof EventFilters]?: string | undefined } = {}) =>
    `/${workspace}/events${queryOf(filters)}`,
  event: (event: string) => `/${event}`,
  profiles: (workspace: string) => `/${workspace}/profiles`,
  profile: (profile: string) => `/${profile}`,
  profileSettings: (workspace: string) => `/${workspace}/profiles/settings`,
  computedTraits: (workspace: string) => `/${workspace}/computedTraits`,
  newComputedTrait: (workspace: string) => `/${workspace}/computedTraits/new`,
  computedTrait: (computedTrait: string) => `/${computedTrait}`,
  editComputedTrait: (computedTrait: string) => `/${computedTrait}/edit`,
  audiences: (workspace: string) => `/${workspace}/audiences`,
  newAudience: (workspace: string, template?: string) => `/${workspace}/audiences/new${queryOf({ template })}`,
  newListAudience: (workspace: string) => `/${workspace}/audiences/new${queryOf({ from: 'list' })}`,
  audience: (audience: string, tab?: 'destinations') => `/${audience}${tab === undefined ? '' : `#${tab}`}`,
  /** Why a profile (a resource name) is in an audience or not. */
  audienceProfile: (audience: string, profile: string) => `/${audience}${queryOf({ profile })}#check`,
  editAudience: (audience: string) => `/${audience}/edit`,
  /** The schema of a source, at an event or property: `at` is its JSON Pointer, as `propertyIdOf` makes it. */
  sourceSchema: (source: string, at: string) => `/${source}${queryOf({ at })}#schema`,
  /** The history of a source's schema, with one version open. */
  sourceSchemaVersion: (source: string, version: number) => `/${source}${queryOf({ version: String(version) })}#schema`,
  /** A source with one of its events open; '' opens none. `event` is the ID of the event. `filters` narrow the list. */
  sourceEvent: (source: string, event: string, filters: Record<string, string> = {}) =>
    `/${source}${queryOf({ event, ...filters })}`,
  /** The catalog of sources, and the form of one. With `destination` (a resource name), the new source is connected to it. */
  catalogSources: (workspace: string, destination?: string) =>
    `/${workspace}/catalog-sources${queryOf({ destination })}`,
  newSource: (workspace: string, app: string, destination?: string) =>
    `/${workspace}/catalog-sources/${slugOf(app)}/new${queryOf({ destination })}`,
  /** With the value `failed` for `sort`, destinations with the most failures come first. */
  destinations: (workspace: string, query: ListQuery & { range?: string; sort?: 'failed' } = {}) =>
    `/${workspace}/destinations${queryOf(query)}`,
  destination: (destination: string, tab?: DestinationTab) => `/${destination}${tab === undefined ? '' : `#${tab}`}`,
  /** The form for a new replay of a destination, with the values of `scope`, such as the dead letters of one reason. */
  newReplay: (destination: string, scope: { kind: 'history' | 'dead'; reason?: string }) =>
    `/${destination}${queryOf({ replay: scope.kind, reason: scope.reason })}#replay`,
  /**
   * The deliveries of a destination with one outcome, over a range. Further filters are a source, audience or signal (a
   * resource name), or the ID of an event or conversion.
   */
  deliveries: (
    destination: string,
    status: string,
    more: { range?: string; source?: string; audience?: string; signal?: string; event_id?: string } = {},
  ) => `/${destination}${queryOf({ status, ...more })}#deliveries`,
  /** The held deliveries of a destination in one state. With a range, deliveries that became dead letters in it. */
  failures: (destination: string, query: { state?: string; range?: string }) =>
    `/${destination}${queryOf(query)}#failures`,
  /** The held deliveries of a destination with one cause; `group` is the group's ID. */
  failureGroup: (destination: string, group: string) => `/${destination}${queryOf({ group })}#failures`,
  catalogDestinations: (workspace: string) => `/${workspace}/catalog-destinations`,
  newDestination: (workspace: string, app: string) => `/${workspace}/catalog-destinations/${slugOf(app)}/new`,
  /** The destinations that the workspace describes itself. */
  ownConnectors: (workspace: string) => `/${workspace}/ownConnectors`,
  newOwnConnector: (workspace: string) => `/${workspace}/ownConnectors/new`,
  /** The editor of one of them, by resource name. */
  ownConnector: (own: string, tab?: OwnConnectorTab) => `/${own}${tab === undefined ? '' : `#${tab}`}`,
  connections: (workspace: string) => `/${workspace}/connections`,
  syncs: (workspace: string) => `/${workspace}/syncs`,
  /** The form for a new sync. With `model`, that model is already chosen. */
  newSync: (workspace: string, model?: string) => `/${workspace}/syncs/new${queryOf({ model })}`,
  /** The tokens with which orchestrators start syncs. */
  syncTokens: (workspace: string) => `/${workspace}/syncs/tokens`,
  /** The channels to which alerts of syncs are sent. */
  alertChannels: (workspace: string) => `/${workspace}/syncs/alerts`,
  sync: (sync: string, tab?: SyncTab) => `/${sync}${tab === undefined ? '' : `#${tab}`}`,
  syncRun: (run: string) => `/${run}`,
  dataSources: (workspace: string) => `/${workspace}/dataSources`,
  dataSource: (dataSource: string, tab?: DataSourceTab) => `/${dataSource}${tab === undefined ? '' : `#${tab}`}`,
  catalogDataSources: (workspace: string) => `/${workspace}/catalog-data-sources`,
  newDataSource: (workspace: string, app: string) => `/${workspace}/catalog-data-sources/${slugOf(app)}/new`,
  /** The editor for a new model of a data source. With `table`, that table is already chosen. */
  newModel: (dataSource: string, table?: { schema: string; name: string; title?: string | undefined }) =>
    `/${dataSource}/new-model${queryOf({ schema: table?.schema, table: table?.name, title: table?.title })}`,
  /** The prefix of the paths of models. Models are listed with their data sources. */
  models: (workspace: string) => `/${workspace}/models`,
  model: (model: string) => `/${model}`,
  signals: (workspace: string) => `/${workspace}/signals`,
  /** The list of sources for signals. The page of such a source is that of any source. */
  signalSources: (workspace: string) => `/${workspace}/signals/sources`,
  catalogSignalSources: (workspace: string) => `/${workspace}/signals/sources/new`,
  newSignalSource: (workspace: string, app: string) => `/${workspace}/signals/sources/new/${slugOf(app)}`,
  /** The form for a new signal. */
  newSignal: (workspace: string) => `/${workspace}/signals/new`,
  /** The settings for all signals of a workspace. */
  signalSettings: (workspace: string) => `/${workspace}/signals/settings`,
  /** The clicks to which conversions of all signals are attributed. */
  signalAttribution: (workspace: string) => `/${workspace}/signals/attribution`,
  signal: (signal: string, tab?: SignalTab) => `/${signal}${tab === undefined ? '' : `#${tab}`}`,
  /** The conversions of a signal with one outcome, at one destination; '' means any. */
  signalConversions: (signal: string, query: { status?: string; destination?: string } = {}) =>
    `/${signal}${queryOf(query)}#conversions`,
  settings: (workspace: string) => `/${workspace}/settings`,
  organizationSettings: (workspace: string) => `/${workspace}/settings/organization`,
  billing: (workspace: string) => `/${workspace}/settings/organization/billing`,
  members: (workspace: string) => `/${workspace}/settings/organization/members`,
  apiKeys: (workspace: string) => `/${workspace}/settings/organization/api-keys`,
  auditLog: (workspace: string) => `/${workspace}/settings/organization/audit-log`,
  /** Where events have the data of people, with one kind in view. */
  personalData: (workspace: string, kind?: string) =>
    `/${workspace}/settings/personal-data${kind === undefined ? '' : `#${kind}`}`,
  privacy: (workspace: string) => `/${workspace}/settings/privacy`,
  account: (workspace: string) => `/${workspace}/settings/account`,
  changePassword: (workspace: string) => `/${workspace}/settings/account/change-password`,
  organizations: (workspace: string) => `/${workspace}/settings/admin/organizations`,
  actOnBehalf: (workspace: string) => `/${workspace}/settings/admin/act-on-behalf`,
  installation: (workspace: string) => `/${workspace}/settings/admin/installation`,
  onboardingLink: (workspace: string) => `/${workspace}/settings/admin/onboarding-link`,
  customDomain: (workspace: string) => `/${workspace}/settings/admin/custom-domain`,
} as const

/** Pages that the server provides outside the application. */
export const apiPages = { docs: '/api/docs', openApi: '/api/openapi.json' } as const

export type SourceTab = 'overview' | 'schema' | 'violations' | 'refused' | 'setup' | 'connections' | 'settings'
export type SyncTab = 'mapping' | 'settings'
export type DataSourceTab = 'models' | 'settings'
export type SignalTab = 'quality' | 'attribution' | 'conversions' | 'settings'
export type OwnConnectorTab = 'preview' | 'vectors' | 'try' | 'versions'
export type DestinationTab = 'failures' | 'deliveries' | 'loads' | 'mappings' | 'replay' | 'connections' | 'settings'

/**
 * Path patterns of the router, relative to their parent: the root, the workspace, or its settings. An unknown path
 * below an area shows that area (NAV-06 to NAV-11).
 */
export const patterns = {
  invitation: 'invitations/:invitationId',
  invitationLink: 'organizations/:organizationId/invitationlinks/:invitationLinkId',
  completeOnboarding: 'users/:userId/onboarding/complete',
  userOnboarding: 'users/:userId/onboarding/*',
  /** All other paths below users: an onboarding URL that lacks the user, or no page. */
  users: 'users/*',
  appOauthCallback: 'app-oauth-callback',
  destinationOauthCallback: 'destination-oauth-callback',
  payment: 'payment/*',
  paymentSuccess: 'payment/success',
  paymentCancel: 'payment/cancel',
  invoice: 'invoices/:invoice',
  shortcut: 's/*',
  workspace: 'workspaces/:workspaceId',
  sources: 'sources/*',
  source: 'sources/:sourceId',
  events: 'events/*',
  event: 'events/:eventId',
  profiles: 'profiles/*',
  profileSettings: 'profiles/settings',
  profile: 'profiles/:profileId',
  computedTraits: 'computedTraits/*',
  newComputedTrait: 'computedTraits/new',
  computedTrait: 'computedTraits/:computedTraitId',
  editComputedTrait: 'computedTraits/:computedTraitId/edit',
  audiences: 'audiences/*',
  newAudience: 'audiences/new',
  audience: 'audiences/:audienceId',
  editAudience: 'audiences/:audienceId/edit',
  catalogSources: 'catalog-sources/*',
  catalogSource: 'catalog-sources/:slug',
  newSource: 'catalog-sources/:slug/new',
  destinations: 'destinations/*',
  destination: 'destinations/:destinationId',
  catalogDestinations: 'catalog-destinations/*',
  catalogDestination: 'catalog-destinations/:slug',
  newDestination: 'catalog-destinations/:slug/new',
  ownConnectors: 'ownConnectors/*',
  newOwnConnector: 'ownConnectors/new',
  ownConnector: 'ownConnectors/:ownConnectorId',
  connections: 'connections/*',
  syncs: 'syncs/*',
  newSync: 'syncs/new',
  syncTokens: 'syncs/tokens',
  alertChannels: 'syncs/alerts',
  sync: 'syncs/:syncId',
  syncRun: 'syncs/:syncId/runs/:runId',
  dataSources: 'dataSources/*',
  dataSource: 'dataSources/:dataSourceId',
  catalogDataSources: 'catalog-data-sources/*',
  catalogDataSource: 'catalog-data-sources/:slug',
  newDataSource: 'catalog-data-sources/:slug/new',
  newModel: 'dataSources/:dataSourceId/new-model',
  model: 'models/:modelId',
  signals: 'signals/*',
  signalSources: 'signals/sources',
  catalogSignalSources: 'signals/sources/new',
  newSignalSource: 'signals/sources/new/:slug',
  newSignal: 'signals/new',
  signalSettings: 'signals/settings',
  signalAttribution: 'signals/attribution',
  signal: 'signals/:signalId',
  workspaceOrganizations: 'organizations/*',
  settings: 'settings',
  organizationSettings: 'organization',
  billing: 'organization/billing',
  members: 'organization/members',
  apiKeys: 'organization/api-keys',
  auditLog: 'organization/audit-log',
  personalData: 'personal-data',
  privacy: 'privacy',
  account: 'account',
  changePassword: 'account/change-password',
  organizations: 'admin/organizations',
  actOnBehalf: 'admin/act-on-behalf',
  onboardingLink: 'admin/onboarding-link',
  installation: 'admin/installation',
  customDomain: 'admin/custom-domain',
} as const

/**
 * The patterns of all pages from the root; `*` stands for any path below. The build writes them to a file for the
 * server, which responds with 404 to all other paths. Below a workspace, every path is a page.
 */
export const pages: readonly string[] = [
  '',
  'auth',
  ...['login', 'login-otp', 'register', 'complete-registration', 'forgot-password', 'oauth-callback', 'logout'].map(
    (page) => `auth/${page}`,
  ),
  'onboarding',
  patterns.completeOnboarding,
  patterns.userOnboarding,
  // An onboarding URL in which the ID of the user is missing.
  'users//onboarding/*',
  patterns.appOauthCallback,
  patterns.destinationOauthCallback,
  patterns.payment,
  patterns.invoice,
  patterns.shortcut,
  `${patterns.workspace}/*`,
  patterns.invitation,
  patterns.invitationLink,
]
