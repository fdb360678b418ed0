import type { Db } from '@tributary/api-kit'
import type { ListedDestination } from '@tributary/connector-kit'
import type { Catalog } from '../services.ts'
import { ownVersionOf } from './own-app.ts'

/**
 * Finds the entry of the app of an existing destination: one of the product, or a version that its workspace published.
 * Undefined if it is no longer in the catalog. To create a destination, use `offeredDestination`.
 */
export const findDestination = async (
  { destinations, own }: Pick<Catalog, 'destinations' | 'own'>,
  app: string,
): Promise<ListedDestination | undefined> =>
  ownVersionOf(app) === undefined ? destinations.find(({ slug }) => slug === app) : await own?.find(app)

/** Returns all entries that a workspace is offered: its own ones first. */
export const offeredDestinations = async (
  { destinations, own }: Pick<Catalog, 'destinations' | 'own'>,
  workspaceId: string,
): Promise<ListedDestination[]> => [...((await own?.list(workspaceId)) ?? []), ...destinations]

/**
 * Finds an entry that a workspace is offered. Any version of an own connector of the workspace leads to its published
 * version; those of other workspaces are not found.
 */
export const offeredDestination = async (
  { db, catalog }: { db: Db; catalog: Pick<Catalog, 'destinations' | 'own'> },
  workspaceId: string,
  app: string,
): Promise<ListedDestination | undefined> => {
  const own = ownVersionOf(app)
  if (own === undefined) return catalog.destinations.find(({ slug }) => slug === app)
  const row = await db
    .selectFrom('own_connectors')
    .select('current_version')
    .where('id', '=', own.id)
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()
  return row === undefined ? undefined : await catalog.own?.find(`own-${own.id}-${row.current_version}`)
}
