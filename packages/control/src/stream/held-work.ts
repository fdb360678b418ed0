import { type CreatedCursor, createdCursorOf, type Db, isId, olderThan, type Page } from '@tributary/api-kit'
import { type HeldWork, resourceNames } from '@tributary/contract'
import type { Clock } from '@tributary/kernel'
import { sql } from 'kysely'
import { keyOfRequest, keyOfWork, type Releases, readReleases } from './release-limit.ts'

type Row = {
  id: string
  workspace_id: string | null
  workspace_title: string | null
  item: string
  thread: string
  step: string
  times: number
  last_time: Date
  create_time: Date
  error: string
  /** The meta of a request that was set aside; '' for other work. */
  meta: string
}

/** The tables of the resources to which work can belong, each with the collection in its resource names. */
const targets = { sources: 'sources', destinations: 'destinations', audiences: 'audiences', syncs: 'syncs' } as const
type TargetTable = keyof typeof targets

/** The description of work: its kind, its resource, and a text that contains the title of the resource. */
type Described = {
  kind: HeldWork['kind']
  target?: { table: TargetTable; id: string }
  words: (title: string | undefined) => string
}

const of = (title: string | undefined): string => (title === undefined ? '' : ` of ${title}`)
const to = (title: string | undefined): string => (title === undefined ? '' : ` to ${title}`)

const parsedData = (text: string): Partial<Record<string, unknown>> => {
  try {
    return JSON.parse(text) as Partial<Record<string, unknown>>
  } catch {
    // The data of a long item is cut off and ends in a hash, so it is not valid JSON.
    return {}
  }
}

const describeJob = (text: string): Described => {
  const space = text.indexOf(' ')
  const name = text.slice(0, space < 0 ? text.length : space)
  const { sync, audience } = parsedData(text.slice(name.length + 1))
  if (typeof sync === 'string')
    return { kind: 'job', target: { table: 'syncs', id: sync }, words: (title) => `Run${of(title)}` }
  if (typeof audience === 'string')
    return { kind: 'job', target: { table: 'audiences', id: audience }, words: (title) => `Members${of(title)}` }
  return { kind: 'job', words: () => `Job ${name}` }
}

/** Describes work by the text with which threads identify it. */
const describeItem = (item: string): Described => {
  const [word = '', first = '', second = ''] = item.split(' ', 3)
  const source = { table: 'sources', id: first } as const
  const destination = { table: 'destinations', id: first } as const
  switch (word) {
    case 'request':
      return { kind: 'request', words: () => 'Accepted request' }
    case 'collect':
      return { kind: 'request', target: source, words: (title) => `Request${to(title)}` }
    case 'template':
      return { kind: 'template', target: source, words: (title) => `Template${of(title)}` }
    case 'delivery':
      return { kind: 'event', target: destination, words: (title) => `Event ${second}${to(title)}` }
    case 'batches':
      return { kind: 'event', target: destination, words: (title) => `Batches${to(title)}` }
    case 'replay':
      return { kind: 'job', target: destination, words: (title) => `Replay${to(title)}` }
    case 'audience-sending':
      return { kind: 'job', target: { table: 'audiences', id: first }, words: (title) => `Changes${of(title)}` }
    case 'call':
      return { kind: 'call', words: () => `Call of ${first}` }
    case 'job':
      return describeJob(item.slice('job '.length))
    default:
      return { kind: 'event', words: () => `Event ${first} in ${word}` }
  }
}

/**
 * Reads the titles of the resources to which work belongs, by table and ID. Leaves out deleted resources and those of
 * other workspaces.
 */
const readTitles = async (
  db: Db,
  rows: readonly { described: Described; workspaceId: string | null }[],
): Promise<(row: { described: Described; workspaceId: string | null }) => string | undefined> => {
  const found = new Map<string, string>()
  for (const table of Object.keys(targets) as TargetTable[]) {
    const ids = rows.flatMap(({ described: { target } }) =>
      target?.table === table && isId(target.id) ? target.id : [],
    )
    if (ids.length === 0) continue
    const isDeleted = table === 'sources' || table === 'destinations' ? sql`delete_time is not null` : sql`false`
    const titled = await sql<{ id: string; workspace_id: string; title: string }>`
      select id, workspace_id, title from ${sql.table(table)} where id = any(${ids}::uuid[]) and not (${isDeleted})`.execute(
      db,
    )
    for (const { id, workspace_id, title } of titled.rows) found.set(`${table} ${workspace_id} ${id}`, title)
  }
  return ({ described: { target }, workspaceId }) =>
    target === undefined ? undefined : found.get(`${target.table} ${workspaceId} ${target.id}`)
}

const keyOf = (row: Row): string => (row.item === 'request' ? keyOfRequest(row) : keyOfWork(row.item))

/** Reads a page of held work that is not retried automatically, newest first, of one workspace or of all. */
export const readHeldWork = async (
  { db, clock }: { db: Db; clock: Clock },
  workspaceId: string | undefined,
  page: Page<CreatedCursor>,
): Promise<{ held_work: HeldWork[]; next_page_token: string }> => {
  const { rows: found } = await sql<Row>`
    select held.*, workspaces.title as workspace_title
    from (
      select id, workspace_id, item, thread, step, cardinality(blocks) as times, block_time as last_time,
        hold_time as create_time, '' as error, '' as meta
      from held_work where hold_time is not null
      union all
      select id, workspace_id, 'request', '', '', failures, fail_time, set_aside_time, split_part(error, E'\n', 1), meta
      from set_aside_requests where body is not null and set_aside_time is not null and not take_back
    ) held
    left join workspaces on workspaces.id = held.workspace_id
    where (${workspaceId ?? null}::uuid is null or held.workspace_id = ${workspaceId ?? null}::uuid)
      and ${olderThan('held', page.after)}
    order by held.create_time desc, held.id desc
    limit ${page.size + 1}`.execute(db)
  const { rows, next } = page.cut(found, createdCursorOf)
  const described = rows.map((row) => ({ described: describeItem(row.item), workspaceId: row.workspace_id, row }))
  const titleOf = await readTitles(db, described)
  const releases = await readReleases(db, rows.map(keyOf), clock())
  return {
    held_work: described.map((each) => presentHeldWork(each.row, each.described, titleOf(each), releases)),
    next_page_token: next,
  }
}

const presentHeldWork = (
  row: Row,
  { kind, target, words }: Described,
  title: string | undefined,
  releases: Releases,
): HeldWork => {
  const workspace = row.workspace_id
  const releaseTime = releases.nextTime(keyOf(row))
  return {
    name: workspace === null ? '' : resourceNames.heldWork.format({ workspace, held_work: row.id }),
    kind,
    title: words(title),
    target:
      workspace === null || target === undefined || title === undefined
        ? ''
        : `workspaces/${workspace}/${targets[target.table]}/${target.id}`,
    workspace_title: row.workspace_title ?? '',
    reason: row.error === '' ? `It stopped the thread ${row.thread} at ${row.step}` : row.error,
    times: row.times,
    last_time: row.last_time.toISOString(),
    hold_time: row.create_time.toISOString(),
    releases: releases.count(keyOf(row)),
    release_time: releaseTime === undefined ? null : new Date(releaseTime).toISOString(),
  }
}
