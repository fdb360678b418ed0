import { useQuery } from '@tanstack/react-query'
import type { Sync } from '@tributary/contract'
import { Link } from 'react-router'
import { listed } from '../lib/format/text.ts'
import { useFlag } from '../lib/integrations/flags.ts'
import { paths } from '../lib/paths.ts'
import { syncsQuery } from '../lib/queries/sync-queries.ts'
import { useWorkspace } from '../lib/workspace.ts'
import { Badge } from '../ui/badge.tsx'
import { Card } from '../ui/card.tsx'
import { CardList, CardRow } from '../ui/lists/card-list.tsx'

const maxNamed = 5

/** Returns the first few titles and, if there are more, the number of the remaining ones. */
const shortened = (titles: readonly string[]): readonly string[] => {
  const more = titles.length - maxNamed
  return more > 1 ? [...titles.slice(0, maxNamed), `${more} more`] : titles
}

const titlesOf = (syncs: readonly Sync[]): string[] => syncs.map(({ title }) => title)

/** Describes in a sentence that the syncs with these titles are deleted, too. Returns '' if there are none. */
export const deletedSyncs = (titles: readonly string[]): string => {
  const [only] = titles
  if (only === undefined) return ''
  return titles.length === 1
    ? `Its sync ${only} is deleted, too. Rows that it sent stay where they are.`
    : `Its syncs are deleted, too: ${listed(shortened(titles))}. Rows that they sent stay where they are.`
}

/**
 * Describes in a sentence that the syncs with these titles no longer run because they run after a deleted one. Returns
 * '' if there are none.
 */
export const leftSyncs = (titles: readonly string[]): string => {
  const [only] = titles
  if (only === undefined) return ''
  return titles.length === 1
    ? `${only} runs after it and will no longer run automatically.`
    : `These syncs run after it and will no longer run automatically: ${listed(shortened(titles))}.`
}

const useSyncs = () => {
  const enabled = useFlag('syncs')
  const query = useQuery({ ...syncsQuery(useWorkspace().name), enabled })
  return { ...query, data: enabled ? query.data : [] }
}

/** The syncs of the workspace for which `isOf` is true; none while syncs are switched off. */
export const useSyncsOf = (isOf: (sync: Sync) => boolean): readonly Sync[] => useSyncs().data?.filter(isOf) ?? []

/**
 * The effect of deleting an object on the syncs that use it, and on those that run after them, in sentences; undefined
 * until it is known.
 */
export const useDeletedSyncs = (isOf: (sync: Sync) => boolean): string | undefined => {
  const { data, isError } = useSyncs()
  if (data === undefined) return isError ? 'Could not load which syncs are deleted, too.' : undefined
  const deleted = data.filter(isOf)
  const names = new Set(deleted.map(({ name }) => name))
  const left = data.filter(({ name, after }) => after !== null && names.has(after.name) && !names.has(name))
  return [deletedSyncs(titlesOf(deleted)), leftSyncs(titlesOf(left))].filter((text) => text !== '').join(' ')
}

/** Describes the effect of deleting one sync on the syncs that run after it. */
export const useLeftSyncs = (sync: Sync): string | undefined => {
  const { data, isError } = useSyncs()
  if (data === undefined) return isError ? 'Could not load which syncs run after it.' : undefined
  return leftSyncs(titlesOf(data.filter(({ after }) => after?.name === sync.name)))
}

/** The syncs that use an object, each with its destination; nothing when there are none. */
export const SyncsCard = ({ syncs }: { syncs: readonly Sync[] }) =>
  syncs.length > 0 && (
    <Card title="Syncs">
      <CardList label="Syncs">
        {syncs.map(({ name, title, model, destination, object_name, paused }) => (
          <CardRow key={name}>
            <div className="min-w-0 flex-1 basis-48">
              <Link to={paths.sync(name)} className="block truncate rounded-sm text-sm font-medium hover:underline">
                {title}
              </Link>
              <p className="truncate text-xs text-ink-2">
                {model.title} → {destination.title} · {object_name}
              </p>
            </div>
            {paused && <Badge tone="outline">Paused</Badge>}
          </CardRow>
        ))}
      </CardList>
    </Card>
  )
