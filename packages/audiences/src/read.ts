import { type Db, isId } from '@tributary/api-kit'
import {
  type Audience,
  type AudienceQuery,
  type AudienceSummary,
  audienceQuery,
  listOf,
  queriesOf,
  resourceNames,
} from '@tributary/contract'
import { notFound } from '@tributary/kernel'
import type { AudiencesTable } from '@tributary/storage'
import { type Selectable, sql } from 'kysely'
import { readListChange } from './lists/stored.ts'

export type AudienceRow = Selectable<AudiencesTable>

export const audienceName = (workspace: string, audience: string): string =>
  resourceNames.audience.format({ workspace, audience })

/** Reads an audience of this workspace. Throws 404 if it does not exist or belongs to another workspace. */
export const readAudience = async (db: Db, workspaceId: string, audienceId: string): Promise<AudienceRow> => {
  const row = isId(audienceId)
    ? await db
        .selectFrom('audiences')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', audienceId)
        .executeTakeFirst()
    : undefined
  if (row === undefined) throw notFound('audience not found')
  return row
}

/**
 * An audience for look-ups by reference. `text` is its query as JSON. `query` is parsed on first access, because lists
 * may be long.
 */
export type KnownAudience = { id: string; name: string; title: string; text: string; readonly query: AudienceQuery }

const knownOf = (workspaceId: string, { id, title, query: text }: Pick<AudienceRow, 'id' | 'title' | 'query'>) => {
  let query: AudienceQuery | undefined
  return {
    id,
    name: audienceName(workspaceId, id),
    title,
    text,
    get query(): AudienceQuery {
      query ??= audienceQuery.parse(JSON.parse(text))
      return query
    },
  }
}

const selectKnown = (db: Db, workspaceId: string) =>
  db
    .selectFrom('audiences')
    .select(['id', 'title', 'query'])
    .where('workspace_id', '=', workspaceId)
    .orderBy('create_time')
    .orderBy('id')

/** Reads every audience of a workspace with its query. */
export const readKnown = async (db: Db, workspaceId: string): Promise<KnownAudience[]> => {
  const rows = await selectKnown(db, workspaceId).execute()
  return rows.map((row) => knownOf(workspaceId, row))
}

/** Returns the resource names of the audiences to which a query refers. */
export const namedIn = (query: AudienceQuery): string[] =>
  queriesOf(query).flatMap(({ type, selectedAudience }) =>
    type === 'audience' && selectedAudience !== null ? [selectedAudience.name] : [],
  )

/** Returns the audiences whose queries refer to an audience. */
export const dependentsOf = (name: string, known: readonly KnownAudience[]): KnownAudience[] =>
  known.filter((each) => each.name !== name && each.text.includes(name) && namedIn(each.query).includes(name))

/** Reads the audiences of a workspace whose queries refer to an audience. Other queries are not parsed. */
const readDependents = async (db: Db, workspaceId: string, name: string): Promise<KnownAudience[]> => {
  const rows = await selectKnown(db, workspaceId).where('query', 'like', `%${name}%`).execute()
  return dependentsOf(
    name,
    rows.map((row) => knownOf(workspaceId, row)),
  )
}

type Uses = { id: string; destinations: number; syncs: number }

/** Counts the destinations that receive each audience, and the syncs that send its members. */
const readUses = async (db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, Uses>> => {
  const { rows } = await sql<Uses>`
    select audience.id,
      (select count(*) from audience_destinations d where d.audience_id = audience.id)::int as destinations,
      (select count(*) from models m join syncs s on s.model_id = m.id where m.audience_id = audience.id)::int as syncs
    from unnest(${ids}::uuid[]) as audience (id)`.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}

const summaryOf = (row: Omit<AudienceRow, 'query'>, uses: Uses | undefined): AudienceSummary => ({
  name: audienceName(row.workspace_id, row.id),
  title: row.title,
  state: row.state,
  progress: row.state === 'computing' ? { step: row.progress_step ?? 'waiting', share: row.progress_share } : null,
  size: row.size,
  as_of: row.as_of?.toISOString() ?? null,
  destination_count: uses?.destinations ?? 0,
  sync_count: uses?.syncs ?? 0,
  create_time: row.create_time.toISOString(),
  update_time: row.update_time.toISOString(),
})

/** Returns rows of the list in the form of the API. */
export const presentSummaries = async (
  db: Db,
  rows: readonly Omit<AudienceRow, 'query'>[],
): Promise<AudienceSummary[]> => {
  const uses = await readUses(
    db,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => summaryOf(row, uses.get(row.id)))
}

/** Reads the name of the member who made a change; '' for a former member. */
export const authorOf = async (db: Db, userId: string | null): Promise<string> => {
  if (userId === null) return ''
  const user = await db
    .selectFrom('users')
    .select(['first_name', 'last_name', 'email'])
    .where('id', '=', userId)
    .executeTakeFirst()
  return user === undefined ? '' : `${user.first_name} ${user.last_name}`.trim() || user.email
}

/** Reads the time when a profile last entered or left an audience; null if none did. */
const readChangeTime = async (db: Db, audienceId: string): Promise<string | null> => {
  const row = await db
    .selectFrom('audience_changes')
    .select('time')
    .where('audience_id', '=', audienceId)
    .orderBy('time', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.time.toISOString() ?? null
}

/** Returns an audience in the form of the API for its page. */
export const presentAudience = async (db: Db, row: AudienceRow): Promise<Audience> => {
  const name = audienceName(row.workspace_id, row.id)
  const query = audienceQuery.parse(JSON.parse(row.query))
  const [uses, dependents, author, changeTime, list] = await Promise.all([
    readUses(db, [row.id]),
    readDependents(db, row.workspace_id, name),
    authorOf(db, row.author_id),
    readChangeTime(db, row.id),
    readListChange(db, row.id, listOf(query)?.version),
  ])
  return {
    ...summaryOf(row, uses.get(row.id)),
    query,
    version: row.version,
    failure: row.failure,
    change_time: changeTime,
    entered_count: row.entered_count,
    left_count: row.left_count,
    author,
    dependents: dependents.map(({ name, title }) => ({ name, title })),
    list,
    warnings: [],
  }
}
