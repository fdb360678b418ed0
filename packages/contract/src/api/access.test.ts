import { administrators, editors, everyRole } from '@tributary/kernel'
import { describe, expect, test } from 'vitest'
import { type Access, keyAreaOf, type Method, methodList } from '../index.ts'

const root = (path: string): string => /^\/(workspaces|organizations|users)\/\{\w+\}/.exec(path)?.[1] ?? ''

/**
 * Who may call a method, as its address and verb alone tell: below a workspace editors change and every member reads;
 * below an organization administrators change and every member reads; what is a user's is the user's.
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

/** The others. A declaration that is not as expected has to be here, too: nobody is let in by a slip. */
const otherwise: Readonly<Record<string, Access>> = {
  // Before anybody has signed in, or with a link that is known to few.
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
  // Those who are no members yet.
  'invitationLinks.accept': { scope: 'everybody' },
  'organizations.join': { scope: 'everybody' },
  'users.onboard': { scope: 'staff' },
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
  'users.get': { scope: 'oneselfOrStaff' },
  'memberships.list': { scope: 'oneselfOrStaff' },
  // Who was invited, and by which links, concerns administrators.
  'invitations.list': { scope: 'organization', roles: administrators },
  'invitationLinks.list': { scope: 'organization', roles: administrators },
  // So do the keys of programs.
  'apiKeys.list': { scope: 'organization', roles: administrators },
  // So does who did what.
  'auditRecords.list': { scope: 'organization', roles: administrators },
  // So does what is paid, and how.
  'subscriptions.listChanges': { scope: 'organization', roles: administrators },
  'usageReports.get': { scope: 'organization', roles: administrators },
  'subscriptions.get': { scope: 'organization', roles: administrators },
  'paymentMethods.list': { scope: 'organization', roles: administrators },
  'billingCompanies.get': { scope: 'organization', roles: administrators },
  'invoices.list': { scope: 'organization', roles: administrators },
  // Everybody may leave.
  'memberships.delete': { scope: 'organization', roles: everyRole },
  'workspaces.update': { scope: 'workspace', roles: administrators },
  'workspaces.delete': { scope: 'workspace', roles: administrators },
  // Who is to be forgotten is known to few.
  'privacyRequests.create': { scope: 'workspace', roles: administrators },
  'privacyRequests.list': { scope: 'workspace', roles: administrators },
  'privacyRequests.get': { scope: 'workspace', roles: administrators },
  'profileExports.get': { scope: 'workspace', roles: administrators },
  'suppressions.list': { scope: 'workspace', roles: administrators },
  'suppressions.delete': { scope: 'workspace', roles: administrators },
  // It shows values that guests see masked, to those who may use them.
  'audiences.suggest': { scope: 'workspace', roles: editors },
  // They ask a company's own database.
  'dataSources.listTables': { scope: 'workspace', roles: editors },
  'dataSources.getTable': { scope: 'workspace', roles: editors },
  // It asks a destination with its credentials.
  'destinations.getObject': { scope: 'workspace', roles: editors },
  'syncDryRuns.get': { scope: 'workspace', roles: editors },
  'signalDrafts.get': { scope: 'workspace', roles: editors },
  'syncDrafts.get': { scope: 'workspace', roles: editors },
  'syncRuns.listRows': { scope: 'workspace', roles: editors },
  'syncRuns.getRowAttempt': { scope: 'workspace', roles: editors },
  // It shows what may be read anyway.
  'mappings.suggest': { scope: 'workspace', roles: everyRole },
}

describe('who may call a method', () => {
  test.each(methodList.map((method) => [method.name, method] as const))(
    '%s follows from its path and verb, or is an exception',
    (name, method) => {
      expect(method.access).toEqual(otherwise[name] ?? expected(method))
    },
  )

  test('an exception is of a method and says something else than its path and verb', () => {
    for (const [name, access] of Object.entries(otherwise)) {
      const method = methodList.find((each) => each.name === name)
      expect(method && expected(method)).toBeDefined()
      expect(method && expected(method)).not.toEqual(access)
    }
  })
})

test('an API key can make every call in a workspace or organization but those of people', () => {
  const inTheirs = methodList.filter(({ access }) => access.scope === 'workspace' || access.scope === 'organization')
  expect(inTheirs.filter((method) => keyAreaOf(method) === undefined).map(({ name }) => name)).toEqual([
    'apiKeys.create',
    'apiKeys.rotate',
    'organizations.delete',
    'workspaces.delete',
    'destinations.connect',
    'destinations.completeConnect',
  ])
})

test('what reads has a body, and nobody follows what reads', () => {
  for (const { name, verb, reads, followedBy } of methodList) {
    if (reads) expect([name, verb]).toEqual([name, 'POST'])
    if (reads || verb === 'GET') expect([name, followedBy]).toEqual([name, undefined])
  }
})

test('what changes sources, keys, destinations, mappings, connections or replays is followed', () => {
  const followed = /^(sources|writekeys|destinations|mappings|connections|replays)\./
  // What they change is in no snapshot.
  const unseen = ['destinations.testConnection', 'destinations.connect', 'destinations.retry', 'mappings.sendTest']
  const changes = methodList.filter(({ name, verb, reads }) => followed.test(name) && verb !== 'GET' && !reads)
  expect(changes.filter(({ followedBy }) => followedBy === undefined).map(({ name }) => name)).toEqual(unseen)
})
