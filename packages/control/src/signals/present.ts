import type { Db } from '@tributary/api-kit'
import { authorOf } from '@tributary/audiences'
import { missingSettings, ownFields, readableSettings, readDestination } from '@tributary/configuration'
import { signalFieldMappings } from '@tributary/connector-kit'
import {
  resourceNames,
  type Signal,
  type SignalPlatformShown,
  type SignalSummary,
  type SignalTrigger,
  signalPlatforms,
} from '@tributary/contract'
import {
  allPlatforms,
  definitionOf,
  eventNameOf,
  type PlatformWithDestination,
  platformOf,
  readPlatforms,
  type SignalRow,
  type StoredDefinition,
  signalName,
} from '@tributary/signals'
import { sql } from 'kysely'
import type { ControlDeps } from '../deps.ts'
import { readScores } from './scores.ts'

export type PresentDeps = Pick<ControlDeps, 'db' | 'catalog' | 'secretBox' | 'logger' | 'clock'>

/** Number of days whose counts the list of signals shows. */
const recentDays = 7

/** Reads the daily counts of each signal for the last days, the oldest day first. */
const readRecent = async (db: Db, ids: readonly string[], now: number): Promise<ReadonlyMap<string, number[]>> => {
  const { rows } = await sql<{ id: string; counts: number[] }>`
    select signal.id, array_agg(coalesce(c.count, 0)::int order by at.day) as counts
    from unnest(${ids}::uuid[]) as signal (id)
    cross join generate_series(0, ${recentDays - 1}) as ago (days)
    cross join lateral (
      select (to_timestamp(${now / 1000}::double precision) at time zone 'UTC')::date - ago.days as day
    ) as at
    left join signal_counts c on c.signal_id = signal.id and c.destination_id = ${allPlatforms}::uuid
      and c.day = at.day and c.kind = 'conversion'
    group by signal.id`.execute(db)
  return new Map(rows.map(({ id, counts }) => [id, counts]))
}

type Titles = ReadonlyMap<string, { title: string; target_product: string }>

/**
 * Reads the titles of the sources and audiences from which signals get their conversions, by resource name. Leaves out
 * deleted ones.
 */
const readTitles = async (
  db: Db,
  workspaceId: string,
  triggers: readonly SignalTrigger[],
  catalog: ControlDeps['catalog'],
): Promise<Titles> => {
  const sources = triggers.flatMap((each) => (each.type === 'events' ? each.sources : []))
  const audiences = triggers.flatMap((each) => (each.type === 'audience' ? [each.audience] : []))
  const idsOf = (names: readonly string[]) => [...new Set(names.map((name) => name.split('/').at(-1) ?? ''))]
  const [found, groups] = await Promise.all([
    sources.length === 0
      ? []
      : db
          .selectFrom('sources')
          .select(['id', 'title', 'app'])
          .where('workspace_id', '=', workspaceId)
          .where('id', 'in', idsOf(sources))
          .where('delete_time', 'is', null)
          .execute(),
    audiences.length === 0
      ? []
      : db
          .selectFrom('audiences')
          .select(['id', 'title'])
          .where('workspace_id', '=', workspaceId)
          .where('id', 'in', idsOf(audiences))
          .execute(),
  ])
  return new Map([
    ...found.map(({ id, title, app }): [string, { title: string; target_product: string }] => [
      resourceNames.source.format({ workspace: workspaceId, source: id }),
      { title, target_product: catalog.sources.find(({ slug }) => slug === app)?.targetProduct ?? 'CDP' },
    ]),
    ...groups.map(({ id, title }): [string, { title: string; target_product: string }] => [
      resourceNames.audience.format({ workspace: workspaceId, audience: id }),
      { title, target_product: '' },
    ]),
  ])
}

const feedsOf = (trigger: SignalTrigger): readonly string[] =>
  trigger.type === 'events' ? trigger.sources : [trigger.audience]

/** Returns the reason why conversions cannot be sent to a destination; '' if they can. */
export const platformProblem = async (
  { db, catalog, secretBox, logger }: PresentDeps,
  workspaceId: string,
  { destination_id }: Pick<PlatformWithDestination, 'destination_id'>,
): Promise<string> => {
  const row = await readDestination(db, workspaceId, destination_id)
  const definition = await platformOf(catalog, row.app)
  if (definition === undefined) return `${row.title} does not take conversions`
  const settings = readableSettings(`destinations/${row.id}`, row, secretBox, logger)
  const missing = missingSettings(definition, settings, row)
  return missing.length === 0 ? '' : `${row.title} is not set up. Complete its settings`
}

const destinationName = (workspace: string, destination: string): string =>
  resourceNames.destination.format({ workspace, destination })

const knownPlatform = (platform: string) => signalPlatforms.find((each) => each === platform) ?? 'meta'

const presentPlatform = async (
  deps: PresentDeps,
  workspaceId: string,
  row: PlatformWithDestination,
  { conversion }: StoredDefinition,
): Promise<SignalPlatformShown> => {
  const entry = deps.catalog.destinations.find(({ slug }) => slug === row.app)
  const definition = await platformOf(deps.catalog, row.app)
  const own = ownFields(row)
  return {
    destination: destinationName(workspaceId, row.destination_id),
    title: row.title,
    app: { display_name: entry?.title ?? row.app, extra: { app_icon: entry?.icon ?? '' } },
    platform: knownPlatform(row.platform),
    event_name: row.event_name,
    shown_event_name: definition === undefined ? row.event_name : eventNameOf(definition, row, conversion),
    test_event_code: row.test_event_code,
    has_test_code: definition?.conversions.testCode !== undefined,
    field_mappings: own ?? (definition === undefined ? [] : signalFieldMappings(definition)),
    is_preset: own === undefined,
    enabled: row.enabled,
    problem: await platformProblem(deps, workspaceId, row),
  }
}

const stateOf = (enabled: boolean, problems: readonly string[]): SignalSummary['state'] => {
  if (!enabled) return 'disabled'
  return problems.length === 0 || problems.some((problem) => problem !== '') ? 'problem' : 'enabled'
}

/** Returns signals as the API shows them in a list. */
export const presentSignals = async (
  deps: PresentDeps,
  workspaceId: string,
  rows: readonly SignalRow[],
): Promise<SignalSummary[]> => {
  const ids = rows.map(({ id }) => id)
  const definitions = rows.map((row) => ({ row, definition: definitionOf(row) }))
  const [platforms, recent, titles] = await Promise.all([
    readPlatforms(deps.db, ids),
    readRecent(deps.db, ids, deps.clock()),
    readTitles(
      deps.db,
      workspaceId,
      definitions.map(({ definition }) => definition.trigger),
      deps.catalog,
    ),
  ])
  const scores = await readScores(deps, platforms, recentDays)
  const problems = new Map<string, string>()
  for (const each of [...platforms.values()].flat())
    if (!problems.has(each.destination_id))
      problems.set(each.destination_id, await platformProblem(deps, workspaceId, each))
  return definitions.map(({ row, definition: { trigger, conversion } }) => {
    const own = platforms.get(row.id) ?? []
    return {
      name: signalName(workspaceId, row.id),
      title: row.title,
      enabled: row.enabled,
      state: stateOf(
        row.enabled,
        own.map(({ destination_id }) => problems.get(destination_id) ?? ''),
      ),
      conversion,
      trigger: {
        type: trigger.type,
        sources: feedsOf(trigger).flatMap((name) => {
          const known = titles.get(name)
          return known === undefined ? [] : [{ name, title: known.title }]
        }),
        event_names:
          trigger.type === 'events'
            ? trigger.events.map(({ event_type, event_name }) => event_name || event_type)
            : ['Audience Entered'],
      },
      platforms: own.map((each) => ({
        destination: destinationName(workspaceId, each.destination_id),
        title: each.title,
        platform: knownPlatform(each.platform),
        app_icon: deps.catalog.destinations.find(({ slug }) => slug === each.app)?.icon ?? '',
      })),
      recent_counts: recent.get(row.id) ?? [],
      score: scores.get(row.id) ?? null,
      last_conversion_time: row.last_conversion_time?.toISOString() ?? null,
      create_time: row.create_time.toISOString(),
      update_time: row.update_time.toISOString(),
    }
  })
}

/** Returns a signal as the API shows it on its page. */
export const presentSignal = async (deps: PresentDeps, row: SignalRow): Promise<Signal> => {
  const definition = definitionOf(row)
  const [[summary], platforms, titles, author] = await Promise.all([
    presentSignals(deps, row.workspace_id, [row]),
    readPlatforms(deps.db, [row.id]),
    readTitles(deps.db, row.workspace_id, [definition.trigger], deps.catalog),
    authorOf(deps.db, row.author_id),
  ])
  if (summary === undefined) throw new Error('a row has no summary')
  const shown: SignalPlatformShown[] = []
  for (const each of platforms.get(row.id) ?? [])
    shown.push(await presentPlatform(deps, row.workspace_id, each, definition))
  return {
    ...summary,
    ...definition,
    trigger_titles: feedsOf(definition.trigger).map((name) => {
      const known = titles.get(name)
      return {
        name,
        title: known?.title ?? '',
        target_product: known?.target_product ?? '',
        missing: known === undefined,
      }
    }),
    platforms: shown,
    revision: row.revision,
    author,
    warnings: [],
  }
}
