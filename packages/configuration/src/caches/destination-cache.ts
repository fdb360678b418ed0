import type { Tx } from '@tributary/api-kit'
import type { GrantState, LoadedConnectors, Settings, SignalPlatformSettings } from '@tributary/connector-kit'
import { type EventConditions, type EventMapping, eventFilter, eventMappings } from '@tributary/contract'
import type { SecretBox } from '@tributary/kernel'
import type { Database } from '@tributary/storage'
import { type Selectable, sql } from 'kysely'
import { openSettings, type StoredSettings } from '../connector-settings/stored-settings.ts'
import { grantState } from '../oauth-grants/grants.ts'
import { storedPlatform } from '../signals/stored-platform.ts'
import { type CacheFollower, type CacheFollowerDeps, createCacheFollower } from './cache-follower.ts'

/** A destination as delivery needs it, its secrets included. */
export type CachedDestination = {
  id: string
  workspaceId: string
  title: string
  /** Slug of its entry in the catalogue. */
  app: string
  /** False also when its secrets or mappings cannot be read: then its events are held, not lost. */
  enabled: boolean
  /** Over how many partitions its workspace is spread. */
  spread: number
  /** Over how many it ever was. */
  widest: number
  settings: Settings
  /** What it was permitted by OAuth 2, its tokens excepted; undefined when nothing was. */
  grant: GrantState | undefined
  /** Its own mappings; undefined while it uses the presets of its app. */
  mappings: readonly EventMapping[] | undefined
  /** What an event's user must have agreed to. */
  consentCategories: readonly string[]
  /** What its connections let through, by source. */
  filters: ReadonlyMap<string, EventConditions>
  /** What signals send it, by the id of the signal; undefined where none does. */
  signals: ReadonlyMap<string, SignalPlatformSettings> | undefined
}

export type DestinationCache = CacheFollower & {
  /** Ids of the destinations that a source is connected with by an enabled connection; those of a paused one are held. */
  destinationsFor(sourceId: string): readonly string[]
  /** Whether an enabled signal is fed from a source, and so needs its events as a whole. */
  feedsSignal(sourceId: string): boolean
  /** A destination that is not deleted, enabled or not. */
  get(destinationId: string): CachedDestination | undefined
  /** Called after each change of the snapshot. Returns how to stop. */
  onChange(listener: () => void): () => void
}

const none: readonly string[] = []

/** Ids of destinations by source, of all sources or of these alone. */
const loadLinks = async (tx: Tx, sources: readonly string[] | undefined): Promise<Map<string, string[]>> => {
  const links = await tx
    .selectFrom('connections')
    .innerJoin('destinations', 'destinations.id', 'connections.destination_id')
    .innerJoin('sources', 'sources.id', 'connections.source_id')
    .select(['connections.source_id', 'connections.destination_id'])
    .where('connections.enabled', '=', true)
    .where('destinations.delete_time', 'is', null)
    .where('sources.delete_time', 'is', null)
    .where(sources === undefined ? sql<boolean>`true` : sql<boolean>`connections.source_id = any(${sources})`)
    .orderBy('connections.id')
    .execute()
  const found = new Map<string, string[]>()
  for (const link of links) {
    const own = found.get(link.source_id)
    if (own === undefined) found.set(link.source_id, [link.destination_id])
    else own.push(link.destination_id)
  }
  return found
}

/** What the connections of destinations let through, all or these alone: by destination and source. */
const loadFilters = async (tx: Tx, ids: readonly string[] | undefined) => {
  const links = await tx
    .selectFrom('connections')
    .innerJoin('sources', 'sources.id', 'connections.source_id')
    .select(['connections.source_id', 'connections.destination_id', 'connections.filter'])
    .where('sources.delete_time', 'is', null)
    .where(ids === undefined ? sql<boolean>`true` : sql<boolean>`connections.destination_id = any(${ids})`)
    .execute()
  const filters = new Map<string, Map<string, EventConditions>>()
  for (const link of links) {
    const own = filters.get(link.destination_id) ?? new Map<string, EventConditions>()
    filters.set(link.destination_id, own.set(link.source_id, eventFilter.parse(link.filter)))
  }
  return filters
}

/** Sources of enabled signals, among all or these alone. */
const loadFeeds = async (tx: Tx, sources: readonly string[] | undefined): Promise<string[]> => {
  const rows = await tx
    .selectFrom('signal_sources')
    .innerJoin('signals', 'signals.id', 'signal_sources.signal_id')
    .select('signal_sources.source_id')
    .distinct()
    .where('signals.enabled', '=', true)
    .where(sources === undefined ? sql<boolean>`true` : sql<boolean>`signal_sources.source_id = any(${sources})`)
    .execute()
  return rows.map(({ source_id }) => source_id)
}

/** The conversions that signals send destinations, all or these alone; unreadable fields are replaced by those of the platform. */
const loadSignals = async (tx: Tx, ids: readonly string[] | undefined) => {
  const rows = await tx
    .selectFrom('signal_platforms as p')
    .innerJoin('signals as s', 's.id', 'p.signal_id')
    .selectAll('p')
    .select('s.definition')
    .where(ids === undefined ? sql<boolean>`true` : sql<boolean>`p.destination_id = any(${ids})`)
    .execute()
  const found = new Map<string, Map<string, SignalPlatformSettings>>()
  for (const row of rows) {
    const own = found.get(row.destination_id) ?? new Map<string, SignalPlatformSettings>()
    found.set(row.destination_id, own.set(row.signal_id, storedPlatform(row)))
  }
  return found
}

/**
 * Every destination and connection in memory, for the pipeline and for delivery. With `connectors`, the connector of a
 * destination is loaded before the destination is in the snapshot.
 */
export const createDestinationCache = (
  deps: CacheFollowerDeps & { secretBox: SecretBox; connectors?: Pick<LoadedConnectors<unknown>, 'load'> },
): DestinationCache => {
  const { secretBox, logger } = deps
  let bySource = new Map<string, readonly string[]>()
  let byId = new Map<string, CachedDestination>()
  let feeds = new Set<string>()
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

  const destinationOf = (
    row: Selectable<Database['destinations']> & { spread: number | null; widest: number | null },
    grant: GrantState | undefined,
    { filters, signals }: Pick<CachedDestination, 'filters' | 'signals'>,
  ): CachedDestination => {
    const settings = settingsOf(row.id, row)
    const mappings = mappingsOf(row.id, row.mappings)
    return {
      id: row.id,
      workspaceId: row.workspace_id,
      title: row.title,
      app: row.app,
      enabled: row.enabled && settings !== undefined && mappings !== unreadable,
      spread: row.spread ?? 1,
      widest: row.widest ?? 1,
      settings: settings ?? {},
      grant,
      mappings: mappings === unreadable ? [] : mappings,
      consentCategories: row.consent_categories,
      filters,
      signals,
    }
  }

  /** All that is not deleted, or of these alone. */
  const loadDestinations = async (tx: Tx, ids: readonly string[] | undefined): Promise<CachedDestination[]> => {
    const among = (column: string) =>
      ids === undefined ? sql<boolean>`true` : sql<boolean>`${sql.ref(column)} = any(${ids})`
    const rows = await tx
      .selectFrom('destinations')
      .leftJoin('workspace_spreads', 'workspace_spreads.workspace_id', 'destinations.workspace_id')
      .selectAll('destinations')
      .select(['workspace_spreads.spread', 'workspace_spreads.widest'])
      .where('delete_time', 'is', null)
      .where(among('id'))
      .execute()
    const grants = await tx
      .selectFrom('oauth_grants')
      .select(['destination_id', 'id', 'status', 'issued_for', 'error'])
      .where(among('destination_id'))
      .execute()
    const grantOf = new Map(grants.map((row) => [row.destination_id, grantState(row)]))
    const filters = await loadFilters(tx, ids)
    const signals = await loadSignals(tx, ids)
    return rows.map((row) =>
      destinationOf(row, grantOf.get(row.id), {
        filters: filters.get(row.id) ?? new Map(),
        signals: signals.get(row.id),
      }),
    )
  }

  const follower = createCacheFollower(deps, {
    name: 'destinations',
    async load(tx, changed) {
      const destinations = await loadDestinations(tx, changed?.destinations)
      const links = await loadLinks(tx, changed?.sources)
      const fed = await loadFeeds(tx, changed?.sources)
      await deps.connectors?.load(destinations.map(({ app }) => app))
      return () => {
        if (changed === undefined) {
          byId = new Map()
          bySource = new Map()
          feeds = new Set()
        }
        for (const id of changed?.sources ?? none) feeds.delete(id)
        for (const id of fed) feeds.add(id)
        for (const id of changed?.destinations ?? none) byId.delete(id)
        for (const destination of destinations) byId.set(destination.id, destination)
        for (const id of changed?.sources ?? none) bySource.delete(id)
        for (const [id, own] of links) bySource.set(id, own)
        for (const listener of listeners) listener()
      }
    },
  })

  return {
    ...follower,
    destinationsFor: (sourceId) => bySource.get(sourceId) ?? none,
    feedsSignal: (sourceId) => feeds.has(sourceId),
    get: (destinationId) => byId.get(destinationId),
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
