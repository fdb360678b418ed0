import { administrators, editors, everyRole } from '@tributary/kernel'
import { describe, expect, test } from 'vitest'
import { type Access, keyAreaOf, type Method, methodList } from '../index.ts'

const root = (path: string): string => /^\/(workspaces|organizations|users)\/\{\w+\}/.exec(path)?.[1] ?? ''

/**
 * The access that the path and verb of a method imply. Below a workspace, editors change and every member reads. Below
 * an organization, administrators change and every member reads. A user's own resources are for that user only.
 */
const expected = ({ path, verb }: Method): Access => {
  switch (root(path)) {
    case 'workspaces':
      return { scope: 'workspace', roles: verb === 'GET' ? everyRole : editors }
    case 'organizations':
      return { scope: 'organization', roles: verb === 'GET' ? everyRole : administrators }
    case 'users':
      return { scope: 'oneself' }
    default:
      return { scope: 'everybody' }
  }
}

/**
 * The access of methods that differ from `expected`. Any other difference fails the test, so that no access is granted
 * by mistake.
 */
const otherwise: Readonly<Record<string, Access>> = {
  // Calls without a session, or with a secret link.
  'config.get': { scope: 'anybody' },
  'users.login': { scope: 'anybody' },
  'users.sendOtp': { scope: 'anybody' },
  'users.loginOtp': { scope: 'anybody' },
  'users.signup': { scope: 'anybody' },
  'users.oauthRedirects': { scope: 'anybody' },
  'users.oauthLoginCallback': { scope: 'anybody' },
  'users.oauthSignupCallback': { scope: 'anybody' },
  'users.startOnboarding': { scope: 'anybody' },
  'users.completeOnboarding': { scope: 'anybody' },
  'invitations.get': { scope: 'anybody' },
  'invitationLinks.get': { scope: 'anybody' },
  'invoices.get': { scope: 'anybody' },
  // Calls of users who are not members yet.
  'invitationLinks.accept': { scope: 'everybody' },
  'organizations.join': { scope: 'everybody' },
  'users.onboard': { scope: 'staff' },
  'installation.get': { scope: 'staff' },
  'onboardings.list': { scope: 'staff' },
  'onboardings.revoke': { scope: 'staff' },
  'customDomains.list': { scope: 'workspace', roles: [] },
  'customDomains.create': { scope: 'workspace', roles: [] },
  'customDomains.verify': { scope: 'workspace', roles: [] },
  'customDomains.delete': { scope: 'workspace', roles: [] },
  'organizations.find': { scope: 'staff' },
  'workspaces.find': { scope: 'staff' },
  'workspaces.actOnBehalf': { scope: 'staff' },
  'refusedRequests.listUnowned': { scope: 'staff' },
  'heldWork.listAll': { scope: 'staff' },
  // Only administrators, because the released event can stop Tributary again.
  'heldWork.release': { scope: 'workspace', roles: administrators },
  'users.get': { scope: 'oneselfOrStaff' },
  'memberships.list': { scope: 'oneselfOrStaff' },
  // Only administrators see invitations and links.
  'invitations.list': { scope: 'organization', roles: administrators },
  'invitationLinks.list': { scope: 'organization', roles: administrators },
  // Only administrators see API keys.
  'apiKeys.list': { scope: 'organization', roles: administrators },
  // Only administrators see the audit log.
  'auditRecords.list': { scope: 'organization', roles: administrators },
  // Only administrators see payments.
  'subscriptions.listChanges': { scope: 'organization', roles: administrators },
  'usageReports.get': { scope: 'organization', roles: administrators },
  'subscriptions.get': { scope: 'organization', roles: administrators },
  'paymentMethods.list': { scope: 'organization', roles: administrators },
  'billingCompanies.get': { scope: 'organization', roles: administrators },
  'invoices.list': { scope: 'organization', roles: administrators },
  // Every member can leave.
  'memberships.delete': { scope: 'organization', roles: everyRole },
  'workspaces.update': { scope: 'workspace', roles: administrators },
  'workspaces.delete': { scope: 'workspace', roles: administrators },
  // Only administrators see privacy requests.
  'privacyRequests.create': { scope: 'workspace', roles: administrators },
  'privacyRequests.list': { scope: 'workspace', roles: administrators },
  'privacyRequests.get': { scope: 'workspace', roles: administrators },
  'profileExports.get': { scope: 'workspace', roles: administrators },
  'suppressions.list': { scope: 'workspace', roles: administrators },
  'suppressions.delete': { scope: 'workspace', roles: administrators },
  // Only editors can call this method, because it shows values that are masked for guests.
  'audiences.suggest': { scope: 'workspace', roles: editors },
  // These query a company's own database.
  'dataSources.listTables': { scope: 'workspace', roles: editors },
  'dataSources.getTable': { scope: 'workspace', roles: editors },
  // Only editors, because the method calls a destination with its credentials.
  'destinations.getObject': { scope: 'workspace', roles: editors },
  'warehouseLoads.listTables': { scope: 'workspace', roles: editors },
  'ownConnectors.export': { scope: 'workspace', roles: editors },
  'peopleLists.list': { scope: 'workspace', roles: editors },
  'peopleLists.get': { scope: 'workspace', roles: editors },
  'syncDryRuns.get': { scope: 'workspace', roles: editors },
  'signalDrafts.get': { scope: 'workspace', roles: editors },
  'syncDrafts.get': { scope: 'workspace', roles: editors },
  'syncRuns.listRows': { scope: 'workspace', roles: editors },
  'syncRuns.getRowAttempt': { scope: 'workspace', roles: editors },
  // Every member, because the method shows only data that the user can read anyway.
  'mappings.suggest': { scope: 'workspace', roles: everyRole },
  // Every member, because the method shows numbers only.
  'personDataPlaces.count': { scope: 'workspace', roles: everyRole },
}

describe('access of a method', () => {
  test.each(methodList.map((method) => [method.name, method] as const))(
    'the access of %s follows from its path and verb, or is a listed exception',
    (name, method) => {
      expect(method.access).toEqual(otherwise[name] ?? expected(method))
    },
  )

  test('an exception names an existing method and differs from what its path and verb imply', () => {
    for (const [name, access] of Object.entries(otherwise)) {
      const method = methodList.find((each) => each.name === name)
      expect(method && expected(method)).toBeDefined()
      expect(method && expected(method)).not.toEqual(access)
    }
  })
})

test('an API key can make every call in a workspace or organization except those reserved for people', () => {
  const inTheirs = methodList.filter(({ access }) => access.scope === 'workspace' || access.scope === 'organization')
  expect(
    inTheirs
      .filter((method) => keyAreaOf(method) === undefined)
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual([
    'apiKeys.create',
    'apiKeys.rotate',
    'destinations.completeConnect',
    'destinations.connect',
    'invitationLinks.create',
    'invitations.batchCreate',
    'invitations.resend',
    'memberships.update',
    'organizations.delete',
    'profileKeys.create',
    'profileKeys.rotate',
    'syncTokens.create',
    'workspaces.delete',
  ])
})

test('a method with `reads` uses POST; neither it nor a GET method has `followedBy`', () => {
  for (const { name, verb, reads, followedBy } of methodList) {
    if (reads) expect([name, verb]).toEqual([name, 'POST'])
    if (reads || verb === 'GET') expect([name, followedBy]).toEqual([name, undefined])
  }
})

test('a method that changes sources, keys, destinations, mappings, connections, or replays has `followedBy`', () => {
  const followed = /^(sources|writekeys|destinations|mappings|connections|replays)\./
  // No snapshot has the data that these methods change.
  const unseen = ['destinations.testConnection', 'destinations.connect', 'destinations.retry', 'mappings.sendTest']
  const changes = methodList.filter(({ name, verb, reads }) => followed.test(name) && verb !== 'GET' && !reads)
  expect(changes.filter(({ followedBy }) => followedBy === undefined).map(({ name }) => name)).toEqual(unseen)
})
