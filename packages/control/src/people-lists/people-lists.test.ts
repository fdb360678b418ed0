import { ConfigurationError, type DestinationDefinition, RejectedError, RetryableError } from '@tributary/connector-kit'
import { methods } from '@tributary/contract'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Harness, listed, type Organization, startControl, startOrganization } from '../testing/control-harness.ts'
import { mappedCatalog, mappedDestination, startMapped } from '../testing/mapped-destination.ts'
import { createKeptAnswers } from './kept-answers.ts'

/** The platform of the test: its lists, the questions that it received, and how it fails. */
const platform = {
  pages: [] as { id: string; title: string; note?: string }[][],
  asked: [] as string[],
  failure: undefined as Error | undefined,
  /** Whether the responses to creations are lost. */
  losesResponses: false,
}

const fail = (): void => {
  if (platform.failure !== undefined) throw platform.failure
}

const peopleLists: NonNullable<DestinationDefinition['peopleLists']> = {
  setting: 'url',
  title: 'list',
  maxTitle: 20,
  read: async (_context, cursor) => {
    platform.asked.push(`read ${cursor}`)
    fail()
    const page = cursor === '' ? 0 : Number(cursor)
    return {
      lists: (platform.pages[page] ?? []).map((list) => ({ note: 'n', ...list })),
      next: page + 1 < platform.pages.length ? String(page + 1) : '',
    }
  },
  facts: async (_context, id) => {
    platform.asked.push(`facts ${id}`)
    fail()
    return [{ title: 'Matched people', value: `${platform.asked.length}` }]
  },
  create: async (_context, title) => {
    platform.asked.push(`create ${title}`)
    fail()
    platform.pages.push([{ id: 'made', title }])
    if (platform.losesResponses) throw new RetryableError('No response within 20 seconds')
    return { id: 'made', title, note: '' }
  },
}

let harness: Harness
let organization: Organization
let made: Awaited<ReturnType<typeof startMapped>>
beforeAll(async () => {
  const destination: DestinationDefinition = { ...mappedDestination, peopleLists }
  harness = await startControl({ catalog: { ...mappedCatalog, destinations: listed(destination) } })
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())
beforeEach(async () => {
  platform.pages = [
    [
      { id: '2', title: 'VIP customers' },
      { id: '1', title: 'All customers' },
    ],
    [{ id: '341', title: 'vip newsletter' }],
  ]
  platform.asked = []
  platform.failure = undefined
  platform.losesResponses = false
  made = await startMapped(harness, organization)
})

const list = (query: { search?: string; page_size?: number; page_token?: string } = {}) =>
  organization.collaborator.ok(methods.peopleLists.list, made.params, { query })
const titles = async (query: Parameters<typeof list>[0] = {}) =>
  (await list(query)).people_lists.map(({ title }) => title)

test('the app of a destination names the setting of its list', async () => {
  const { app } = await organization.collaborator.ok(methods.destinations.get, made.params)
  expect(app.people_lists).toEqual({ setting: 'url', title: 'list', max_title: 20 })
})

test('lists of all pages are found by the words of their title and the beginning of their ID, and the platform is asked once', async () => {
  expect(await titles()).toEqual(['All customers', 'VIP customers', 'vip newsletter'])
  expect(await titles({ search: 'VIP' })).toEqual(['VIP customers', 'vip newsletter'])
  expect(await titles({ search: 'cust vip' })).toEqual(['VIP customers'])
  expect(await titles({ search: '34' })).toEqual(['vip newsletter'])
  expect(await titles({ search: '41' })).toEqual([])
  expect(await titles({ search: 'nobody' })).toEqual([])
  expect(platform.asked).toEqual(['read ', 'read 1'])
})

test('lists come in pages', async () => {
  const first = await list({ page_size: 2 })
  expect(first.people_lists).toHaveLength(2)
  const second = await list({ page_size: 2, page_token: first.next_page_token })
  expect(second.people_lists.map(({ id }) => id)).toEqual(['341'])
  expect(second.next_page_token).toBe('')
})

test('of an account with many lists, ten pages are read, and the response says so', async () => {
  platform.pages = Array.from({ length: 12 }, (_, at) => [{ id: `${at}`, title: `List ${at}` }])
  const { people_lists, message } = await list()
  expect(people_lists).toHaveLength(10)
  expect(message).toBe('The account has more lists. Only the first 10 were read')
  expect(platform.asked).toHaveLength(10)
})

test('long titles and notes are cut', async () => {
  platform.pages = [[{ id: '1', title: 't'.repeat(5000), note: 'n'.repeat(5000) }]]
  const [found] = (await list()).people_lists
  expect([found?.title.length, found?.note.length]).toEqual([200, 200])
})

test('after a changed setting or a new list, the platform is asked again', async () => {
  await titles()
  await organization.administrator.ok(methods.destinations.updateSetting, made.params, {
    body: { name: 'batch_size', value: 7 },
  })
  await titles()
  expect(platform.asked).toHaveLength(4)
  await organization.collaborator.ok(methods.peopleLists.create, made.params, { body: { title: 'New' } })
  expect(await titles()).toContain('New')
})

test.each([
  [new RetryableError('No answer from "hush-hush-secret"'), 'No answer from "[redacted]"'],
  [new TypeError('undefined is not a function'), 'The destination could not be asked'],
])('a failed call is a message without secrets, and the next call asks again', async (failure, message) => {
  platform.failure = failure
  expect(await list()).toEqual({ people_lists: [], next_page_token: '', message })
  const got = await organization.collaborator.ok(methods.peopleLists.get, { ...made.params, people_list: '1' })
  expect(got).toEqual({ facts: [], read_time: expect.any(String), message })
  platform.failure = undefined
  expect(await titles()).toHaveLength(3)
})

test('facts of a list are kept for 15 minutes with their time, and refreshed at most once in 30 seconds', async () => {
  const get = (fresh: 'true' | 'false') =>
    organization.collaborator.ok(methods.peopleLists.get, { ...made.params, people_list: '1' }, { query: { fresh } })
  const first = await get('false')
  expect(first).toEqual({ facts: [{ title: 'Matched people', value: '1' }], read_time: first.read_time, message: '' })
  expect(await get('true')).toEqual(first)
  harness.advance(31_000)
  expect(await get('false')).toEqual(first)
  const refreshed = await get('true')
  expect(refreshed.facts).toEqual([{ title: 'Matched people', value: '2' }])
  expect(Date.parse(refreshed.read_time) - Date.parse(first.read_time)).toBeGreaterThanOrEqual(31_000)
  harness.advance(16 * 60_000)
  expect((await get('false')).facts).toEqual([{ title: 'Matched people', value: '3' }])
})

test('a list is created with an audit record of its title and its author', async () => {
  const created = await organization.collaborator.ok(methods.peopleLists.create, made.params, {
    body: { title: ' Customers ' },
  })
  expect(created).toEqual({ id: 'made', title: 'Customers', note: '' })
  const record = await harness.db
    .selectFrom('audit_log')
    .select(['detail', 'resource', 'actor_id'])
    .where('action', '=', 'peopleLists.create')
    .where('resource', '=', made.destination.name)
    .executeTakeFirstOrThrow()
  expect(record).toEqual({
    detail: { title: 'Customers' },
    resource: made.destination.name,
    actor_id: organization.collaborator.userId,
  })
})

test('a list that the platform refuses is an error with its words and without secrets', async () => {
  platform.failure = new RejectedError('Name taken, says "hush-hush-secret"')
  const path = `/${made.destination.name}/peopleLists`
  expect(await organization.collaborator.call('POST', path, { title: 'Customers' })).toMatchObject({
    status: 409,
    body: { reason: 'LIST_NOT_CREATED', message: 'Name taken, says "[redacted]"' },
  })
})

test.each([
  [new RetryableError('No response within 20 seconds'), true],
  [new ConfigurationError('The access token has ended'), false],
  [new RejectedError('Name taken'), false],
])('after %s, the message says whether the list may exist', async (failure, mayExist) => {
  platform.failure = failure
  const path = `/${made.destination.name}/peopleLists`
  const hint = mayExist ? '. It may have been created. Look at the list before you repeat.' : ''
  expect(await organization.collaborator.call('POST', path, { title: 'Customers' })).toMatchObject({
    status: 409,
    body: { reason: 'LIST_NOT_CREATED', message: `${failure.message}${hint}` },
  })
})

test('if the response is lost, the list is found by its title, and a second one is not created', async () => {
  platform.losesResponses = true
  const path = `/${made.destination.name}/peopleLists`
  const created = await organization.collaborator.call('POST', path, { title: 'Customers' })
  expect(created).toMatchObject({ status: 200, body: { id: 'made', title: 'Customers' } })
  expect(await organization.collaborator.call('POST', path, { title: 'Customers' })).toMatchObject({
    status: 409,
    body: {
      reason: 'LIST_EXISTS',
      message: 'The account has a list with this title. Choose it, or enter another title',
    },
  })
  expect(platform.asked.filter((call) => call.startsWith('create'))).toEqual(['create Customers'])
})

test('a title that is absent or too long, and an ID that is none, are refused before the platform is asked', async () => {
  const path = `/${made.destination.name}/peopleLists`
  for (const title of ['', ' ', 'x'.repeat(21)])
    expect(await organization.collaborator.call('POST', path, { title })).toMatchObject({
      status: 400,
      body: { reason: 'VALIDATION', metadata: { title: expect.any(String) } },
    })
  expect(await organization.collaborator.call('GET', `${path}/${'x'.repeat(101)}`)).toMatchObject({ status: 400 })
  expect(platform.asked).toEqual([])
})

test.each([
  ['GET', '/peopleLists', undefined],
  ['GET', '/peopleLists/1', undefined],
  ['POST', '/peopleLists', { title: 'Customers' }],
] as const)('%s %s is refused for guests and for other organizations', async (verb, path, body) => {
  const { guest, workspaceId } = organization
  const full = `/${made.destination.name}${path}`
  expect(await guest.call(verb, full, body)).toMatchObject({ status: 403 })
  const other = await startOrganization(harness)
  expect(await other.administrator.call(verb, full, body)).toMatchObject({ status: 404 })
  const foreign = full.replace(workspaceId, other.workspaceId)
  expect(await other.administrator.call(verb, foreign, body)).toMatchObject({ status: 404 })
  expect(platform.asked).toEqual([])
})

test('a destination without lists of people says so', async () => {
  const { peopleLists: _, ...withoutLists } = mappedDestination
  await using plain = await startControl({ catalog: { ...mappedCatalog, destinations: listed(withoutLists) } })
  const others = await startOrganization(plain)
  const { destination } = await startMapped(plain, others)
  const path = `/${destination.name}/peopleLists`
  expect(await others.administrator.call('GET', path)).toMatchObject({
    status: 400,
    body: { reason: 'NO_PEOPLE_LISTS', message: 'Mapped has no lists of people' },
  })
})

test('callers that ask at the same time wait for one answer', async () => {
  const kept = createKeptAnswers<number>(() => 0, 1000)
  let calls = 0
  const ask = () => kept.read({ key: 'a', version: 1, maxAgeMs: 1000 }, async () => ++calls)
  expect((await Promise.all([ask(), ask(), ask()])).map(({ value }) => value)).toEqual([1, 1, 1])
})

test('answers are forgotten when they are too old for every question', async () => {
  let now = 0
  const kept = createKeptAnswers<string>(() => now, 1000)
  const ask = (key: string) => kept.read({ key, version: 1, maxAgeMs: 500 }, async () => key)
  await ask('a')
  now = 600
  await ask('b')
  expect(kept.count()).toBe(2)
  now = 1000
  await ask('b')
  expect(kept.count()).toBe(1)
})
