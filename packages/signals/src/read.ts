import { type Db, isId } from '@tributary/api-kit'
import { resourceNames, type SignalDefinition, signalDefinition } from '@tributary/contract'
import { notFound } from '@tributary/kernel'
import type { SignalPlatformsTable, SignalsTable } from '@tributary/storage'
import type { Selectable } from 'kysely'

export type SignalRow = Selectable<SignalsTable>
export type PlatformRow = Selectable<SignalPlatformsTable>

export const signalName = (workspace: string, signal: string): string =>
  resourceNames.signal.format({ workspace, signal })

/** The stored definition of a signal. Platforms have their own table. */
export type StoredDefinition = Omit<SignalDefinition, 'platforms'>
const storedDefinition = signalDefinition.omit({ platforms: true })

/** Returns the definition in the row of a signal. */
export const definitionOf = ({ definition }: Pick<SignalRow, 'definition'>): StoredDefinition =>
  storedDefinition.parse(JSON.parse(definition))

/** Reads a signal of this workspace. Throws 404 if it does not exist or belongs to another workspace. */
export const readSignal = async (db: Db, workspaceId: string, id: string): Promise<SignalRow> => {
  const row = isId(id)
    ? await db
        .selectFrom('signals')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', id)
        .executeTakeFirst()
    : undefined
  if (row === undefined) throw notFound('signal not found')
  return row
}

/** A platform of a signal with its destination. */
export type PlatformWithDestination = PlatformRow & {
  title: string
  app: string
  enabled: boolean
  destination_settings: Readonly<Record<string, unknown>>
  consent_categories: readonly string[]
  person_data: unknown
}

/** Reads the platforms of signals in their order, without platforms whose destination was deleted. */
export const readPlatforms = async (
  db: Db,
  signalIds: readonly string[],
): Promise<ReadonlyMap<string, readonly PlatformWithDestination[]>> => {
  if (signalIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('signal_platforms as p')
    .innerJoin('destinations as d', 'd.id', 'p.destination_id')
    .leftJoin('person_data_places as o', 'o.workspace_id', 'p.workspace_id')
    .selectAll('p')
    .select([
      'd.title',
      'd.app',
      'd.enabled',
      'd.settings as destination_settings',
      'd.consent_categories',
      'o.places as person_data',
    ])
    .where('p.signal_id', 'in', signalIds)
    .where('d.delete_time', 'is', null)
    .orderBy('p.place')
    .execute()
  return Map.groupBy(rows, ({ signal_id }) => signal_id)
}
