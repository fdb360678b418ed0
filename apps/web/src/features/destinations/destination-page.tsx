import { useQuery } from '@tanstack/react-query'
import type { Destination } from '@tributary/contract'
import { useParams } from 'react-router'
import { DetailPage, DetailView } from '../../components/detail-page.tsx'
import { LeaveGuard } from '../../components/leave-guard.tsx'
import { useVisited } from '../../lib/browser/recent.ts'
import { paths } from '../../lib/paths.ts'
import { destinationQuery } from '../../lib/queries/workspace-queries.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { ConnectionNotice } from './connection-card.tsx'
import { tabsOf } from './destination-tabs.tsx'
import { MappingDraftContext, useMappingDraft } from './mappings/use-mapping-draft.ts'
import { PausedNote } from './paused-note.tsx'
import { SetUpNotice } from './set-up-notice.tsx'

const DestinationView = ({ item: destination }: { item: Destination }) => {
  const workspace = useWorkspace()
  useVisited(workspace.name, 'destination', destination)
  const draft = useMappingDraft()
  return (
    <MappingDraftContext value={draft}>
      <DetailView
        title={destination.title}
        kind={destination.app.display_name}
        state={destination.enabled ? '' : 'Paused'}
        icon={destination.app.extra.app_icon}
        app={destination.app.catalog_app}
        list={{ label: 'Destinations', to: paths.destinations(workspace.name) }}
        notices={
          <>
            <SetUpNotice destination={destination} />
            {destination.state === 'ready' &&
              destination.grant !== null &&
              destination.grant.status !== 'connected' && (
                <ConnectionNotice destination={destination} grant={destination.grant} />
              )}
            <PausedNote destination={destination} />
          </>
        }
        label="Destination"
        tabs={tabsOf(destination).map(({ id, name, Content, Count }, index) => ({
          id,
          name,
          content: <Content destination={destination} />,
          badge: Count !== undefined && <Count destination={destination} />,
          ...(index === 0 ? {} : { hash: id }),
        }))}
      />
      <LeaveGuard dirty={draft.dirty}>Your mapping changes are not saved and will be lost: {draft.words}.</LeaveGuard>
    </MappingDraftContext>
  )
}

/** One destination with its tabs. */
export const DestinationPage = () => {
  const workspace = useWorkspace()
  const { destinationId } = useParams()
  const query = useQuery(destinationQuery(`${workspace.name}/destinations/${destinationId ?? ''}`))
  return <DetailPage query={query} errorTitle="Failed to load the destination" View={DestinationView} />
}
