import { readFileSync } from 'node:fs'
import { matchPath } from 'react-router'
import { expect, test } from 'vitest'
import { safeReturn } from './entry-paths.ts'
import { pages, paths, patterns } from './paths.ts'

const workspace = 'workspaces/w1'

const inSettings = (pattern: string) => `/${patterns.workspace}/${patterns.settings}/${pattern}`

const links: Record<keyof typeof paths, [link: string, pattern: string]> = {
  root: [paths.root(), '/'],
  login: [paths.login(), '/auth/login'],
  register: [paths.register(), '/auth/register'],
  completeRegistration: [paths.completeRegistration(), '/auth/complete-registration'],
  forgotPassword: [paths.forgotPassword(), '/auth/forgot-password'],
  oauthCallback: [paths.oauthCallback(), '/auth/oauth-callback'],
  logout: [paths.logout(), '/auth/logout'],
  onboarding: [paths.onboarding(), '/onboarding'],
  paymentSuccess: [paths.paymentSuccess(), `/${patterns.paymentSuccess}`],
  invitationLink: [paths.invitationLink('organizations/o1/invitationlinks/l1'), `/${patterns.invitationLink}`],
  completeOnboarding: [paths.completeOnboarding('users/u1', 'a&b'), `/${patterns.completeOnboarding}`],
  shortcut: [paths.shortcut('sources'), `/${patterns.shortcut}`],
  workspace: [paths.workspace(workspace), `/${patterns.workspace}`],
  sources: [paths.sources(workspace), `/${patterns.workspace}/${patterns.sources}`],
  source: [paths.source(`${workspace}/sources/s1`), `/${patterns.workspace}/${patterns.source}`],
  sourceSchemaVersion: [
    paths.sourceSchemaVersion(`${workspace}/sources/s1`, 2),
    `/${patterns.workspace}/${patterns.source}`,
  ],
  sourceEvent: [paths.sourceEvent(`${workspace}/sources/s1`, '0-1-0'), `/${patterns.workspace}/${patterns.source}`],
  events: [paths.events(workspace), `/${patterns.workspace}/${patterns.events}`],
  profiles: [paths.profiles(workspace), `/${patterns.workspace}/${patterns.profiles}`],
  profileSettings: [paths.profileSettings(workspace), `/${patterns.workspace}/${patterns.profileSettings}`],
  profile: [paths.profile(`${workspace}/profiles/p1`), `/${patterns.workspace}/${patterns.profile}`],
  computedTraits: [paths.computedTraits(workspace), `/${patterns.workspace}/${patterns.computedTraits}`],
  newComputedTrait: [paths.newComputedTrait(workspace), `/${patterns.workspace}/${patterns.newComputedTrait}`],
  computedTrait: [
    paths.computedTrait(`${workspace}/computedTraits/c1`),
    `/${patterns.workspace}/${patterns.computedTrait}`,
  ],
  editComputedTrait: [
    paths.editComputedTrait(`${workspace}/computedTraits/c1`),
    `/${patterns.workspace}/${patterns.editComputedTrait}`,
  ],
  audiences: [paths.audiences(workspace), `/${patterns.workspace}/${patterns.audiences}`],
  newAudience: [paths.newAudience(workspace), `/${patterns.workspace}/${patterns.newAudience}`],
  newListAudience: [paths.newListAudience(workspace), `/${patterns.workspace}/${patterns.newAudience}`],
  audience: [paths.audience(`${workspace}/audiences/a1`), `/${patterns.workspace}/${patterns.audience}`],
  audienceProfile: [
    paths.audienceProfile(`${workspace}/audiences/a1`, 'p1'),
    `/${patterns.workspace}/${patterns.audience}`,
  ],
  editAudience: [paths.editAudience(`${workspace}/audiences/a1`), `/${patterns.workspace}/${patterns.editAudience}`],
  event: [paths.event(`${workspace}/events/e1`), `/${patterns.workspace}/${patterns.event}`],
  sourceSchema: [
    paths.sourceSchema(`${workspace}/sources/s1`, '/events/A b/properties/c'),
    `/${patterns.workspace}/${patterns.source}`,
  ],
  catalogSources: [paths.catalogSources(workspace), `/${patterns.workspace}/${patterns.catalogSources}`],
  newSource: [paths.newSource(workspace, 'catalogSources/http'), `/${patterns.workspace}/${patterns.newSource}`],
  destinations: [paths.destinations(workspace), `/${patterns.workspace}/${patterns.destinations}`],
  destination: [paths.destination(`${workspace}/destinations/d1`), `/${patterns.workspace}/${patterns.destination}`],
  newReplay: [
    paths.newReplay(`${workspace}/destinations/d1`, { kind: 'dead', reason: 'HTTP 400: a&b' }),
    `/${patterns.workspace}/${patterns.destination}`,
  ],
  deliveries: [
    paths.deliveries(`${workspace}/destinations/d1`, 'dead'),
    `/${patterns.workspace}/${patterns.destination}`,
  ],
  failures: [
    paths.failures(`${workspace}/destinations/d1`, { state: 'dead', range: '7days' }),
    `/${patterns.workspace}/${patterns.destination}`,
  ],
  failureGroup: [
    paths.failureGroup(`${workspace}/destinations/d1`, 'g1'),
    `/${patterns.workspace}/${patterns.destination}`,
  ],
  catalogDestinations: [paths.catalogDestinations(workspace), `/${patterns.workspace}/${patterns.catalogDestinations}`],
  newDestination: [
    paths.newDestination(workspace, 'catalogDestinations/webhook'),
    `/${patterns.workspace}/${patterns.newDestination}`,
  ],
  ownConnectors: [paths.ownConnectors(workspace), `/${patterns.workspace}/${patterns.ownConnectors}`],
  newOwnConnector: [paths.newOwnConnector(workspace), `/${patterns.workspace}/${patterns.newOwnConnector}`],
  ownConnector: [
    paths.ownConnector(`${workspace}/ownConnectors/o1`),
    `/${patterns.workspace}/${patterns.ownConnector}`,
  ],
  connections: [paths.connections(workspace), `/${patterns.workspace}/${patterns.connections}`],
  syncs: [paths.syncs(workspace), `/${patterns.workspace}/${patterns.syncs}`],
  syncTokens: [paths.syncTokens(workspace), `/${patterns.workspace}/${patterns.syncTokens}`],
  alertChannels: [paths.alertChannels(workspace), `/${patterns.workspace}/${patterns.alertChannels}`],
  newSync: [paths.newSync(workspace, `${workspace}/models/m1`), `/${patterns.workspace}/${patterns.newSync}`],
  sync: [paths.sync(`${workspace}/syncs/s1`, 'mapping').replace(/#.*/, ''), `/${patterns.workspace}/${patterns.sync}`],
  syncRun: [paths.syncRun(`${workspace}/syncs/s1/runs/r1`), `/${patterns.workspace}/${patterns.syncRun}`],
  dataSources: [paths.dataSources(workspace), `/${patterns.workspace}/${patterns.dataSources}`],
  dataSource: [paths.dataSource(`${workspace}/dataSources/d1`), `/${patterns.workspace}/${patterns.dataSource}`],
  catalogDataSources: [paths.catalogDataSources(workspace), `/${patterns.workspace}/${patterns.catalogDataSources}`],
  newDataSource: [
    paths.newDataSource(workspace, 'catalogDataSources/postgresql'),
    `/${patterns.workspace}/${patterns.newDataSource}`,
  ],
  newModel: [
    paths.newModel(`${workspace}/dataSources/d1`, { schema: 'a b', name: 'c&d' }),
    `/${patterns.workspace}/${patterns.newModel}`,
  ],
  models: [paths.models(workspace), `/${patterns.workspace}/models`],
  model: [paths.model(`${workspace}/models/m1`), `/${patterns.workspace}/${patterns.model}`],
  signals: [paths.signals(workspace), `/${patterns.workspace}/${patterns.signals}`],
  signalSources: [paths.signalSources(workspace), `/${patterns.workspace}/${patterns.signalSources}`],
  catalogSignalSources: [
    paths.catalogSignalSources(workspace),
    `/${patterns.workspace}/${patterns.catalogSignalSources}`,
  ],
  newSignalSource: [
    paths.newSignalSource(workspace, 'catalogSources/tag'),
    `/${patterns.workspace}/${patterns.newSignalSource}`,
  ],
  newSignal: [paths.newSignal(workspace), `/${patterns.workspace}/${patterns.newSignal}`],
  signalSettings: [paths.signalSettings(workspace), `/${patterns.workspace}/${patterns.signalSettings}`],
  signalAttribution: [paths.signalAttribution(workspace), `/${patterns.workspace}/${patterns.signalAttribution}`],
  signal: [paths.signal(`${workspace}/signals/g1`), `/${patterns.workspace}/${patterns.signal}`],
  signalConversions: [paths.signalConversions(`${workspace}/signals/g1`), `/${patterns.workspace}/${patterns.signal}`],
  settings: [paths.settings(workspace), `/${patterns.workspace}/${patterns.settings}`],
  organizationSettings: [paths.organizationSettings(workspace), inSettings(patterns.organizationSettings)],
  billing: [paths.billing(workspace), inSettings(patterns.billing)],
  members: [paths.members(workspace), inSettings(patterns.members)],
  apiKeys: [paths.apiKeys(workspace), inSettings(patterns.apiKeys)],
  auditLog: [paths.auditLog(workspace), inSettings(patterns.auditLog)],
  personalData: [paths.personalData(workspace), inSettings(patterns.personalData)],
  privacy: [paths.privacy(workspace), inSettings(patterns.privacy)],
  account: [paths.account(workspace), inSettings(patterns.account)],
  changePassword: [paths.changePassword(workspace), inSettings(patterns.changePassword)],
  organizations: [paths.organizations(workspace), inSettings(patterns.organizations)],
  actOnBehalf: [paths.actOnBehalf(workspace), inSettings(patterns.actOnBehalf)],
  installation: [paths.installation(workspace), inSettings(patterns.installation)],
  onboardingLink: [paths.onboardingLink(workspace), inSettings(patterns.onboardingLink)],
  customDomain: [paths.customDomain(workspace), inSettings(patterns.customDomain)],
}

test('the application has exactly these links', () => {
  expect(Object.fromEntries(Object.entries(links).map(([name, [link]]) => [name, link]))).toEqual({
    root: '/',
    login: '/auth/login',
    register: '/auth/register',
    completeRegistration: '/auth/complete-registration',
    forgotPassword: '/auth/forgot-password',
    oauthCallback: '/auth/oauth-callback',
    logout: '/auth/logout',
    onboarding: '/onboarding/',
    paymentSuccess: '/payment/success',
    invitationLink: '/organizations/o1/invitationlinks/l1',
    completeOnboarding: '/users/u1/onboarding/complete?token=a%26b',
    shortcut: '/s/sources',
    workspace: '/workspaces/w1',
    sources: '/workspaces/w1/sources',
    source: '/workspaces/w1/sources/s1',
    sourceEvent: '/workspaces/w1/sources/s1?event=0-1-0',
    sourceSchemaVersion: '/workspaces/w1/sources/s1?version=2#schema',
    events: '/workspaces/w1/events',
    profiles: '/workspaces/w1/profiles',
    profile: '/workspaces/w1/profiles/p1',
    profileSettings: '/workspaces/w1/profiles/settings',
    computedTraits: '/workspaces/w1/computedTraits',
    newComputedTrait: '/workspaces/w1/computedTraits/new',
    computedTrait: '/workspaces/w1/computedTraits/c1',
    editComputedTrait: '/workspaces/w1/computedTraits/c1/edit',
    audiences: '/workspaces/w1/audiences',
    newAudience: '/workspaces/w1/audiences/new',
    newListAudience: '/workspaces/w1/audiences/new?from=list',
    audience: '/workspaces/w1/audiences/a1',
    audienceProfile: '/workspaces/w1/audiences/a1?profile=p1#check',
    editAudience: '/workspaces/w1/audiences/a1/edit',
    event: '/workspaces/w1/events/e1',
    sourceSchema: '/workspaces/w1/sources/s1?at=%2Fevents%2FA+b%2Fproperties%2Fc#schema',
    catalogSources: '/workspaces/w1/catalog-sources',
    newReplay: '/workspaces/w1/destinations/d1?replay=dead&reason=HTTP+400%3A+a%26b#replay',
    newSource: '/workspaces/w1/catalog-sources/http/new',
    destinations: '/workspaces/w1/destinations',
    destination: '/workspaces/w1/destinations/d1',
    deliveries: '/workspaces/w1/destinations/d1?status=dead#deliveries',
    failures: '/workspaces/w1/destinations/d1?state=dead&range=7days#failures',
    failureGroup: '/workspaces/w1/destinations/d1?group=g1#failures',
    catalogDestinations: '/workspaces/w1/catalog-destinations',
    newDestination: '/workspaces/w1/catalog-destinations/webhook/new',
    ownConnectors: '/workspaces/w1/ownConnectors',
    newOwnConnector: '/workspaces/w1/ownConnectors/new',
    ownConnector: '/workspaces/w1/ownConnectors/o1',
    connections: '/workspaces/w1/connections',
    catalogDataSources: '/workspaces/w1/catalog-data-sources',
    dataSource: '/workspaces/w1/dataSources/d1',
    dataSources: '/workspaces/w1/dataSources',
    model: '/workspaces/w1/models/m1',
    models: '/workspaces/w1/models',
    newDataSource: '/workspaces/w1/catalog-data-sources/postgresql/new',
    newModel: '/workspaces/w1/dataSources/d1/new-model?schema=a+b&table=c%26d',
    syncs: '/workspaces/w1/syncs',
    newSync: '/workspaces/w1/syncs/new?model=workspaces%2Fw1%2Fmodels%2Fm1',
    syncTokens: '/workspaces/w1/syncs/tokens',
    alertChannels: '/workspaces/w1/syncs/alerts',
    sync: '/workspaces/w1/syncs/s1',
    syncRun: '/workspaces/w1/syncs/s1/runs/r1',
    signals: '/workspaces/w1/signals',
    signalSources: '/workspaces/w1/signals/sources',
    catalogSignalSources: '/workspaces/w1/signals/sources/new',
    newSignalSource: '/workspaces/w1/signals/sources/new/tag',
    newSignal: '/workspaces/w1/signals/new',
    signalSettings: '/workspaces/w1/signals/settings',
    signalAttribution: '/workspaces/w1/signals/attribution',
    signal: '/workspaces/w1/signals/g1',
    signalConversions: '/workspaces/w1/signals/g1#conversions',
    settings: '/workspaces/w1/settings',
    personalData: '/workspaces/w1/settings/personal-data',
    organizationSettings: '/workspaces/w1/settings/organization',
    billing: '/workspaces/w1/settings/organization/billing',
    members: '/workspaces/w1/settings/organization/members',
    apiKeys: '/workspaces/w1/settings/organization/api-keys',
    auditLog: '/workspaces/w1/settings/organization/audit-log',
    privacy: '/workspaces/w1/settings/privacy',
    account: '/workspaces/w1/settings/account',
    changePassword: '/workspaces/w1/settings/account/change-password',
    organizations: '/workspaces/w1/settings/admin/organizations',
    actOnBehalf: '/workspaces/w1/settings/admin/act-on-behalf',
    installation: '/workspaces/w1/settings/admin/installation',
    onboardingLink: '/workspaces/w1/settings/admin/onboarding-link',
    customDomain: '/workspaces/w1/settings/admin/custom-domain',
  })
})

test.each(Object.entries(links))('the link %s leads to its route', (_name, [link, pattern]) => {
  expect(matchPath(pattern, link.replace(/\?.*/, ''))).not.toBeNull()
})

test('the pages before sign-in accept an email address that was entered before', () => {
  expect(paths.login({ method: 'otp', email: 'a+b@example.com' })).toBe(
    '/auth/login?method=otp&email=a%2Bb%40example.com',
  )
  expect(paths.register({ email: 'a@example.com' })).toBe('/auth/register?email=a%40example.com')
  expect(paths.forgotPassword({ email: '' })).toBe('/auth/forgot-password')
})

test('a link to a source has the filters of its live events and opens no event', () => {
  expect(paths.sourceEvent('workspaces/w1/sources/s1', '', { search: 'a&b', type: '' })).toBe(
    '/workspaces/w1/sources/s1?search=a%26b',
  )
})

test('a link to the explorer has its filters, without empty ones', () => {
  expect(paths.events(workspace, { search: 'Order & more', type: '', source: undefined })).toBe(
    '/workspaces/w1/events?search=Order+%26+more',
  )
})

test('a tab is named by the hash of the URL', () => {
  expect(paths.source(`${workspace}/sources/s1`, 'setup')).toBe('/workspaces/w1/sources/s1#setup')
  expect(paths.destination(`${workspace}/destinations/d1`, 'settings')).toBe('/workspaces/w1/destinations/d1#settings')
})

test.each([
  ['/workspaces/w1?x=1#y', '/workspaces/w1?x=1#y'],
  ['/', undefined],
  ['/auth/logout', undefined],
  ['/auth', undefined],
  ['//evil.example', undefined],
  ['/\\evil.example', undefined],
  ['/\t/evil.example', undefined],
  ['https://evil.example', undefined],
  ['javascript:alert(1)', undefined],
  [null, undefined],
])('after login, the return path %j opens %j', (path, opened) => {
  expect(safeReturn(path)).toBe(opened)
})

test("the server's list of pages equals that of the router: every link leads to a page, and no other path does", () => {
  const isPage = (path: string) => pages.some((pattern) => matchPath(`/${pattern}`, path) !== null)
  for (const [link] of Object.values(links)) expect(isPage(link.split(/[?#]/)[0] ?? ''), link).toBe(true)
  for (const path of ['/nonsense', '/auth/nonsense', '/workspaces', '/users/u1', '/.sources'])
    expect(isPage(path)).toBe(false)
  const source = (file: string) => readFileSync(new URL(`../app/routes/${file}`, import.meta.url), 'utf8')
  const routed = (text: string) => [...text.matchAll(/path: (?:patterns\.(\w+)|'([^'*]+)')/g)]
  for (const [, name, path] of routed(source('router.tsx')).filter(([, , path]) => path !== 'dev/ui'))
    expect(pages).toContain(name === undefined ? path : Reflect.get(patterns, name))
  for (const [, , path] of routed(source('auth-routes.tsx'))) expect(pages).toContain(`auth/${path}`)
})

test('deliveries of one conversion are found by its ID', () => {
  expect(paths.deliveries('workspaces/w1/destinations/d1', '', { event_id: 's1-aa' })).toBe(
    '/workspaces/w1/destinations/d1?event_id=s1-aa#deliveries',
  )
})
