import type { Tx } from '@tributary/api-kit'
import {
  among,
  type CacheFollower,
  type CacheFollowerDeps,
  type Changed,
  createCacheFollower,
} from '@tributary/configuration'
import type { DestinationDefinition, LoadedConnectors } from '@tributary/connector-kit'
import { defaultConsentPath, type SignalSettings, withoutConsentChoices } from '@tributary/contract'
import { sql } from 'kysely'
import type { EngineSignal } from './engine/make.ts'
import { type Matcher, matcherOf } from './engine/matcher.ts'
import { readyPlatform } from './platforms.ts'
import { definitionOf, type SignalRow } from './read.ts'

/** An enabled signal, compiled for checking each event. */
export type CachedSignal = EngineSignal & {
  /** Events received before this time do not count. */
  enabledAt: number
  matches: Matcher
  audienceId: string | null
}

/** The signals of a workspace. */
export type WorkspaceSignals = {
  bySource: ReadonlyMap<string, readonly CachedSignal[]>
  byAudience: ReadonlyMap<string, readonly CachedSignal[]>
  settings: Pick<SignalSettings, 'without_consent' | 'consent_path'>
}

export type SignalCache = CacheFollower & {
  /** Returns the enabled signals of a workspace; undefined if it has none. */
  find(workspaceId: string): WorkspaceSignals | undefined
  /** Returns the workspaces with enabled signals of audiences. */
  withAudiences(): readonly string[]
}

type Row = SignalRow & { sources: string[] }

const loadRows = async (tx: Tx, workspaces: readonly string[] | undefined) => {
  const signals = await tx
    .selectFrom('signals')
    .selectAll()
    .select(
      sql<string[]>`array(select f.source_id from signal_sources f join sources s on s.id = f.source_id
        where f.signal_id = signals.id and s.delete_time is null)`.as('sources'),
    )
    .where('enabled', '=', true)
    .where(among('workspace_id', workspaces))
    .orderBy('create_time')
    .execute()
  const platforms = await tx
    .selectFrom('signal_platforms as p')
    .innerJoin('destinations as d', 'd.id', 'p.destination_id')
    .leftJoin('person_data_places as o', 'o.workspace_id', 'p.workspace_id')
    .selectAll('p')
    .select(['d.app', 'd.settings as destination_settings', 'd.consent_categories', 'o.places as person_data'])
    .where('d.delete_time', 'is', null)
    .where(among('p.workspace_id', workspaces))
    .orderBy('p.place')
    .execute()
  const settings = await tx.selectFrom('signal_settings').selectAll().where(among('workspace_id', workspaces)).execute()
  return { signals: signals as Row[], platforms, settings }
}

type Rows = Awaited<ReturnType<typeof loadRows>>

type Deps = CacheFollowerDeps & { connectors: Pick<LoadedConnectors<DestinationDefinition>, 'load' | 'get'> }

const signalOf = ({ connectors, logger }: Deps, row: Row, platforms: Rows['platforms']): CachedSignal | undefined => {
  try {
    const definition = definitionOf(row)
    const own = platforms
      .filter(({ signal_id }) => signal_id === row.id)
      .flatMap((each) => readyPlatform(connectors.get(each.app), each, definition.conversion) ?? [])
    return {
      id: row.id,
      workspaceId: row.workspace_id,
      definition,
      platforms: own,
      enabledAt: row.enable_time?.getTime() ?? 0,
      matches: matcherOf(definition),
      audienceId: row.audience_id,
    }
  } catch (error) {
    logger.error({ err: error, signalId: row.id }, 'a signal cannot be read; it makes no conversions')
    return undefined
  }
}

const workspaceOf = (deps: Deps, id: string, { signals, platforms, settings }: Rows): WorkspaceSignals | undefined => {
  const own = signals
    .filter(({ workspace_id }) => workspace_id === id)
    .flatMap((row) => {
      const made = signalOf(deps, row, platforms)
      return made === undefined ? [] : [{ made, sources: row.sources }]
    })
  if (own.length === 0) return undefined
  const bySource = new Map<string, CachedSignal[]>()
  const byAudience = new Map<string, CachedSignal[]>()
  const add = (to: Map<string, CachedSignal[]>, key: string, signal: CachedSignal): void => {
    const known = to.get(key)
    if (known === undefined) to.set(key, [signal])
    else known.push(signal)
  }
  for (const { made, sources } of own) {
    for (const source of sources) add(bySource, source, made)
    if (made.audienceId !== null) add(byAudience, made.audienceId, made)
  }
  const said = settings.find(({ workspace_id }) => workspace_id === id)
  return {
    bySource,
    byAudience,
    settings: {
      without_consent: withoutConsentChoices.find((each) => each === said?.without_consent) ?? 'send',
      consent_path: said?.consent_path ?? defaultConsentPath,
    },
  }
}

/**
 * Keeps enabled signals in memory, by workspace. The connectors of their platforms are loaded before a signal is used.
 */
export const createSignalCache = (deps: Deps): SignalCache => {
  const snapshot = new Map<string, WorkspaceSignals>()
  let audiences: readonly string[] = []

  /** Returns the workspaces with a changed signal, or with a signal whose source or destination changed. */
  const concerned = ({ signals, sources, destinations }: Changed): string[] => {
    const [froms, tos] = [new Set(sources), new Set(destinations)]
    const known = [...snapshot].flatMap(([id, { bySource, byAudience }]) => {
      const own = [...bySource.values(), ...byAudience.values()].flat()
      const fed = [...bySource.keys()].some((source) => froms.has(source))
      return fed || own.some((each) => each.platforms.some(({ destinationId }) => tos.has(destinationId))) ? [id] : []
    })
    return [...new Set([...signals, ...known])]
  }

  const follower = createCacheFollower(deps, {
    name: 'signals',
    async load(tx, changed) {
      const workspaces = changed === undefined ? undefined : concerned(changed)
      const rows = await loadRows(tx, workspaces)
      await deps.connectors.load([...new Set(rows.platforms.map(({ app }) => app))])
      return () => {
        if (changed === undefined) snapshot.clear()
        for (const id of workspaces ?? []) snapshot.delete(id)
        for (const id of new Set(rows.signals.map(({ workspace_id }) => workspace_id))) {
          const made = workspaceOf(deps, id, rows)
          if (made !== undefined) snapshot.set(id, made)
        }
        audiences = [...snapshot].flatMap(([id, { byAudience }]) => (byAudience.size > 0 ? [id] : []))
      }
    },
  })
  return { ...follower, find: (workspaceId) => snapshot.get(workspaceId), withAudiences: () => audiences }
}
