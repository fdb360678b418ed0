import { useQuery } from '@tanstack/react-query'
import type { Audience } from '@tributary/contract'
import { Link } from 'react-router'
import { QueryView } from '../../components/query-view.tsx'
import { useDeletedSyncs } from '../../components/syncs-of.tsx'
import { listed } from '../../lib/format/text.ts'
import { paths } from '../../lib/paths.ts'
import { audienceDestinationsQuery } from '../../lib/queries/audience-queries.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { Card } from '../../ui/card.tsx'
import { DeleteCard } from '../../ui/page/delete-card.tsx'
import { CardSkeleton } from '../../ui/page/skeleton.tsx'
import { useDeleteAudience } from './mutations.ts'

/** Describes what happens to the destinations of the audience if it is deleted. */
const endOf = (title: string, destinations: readonly { title: string }[]): string => {
  if (destinations.length === 0) return `Nothing depends on ${title}.`
  const names = listed(destinations.map((each) => each.title))
  return `${names} ${destinations.length === 1 ? 'is' : 'are'} disconnected without receiving the exits of its profiles.`
}

/** Describes what happens to the destinations and syncs of the audience if it is deleted. */
const endsOf = (title: string, destinations: readonly { title: string }[], deleted: string): string => {
  if (deleted === '') return endOf(title, destinations)
  return destinations.length === 0 ? deleted : `${endOf(title, destinations)} ${deleted}`
}

/** Deletes an audience; lists the audiences that refer to it, which prevent the deletion. */
export const SettingsTab = ({ audience }: { audience: Audience }) => {
  const remove = useDeleteAudience(audience)
  const destinations = useQuery(audienceDestinationsQuery(audience.name))
  const deleted = useDeletedSyncs((sync) => sync.model.audience === audience.name)
  const list = paths.audiences(useWorkspace().name)
  const { dependents, title } = audience
  return (
    <div className="max-w-2xl">
      {dependents.length > 0 ? (
        <Card
          tone="danger"
          title="Delete audience"
          description="It can't be deleted while these audiences name it in a condition. Change or delete them first."
        >
          <ul aria-label="Audiences that depend on it" className="space-y-1.5">
            {dependents.map((each) => (
              <li key={each.name}>
                <Link
                  to={paths.audience(each.name)}
                  className="block w-fit max-w-full truncate rounded-sm text-sm font-medium hover:underline"
                >
                  {each.title}
                </Link>
              </li>
            ))}
          </ul>
        </Card>
      ) : (
        <QueryView
          query={destinations}
          skeleton={<CardSkeleton />}
          errorTitle="Failed to load what depends on the audience"
        >
          {({ destinations: connected }) => (
            <DeleteCard
              label="Delete audience"
              description="Its profiles and their events are kept."
              mutation={remove}
              list={list}
              checking={deleted === undefined}
            >
              {[endsOf(title, connected, deleted ?? ''), "This can't be undone."].join(' ')}
            </DeleteCard>
          )}
        </QueryView>
      )}
    </div>
  )
}
