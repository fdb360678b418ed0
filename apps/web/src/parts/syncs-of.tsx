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

const mostNamed = 5

/** What deleting something does to the syncs of these titles, in a sentence; '' without any. */
export const deletedSyncs = (titles: readonly string[]): string => {
  if (titles.length === 0) return ''
  const more = titles.length - mostNamed
  const named = more > 1 ? [...titles.slice(0, mostNamed), `${more} more`] : titles
  return titles.length === 1
    ? `Its sync ${titles[0] ?? ''} is deleted, too. Rows that it sent stay where they are.`
    : `Its syncs are deleted, too: ${listed(named)}. Rows that they sent stay where they are.`
}

/** The syncs of the workspace that something is part of; none while syncs are switched off. */
export const useSyncsOf = (isOf: (sync: Sync) => boolean): readonly Sync[] => {
  const enabled = useFlag('syncs')
  const { data } = useQuery({ ...syncsQuery(useWorkspace().name), enabled })
  return enabled ? (data?.filter(isOf) ?? []) : []
}

/** The syncs that something is part of, each with where its rows go; nothing where there are none. */
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
