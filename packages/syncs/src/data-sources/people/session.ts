import type { Db } from '@tributary/api-kit'
import { isId } from '@tributary/api-kit'
import { DataQueryError, type DataRow, type DataSourceSession } from '@tributary/connector-kit'
import { type DataColumn, type DataQuery, type DataTable, dataSourceLimits, peopleTables } from '@tributary/contract'
import { conflict } from '@tributary/kernel'
import { sql } from 'kysely'
import {
  type AudienceColumn,
  audienceColumn,
  identifierColumns,
  pageOfPeople,
  readAudiences,
  readTraitNames,
  rowOf,
} from './rows.ts'

/** The kind of data source whose tables are audiences and profiles. */
export const peopleApp = 'profiles'

/** Target size of a batch in characters. */
const batchCharacters = 1024 * 1024
/** Number of profiles in the first batch. */
const firstProfiles = 50
/** Maximum number of profiles in a batch. */
const maxProfiles = 2000
/** Maximum number of audiences whose memberships are columns. */
const maxAudiences = 1000

/** The columns of people after their identifiers. */
type Columns = { traits: readonly string[]; audiences: readonly AudienceColumn[] }

/** The profiles to read: the members of an audience, or all profiles of the workspace. */
type Table = { audience: string | undefined }

const tableOf = (query: DataQuery): Table => {
  if ('sql' in query) throw new DataQueryError('Choose an audience or all profiles. They can’t be queried with SQL')
  if (query.schema === peopleTables.profiles.schema && query.table === peopleTables.profiles.name)
    return { audience: undefined }
  if (query.schema === peopleTables.audiences && isId(query.table)) return { audience: query.table }
  throw new DataQueryError('There is no such audience')
}

/**
 * Refuses an audience that was deleted, has failed, or is not computed yet, because outdated members would be sent as
 * current.
 */
const requireReady = async (db: Db, workspaceId: string, { audience }: Table): Promise<void> => {
  if (audience === undefined) return
  const row = await db
    .selectFrom('audiences')
    .select(['title', 'state', 'failure', 'as_of'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', audience)
    .executeTakeFirst()
  if (row === undefined) throw new DataQueryError('There is no such audience')
  if (row.state === 'failed')
    throw conflict('AUDIENCE_NOT_READY', `The audience ${row.title} failed. ${row.failure}`.trim())
  if (row.as_of === null)
    throw conflict('AUDIENCE_NOT_READY', `The audience ${row.title} has not been computed yet. Try again in a moment`)
}

async function* batches(
  db: Db,
  workspaceId: string,
  given: Columns & { table: Table; limit: number; signal: AbortSignal },
): AsyncGenerator<readonly DataRow[], void, void> {
  // All pages are read in one snapshot, so that changes during the reading do not matter.
  const tx = await db.startTransaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute()
  try {
    await requireReady(tx, workspaceId, given.table)
    let left = given.limit
    let wanted = Math.min(firstProfiles, left)
    let after: string | undefined
    while (left > 0) {
      given.signal.throwIfAborted()
      const memberships = given.audiences.length > 0
      const found = await pageOfPeople(tx, workspaceId, { ...given.table, after, limit: wanted, memberships })
      const rows = found.map((person) => rowOf(person, given.traits, given.audiences))
      if (rows.length > 0) yield rows
      if (rows.length < wanted) return
      left -= rows.length
      after = found.at(-1)?.id
      const characters = rows.reduce((sum, row) => row.reduce((most, value) => most + (value?.length ?? 0), sum), 1)
      const fitting = Math.floor((rows.length * batchCharacters) / characters)
      wanted = Math.min(left, maxProfiles, Math.max(1, fitting))
    }
  } finally {
    // If the connection has ended, the transaction has ended, too.
    await tx
      .rollback()
      .execute()
      .catch(() => {})
  }
}

const listTables = async (
  db: Db,
  workspaceId: string,
  { search, offset, limit }: { search: string; offset: number; limit: number },
): Promise<DataTable[]> => {
  const { rows } = await sql<DataTable>`
    select * from (
      select ${peopleTables.audiences} as schema, id::text as name, title, 'view' as kind, size as rows, 0 as place
      from audiences where workspace_id = ${workspaceId}::uuid
      union all
      select ${peopleTables.profiles.schema}, ${peopleTables.profiles.name}, 'All profiles', 'table', null, 1) as tables
    where strpos(lower(title), ${search.toLowerCase()}) > 0
    order by place desc, lower(title), name limit ${limit} offset ${offset}`.execute(db)
  return rows.map(
    ({ schema, name, title, kind, rows: size }) => ({ schema, name, title, kind, rows: size }) as DataTable,
  )
}

/**
 * Opens the audiences and profiles of a workspace as a read-only database. Each audience is a table, and all profiles
 * are another one. The columns are identifiers, traits, and memberships of audiences. Deleted and suppressed users are
 * omitted.
 */
export const openPeople = (db: Db, workspaceId: string, signal: AbortSignal): DataSourceSession => {
  let known: Promise<Columns> | undefined
  const readColumns = async (): Promise<Columns> => {
    const audiences = await readAudiences(db, workspaceId, maxAudiences)
    const taken = new Set(audiences.map(audienceColumn))
    const left = dataSourceLimits.columns - identifierColumns.length - audiences.length
    const traits = (await readTraitNames(db, workspaceId, left)).filter((name) => !taken.has(name))
    return { traits, audiences }
  }
  const own = (): Promise<Columns> => {
    known ??= readColumns()
    return known
  }
  const columns = async (): Promise<DataColumn[]> => {
    const { traits, audiences } = await own()
    return [
      ...identifierColumns.map((name) => ({ name, type: name === 'profile_id' ? 'uuid' : 'text' })),
      ...traits.map((name) => ({ name, type: 'json' })),
      ...audiences.map((each) => ({ name: audienceColumn(each), type: 'boolean', title: `In ${each.title}` })),
    ]
  }
  return {
    about: async () => 'Audiences and profiles of this workspace can be read.',
    listTables: (options) => listTables(db, workspaceId, options),
    listColumns: async ({ schema, table }, limit) => {
      await requireReady(db, workspaceId, tableOf({ schema, table })).catch((error: unknown) => {
        if (error instanceof DataQueryError) throw error
      })
      return (await columns())
        .slice(0, limit)
        .map((column) => ({ ...column, nullable: column.name !== 'profile_id', in_key: column.name === 'profile_id' }))
    },
    describe: async (query) => {
      await requireReady(db, workspaceId, tableOf(query))
      return await columns()
    },
    async *read(query, limit) {
      yield* batches(db, workspaceId, { table: tableOf(query), ...(await own()), limit, signal })
    },
    checkKey: async (query, key) => {
      const table = tableOf(query)
      if (!key.includes('profile_id'))
        throw new DataQueryError('Choose profile_id: several profiles may have the same value of every other column')
      await requireReady(db, workspaceId, table)
      let rows = 0
      const none = { traits: [], audiences: [], limit: Number.MAX_SAFE_INTEGER }
      for await (const page of batches(db, workspaceId, { table, ...none, signal })) rows += page.length
      return { rows, null_rows: 0, duplicate_keys: 0, duplicate_rows: 0 }
    },
    [Symbol.asyncDispose]: async () => {},
  }
}
