import type { GrantState, Settings } from '@tributary/connector-kit'
import { type EventConditions, type EventMapping, eventFilter, eventMappings } from '@tributary/contract'
import type { SecretBox } from '@tributary/kernel'
import { openSettings, type StoredSettings } from '../app-settings/stored-settings.ts'
import { grantState } from '../oauth-grants/grants.ts'
import { createFollower, type Follower, type FollowerDeps } from './follower.ts'

/** A destination as delivery needs it, its secrets included. */
export type DirectoryDestination = {
  id: string
  workspaceId: string
  title: string
  /** Slug of its entry in the catalogue. */
  app: string
  /** False also when its secrets or mappings cannot be read: then what is for it is held, not lost. */
  enabled: boolean
  settings: Settings
  /** What it was permitted by OAuth 2, its tokens excepted; undefined when nothing was. */
  grant: GrantState | undefined
  /** Its own mappings; undefined while it uses the presets of its app. */
  mappings: readonly EventMapping[] | undefined
  /** What an event's user must have agreed to. */
  consentCategories: readonly string[]
  /** What its connections let through, by source. */
  filters: ReadonlyMap<string, EventConditions>
}

export type DestinationDirectory = Follower & {
  /** Ids of the destinations that a source is connected with by an enabled connection; those of a paused one are held. */
  destinationsFor(sourceId: string): readonly string[]
  /** A destination that is not deleted, enabled or not. */
  get(destinationId: string): DirectoryDestination | undefined
  /** Called after each change of the snapshot. Returns how to stop. */
  onChange(listener: () => void): () => void
}

type Snapshot = { bySource: ReadonlyMap<string, readonly string[]>; byId: ReadonlyMap<string, DirectoryDestination> }
const none: readonly string[] = []

/** Every destination and connection in memory, for the pipeline and for delivery. */
export const createDestinationDirectory = (deps: FollowerDeps & { secretBox: SecretBox }): DestinationDirectory => {
  const { secretBox, logger } = deps
  let snapshot: Snapshot = { bySource: new Map(), byId: new Map() }
  const listeners = new Set<() => void>()

  const settingsOf = (id: string, row: StoredSettings): Settings | undefined => {
    try {
      return openSettings(`destinations/${id}`, row, secretBox)
    } catch (error) {
      logger.error({ err: error, destinationId: id }, 'the settings of a destination cannot be opened; it is held')
      return undefined
    }
  }

  /** Mappings that this version cannot read, such as those of a later one. */
  const unreadable = Symbol('unreadable')

  const mappingsOf = (id: string, stored: unknown): readonly EventMapping[] | undefined | typeof unreadable => {
    if (stored === null) return undefined
    const { data, error } = eventMappings.safeParse(stored)
    if (data !== undefined) return data
    logger.error({ err: error, destinationId: id }, 'the mappings of a destination cannot be read; it is held')
    return unreadable
  }

  const follower = createFollower(deps, {
    name: 'destinations',
    async load(tx) {
      const rows = await tx.selectFrom('destinations').selectAll().where('delete_time', 'is', null).execute()
      const grants = await tx
        .selectFrom('oauth_grants')
        .select(['destination_id', 'id', 'status', 'issued_for', 'error'])
        .execute()
      const grantOf = new Map(grants.map((row) => [row.destination_id, grantState(row)]))
      const links = await tx
        .selectFrom('connections')
        .innerJoin('destinations', 'destinations.id', 'connections.destination_id')
        .innerJoin('sources', 'sources.id', 'connections.source_id')
        .select(['connections.source_id', 'connections.destination_id', 'connections.enabled', 'connections.filter'])
        .where('destinations.delete_time', 'is', null)
        .where('sources.delete_time', 'is', null)
        .orderBy('connections.id')
        .execute()
      const filters = new Map<string, Map<string, EventConditions>>()
      for (const link of links) {
        const own = filters.get(link.destination_id) ?? new Map<string, EventConditions>()
        filters.set(link.destination_id, own.set(link.source_id, eventFilter.parse(link.filter)))
      }
      const byId = new Map<string, DirectoryDestination>()
      for (const row of rows) {
        const settings = settingsOf(row.id, row)
        const mappings = mappingsOf(row.id, row.mappings)
        byId.set(row.id, {
          id: row.id,
          workspaceId: row.workspace_id,
          title: row.title,
          app: row.app,
          enabled: row.enabled && settings !== undefined && mappings !== unreadable,
          settings: settings ?? {},
          grant: grantOf.get(row.id),
          mappings: mappings === unreadable ? [] : mappings,
          consentCategories: row.consent_categories,
          filters: filters.get(row.id) ?? new Map(),
        })
      }
      const bySource = new Map<string, string[]>()
      for (const link of links) {
        if (!link.enabled) continue
        const ids = bySource.get(link.source_id)
        if (ids === undefined) bySource.set(link.source_id, [link.destination_id])
        else ids.push(link.destination_id)
      }
      return () => {
        snapshot = { bySource, byId }
        for (const listener of listeners) listener()
      }
    },
  })

  return {
    ...follower,
    destinationsFor: (sourceId) => snapshot.bySource.get(sourceId) ?? none,
    get: (destinationId) => snapshot.byId.get(destinationId),
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
