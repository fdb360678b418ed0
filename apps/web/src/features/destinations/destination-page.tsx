import { useQuery } from '@tanstack/react-query'
import type { Destination } from '@tributary/contract'
import { useParams } from 'react-router'
import { paths } from '../../lib/paths.ts'
import { useVisited } from '../../lib/recent.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { destinationQuery } from '../../lib/workspace-queries.ts'
import { AppIcon } from '../../ui/app-icon.tsx'
import { LeaveGuard } from '../../ui/leave-guard.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { Skeleton, TableSkeleton } from '../../ui/skeleton.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { ConnectionNotice } from './connection-card.tsx'
import { destinationTabs } from './destination-tabs.tsx'
import { PausedNote } from './paused-note.tsx'
import { SetUpNotice } from './set-up-notice.tsx'
import { MappingDraftContext, useMappingDraft } from './use-mapping-draft.ts'

const DestinationView = ({ destination }: { destination: Destination }) => {
  const workspace = useWorkspace()
  useVisited(workspace.name, 'destination', destination)
  const draft = useMappingDraft()
  return (
    <MappingDraftContext value={draft}>
      <PageHeader
        title={destination.title}
        documentTitle={destination.title}
        description={`${destination.app.display_name}${destination.enabled ? '' : ' · Paused'}`}
        icon={<AppIcon icon={destination.app.extra.app_icon} size="lg" />}
        crumbs={[{ label: 'Destinations', to: paths.destinations(workspace.name) }]}
      />
      <SetUpNotice destination={destination} />
      {destination.state === 'ready' && destination.grant !== null && destination.grant.status !== 'connected' && (
        <ConnectionNotice destination={destination} grant={destination.grant} />
      )}
      <PausedNote destination={destination} />
      <Tabs
        browsable
        label="Destination"
        tabs={destinationTabs.map(({ id, name, Content, Count }, index) => ({
          id,
          name,
          content: <Content destination={destination} />,
          badge: Count !== undefined && <Count destination={destination} />,
          ...(index === 0 ? {} : { hash: id }),
        }))}
      />
      <LeaveGuard dirty={draft.dirty}>
        Your changes of the mappings are not saved and would be lost: {draft.words}.
      </LeaveGuard>
    </MappingDraftContext>
  )
}

const Loading = () => (
  <div aria-busy>
    <div className="mb-6 flex items-center gap-4 pt-7">
      <Skeleton className="size-11 rounded-md" />
      <div className="space-y-2">
        <Skeleton className="h-5 w-48" />
        <Skeleton className="h-3 w-28" />
      </div>
    </div>
    <div className="mb-5 h-9 border-b border-line" />
    <TableSkeleton rows={6} columns={5} />
  </div>
)

/** One destination with its tabs. */
export const DestinationPage = () => {
  const workspace = useWorkspace()
  const { destinationId } = useParams()
  const query = useQuery(destinationQuery(`${workspace.name}/destinations/${destinationId ?? ''}`))
  return (
    <QueryView page query={query} skeleton={<Loading />} errorTitle="Failed to load the destination">
      {(destination) => <DestinationView key={destination.name} destination={destination} />}
    </QueryView>
  )
}
