import { type CustomDomain, domainName, methods } from '@tributary/contract'
import { type DnsRecords, startDnsServer } from '@tributary/test-kit'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type Harness,
  idIn,
  type Organization,
  publicUrl,
  startControl,
  startOrganization,
} from '../testing/control-harness.ts'
import { checkEveryMs } from './check.ts'
import { createDns } from './dns.ts'

const records: DnsRecords = new Map()
const host = new URL(publicUrl).hostname

let dns: Awaited<ReturnType<typeof startDnsServer>>
let harness: Harness
let organization: Organization
beforeAll(async () => {
  dns = await startDnsServer(records)
  harness = await startControl({ customDomains: { dns: createDns([dns.address], 500), target: undefined } })
  organization = await startOrganization(harness)
})
afterAll(async () => {
  await harness[Symbol.asyncDispose]()
  await dns[Symbol.asyncDispose]()
})
beforeEach(async () => {
  records.clear()
  await harness.db.deleteFrom('custom_domains').execute()
})

const add = (domain_name: string, workspace = organization.workspaceId) =>
  organization.platformAdmin.call('POST', `/workspaces/${workspace}/customDomains`, { domain_name })

const made = async (domain_name: string, workspace = organization.workspaceId): Promise<CustomDomain> =>
  organization.platformAdmin.ok(methods.customDomains.create, { workspace }, { body: { domain_name } })

const now = async (workspace = organization.workspaceId): Promise<CustomDomain | undefined> =>
  (await organization.platformAdmin.ok(methods.customDomains.list, { workspace })).custom_domains[0]

const verify = ({ name }: CustomDomain) => organization.platformAdmin.call('POST', `/${name}:verify`, {})

/** Sets the records that a domain asks for. */
const point = ({ records: wanted }: CustomDomain): void => {
  for (const { type, name, value } of wanted) records.set(`${type} ${name}`, value)
}

describe('a domain name', () => {
  test.each(['example.com', 'www.a-b.co.uk', 'www.example', 'xn--bcher-kva.example'])(
    'STF-35, AMB-84: %s is a valid domain name',
    (name) => {
      expect(domainName.parse(name)).toBe(name)
    },
  )
  test.each([
    'example',
    'http://a.com',
    'a.c',
    'a.c1',
    'a.com/path',
    'a.com:80',
    '-a.com',
    'a-.com',
    'a..com',
    'a.com.',
    '1.2.3.4',
    'bücher.example',
    // Letters that look like ASCII letters, or become ASCII letters in lower case.
    'exаmple.com',
    '\u212aey.example',
    `${'a'.repeat(64)}.com`,
    `${'a.'.repeat(130)}com`,
  ])('STF-35, AMB-84: %s is not a valid domain name', (name) => {
    expect(domainName.safeParse(name).error?.issues[0]?.message).toBe('Invalid domain name')
  })
})

test('API-34: a domain waits for its DNS records, and works when both are found', async () => {
  const domain = await made('Events.Example.COM')
  expect(domain).toMatchObject({ domain_name: 'events.example.com', state: 'pending', check_time: null })
  expect(domain.records).toEqual([
    { type: 'CNAME', name: 'events.example.com', value: host, found: false },
    {
      type: 'TXT',
      name: '_tributary.events.example.com',
      value: expect.stringMatching(/^tributary-verification=[\w-]{32}$/),
      found: false,
    },
  ])
  expect((await verify(domain)).body).toMatchObject({
    state: 'pending',
    problem: 'The CNAME and TXT records were not found',
  })
  records.set(`CNAME events.example.com`, host)
  expect((await verify(domain)).body).toMatchObject({ state: 'pending', problem: 'The TXT record was not found' })
  point(domain)
  expect((await verify(domain)).body).toMatchObject({ state: 'active', problem: '' })
  expect((await now())?.records.map(({ found }) => found)).toEqual([true, true])
})

test('DNS records with another host or the text of another workspace do not verify a domain', async () => {
  const domain = await made('events.example.com')
  const other = await made('events.example.com', organization.otherWorkspaceId)
  records.set('CNAME events.example.com', 'elsewhere.example')
  point({ ...other, records: other.records.filter(({ type }) => type === 'TXT') })
  expect((await verify(domain)).body).toMatchObject({
    state: 'pending',
    problem: 'The CNAME and TXT records were not found',
  })
})

test('a domain of another workspace is refused in any spelling; an unverified domain does not block other workspaces', async () => {
  const waiting = await made('events.example.com', organization.otherWorkspaceId)
  const domain = await made('events.example.com')
  point(domain)
  expect((await verify(domain)).body.state).toBe('active')
  records.set(`TXT ${waiting.records[1]?.name ?? ''}`, waiting.records[1]?.value ?? '')
  const late = await verify(waiting)
  expect([late.status, late.body.reason]).toEqual([409, 'ALREADY_EXISTS'])
  expect((await now(organization.otherWorkspaceId))?.state).toBe('pending')
  await organization.platformAdmin.ok(methods.customDomains.delete, {
    workspace: organization.otherWorkspaceId,
    custom_domain: idIn(waiting.name),
  })
  for (const name of ['events.example.com', 'EVENTS.example.Com', ' events.example.com '])
    expect((await add(name, organization.otherWorkspaceId)).body).toMatchObject({
      code: 409,
      metadata: { domain_name: 'Another workspace uses this domain' },
    })
})

test("a workspace has at most one domain, and cannot use the product's own host", async () => {
  await made('events.example.com')
  expect((await add('other.example.com')).status).toBe(409)
  await harness.db.deleteFrom('custom_domains').execute()
  const own = await add(host)
  expect([own.status, Object.keys(own.body.metadata ?? {})]).toEqual([400, ['domain_name']])
})

test('a domain that stops resolving is failing until it resolves again; an unanswered DNS query does not change the state', async () => {
  const domain = await made('events.example.com')
  point(domain)
  await harness.checkCustomDomains()
  expect((await now())?.state).toBe('active')
  records.clear()
  await harness.checkCustomDomains()
  expect((await now())?.state).toBe('active')
  harness.advance(checkEveryMs.found)
  organization.platformAdmin = await harness.person({}, { platformAdmin: true })
  await harness.checkCustomDomains()
  expect(await now()).toMatchObject({ state: 'failing', problem: 'The CNAME and TXT records were not found' })
  point(domain)
  harness.advance(checkEveryMs.pending)
  await harness.checkCustomDomains()
  expect((await now())?.state).toBe('active')
  dns.silence(true)
  harness.advance(checkEveryMs.found)
  organization.platformAdmin = await harness.person({}, { platformAdmin: true })
  await harness.checkCustomDomains()
  dns.silence(false)
  const silent = await now()
  expect(silent?.state).toBe('active')
  expect(silent?.problem).toContain('could not be asked')
}, 60_000)

test('a removed domain can be added by another workspace', async () => {
  const domain = await made('events.example.com')
  point(domain)
  await verify(domain)
  await organization.platformAdmin.ok(methods.customDomains.delete, {
    workspace: organization.workspaceId,
    custom_domain: idIn(domain.name),
  })
  expect(await now()).toBeUndefined()
  expect((await add('events.example.com', organization.otherWorkspaceId)).status).toBe(200)
  expect((await verify(domain)).status).toBe(404)
})
