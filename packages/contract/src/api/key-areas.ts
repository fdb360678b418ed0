import type { Method } from './method.ts'

/** The parts of the API that an API key can be limited to, with their titles on screens. */
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

/** The area of each group of methods. A group without one is reserved for people. */
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
  ownConnectors: 'destinations',
  mappings: 'destinations',
  peopleLists: 'destinations',
  personDataPlaces: 'destinations',
  connections: 'destinations',
  deliveries: 'destinations',
  deliveryOverviews: 'destinations',
  leftOutCounts: 'destinations',
  failureGroups: 'destinations',
  replays: 'destinations',
  warehouseLoads: 'destinations',
  alertChannels: 'destinations',
  events: 'events',
  metrics: 'events',
  heldWork: 'events',
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

/** The resources of organizations and workspaces: the first part of method names. */
export const apiResources: readonly string[] = Object.keys(areaOfGroup)

/**
 * Calls that are reserved for people. Members, roles, links, keys and tokens that a key created would outlive the key.
 * Only a person creates, joins and deletes an organization, and deletes a workspace. A person grants OAuth access in a
 * browser. Write keys are not listed, because they only collect events.
 */
const peopleOnly: readonly string[] = [
  'apiKeys.create',
  'apiKeys.rotate',
  'invitations.batchCreate',
  'invitations.resend',
  'invitationLinks.create',
  'memberships.update',
  'profileKeys.create',
  'profileKeys.rotate',
  'syncTokens.create',
  'organizations.create',
  'organizations.join',
  'organizations.delete',
  'workspaces.delete',
  'invitations.accept',
  'invitationLinks.accept',
  'destinations.connect',
  'destinations.completeConnect',
]

/**
 * The area that a key must have for a call; undefined for a call that no key can make. A call without a session needs
 * no area.
 */
export const keyAreaOf = ({ name, access: { scope } }: Pick<Method, 'name' | 'access'>): KeyArea | undefined =>
  scope === 'staff' || scope === 'oneself' || scope === 'oneselfOrStaff' || peopleOnly.includes(name)
    ? undefined
    : areaOfGroup[name.split('.')[0] ?? '']
