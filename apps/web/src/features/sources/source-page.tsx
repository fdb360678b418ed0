import { useQuery } from '@tanstack/react-query'
import type { SourceWithSchema } from '@tributary/contract'
import { useParams } from 'react-router'
import { DetailPage, DetailView } from '../../components/detail-page.tsx'
import { useVisited } from '../../lib/browser/recent.ts'
import { count } from '../../lib/format/text.ts'
import { refusedQuery } from '../../lib/queries/event-queries.ts'
import { sourceQuery } from '../../lib/queries/workspace-queries.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { Badge } from '../../ui/badge.tsx'
import { lazyPart } from '../../ui/page/lazy-part.tsx'
import { newestEvent } from './live/live-events.ts'
import { type LiveEvents, useLive, useLiveEvents } from './live/use-live-events.ts'
import { BacklogNotice } from './refused/backlog-notice.tsx'
import { SchemaLeaveGuard } from './schema/changes/schema-leave-guard.tsx'
import { useSchemaDraft } from './schema/changes/use-schema-draft.ts'
import { sourcePlaces } from './source-places.ts'
import { ViolationCount } from './violations/violation-count.tsx'

// The code of a tab is loaded when the tab is shown.
const ConnectionsTab = lazyPart(async () => (await import('./connections-tab.tsx')).ConnectionsTab)
const LiveEventsTab = lazyPart(async () => (await import('./live/live-events-tab.tsx')).LiveEventsTab)
const OverviewTab = lazyPart(async () => (await import('./overview-tab.tsx')).OverviewTab)
const RefusedTab = lazyPart(async () => (await import('./refused/refused-tab.tsx')).RefusedTab)
const SchemaTab = lazyPart(async () => (await import('./schema/schema-tab.tsx')).SchemaTab)
const SettingsTab = lazyPart(async () => (await import('./settings-tab.tsx')).SettingsTab)
const SetupTab = lazyPart(async () => (await import('./set-up/setup-tab.tsx')).SetupTab)
const ViolationsTab = lazyPart(async () => (await import('./violations/violations-tab.tsx')).ViolationsTab)

const RefusedCount = ({ source }: { source: string }) => {
  const refused = useQuery(refusedQuery(source)).data?.reduce((sum, row) => sum + row.count, 0) ?? 0
  return refused === 0 ? null : <Badge tone="danger">{count(refused)}</Badge>
}

const LiveSetup = ({ source, live }: { source: SourceWithSchema; live: LiveEvents }) => {
  const newest = useLive(live, newestEvent)
  const arrived = useLive(live, ({ events, waitingCount }) => events.length > 0 || waitingCount > 0)
  return <SetupTab source={source} received={source.has_received || arrived} newest={newest} />
}

const SourceView = ({ item: source }: { item: SourceWithSchema }) => {
  const workspace = useWorkspace()
  useVisited(workspace.name, 'source', source)
  const live = useLiveEvents(source)
  const draft = useSchemaDraft(source)
  return (
    <>
      <DetailView
        title={source.title}
        kind={source.app.display_name}
        state={source.enabled ? '' : 'Disabled'}
        icon={source.app.extra.app_icon}
        list={sourcePlaces(workspace.name, source.target_product).list}
        notices={<BacklogNotice source={source.name} />}
        label="Source"
        tabs={[
          { id: 'overview', name: 'Overview', hash: 'overview', content: <OverviewTab source={source} /> },
          { id: 'live', name: 'Live events', content: <LiveEventsTab source={source} live={live} /> },
          {
            id: 'schema',
            name: 'Schema',
            hash: 'schema',
            badge: draft.dirty && <Badge tone="warning">Unsaved</Badge>,
            content: <SchemaTab source={source} draft={draft} />,
          },
          {
            id: 'violations',
            name: 'Violations',
            hash: 'violations',
            badge: <ViolationCount source={source.name} />,
            content: <ViolationsTab source={source} />,
          },
          {
            id: 'refused',
            name: 'Refused requests',
            hash: 'refused',
            badge: <RefusedCount source={source.name} />,
            content: <RefusedTab source={source.name} />,
          },
          {
            id: 'setup',
            name: 'Set up',
            hash: 'setup',
            content: <LiveSetup source={source} live={live} />,
          },
          { id: 'connections', name: 'Connections', hash: 'connections', content: <ConnectionsTab source={source} /> },
          { id: 'settings', name: 'Settings', hash: 'settings', content: <SettingsTab source={source} /> },
        ]}
      />
      <SchemaLeaveGuard draft={draft} />
    </>
  )
}

/**
 * The page of a source: its figures, live events, schema and violations, rejections, set-up, connections and settings.
 */
export const SourcePage = () => {
  const workspace = useWorkspace()
  const { sourceId } = useParams()
  const query = useQuery(sourceQuery(`${workspace.name}/sources/${sourceId ?? ''}`))
  return <DetailPage query={query} errorTitle="Failed to load the source" View={SourceView} />
}
