import { methods } from '@tributary/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRefusalSink, type RefusalRow } from '../index.ts'
import {
  type Harness,
  idIn,
  makeResources,
  type Organization,
  startControl,
  startOrganization,
} from '../testing/control-harness.ts'

let harness: Harness
let organization: Organization
beforeAll(async () => {
  harness = await startControl()
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

const start = async () => {
  const { administrator, workspaceId } = organization
  const { source } = await makeResources(workspaceId, administrator)
  const sourceId = idIn(source.name)
  const row = (more: Partial<RefusalRow>): RefusalRow => ({
    workspaceId,
    sourceId,
    keyHint: '',
    reason: 'MALFORMED_JSON',
    code: 400,
    count: 1,
    lastTime: harness.now(),
    message: 'The body is not JSON',
    sample: '{"a":',
    ...more,
  })
  const list = () =>
    administrator.ok(methods.refusedRequests.listBySource, { workspace: workspaceId, source: sourceId })
  return { source, row, list, sink: createRefusalSink({ db: harness.db }) }
}

test('a workspace shows requests with keys of deleted sources separately, and no other caller sees them', async () => {
  const { administrator, workspaceId } = organization
  const [gone, kept] = [await start(), await start()]
  await gone.sink.write([gone.row({ reason: 'WRITE_KEY_REVOKED', code: 401 })])
  await kept.sink.write([kept.row({})])
  await administrator.call('DELETE', `/${gone.source.name}`)
  const list = async (source_deleted: 'true' | 'false') => {
    const params = { workspace: workspaceId }
    const answer = await administrator.ok(methods.refusedRequests.list, params, { query: { source_deleted } })
    return answer.refused_requests.map(({ source, source_deleted }) => [source, source_deleted])
  }
  expect(await list('true')).toEqual([[gone.source.name, true]])
  expect(await list('false')).toContainEqual([kept.source.name, false])
  const other = await startOrganization(harness)
  const elsewhere = await other.administrator.ok(methods.refusedRequests.list, { workspace: other.workspaceId })
  expect(elsewhere.refused_requests).toEqual([])
})

test('counts of refused requests add up over writes and hours, with the last time, message, and sample', async () => {
  const { source, row, list, sink } = await start()
  const now = harness.now()
  await sink.write([row({ count: 2, lastTime: now - 3_600_000, sample: 'old' }), row({ count: 3, lastTime: now - 10 })])
  await sink.write([
    row({ count: 4, lastTime: now - 5, sample: '', message: 'Newer' }),
    row({ count: 1, lastTime: now - 7, sample: 'newest sample' }),
    row({ reason: 'EMPTY_BATCH', lastTime: now - 20 }),
  ])
  await sink.write([])
  const { refused_requests } = await list()
  expect(refused_requests).toMatchObject([
    {
      source: source.name,
      source_title: 'Shop',
      reason: 'MALFORMED_JSON',
      code: 400,
      count: 10,
      last_time: new Date(now - 5).toISOString(),
      message: 'Newer',
      sample: 'newest sample',
    },
    { reason: 'EMPTY_BATCH', count: 1 },
  ])
})

test('refused requests older than a day are not shown', async () => {
  const { row, list, sink } = await start()
  await sink.write([row({ lastTime: harness.now() - 25 * 3_600_000 })])
  expect((await list()).refused_requests).toEqual([])
})

test('text that a database cannot store is fixed, and does not prevent storing the rest', async () => {
  const { row, list, sink } = await start()
  await sink.write([row({ sample: 'a\0b\ud800', message: '\0', keyHint: 'k\0' }), row({ reason: 'OTHER' })])
  const { refused_requests } = await list()
  expect(refused_requests).toHaveLength(2)
  expect(refused_requests.map((each) => each.sample)).toContain('ab\ufffd')
})

test('refusals of unknown keys belong to no workspace, and those of another workspace are not shown', async () => {
  const { row, sink } = await start()
  const { administrator, workspaceId, otherWorkspaceId } = organization
  const { sourceId: _, workspaceId: __, ...nobody } = row({ reason: 'UNKNOWN_KEY', code: 401, keyHint: 'abc…' })
  await sink.write([nobody, nobody, row({ workspaceId: otherWorkspaceId, reason: 'THEIRS' }), row({ reason: 'OURS' })])
  const listed = await administrator.ok(
    methods.refusedRequests.list,
    { workspace: workspaceId },
    { query: { page_size: 1000 } },
  )
  const reasons = listed.refused_requests.map((each) => each.reason)
  expect(reasons).toContain('OURS')
  expect(reasons).not.toContain('THEIRS')
  expect(reasons).not.toContain('UNKNOWN_KEY')
  const kept = await harness.db
    .selectFrom('refused_requests')
    .select('count')
    .where('reason', '=', 'UNKNOWN_KEY')
    .execute()
  expect(kept).toEqual([{ count: '2' }])
})

test('pages of refused requests show every line once', async () => {
  const { row, sink, source } = await start()
  await sink.write(
    Array.from({ length: 5 }, (_, index) => row({ reason: `R${index}`, lastTime: harness.now() - index })),
  )
  const params = { workspace: organization.workspaceId, source: idIn(source.name) }
  const seen: string[] = []
  let page_token = ''
  do {
    const page = await organization.guest.ok(methods.refusedRequests.listBySource, params, {
      query: { page_size: 2, page_token },
    })
    seen.push(...page.refused_requests.map((each) => each.reason))
    page_token = page.next_page_token
  } while (page_token !== '')
  expect(seen).toEqual(['R0', 'R1', 'R2', 'R3', 'R4'])
})

test('only platform admins see refusals without a source, and no source or workspace shows them', async () => {
  const { row, list, sink } = await start()
  const { administrator, platformAdmin, workspaceId } = organization
  const unowned = { workspaceId: null, sourceId: null, keyHint: 'lost…', reason: 'WRITE_KEY_UNKNOWN', code: 401 }
  await sink.write([row({ ...unowned, count: 3, sample: '{"b":1}' }), row({ reason: 'EMPTY_BATCH' })])
  const found = (await platformAdmin.ok(methods.refusedRequests.listUnowned, {})).refused_requests
  expect(found.filter(({ key_hint }) => key_hint === 'lost…')).toMatchObject([
    { source: '', key_hint: 'lost…', reason: 'WRITE_KEY_UNKNOWN', code: 401, count: 3, sample: '{"b":1}' },
  ])
  expect((await list()).refused_requests).toMatchObject([{ reason: 'EMPTY_BATCH' }])
  const here = await administrator.ok(methods.refusedRequests.list, { workspace: workspaceId })
  expect(here.refused_requests.map(({ reason }) => reason)).not.toContain('WRITE_KEY_UNKNOWN')
  expect((await administrator.call('GET', '/refusedRequests')).status).toBe(403)
})
