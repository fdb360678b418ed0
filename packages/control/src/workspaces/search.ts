import type { Db } from '@tributary/api-kit'
import { offeredDestinations } from '@tributary/configuration'
import { type FoundObject, matchScore, type methods, pageLimits, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { ControlDeps } from '../deps.ts'

type Entry = { slug: string; title: string; icon: string }

/**
 * Maximum number of resources of one kind that are ranked, more than fit on a page. If a workspace has more, those with
 * the shortest titles are ranked.
 */
const rankedLimit = pageLimits.max + 1

/** Returns a LIKE pattern for texts that contain these letters in this order. */
const inOrder = (word: string): string =>
  `%${Array.from(word, (letter) => letter.replace(/[\\%_]/, '\\$&')).join('%')}%`

/** Selects the rows for which every word of the search is found in the title or, if any, in the name of the app. */
const fitting = (search: string, catalog?: readonly Entry[]): RawBuilder<SqlBool> => {
  const words = search.split(/\s+/).filter((word) => word !== '')
  if (words.length === 0) return sql<SqlBool>`true`
  const conditions = words.map((word) => {
    if (catalog === undefined) return sql<SqlBool>`title ilike ${inOrder(word)}`
    const apps = catalog.filter((entry) => matchScore(entry.title, word) > 0).map(({ slug }) => slug)
    return sql<SqlBool>`(title ilike ${inOrder(word)} or app = any(${apps}))`
  })
  return sql<SqlBool>`(${sql.join(conditions, sql` and `)})`
}

const rowsOf = (
  db: Db,
  table: 'sources' | 'destinations',
  { workspace, search, catalog }: { workspace: string; search: string; catalog: readonly Entry[] },
) =>
  db
    .selectFrom(table)
    .select(['id', 'title', 'app'])
    .where('workspace_id', '=', workspace)
    .where('delete_time', 'is', null)
    .where(fitting(search, catalog))
    .orderBy(sql`length(title)`)
    .orderBy('title')
    .orderBy('id')
    .limit(rankedLimit)
    .execute()

/** Finds resources of a kind that has no app. */
const plainOf = (db: Db, table: 'audiences' | 'syncs' | 'signals', workspace: string, search: string) =>
  db
    .selectFrom(table)
    .select(['id', 'title'])
    .where('workspace_id', '=', workspace)
    .where(fitting(search))
    .orderBy(sql`length(title)`)
    .orderBy('title')
    .orderBy('id')
    .execute()

/** Scores a match in the title highest, then a match in the name of the app, then a match across both. */
const scoreOf = ({ title, app }: FoundObject, search: string): number =>
  matchScore(title, search) * 10 + matchScore(app.display_name, search) ||
  matchScore(`${title} ${app.display_name}`, search) / 10

/**
 * Finds the sources, destinations, audiences, syncs, and signals of a workspace that match a search, the best match
 * first.
 */
export const searchWorkspace =
  ({ db, catalog }: Pick<ControlDeps, 'db' | 'catalog'>): Handler<typeof methods.workspaces.search> =>
  async ({ workspace: { id: workspace }, query: { search, page_size } }) => {
    const appOf = (entries: readonly Entry[], slug: string): FoundObject['app'] => {
      const entry = entries.find((each) => each.slug === slug)
      return {
        display_name: entry?.title ?? slug,
        extra: { app_icon: entry?.icon ?? '' },
      }
    }
    const offered = await offeredDestinations(catalog, workspace)
    const [sources, destinations, audiences, syncs, signals] = await Promise.all([
      rowsOf(db, 'sources', { workspace, search, catalog: catalog.sources }),
      rowsOf(db, 'destinations', { workspace, search, catalog: offered }),
      plainOf(db, 'audiences', workspace, search),
      plainOf(db, 'syncs', workspace, search),
      plainOf(db, 'signals', workspace, search),
    ])
    const found: FoundObject[] = [
      ...sources.map(({ id, title, app }) => ({
        name: resourceNames.source.format({ workspace, source: id }),
        kind: 'source' as const,
        title,
        app: appOf(catalog.sources, app),
      })),
      ...destinations.map(({ id, title, app }) => ({
        name: resourceNames.destination.format({ workspace, destination: id }),
        kind: 'destination' as const,
        title,
        app: appOf(offered, app),
      })),
      ...audiences.map(({ id, title }) => ({
        name: resourceNames.audience.format({ workspace, audience: id }),
        kind: 'audience' as const,
        title,
        app: { display_name: 'Audience', extra: { app_icon: '' } },
      })),
      ...syncs.map(({ id, title }) => ({
        name: resourceNames.sync.format({ workspace, sync: id }),
        kind: 'sync' as const,
        title,
        app: { display_name: 'Sync', extra: { app_icon: '' } },
      })),
      ...signals.map(({ id, title }) => ({
        name: resourceNames.signal.format({ workspace, signal: id }),
        kind: 'signal' as const,
        title,
        app: { display_name: 'Signal', extra: { app_icon: '' } },
      })),
    ]
    const ranked = found
      .map((object) => ({ object, score: scoreOf(object, search) }))
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score || one.object.title.localeCompare(other.object.title))
    return { objects: ranked.slice(0, page_size).map(({ object }) => object), complete: ranked.length <= page_size }
  }
