import { type CallPlaces, type Method, methodList, methods } from '@tributary/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPlacesOfCalls } from './places-of-calls.ts'
import { type Harness, listed, type Organization, startControl, startOrganization } from './testing/control-harness.ts'
import { mappedCatalog, mappedDestination, startMapped } from './testing/mapped-destination.ts'

const never = new AbortController().signal

/** The methods whose calls can take long, by their slots. */
const placed: Readonly<Record<CallPlaces, readonly string[]>> = {
  abroad: [
    'alertChannels.test',
    'customDomains.create',
    'customDomains.verify',
    'dataSources.checkKey',
    'dataSources.getTable',
    'dataSources.listTables',
    'dataSources.preview',
    'dataSources.testConnection',
    'dataSources.validate',
    'destinations.completeConnect',
    'destinations.create',
    'destinations.getObject',
    'destinations.testConnection',
    'destinations.updateSetting',
    'mappings.sendTest',
    'models.create',
    'models.update',
    'ownConnectors.try',
    'peopleLists.create',
    'peopleLists.get',
    'peopleLists.list',
    'syncTestRows.preview',
    'syncTestRows.send',
    'users.oauthLoginCallback',
    'users.oauthRedirects',
    'users.oauthSignupCallback',
    'warehouseLoads.countConversion',
    'warehouseLoads.listTables',
  ],
  payment: [
    'billingCompanies.update',
    'invoices.list',
    'invoices.pay',
    'paymentMethods.delete',
    'paymentMethods.list',
    'paymentMethods.setDefault',
    'paymentMethods.setup',
    'subscriptions.cancel',
    'subscriptions.preview',
    'subscriptions.resume',
    'subscriptions.update',
  ],
  files: ['organizations.uploadLogo', 'uploads.create', 'users.uploadPhoto'],
  'sign-in': [
    'users.completeOnboarding',
    'users.login',
    'users.loginOtp',
    'users.sendOtp',
    'users.setPassword',
    'users.signup',
  ],
}

test('only the listed methods have their own limit of concurrent calls', () => {
  const found = Object.groupBy(
    methodList.filter((method) => method.places !== undefined),
    ({ places = 'abroad' }) => places,
  )
  for (const [places, names] of Object.entries(placed))
    expect(found[places as CallPlaces]?.map(({ name }) => name).toSorted()).toEqual(names.toSorted())
  expect([...createPlacesOfCalls().keys()].toSorted()).toEqual(Object.values(placed).flat().toSorted())
})

describe('calls that hang', () => {
  const hang = () => new Promise<never>(() => undefined)
  /** Starts `count` calls of a method that hang. Resolves to the number of calls that were refused immediately. */
  const flood = async (method: string, count: number, holders: (index: number) => object) => {
    const queue = createPlacesOfCalls().get(method)
    if (queue === undefined) throw new Error(`${method} has no places`)
    let refused = 0
    for (let index = 0; index < count; index += 1)
      queue.run({ work: method, ...holders(index) }, never, hang).catch(() => (refused += 1))
    await Promise.resolve()
    const next = { user: 'victim', organization: 'victims' }
    const runs = (work: string, more: object = next) => queue.run({ work, ...more }, never, async () => 'ran')
    return { runs, refused: () => refused }
  }

  test.each([
    ['testing connections', 'destinations.testConnection', { user: 'u', organization: 'o' }],
    ['reading tables of a data source', 'dataSources.listTables', { user: 'u', organization: 'o' }],
    ['signing in with passwords', 'users.login', { network: '192.0.2.1' }],
    ['changing a password', 'users.setPassword', { user: 'u' }],
    ['signing in through a provider', 'users.oauthLoginCallback', { network: '192.0.2.1' }],
    ['bringing pictures, without an organization', 'users.uploadPhoto', { user: 'u' }],
    ['bringing parts of files', 'uploads.create', { user: 'u', organization: 'o' }],
    ['asking for invoices', 'invoices.list', { user: 'u', organization: 'o' }],
  ])('605 calls of one caller who is %s leave capacity for the next caller', async (_, method, holders) => {
    const { runs, refused } = await flood(method, 605, () => holders)
    expect(refused()).toBeGreaterThan(400)
    expect(await runs(method)).toBe('ran')
  })

  test.each([
    ['destinations.testConnection', 'destinations.updateSetting'],
    ['uploads.create', 'users.uploadPhoto'],
    ['invoices.list', 'invoices.pay'],
  ])('calls of many users of one organization at %s leave capacity for others, and for %s', async (method, other) => {
    const { runs } = await flood(method, 400, (index) => ({ user: `u${index}`, organization: 'o' }))
    expect([await runs(method), await runs(other)]).toEqual(['ran', 'ran'])
  })

  test('calls of many organizations leave capacity for the next organization', async () => {
    const { runs } = await flood('destinations.testConnection', 600, (index) => ({
      user: `u${index % 30}`,
      organization: `o${index % 30}`,
    }))
    expect(await runs('destinations.getObject')).toBe('ran')
  })
})

describe('605 tests of connections to servers that never answer', () => {
  let harness: Harness
  let attacker: Organization
  let victim: Organization
  const ended = Promise.withResolvers<{ ok: boolean; message: string }>()
  let asked = 0
  beforeAll(async () => {
    const testConnection: (typeof mappedDestination)['testConnection'] = async ({ settings }) => {
      if (settings['url'] !== 'https://hanging.example/') return { ok: true, message: 'It answers.' }
      asked += 1
      return await ended.promise
    }
    const destinations = listed({ ...mappedDestination, testConnection })
    harness = await startControl({ catalog: { ...mappedCatalog, destinations } })
    attacker = await startOrganization(harness)
    victim = await startOrganization(harness)
  })
  afterAll(() => harness[Symbol.asyncDispose]())

  test("605 hanging connection tests leave another tenant's 30 tests and every other call working", async () => {
    const { params } = await startMapped(harness, attacker, 'https://hanging.example/')
    const own = await startMapped(harness, victim)
    const path = `/workspaces/${params.workspace}/destinations/${params.destination}:testConnection`
    const statuses: number[] = []
    const made = Array.from({ length: 605 }, async () =>
      statuses.push((await attacker.administrator.call('POST', path, {})).status),
    )
    await expect.poll(() => [asked > 0, statuses.length > 450]).toEqual([true, true])
    const testOnce = (): Promise<{ ok: boolean }> =>
      victim.administrator.ok(methods.destinations.testConnection, own.params, { body: {} })
    const answers = await Promise.all(Array.from({ length: 30 }, testOnce))
    expect(answers.every(({ ok }) => ok)).toBe(true)
    const read = async (method: Method) =>
      (await victim.administrator.call('GET', method.path.replace('{workspace}', victim.workspaceId))).status
    expect(await Promise.all([methods.sources.list, methods.destinations.list].map(read))).toEqual([200, 200])
    expect(new Set(statuses)).toEqual(new Set([429]))
    ended.resolve({ ok: true, message: 'It answers at last.' })
    await Promise.all(made)
  })
})
