import { type Db, isId } from '@tributary/api-kit'
import type { DestinationDefinition, ListedDestination, Settings } from '@tributary/connector-kit'
import { type Destination, type DestinationApp, resourceNames } from '@tributary/contract'
import { notFound } from '@tributary/kernel'
import type { DestinationsTable } from '@tributary/storage'
import type { Selectable } from 'kysely'
import { missingSettings } from '../connector-settings/change-setting.ts'
import { presentSettings } from '../connector-settings/present-setting.ts'
import { readableSettings } from '../connector-settings/stored-settings.ts'
import { instanceCounts } from '../instance-counts.ts'
import { type GrantRow, presentGrant, readGrants } from '../oauth-grants/grants.ts'
import { findDestination } from '../own-connectors/find-destination.ts'
import type { ConfigurationServices } from '../services.ts'

export type DestinationRow = Selectable<DestinationsTable>

/**
 * Reads a destination of this workspace. Throws 404 if it does not exist, was deleted, or belongs to another workspace.
 */
export const readDestination = async (db: Db, workspaceId: string, destinationId: string): Promise<DestinationRow> => {
  const row =
    isId(workspaceId) && isId(destinationId)
      ? await db
          .selectFrom('destinations')
          .selectAll()
          .where('id', '=', destinationId)
          .where('workspace_id', '=', workspaceId)
          .where('delete_time', 'is', null)
          .executeTakeFirst()
      : undefined
  if (row === undefined) throw notFound('destination not found')
  return row
}

type PresentDeps = Pick<ConfigurationServices, 'catalog' | 'secretBox' | 'logger'>

const presentPeopleLists = (definition: DestinationDefinition | undefined): DestinationApp['people_lists'] => {
  const lists = definition?.peopleLists
  return lists === undefined ? null : { setting: lists.setting, title: lists.title, max_title: lists.maxTitle }
}

/** Returns the app of a destination in the form of the API, without secrets. */
const presentApp = (
  row: DestinationRow,
  counts: ReadonlyMap<string, number>,
  entry: ListedDestination | undefined,
  definition: DestinationDefinition | undefined,
  settings: Settings,
): DestinationApp => ({
  name: resourceNames.destinationApp.format({ workspace: row.workspace_id, destination: row.id }),
  catalog_app: resourceNames.catalogDestination.format({ app: row.app }),
  title: entry?.title ?? row.app,
  display_name: entry?.title ?? row.app,
  docs_url: entry?.docsUrl ?? '',
  instance_count: counts.get(row.app) ?? 0,
  extra: { app_icon: entry?.icon ?? '' },
  settings: presentSettings(definition?.settings.fields ?? [], settings),
  people_lists: presentPeopleLists(definition),
  abilities: [...(entry?.abilities ?? [])],
})

/** Returns the settings that a user must enter before anything is sent, in the order of the definition. */
const missingOfDestination = (
  definition: DestinationDefinition,
  settings: Settings,
  row: DestinationRow,
): readonly string[] => {
  const missing = new Set([...missingSettings(definition, settings, row), ...row.secrets_to_enter])
  return definition.settings.fields.map(({ name }) => name).filter((name) => missing.has(name))
}

/** Returns a destination in the form of the API. */
export const presentDestination = async (
  row: DestinationRow,
  counts: ReadonlyMap<string, number>,
  grant: GrantRow | undefined,
  { catalog, secretBox, logger }: PresentDeps,
): Promise<Destination> => {
  const entry = await findDestination(catalog, row.app)
  const definition = await entry?.load()
  const settings = readableSettings(`destinations/${row.id}`, row, secretBox, logger)
  const missing = definition === undefined ? [] : missingOfDestination(definition, settings, row)
  return {
    name: resourceNames.destination.format({ workspace: row.workspace_id, destination: row.id }),
    title: row.title,
    app: presentApp(row, counts, entry, definition, settings),
    state: missing.length > 0 ? 'needs_setup' : 'ready',
    missing_settings: [...missing],
    enabled: row.enabled,
    consent_categories: row.consent_categories,
    grant: presentGrant(definition?.oauth2?.(settings), grant),
    create_time: row.create_time.toISOString(),
    update_time: row.update_time.toISOString(),
  }
}

/** Reads a destination, and returns it in the form of the API. */
export const showDestination = async (
  deps: PresentDeps & { db: Db },
  workspaceId: string,
  destinationId: string,
): Promise<Destination> => {
  const row = await readDestination(deps.db, workspaceId, destinationId)
  const grants = await readGrants(deps.db, [row.id])
  const counts = await instanceCounts(deps.db, 'destinations', workspaceId)
  return await presentDestination(row, counts, grants.get(row.id), deps)
}
