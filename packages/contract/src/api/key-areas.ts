import type { Method } from './method.ts'

/** What an API key may be limited to: parts of the API, with what they are called on screens. */
export const keyAreas = {
  sources: 'Sources and schemas',
  destinations: 'Destinations and deliveries',
  events: 'Events and metrics',
  profiles: 'Profiles and privacy',
  audiences: 'Audiences',
  signals: 'Signals',
  syncs: 'Models and syncs',
  organization: 'Organization, workspaces, and members',
  billing: 'Plan and billing',
} as const
export type KeyArea = keyof typeof keyAreas

/** Every area, in the order of the table. */
export const keyAreaNames = Object.keys(keyAreas) as [KeyArea, ...KeyArea[]]

/** The area of each group of methods. A group without one is for people alone. */
const areaOfGroup: Readonly<Record<string, KeyArea>> = {
  sources: 'sources',
  catalogSources: 'sources',
  sourceSchemaTemplates: 'sources',
  writekeys: 'sources',
  violations: 'sources',
  schemaVersions: 'sources',
  inferredSchemas: 'sources',
  refusedRequests: 'sources',
  droppedEvents: 'sources',
  destinations: 'destinations',
  catalogDestinations: 'destinations',
  mappings: 'destinations',
  connections: 'destinations',
  deliveries: 'destinations',
  deliveryOverviews: 'destinations',
  failureGroups: 'destinations',
  replays: 'destinations',
  alertChannels: 'destinations',
  events: 'events',
  metrics: 'events',
  profiles: 'profiles',
  profileKeys: 'profiles',
  profileExports: 'profiles',
  privacyRequests: 'profiles',
  suppressions: 'profiles',
  computedTraits: 'profiles',
  identitySettings: 'profiles',
  audiences: 'audiences',
  signalDrafts: 'signals',
  signals: 'signals',
  signalSettings: 'signals',
  catalogDataSources: 'syncs',
  dataSources: 'syncs',
  models: 'syncs',
  uploads: 'syncs',
  syncs: 'syncs',
  syncRuns: 'syncs',
  syncDryRuns: 'syncs',
  syncTestRows: 'syncs',
  syncDrafts: 'syncs',
  syncTokens: 'syncs',
  organizations: 'organization',
  workspaces: 'organization',
  memberships: 'organization',
  invitations: 'organization',
  invitationLinks: 'organization',
  apiKeys: 'organization',
  auditRecords: 'organization',
  customDomains: 'organization',
  plans: 'billing',
  usageReports: 'billing',
  overageCaps: 'billing',
  subscriptions: 'billing',
  paymentMethods: 'billing',
  billingCompanies: 'billing',
  invoices: 'billing',
}

/** The resources of organizations and workspaces, as the names of calls begin with them. */
export const apiResources: readonly string[] = Object.keys(areaOfGroup)

/**
 * What only a person does. A key that makes keys could outlive its own end; an organization is begun, joined and deleted, and a workspace deleted, by somebody;
 * a permission of another service is given in a browser.
 */
const peopleOnly: readonly string[] = [
  'apiKeys.create',
  'apiKeys.rotate',
  'organizations.create',
  'organizations.join',
  'organizations.delete',
  'workspaces.delete',
  'invitations.accept',
  'invitationLinks.accept',
  'destinations.connect',
  'destinations.completeConnect',
]

/** The area that a key must have for a call; undefined for one that is no business of keys. What anybody may call needs none. */
export const keyAreaOf = ({ name, access: { scope } }: Pick<Method, 'name' | 'access'>): KeyArea | undefined =>
  scope === 'staff' || scope === 'oneself' || scope === 'oneselfOrStaff' || peopleOnly.includes(name)
    ? undefined
    : areaOfGroup[name.split('.')[0] ?? '']
