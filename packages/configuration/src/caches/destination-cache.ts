import type { Tx } from '@tributary/api-kit'
import type { GrantState, LoadedConnectors, Settings, SignalPlatformSettings } from '@tributary/connector-kit'
import {
  type EventConditions,
  type EventMapping,
  eventFilter,
  eventMappings,
  type PersonDataPaths,
  personDataPathsOf,
} from '@tributary/contract'
import type { Logger, SecretBox } from '@tributary/kernel'
import type { Database } from '@tributary/storage'
import type { Selectable } from 'kysely'
import { openSettings, type StoredSettings } from '../connector-settings/stored-settings.ts'
import { grantState } from '../oauth-grants/grants.ts'
import { storedPlatform } from '../signals/stored-platform.ts'
import { among, type CacheFollower, type CacheFollowerDeps, createCacheFollower } from './cache-follower.ts'

/** A destination with everything that delivery needs, secrets included. */
export type CachedDestination = {
  id: string
  workspaceId: string
  title: string
  /** Slug of the destination's entry in the catalog. */
  app: string
  /**
   * False if the destination is paused, or if its secrets or mappings cannot be read, so that events are held instead
   * of lost.
   */
  enabled: boolean
  /** The number of partitions over which the destination's workspace is spread. */
  spread: number
  /** The largest number of partitions over which the workspace was ever spread. */
  widest: number
  settings: Settings
  /** Secrets that a user must enter again before anything is sent. */
  secretsToEnter: readonly string[]
  /** The OAuth 2 grant of the destination, without tokens; undefined if it has none. */
  grant: GrantState | undefined
  /** The mappings that users saved; undefined if the destination uses the presets of its app. */
  mappings: readonly EventMapping[] | undefined
  /** The version of the app's presets that the destination uses. */
  presetVersion: number
  /** The consent categories that the user of an event must have accepted. */
  consentCategories: readonly string[]
  /** The filters of the destination's connections, by source. */
  filters: ReadonlyMap<string, EventConditions>
  /**
   * The settings of signals for conversions to the destination, by the ID of the signal; undefined if no signal sends
   * to it.
   */
  signals: ReadonlyMap<string, SignalPlatformSettings> | undefined
  /** The paths at which the workspace has the data of people. */
  personData: PersonDataPaths
}

export type DestinationCache = CacheFollower & {
  /**
   * Returns the IDs of the destinations that an enabled connection links to a source. Events for a paused destination
   * are held.
   */
  destinationsFor(sourceId: string): readonly string[]
  /** Returns whether an enabled signal uses events of a source, and so needs complete events. */
  feedsSignal(sourceId: string): boolean
  /** Returns a destination, enabled or not; undefined if it was deleted. */
  get(destinationId: string): CachedDestination | undefined
  /** Registers a listener for each change of the snapshot. Returns a function that removes it. */
  onChange(listener: () => void): () => void
}

const none: readonly string[] = []

/** Reads the IDs of connected destinations by source: for all sources, or only for the given sources. */
const loadLinks = async (tx: Tx, sources: readonly string[] | undefined): Promise<Map<string, string[]>> => {
  const links = await tx
    .selectFrom('connections')
    .innerJoin('destinations', 'destinations.id', 'connections.destination_id')
    .innerJoin('sources', 'sources.id', 'connections.source_id')
    .select(['connections.source_id', 'connections.destination_id'])
    .where('connections.enabled', '=', true)
    .where('destinations.delete_time', 'is', null)
    .where('sources.delete_time', 'is', null)
    .where(among('connections.source_id', sources))
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

/**
 * Reads the filters of connections, by destination and source: for all destinations, or only for those with the given
 * IDs.
 */
const loadFilters = async (tx: Tx, ids: readonly string[] | undefined) => {
  const links = await tx
    .selectFrom('connections')
    .innerJoin('sources', 'sources.id', 'connections.source_id')
    .select(['connections.source_id', 'connections.destination_id', 'connections.filter'])
    .where('sources.delete_time', 'is', null)
    .where(among('connections.destination_id', ids))
    .execute()
  const filters = new Map<string, Map<string, EventConditions>>()
  for (const link of links) {
    const own = filters.get(link.destination_id) ?? new Map<string, EventConditions>()
    filters.set(link.destination_id, own.set(link.source_id, eventFilter.parse(link.filter)))
  }
  return filters
}

/** Reads the IDs of sources that feed enabled signals: all of them, or only those among the given sources. */
const loadFeeds = async (tx: Tx, sources: readonly string[] | undefined): Promise<string[]> => {
  const rows = await tx
    .selectFrom('signal_sources')
    .innerJoin('signals', 'signals.id', 'signal_sources.signal_id')
    .select('signal_sources.source_id')
    .distinct()
    .where('signals.enabled', '=', true)
    .where(among('signal_sources.source_id', sources))
    .execute()
  return rows.map(({ source_id }) => source_id)
}

/**
 * Reads the conversions that signals send to destinations: to all destinations, or only to those with the given IDs.
 * Unreadable fields are replaced by the defaults of the platform.
 */
const loadSignals = async (tx: Tx, ids: readonly string[] | undefined) => {
  const rows = await tx
    .selectFrom('signal_platforms as p')
    .innerJoin('signals as s', 's.id', 'p.signal_id')
    .selectAll('p')
    .select('s.definition')
    .where(among('p.destination_id', ids))
    .execute()
  const found = new Map<string, Map<string, SignalPlatformSettings>>()
  for (const row of rows) {
    const own = found.get(row.destination_id) ?? new Map<string, SignalPlatformSettings>()
    found.set(row.destination_id, own.set(row.signal_id, storedPlatform(row)))
  }
  return found
}

type ReadingDeps = { secretBox: SecretBox; logger: Logger }

const settingsOf = (id: string, row: StoredSettings, { secretBox, logger }: ReadingDeps): Settings | undefined => {
  try {
    return openSettings(`destinations/${id}`, row, secretBox)
  } catch (error) {
    logger.error({ err: error, destinationId: id }, 'the settings of a destination cannot be opened; it is held')
    return undefined
  }
}

/** A mark for mappings that this version cannot read, such as those of a later version. */
const unreadable = Symbol('unreadable')

const mappingsOf = (
  id: string,
  stored: unknown,
  { logger }: ReadingDeps,
): readonly EventMapping[] | undefined | typeof unreadable => {
  if (stored === null) return undefined
  const { data, error } = eventMappings.safeParse(stored)
  if (data !== undefined) return data
  logger.error({ err: error, destinationId: id }, 'the mappings of a destination cannot be read; it is held')
  return unreadable
}

const destinationOf = (
  row: Selectable<Database['destinations']> & { spread: number | null; widest: number | null; places: unknown },
  grant: GrantState | undefined,
  { filters, signals }: Pick<CachedDestination, 'filters' | 'signals'>,
  deps: ReadingDeps,
): CachedDestination => {
  const settings = settingsOf(row.id, row, deps)
  const mappings = mappingsOf(row.id, row.mappings, deps)
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    title: row.title,
    app: row.app,
    enabled: row.enabled && settings !== undefined && mappings !== unreadable,
    spread: row.spread ?? 1,
    widest: row.widest ?? 1,
    settings: settings ?? {},
    secretsToEnter: row.secrets_to_enter,
    grant,
    mappings: mappings === unreadable ? [] : mappings,
    presetVersion: row.preset_version,
    consentCategories: row.consent_categories,
    filters,
    signals,
    personData: personDataPathsOf(row.places),
  }
}

/** Reads the destinations that are not deleted: all of them, or only those with the given IDs. */
const loadDestinations = async (
  tx: Tx,
  ids: readonly string[] | undefined,
  deps: ReadingDeps,
): Promise<CachedDestination[]> => {
  const rows = await tx
    .selectFrom('destinations')
    .leftJoin('workspace_spreads', 'workspace_spreads.workspace_id', 'destinations.workspace_id')
    .leftJoin('person_data_places', 'person_data_places.workspace_id', 'destinations.workspace_id')
    .selectAll('destinations')
    .select(['workspace_spreads.spread', 'workspace_spreads.widest', 'person_data_places.places'])
    .where('delete_time', 'is', null)
    .where(among('id', ids))
    .execute()
  const grants = await tx
    .selectFrom('oauth_grants')
    .select(['destination_id', 'id', 'status', 'issued_for', 'error'])
    .where(among('destination_id', ids))
    .execute()
  const grantOf = new Map(grants.map((row) => [row.destination_id, grantState(row)]))
  const filters = await loadFilters(tx, ids)
  const signals = await loadSignals(tx, ids)
  return rows.map((row) =>
    destinationOf(
      row,
      grantOf.get(row.id),
      { filters: filters.get(row.id) ?? new Map(), signals: signals.get(row.id) },
      deps,
    ),
  )
}

/**
 * Keeps every destination and connection in memory, for the pipeline and for delivery. With `connectors`, the connector
 * of a destination is loaded before the destination is in the snapshot.
 */
export const createDestinationCache = (
  deps: CacheFollowerDeps & ReadingDeps & { connectors?: Pick<LoadedConnectors<unknown>, 'load' | 'keep'> },
): DestinationCache => {
  let bySource = new Map<string, readonly string[]>()
  let byId = new Map<string, CachedDestination>()
  let feeds = new Set<string>()
  const listeners = new Set<() => void>()

  const follower = createCacheFollower(deps, {
    name: 'destinations',
    async load(tx, changed) {
      const destinations = await loadDestinations(tx, changed?.destinations, deps)
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
        deps.connectors?.keep(new Set([...byId.values()].map(({ app }) => app)))
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
