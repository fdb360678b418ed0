import { type AudienceChange, type AudienceQuery, methods, queriesOf, type SegmentQuery } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Harness, idIn, type Organization, startControl, startOrganization } from '../testing/control-harness.ts'
import { receiveEvents } from '../testing/receive-events.ts'
import { trialAudience } from '../testing/requests.ts'

let harness: Harness
let organization: Organization
let workspace: string

beforeAll(async () => {
  harness = await startControl()
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

beforeEach(async () => {
  const { administrator, organization: of } = organization
  const made = await administrator.ok(methods.workspaces.create, {}, { body: { title: newId(), organization: of } })
  workspace = idIn(made.name)
})

const hour = 3_600_000
const receive = (...events: Record<string, unknown>[]): Promise<void> => receiveEvents(harness, workspace, events)

const queryOf = (part: Partial<SegmentQuery>): AudienceQuery => {
  const query = structuredClone(trialAudience)
  for (const each of queriesOf(query)) Object.assign(each, { selectedAttributes: [] }, part)
  return query
}
/** Who did something in the last day. */
const did = (selectedEvent: string): AudienceQuery =>
  queryOf({ type: 'event', selectedEvent, timeframe: { time: { unit: 'day', value: 1 } } })

const create = async (query: AudienceQuery, title = 'Audience'): Promise<string> => {
  const body = { title, query }
  return (await organization.collaborator.ok(methods.audiences.create, { workspace }, { body })).name
}
const signal = new AbortController().signal
const compute = async (name: string) => {
  const params = { workspace, audience: idIn(name) }
  const { version } = await organization.collaborator.ok(methods.audiences.get, params)
  await harness.computeAudience({ audience: idIn(name), version }, { signal })
  return await organization.collaborator.ok(methods.audiences.get, params)
}
const members = async (name: string): Promise<string[]> => {
  const params = { workspace, audience: idIn(name) }
  const answer = await organization.collaborator.ok(methods.audiences.listMembers, params)
  return answer.members.map(({ profile }) => profile.title).toSorted()
}
const changes = async (
  name: string,
  query: { kind?: 'entered' | 'left'; page_size?: number; page_token?: string } = {},
  caller = organization.collaborator,
) => await caller.ok(methods.audiences.listChanges, { workspace, audience: idIn(name) }, { query })
const textOf = ({ kind, profile, merged }: AudienceChange): string =>
  `${kind} ${profile?.title ?? '?'}${merged ? ' merged' : ''}`

describe('the history of an audience', () => {
  test('is who entered and left with their times, and put together it is who is in', async () => {
    await receive({ userId: 'ada' }, { userId: 'bob' })
    const name = await create(did('Seen'))
    const first = await compute(name)
    harness.advance(25 * hour)
    await receive({ userId: 'cleo' }, { userId: 'bob' })
    const second = await compute(name)
    const all = (await changes(name)).changes
    expect(all.map(textOf).toSorted()).toEqual(['entered ada', 'entered bob', 'entered cleo', 'left ada'])
    const timeOf = (text: string) => all.find((each) => textOf(each) === text)?.time
    expect(timeOf('entered ada')).toBe(first.as_of)
    expect(timeOf('left ada')).toBe(second.as_of)
    // Newest first.
    const fold = new Set<string>()
    for (const { kind, profile } of all.toReversed())
      if (kind === 'entered') fold.add(profile?.title ?? '')
      else fold.delete(profile?.title ?? '')
    expect([...fold].toSorted()).toEqual(await members(name))
    expect((await changes(name, { kind: 'left' })).changes.map(textOf)).toEqual(['left ada'])
  })

  test('comes by pages, with each change once', async () => {
    await receive(...Array.from({ length: 5 }, (_, index) => ({ userId: `user-${index}` })))
    const name = await create(did('Seen'))
    await compute(name)
    const titles: string[] = []
    let page_token = ''
    do {
      const page = await changes(name, { page_size: 2, page_token })
      titles.push(...page.changes.map(textOf))
      page_token = page.next_page_token
    } while (page_token !== '')
    expect(titles.toSorted()).toEqual([0, 1, 2, 3, 4].map((index) => `entered user-${index}`))
  })

  test('names the profile that one was merged into, and none for one that was deleted', async () => {
    await receive({ userId: 'ada' }, { anonymousId: 'device' }, { userId: 'bob' })
    const name = await create(did('Seen'))
    await compute(name)
    await receive({ userId: 'ada', anonymousId: 'device' })
    await organization.administrator.ok(
      methods.privacyRequests.create,
      { workspace },
      { body: { kind: 'delete', identifiers: [{ type: 'user_id', value: 'bob' }] } },
    )
    await compute(name)
    expect((await changes(name)).changes.map(textOf).toSorted()).toEqual([
      'entered ?',
      'entered ada',
      'entered ada merged',
      'left ?',
      'left ada merged',
    ])
  })

  test('is masked for guests, and not there for others', async () => {
    await receive({ userId: 'ada.lovelace@example.com' })
    const name = await create(did('Seen'))
    await compute(name)
    expect((await changes(name, {}, organization.guest)).changes.map(textOf)).toEqual(['entered ad•••'])
    for (const below of ['/changes', '/history?start_date.seconds=0&end_date.seconds=1'])
      expect((await organization.outsider.call('GET', `/${name}${below}`)).status).toBe(404)
  })

  test('has the size at the end of each hour and day; one without a computation has that of before', async () => {
    await receive({ userId: 'ada' })
    const name = await create(did('Seen'))
    const { as_of } = await compute(name)
    const start = Math.floor(Date.parse(as_of ?? '') / hour) * hour
    harness.advance(2 * hour)
    await receive({ userId: 'bob' })
    await compute(name)
    const read = async (from: number, to: number, granularity: 'hour' | 'day') => {
      const query = { 'start_date.seconds': from / 1000, 'end_date.seconds': to / 1000, granularity }
      const params = { workspace, audience: idIn(name) }
      return (await organization.guest.ok(methods.audiences.getHistory, params, { query })).points.map(
        ({ size, entered_count, left_count }) => [size, entered_count, left_count],
      )
    }
    expect(await read(start - hour, start + 3 * hour, 'hour')).toEqual([
      [null, 0, 0],
      [1, 1, 0],
      [1, 0, 0],
      [2, 1, 0],
    ])
    expect((await read(start - 24 * hour, start + 24 * hour, 'day')).at(-1)).toEqual([2, 0, 0])
    const tooLong = `/${name}/history?start_date.seconds=0&end_date.seconds=99999999`
    expect((await organization.guest.call('GET', tooLong)).status).toBe(400)
  })
})
