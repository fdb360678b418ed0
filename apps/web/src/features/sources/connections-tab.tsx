import { useQuery } from '@tanstack/react-query'
import type { Source } from '@tributary/contract'
import { Send } from 'lucide-react'
import { ConnectionList, ConnectMenu } from '../../components/connection-list.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { useConnections } from '../../components/use-connections.ts'
import { paths } from '../../lib/paths.ts'
import { connectionsQuery, destinationsQuery } from '../../lib/queries/workspace-queries.ts'
import { useMayEdit, useWorkspace } from '../../lib/workspace.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { notifyRefusal } from '../../ui/overlays/toast.tsx'
import { EmptyState } from '../../ui/page/empty-state.tsx'
import { TableSkeleton } from '../../ui/page/skeleton.tsx'

/** The destinations that get this source's events. */
export const ConnectionsTab = ({ source }: { source: Source }) => {
  const workspace = useWorkspace()
  const mayEdit = useMayEdit() === true
  const connections = useQuery(connectionsQuery(workspace.name))
  const destinations = useQuery(destinationsQuery(workspace.name))
  const refused = (error: Error): void => notifyRefusal('Could not connect', error)
  const { connect, disconnect, enable } = useConnections(workspace.name, 'Destination')
  const mine = (connections.data ?? []).filter((connection) => connection.source === source.name)
  const connected = new Set(mine.map(({ destination }) => destination))
  const free = (destinations.data ?? []).filter(({ name }) => !connected.has(name))
  const addTo = paths.catalogDestinations(workspace.name)
  const failed = { text: 'The destinations could not be loaded', onRetry: () => void destinations.refetch() }
  const menu = (
    <ConnectMenu
      label="Connect destination"
      failed={destinations.isError && destinations.data === undefined ? failed : undefined}
      loading={connect.isPending}
      choices={free.map(({ name, title, app }) => ({ name, title, icon: app.extra.app_icon }))}
      onConnect={(destination) => connect.mutate({ source: source.name, destination }, { onError: refused })}
      addLabel="New destination"
      addTo={addTo}
    />
  )
  return (
    <QueryView query={connections} skeleton={<TableSkeleton rows={2} />} errorTitle="Failed to load the connections">
      {() =>
        mine.length === 0 ? (
          <EmptyState
            icon={<Send />}
            title="Not connected yet"
            action={
              mayEdit &&
              (destinations.data?.length === 0 ? (
                <ButtonLink to={addTo} variant="primary">
                  Add a destination
                </ButtonLink>
              ) : (
                menu
              ))
            }
          >
            This source's events are stored. Connect a destination to deliver them too.
          </EmptyState>
        ) : (
          <div className="space-y-4">
            <div className="flex flex-wrap items-center justify-between gap-3">
              <p className="text-sm text-ink-2">This source's events are delivered to these destinations.</p>
              {mayEdit && menu}
            </div>
            <ConnectionList
              label="Connected destinations"
              mayEdit={mayEdit}
              rows={mine.map(({ name, destination, enabled, extra }) => ({
                name,
                enabled,
                title: extra.destination.title,
                to: paths.destination(destination),
                icon: extra.destination.app_icon,
                appTitle: extra.destination.display_name,
                ...(extra.destination.enabled ? {} : { otherOff: 'Paused' }),
              }))}
              onEnable={(name, enabled) => enable.mutate({ name, enabled })}
              onDisconnect={(name) => disconnect.mutateAsync(name)}
              disconnectText={(row) => `${row.title} stops receiving events from ${source.title}. Neither is deleted.`}
            />
          </div>
        )
      }
    </QueryView>
  )
}
