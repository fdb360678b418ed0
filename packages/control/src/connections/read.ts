import { type Db, isId } from '@tributary/api-kit'
import { type Catalog, findDestination } from '@tributary/configuration'
import { type Connection, eventFilter, resourceNames } from '@tributary/contract'
import { notFound } from '@tributary/kernel'

/** Selects the connections of a workspace, with the fields of their sources and destinations that lists show. */
export const selectConnections = (db: Db, workspaceId: string) =>
  db
    .selectFrom('connections')
    .innerJoin('sources', 'sources.id', 'connections.source_id')
    .innerJoin('destinations', 'destinations.id', 'connections.destination_id')
    .selectAll('connections')
    .select([
      'sources.title as source_title',
      'sources.app as source_app',
      'sources.enabled as source_enabled',
      'destinations.title as destination_title',
      'destinations.app as destination_app',
      'destinations.enabled as destination_enabled',
    ])
    .where('connections.workspace_id', '=', workspaceId)

export type ConnectionRow = Awaited<ReturnType<ReturnType<typeof selectConnections>['executeTakeFirstOrThrow']>>

/** Reads a connection of this workspace. Throws 404 if it does not exist or belongs to another workspace. */
export const readConnection = async (db: Db, workspaceId: string, connectionId: string): Promise<ConnectionRow> => {
  const row = isId(connectionId)
    ? await selectConnections(db, workspaceId).where('connections.id', '=', connectionId).executeTakeFirst()
    : undefined
  if (row === undefined) throw notFound('connection not found')
  return row
}

/** A connection as the API returns it. */
export const presentConnection = async (row: ConnectionRow, catalog: Catalog): Promise<Connection> => {
  const workspace = row.workspace_id
  const source = resourceNames.source.format({ workspace, source: row.source_id })
  const destination = resourceNames.destination.format({ workspace, destination: row.destination_id })
  const sourceEntry = catalog.sources.find(({ slug }) => slug === row.source_app)
  const destinationEntry = await findDestination(catalog, row.destination_app)
  return {
    name: resourceNames.connection.format({ workspace, connection: row.id }),
    source,
    destination,
    enabled: row.enabled,
    filter: eventFilter.parse(row.filter),
    create_time: row.create_time.toISOString(),
    extra: {
      source: {
        name: source,
        title: row.source_title,
        enabled: row.source_enabled,
        display_name: sourceEntry?.title ?? row.source_app,
        app_icon: sourceEntry?.icon ?? '',
      },
      destination: {
        name: destination,
        title: row.destination_title,
        enabled: row.destination_enabled,
        display_name: destinationEntry?.title ?? row.destination_app,
        app_icon: destinationEntry?.icon ?? '',
      },
    },
  }
}
