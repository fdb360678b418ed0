import { type AudienceChange, type AudienceQuery, methods, queriesOf, type SegmentQuery } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { forgetAudienceChanges } from '../../../audiences/src/forget-changes.ts'
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
/** Receives events that are nearly a day old, so that they soon leave the last day. */
const receiveLongAgo = (...events: Record<string, unknown>[]): Promise<void> =>
  receiveEvents(harness, workspace, events, 23.5 * hour)

const queryOf = (part: Partial<SegmentQuery>): AudienceQuery => {
  const query = structuredClone(trialAudience)
  for (const each of queriesOf(query)) Object.assign(each, { selectedAttributes: [] }, part)
  return query
}
/** Profiles that sent an event in the last day. */
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
  test('the history of an audience contains each entry and exit with its time, and the members follow from them', async () => {
    await receiveLongAgo({ userId: 'ada' }, { userId: 'bob' })
    const name = await create(did('Seen'))
    const first = await compute(name)
    harness.advance(hour)
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

  test('the history of an audience keeps changes for 400 days after an exit, and still gives the members', async () => {
    const name = await create(did('Seen'))
    const day = 24 * hour
    const ids = { in: newId(), back: newId(), gone: newId(), 'gone lately': newId(), untold: newId() }
    const note = async (
      who: keyof typeof ids,
      kind: 'entered' | 'left',
      daysAgo: number,
      of = name,
    ): Promise<string> => {
      const time = new Date(harness.now() - daysAgo * day)
      const { rows } = await sql<{ id: string }>`insert into audience_changes (audience_id, profile_id, kind, time)
        values (${idIn(of)}, ${ids[who]}, ${kind}, ${time}) returning id`.execute(harness.db)
      return rows[0]?.id ?? ''
    }
    const read = async (of = name) => {
      const { rows } = await sql<{ profile_id: string; kind: string }>`
        select profile_id, kind from audience_changes where audience_id = ${idIn(of)} order by id`.execute(harness.db)
      const names = new Map(Object.entries(ids).map(([who, id]) => [id, who]))
      return rows.map(({ profile_id, kind }) => `${kind} ${names.get(profile_id)}`)
    }
    await note('in', 'entered', 900)
    for (const who of ['gone', 'back'] as const) {
      await note(who, 'entered', 800)
      await note(who, 'left', 700)
      await note(who, 'entered', 600)
      await note(who, 'left', 401)
    }
    await note('back', 'entered', 401)
    await note('gone lately', 'entered', 600)
    await note('gone lately', 'left', 399)
    // This destination has not received the exit yet.
    const behind = await create(did('Seen'), 'Behind')
    const entered = await note('untold', 'entered', 800, behind)
    await note('untold', 'left', 700, behind)
    const { name: destination } = await organization.administrator.ok(
      methods.destinations.create,
      { workspace },
      {
        body: { title: 'Hook', app: { name: 'catalogDestinations/webhook' }, settings: {} },
      },
    )
    await sql`insert into audience_destinations (id, workspace_id, audience_id, destination_id, state, first_change,
        fill_total, sent_change, create_time)
      values (gen_random_uuid(), ${workspace}, ${idIn(behind)}, ${idIn(destination)}, 'live', ${entered}, 0, ${entered}, now())
      `.execute(harness.db)
    await forgetAudienceChanges({ db: harness.db, clock: harness.now }, { signal }, 2)
    expect(await read()).toEqual(['entered in', 'entered back', 'entered gone lately', 'left gone lately'])
    expect(await read(behind)).toEqual(['entered untold', 'left untold'])
    await sql`update audience_destinations set sent_change = sent_change + 100 where audience_id = ${idIn(behind)}`.execute(
      harness.db,
    )
    await forgetAudienceChanges({ db: harness.db, clock: harness.now }, { signal })
    expect(await read(behind)).toEqual([])
  })

  test('the history of an audience is returned in pages, with each change once', async () => {
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

  test('pages of members show one moment, even if profiles enter, leave, and return meanwhile', async () => {
    await receiveLongAgo({ userId: 'ada' }, { userId: 'bob' }, { userId: 'cleo' })
    await receive({ userId: 'dora' }, { userId: 'eve' })
    const name = await create(did('Seen'))
    const { as_of, size } = await compute(name)
    const params = { workspace, audience: idIn(name) }
    const read = (page_token: string) =>
      organization.collaborator.ok(methods.audiences.listMembers, params, { query: { page_size: 1, page_token } })
    const first = await read('')
    // Three leave by time, one of them comes back, and another one enters.
    harness.advance(hour)
    await compute(name)
    harness.advance(hour)
    await receive({ userId: 'ada' }, { userId: 'finn' })
    await compute(name)
    const pages = [first]
    while (pages.at(-1)?.next_page_token !== '') pages.push(await read(pages.at(-1)?.next_page_token ?? ''))
    const titles = pages.flatMap((page) => page.members.map(({ profile }) => profile.title))
    expect(titles.toSorted()).toEqual(['ada', 'bob', 'cleo', 'dora', 'eve'])
    expect(titles).toHaveLength(size ?? 0)
    expect(new Set(pages.map((page) => page.as_of))).toEqual(new Set([as_of]))
    expect(new Set(pages.flatMap((page) => page.members.map(({ enter_time }) => enter_time)))).toEqual(new Set([as_of]))
    expect(await members(name)).toEqual(['ada', 'dora', 'eve', 'finn'])
  })

  test('the history names the profile into which another profile was merged, and no profile after a deletion', async () => {
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

  test('the history of an audience is masked for guests, and not found by other organizations', async () => {
    await receive({ userId: 'ada.lovelace@example.com' })
    const name = await create(did('Seen'))
    await compute(name)
    expect((await changes(name, {}, organization.guest)).changes.map(textOf)).toEqual(['entered ad•••'])
    for (const below of ['/changes', '/history?start_date.seconds=0&end_date.seconds=1'])
      expect((await organization.outsider.call('GET', `/${name}${below}`)).status).toBe(404)
  })

  test('the history has the size at the end of each hour and day; without a computation, it keeps the previous size', async () => {
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

describe('the explanation why a profile is in an audience', () => {
  const profileOf = async (userId: string): Promise<string> => {
    const { profiles } = await organization.collaborator.ok(
      methods.profiles.list,
      { workspace },
      { query: { search: userId } },
    )
    return idIn(profiles[0]?.name ?? '')
  }
  const explain = async (name: string, userId: string, caller = organization.collaborator) => {
    const query = { profile: `workspaces/${workspace}/profiles/${await profileOf(userId)}` }
    return await caller.ok(methods.audiences.explain, { workspace, audience: idIn(name) }, { query })
  }
  /** A query for profiles with this event in the last day and an email. */
  const both = (event: string, includeAnonymous = true): AudienceQuery => {
    const query = did(event)
    const [seen] = queriesOf(query)
    const [email] = queriesOf(trialAudience)
    const queries = [seen, email].filter((each) => each !== undefined)
    const segments = [{ id: 'bbbb', tableName: 'users' as const, queries }]
    return { ...query, includeAnonymous, groups: { aaaa: { tableName: 'users', operator: 'and', segments } } }
  }
  const heldIn = ({ conditions }: { conditions: { met: boolean }[] }): boolean[] => conditions.map(({ met }) => met)

  test('the explanation shows which conditions were true when the audience was computed, and agrees with its members', async () => {
    await receiveLongAgo(
      { type: 'identify', userId: 'ada', traits: { email: 'ada@example.com' } },
      { userId: 'ada' },
      { userId: 'bob' },
    )
    const name = await create(both('Seen'))
    const { as_of } = await compute(name)
    const ada = await explain(name, 'ada')
    expect(ada).toMatchObject({ as_of, met: true, enter_time: as_of, suppressed: false, anonymous: false })
    expect(heldIn(ada)).toEqual([true, true])
    const bob = await explain(name, 'bob')
    expect(bob).toMatchObject({ met: false, enter_time: null })
    expect(heldIn(bob)).toEqual([true, false])
    // Later events, and events that leave the time of the condition, count with the next computation.
    harness.advance(hour)
    await receive({ type: 'identify', userId: 'bob', traits: { email: 'bob@example.com' } })
    expect(heldIn(await explain(name, 'ada'))).toEqual([true, true])
    await compute(name)
    const later = await explain(name, 'ada')
    expect(later).toMatchObject({ met: false, enter_time: null })
    expect(heldIn(later)).toEqual([false, true])
  })

  test('the explanation uses current data if the audience was never computed', async () => {
    await receive({ type: 'identify', userId: 'ada', traits: { email: 'ada@example.com' } }, { userId: 'ada' })
    expect(await explain(await create(both('Seen')), 'ada')).toMatchObject({ met: true, enter_time: null })
  })

  test('the explanation says if a profile is suppressed, or lacks a required user ID', async () => {
    await receive({ userId: 'ada' }, { anonymousId: 'device', traits: {} })
    const name = await create(both('Seen', false))
    await compute(name)
    expect(await explain(name, 'device')).toMatchObject({ met: false, anonymous: true, suppressed: false })
    expect(await explain(name, 'ada')).toMatchObject({ met: false, anonymous: false })
    await organization.administrator.ok(
      methods.privacyRequests.create,
      { workspace },
      { body: { kind: 'suppress', identifiers: [{ type: 'user_id', value: 'ada' }] } },
    )
    expect(await explain(name, 'ada')).toMatchObject({ met: false, suppressed: true })
  })

  test('the explanation counts the events of all identifiers of a profile', async () => {
    await receive({ anonymousId: 'device' })
    await receive({ type: 'identify', userId: 'ada', anonymousId: 'device', traits: { email: 'ada@example.com' } })
    const name = await create(both('Seen'))
    await compute(name)
    expect(heldIn(await explain(name, 'ada'))).toEqual([true, true])
  })

  test('the explanation is masked for guests, and is 404 for another workspace or an unknown profile', async () => {
    await receive({ userId: 'ada.lovelace@example.com' })
    const name = await create(did('Seen'))
    await compute(name)
    const profile = await profileOf('ada.lovelace@example.com')
    expect((await explain(name, 'ada.lovelace@example.com', organization.guest)).profile.title).toBe('ad•••')
    const path = (id: string, of = workspace): string => `/${name}:explain?profile=workspaces/${of}/profiles/${id}`
    expect((await organization.outsider.call('GET', path(profile))).status).toBe(404)
    expect((await organization.guest.call('GET', path(newId()))).status).toBe(404)
    expect((await organization.guest.call('GET', path(profile, organization.workspaceId))).status).toBe(404)
  })

  test('the explanation lists each audience of a profile with its entry time, also after a merge', async () => {
    await receive({ userId: 'ada' }, { anonymousId: 'device' })
    const seen = await create(did('Seen'), 'Seen')
    const { as_of } = await compute(seen)
    const other = await create(did('Other'), 'Other')
    const device = await profileOf('device')
    await receive({ userId: 'ada', anonymousId: 'device' })
    const params = { workspace, profile: device }
    expect((await organization.guest.ok(methods.profiles.listAudiences, params)).audiences).toEqual([
      { name: seen, title: 'Seen', as_of, enter_time: as_of },
      { name: other, title: 'Other', as_of: null, enter_time: null },
    ])
    expect(
      (await organization.outsider.call('GET', `/workspaces/${workspace}/profiles/${device}/audiences`)).status,
    ).toBe(404)
  })
})
