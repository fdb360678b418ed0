import { useQuery } from '@tanstack/react-query'
import type { Connection } from '@tributary/contract'
import { ArrowRightLeft, Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { QueryView } from '../../components/query-view.tsx'
import { useAddress } from '../../lib/browser/use-address.ts'
import { type RangePreset, viewOf } from '../../lib/format/date-range.ts'
import { paths } from '../../lib/paths.ts'
import {
  allSourcesQuery,
  connectionActivityQuery,
  connectionsQuery,
  destinationsQuery,
} from '../../lib/queries/workspace-queries.ts'
import { useMayEdit, useWorkspace } from '../../lib/workspace.ts'
import { Button } from '../../ui/button.tsx'
import { RangeSelect, useRange } from '../../ui/charts/range-select.tsx'
import { ListBar } from '../../ui/lists/list-bar.tsx'
import { EmptyState } from '../../ui/page/empty-state.tsx'
import { PageHeader } from '../../ui/page/page-header.tsx'
import { TableSkeleton } from '../../ui/page/skeleton.tsx'
import { ConnectDialog } from './connect-dialog.tsx'
import { ConnectionMap, ConnectionRows } from './connection-map.tsx'
import { ConnectionPanel } from './connection-panel.tsx'
import { layOut, type MapEnd } from './map-layout.ts'
import { UnconnectedEnds } from './unconnected-ends.tsx'

const filterNames = ['search'] as const

/** Returns the sources or destinations that the connections name, for use until the complete lists are loaded. */
const endsOf = (connections: readonly Connection[], side: 'source' | 'destination'): MapEnd[] =>
  [...new Map(connections.map((connection) => [connection[side], connection.extra[side]])).values()].map((end) => ({
    name: end.name,
    title: end.title,
    icon: end.app_icon,
    appTitle: end.display_name,
    ...(end.enabled ? {} : { off: side === 'source' ? 'Disabled' : 'Paused' }),
  }))

const useLayout = (workspace: string, connections: readonly Connection[], search: string, range: RangePreset) => {
  const sources = useQuery(allSourcesQuery(workspace)).data
  const destinations = useQuery(destinationsQuery(workspace)).data
  const activities = useQuery(connectionActivityQuery(workspace, range)).data
  return useMemo(
    () =>
      layOut(
        {
          sources:
            sources?.map(({ name, title, app, enabled }) => ({
              name,
              title,
              icon: app.extra.app_icon,
              appTitle: app.display_name,
              ...(enabled ? {} : { off: 'Disabled' }),
            })) ?? endsOf(connections, 'source'),
          destinations:
            destinations?.map(({ name, title, app, enabled, state }) => ({
              name,
              title,
              icon: app.extra.app_icon,
              appTitle: app.display_name,
              ...(state === 'needs_setup' ? { off: 'Needs set-up' } : enabled ? {} : { off: 'Paused' }),
            })) ?? endsOf(connections, 'destination'),
          connections,
          activities,
        },
        search,
      ),
    [sources, destinations, activities, connections, search],
  )
}

/** The connections that a search finds, on a map and as a list, and the ends without a connection. */
const Found = ({
  layout,
  range,
  onOpen,
  onConnect,
}: {
  layout: ReturnType<typeof useLayout>
  range: RangePreset
  onOpen: (connection: string) => void
  onConnect: ((ends: { source?: string; destination?: string }) => void) | undefined
}) => {
  const { lines, sources, destinations, unconnected } = layout
  return (
    <>
      {sources.length + destinations.length > 0 && (
        <ConnectionMap layout={layout} range={range} onOpen={onOpen} onConnect={onConnect} />
      )}
      {lines.length === 0 ? (
        <p className="py-8 text-center text-ink-3 md:hidden">None of these are connected.</p>
      ) : (
        <ConnectionRows lines={lines} range={range} onOpen={onOpen} />
      )}
      <div className="grid items-start gap-3 md:grid-cols-2">
        <UnconnectedEnds
          noun="source"
          ends={unconnected.sources}
          to={paths.source}
          connectLabel={(title) => `Connect ${title} to a destination`}
          onConnect={onConnect && ((source) => onConnect({ source }))}
        />
        <UnconnectedEnds
          noun="destination"
          ends={unconnected.destinations}
          to={paths.destination}
          connectLabel={(title) => `Connect ${title} to a source`}
          onConnect={onConnect && ((destination) => onConnect({ destination }))}
        />
      </div>
      <p className="text-xs text-ink-3">
        Numbers count delivered and failed events, each by its last outcome in the {viewOf(range).title.toLowerCase()}.
      </p>
    </>
  )
}

const Connected = ({
  workspace,
  connections,
  mayEdit,
  onConnect,
}: {
  workspace: string
  connections: Connection[]
  mayEdit: boolean
  onConnect: (ends: { source?: string; destination?: string }) => void
}) => {
  const [filters, change] = useAddress(filterNames)
  const [range, choose] = useRange()
  const [opened, setOpened] = useState<string>()
  const layout = useLayout(workspace, connections, filters.search, range)
  const { lines, sources, destinations, unconnected } = layout
  const found = sources.length + destinations.length + unconnected.sources.length + unconnected.destinations.length
  const line = lines.find(({ connection }) => connection.name === opened)
  return (
    <div className="space-y-4">
      <ListBar
        label="Search connections"
        noun="connection"
        filters={[]}
        values={filters}
        onChange={change}
        shown={lines.length}
        total={connections.length}
      >
        <RangeSelect value={range} onChange={choose} />
      </ListBar>
      {found === 0 ? (
        <p className="py-8 text-center text-ink-3">No sources or destinations match.</p>
      ) : (
        <Found layout={layout} range={range} onOpen={setOpened} onConnect={mayEdit ? onConnect : undefined} />
      )}
      {line !== undefined && (
        <ConnectionPanel
          key={line.connection.name}
          line={line}
          range={range}
          workspace={workspace}
          mayEdit={mayEdit}
          onClosed={() => setOpened(undefined)}
        />
      )}
    </div>
  )
}

/** A map of which sources feed which destinations. */
export const ConnectionsPage = () => {
  const workspace = useWorkspace()
  const mayEdit = useMayEdit() === true
  const query = useQuery(connectionsQuery(workspace.name))
  const [connecting, setConnecting] = useState<{ source?: string; destination?: string }>()
  const add = mayEdit && (
    <Button variant="primary" onClick={() => setConnecting({})}>
      <Plus aria-hidden />
      Connect
    </Button>
  )
  return (
    <>
      <PageHeader
        title="Connections"
        description="See which sources feed which destinations."
        action={(query.data?.length ?? 0) > 0 && add}
      />
      <QueryView query={query} skeleton={<TableSkeleton />} errorTitle="Failed to load the connections">
        {(connections) =>
          connections.length === 0 ? (
            <EmptyState icon={<ArrowRightLeft />} title="Nothing is connected yet" action={add}>
              A connection delivers every event a source accepts to a destination, starting when you create it.
            </EmptyState>
          ) : (
            <Connected
              workspace={workspace.name}
              connections={connections}
              mayEdit={mayEdit}
              onConnect={setConnecting}
            />
          )
        }
      </QueryView>
      {connecting !== undefined && (
        <ConnectDialog workspace={workspace.name} ends={connecting} onClose={() => setConnecting(undefined)} />
      )}
    </>
  )
}
