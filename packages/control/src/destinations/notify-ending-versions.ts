import { type Announce, notifyEditors, type Tx } from '@tributary/api-kit'
import type { ListedDestination } from '@tributary/connector-kit'
import { resourceNames } from '@tributary/contract'
import type { ControlDeps } from '../deps.ts'

/** Time before the end of a vendor's API version from which users are notified, ms. */
const noticeMs = 60 * 24 * 60 * 60_000
/** Titles of destinations that a notification lists. */
const maxTitles = 5

/** A kind of destination whose vendor ends the API version in use. */
type Ending = Pick<ListedDestination, 'slug' | 'title'> & { version: string; until: string }
type Affected = { id: string; title: string }

const day = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' })

const endingOf = (listed: readonly ListedDestination[], now: number): Ending[] =>
  listed.flatMap(({ slug, title, apiVersion }) => {
    const { version = '', until } = apiVersion ?? {}
    return until === undefined || Date.parse(until) - now > noticeMs ? [] : [{ slug, title, version, until }]
  })

const bodyOf = ({ title, until }: Ending, affected: readonly Affected[], now: number): string => {
  const titles = affected.slice(0, maxTitles).map((each) => each.title)
  const more = affected.length - titles.length
  const names = `${titles.join(', ')}${more > 0 ? `, and ${more} more` : ''}`
  const isOver = Date.parse(until) <= now
  return `${isOver ? `${title} can refuse events from now on` : 'Update Tributary before this day'}. Affected: ${names}.`
}

const notifyOfEnding = async (
  tx: Tx,
  ending: Ending,
  organizationId: string,
  workspaceId: string,
  affected: readonly Affected[],
  now: number,
): Promise<Announce> => {
  const name = resourceNames.destination.format({ workspace: workspaceId, destination: affected[0]?.id ?? '' })
  return await notifyEditors(tx, {
    organizationId,
    kind: 'api_version_ends',
    title: `${ending.title} ends ${ending.version} of its API on ${day.format(new Date(ending.until))}`,
    body: bodyOf(ending, affected, now),
    link: `/${name}`,
    cause: `workspaces/${workspaceId}/catalogDestinations/${ending.slug}/${ending.version}/${ending.until}`,
    now,
  })
}

/**
 * Notifies the administrators and collaborators of each workspace with enabled destinations whose vendor ends the API
 * version in use within 60 days. A version causes one notification in a workspace, however often and by however many
 * processes this function is called.
 */
export const notifyEndingVersions = async ({
  db,
  clock,
  live,
  catalog,
}: Pick<ControlDeps, 'db' | 'clock' | 'live' | 'catalog'>): Promise<void> => {
  const now = clock()
  const ending = endingOf(catalog.destinations, now)
  if (ending.length === 0) return
  const rows = await db
    .selectFrom('destinations as d')
    .innerJoin('workspaces as w', 'w.id', 'd.workspace_id')
    .select(['d.id', 'd.title', 'd.app', 'd.workspace_id', 'w.organization_id'])
    .where('d.delete_time', 'is', null)
    .where('d.enabled', '=', true)
    .where(
      'd.app',
      'in',
      ending.map(({ slug }) => slug),
    )
    .orderBy('d.id')
    .execute()
  for (const affected of Map.groupBy(rows, (row) => `${row.workspace_id} ${row.app}`).values()) {
    const [first] = affected
    const own = ending.find(({ slug }) => slug === first?.app)
    if (first === undefined || own === undefined) continue
    const announce = await db
      .transaction()
      .execute((tx) => notifyOfEnding(tx, own, first.organization_id, first.workspace_id, affected, now))
    announce(live)
  }
}
