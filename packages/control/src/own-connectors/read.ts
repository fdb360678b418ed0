import { type Db, isId, type Tx } from '@tributary/api-kit'
import { letterIcon, ownApp, ownAppStart } from '@tributary/configuration'
import { type ListedOwnConnector, type OwnConnector, resourceNames } from '@tributary/contract'
import { notFound } from '@tributary/kernel'
import type { Database } from '@tributary/storage'
import type { Selectable } from 'kysely'

export type OwnConnectorRow = Selectable<Database['own_connectors']>

const missing = (): Error => notFound('own connector not found')

/** Reads an own connector of a workspace. Throws 404 if it does not exist, or belongs to another workspace. */
export const readOwnConnector = async (db: Db, workspaceId: string, id: string): Promise<OwnConnectorRow> => {
  const row = isId(id)
    ? await db
        .selectFrom('own_connectors')
        .selectAll()
        .where('id', '=', id)
        .where('workspace_id', '=', workspaceId)
        .executeTakeFirst()
    : undefined
  if (row === undefined) throw missing()
  return row
}

/** Like `readOwnConnector`, and locks the row until the end of the transaction. */
export const lockOwnConnector = async (tx: Tx, workspaceId: string, id: string): Promise<OwnConnectorRow> => {
  const row = isId(id)
    ? await tx
        .selectFrom('own_connectors')
        .selectAll()
        .where('id', '=', id)
        .where('workspace_id', '=', workspaceId)
        .forUpdate()
        .executeTakeFirst()
    : undefined
  if (row === undefined) throw missing()
  return row
}

/** Selects the destinations that use an own connector. */
export const destinationsOf = (
  db: Db,
  { id, workspace_id: workspaceId }: Pick<OwnConnectorRow, 'id' | 'workspace_id'>,
) =>
  db
    .selectFrom('destinations')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('app', 'like', `${ownAppStart(id)}%`)
    .where('delete_time', 'is', null)
    .orderBy('create_time')
    .orderBy('id')

const countOf = async (db: Db, rows: readonly OwnConnectorRow[]): Promise<ReadonlyMap<string, number>> => {
  const [first] = rows
  if (first === undefined) return new Map()
  const found = await db
    .selectFrom('destinations')
    .select((query) => ['app', query.fn.countAll<string>().as('count')])
    .where('workspace_id', '=', first.workspace_id)
    .where('app', 'like', 'own-%')
    .where('delete_time', 'is', null)
    .groupBy('app')
    .execute()
  return new Map(
    rows.map(({ id }) => [
      id,
      found.filter(({ app }) => app.startsWith(ownAppStart(id))).reduce((sum, { count }) => sum + Number(count), 0),
    ]),
  )
}

/** Returns the IDs of those whose draft differs from their published version. */
const changedOf = async (db: Db, rows: readonly OwnConnectorRow[]): Promise<ReadonlySet<string>> => {
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return new Set()
  const same = await db
    .selectFrom('own_connectors as c')
    .innerJoin('own_connector_versions as v', (join) =>
      join.onRef('v.own_connector_id', '=', 'c.id').onRef('v.version', '=', 'c.current_version'),
    )
    .select('c.id')
    .where('c.id', 'in', ids)
    .whereRef('v.description', '=', 'c.draft_description')
    .whereRef('v.guide', '=', 'c.draft_guide')
    .execute()
  const unchanged = new Set(same.map(({ id }) => id))
  return new Set(ids.filter((id) => !unchanged.has(id)))
}

/** Returns own connectors in the form of the API's list. */
export const presentOwnConnectors = async (db: Db, rows: readonly OwnConnectorRow[]): Promise<ListedOwnConnector[]> => {
  const [counts, changed] = [await countOf(db, rows), await changedOf(db, rows)]
  return rows.map((row) => ({
    name: resourceNames.ownConnector.format({ workspace: row.workspace_id, own_connector: row.id }),
    title: row.title,
    app:
      row.current_version === 0
        ? ''
        : resourceNames.catalogDestination.format({ app: ownApp({ id: row.id, version: row.current_version }) }),
    app_icon: letterIcon(row.title),
    current_version: row.current_version,
    is_changed: changed.has(row.id),
    destination_count: counts.get(row.id) ?? 0,
    create_time: row.create_time.toISOString(),
    update_time: row.update_time.toISOString(),
  }))
}

/** Reads an own connector, and returns it with its draft in the form of the API. */
export const showOwnConnector = async (db: Db, workspaceId: string, id: string): Promise<OwnConnector> => {
  const row = await readOwnConnector(db, workspaceId, id)
  const [listed] = await presentOwnConnectors(db, [row])
  if (listed === undefined) throw missing()
  const { draft_description: description, draft_guide: guide, draft_revision: revision } = row
  return { ...listed, draft: { description, guide, revision } }
}

/** Returns the texts that a call is about: its own ones, or else those of the draft. */
export const textsOfCall = (
  row: OwnConnectorRow,
  {
    description = row.draft_description,
    guide = row.draft_guide,
  }: { description?: string | undefined; guide?: string | undefined },
): { description: string; guide: string } => ({ description, guide })
