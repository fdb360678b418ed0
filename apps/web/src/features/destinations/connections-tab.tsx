import { useQuery } from '@tanstack/react-query'
import type { Destination } from '@tributary/contract'
import { Radio } from 'lucide-react'
import { Link } from 'react-router'
import { ConnectionFailure, ConnectionState } from '../../components/audience-connection.tsx'
import { ConnectionList, ConnectMenu } from '../../components/connection-list.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { SyncsCard, useSyncsOf } from '../../components/syncs-of.tsx'
import { useConnections } from '../../components/use-connections.ts'
import { paths } from '../../lib/paths.ts'
import { destinationAudiencesQuery } from '../../lib/queries/audience-queries.ts'
import { connectionsQuery, sourcesQuery } from '../../lib/queries/workspace-queries.ts'
import { useMayEdit, useWorkspace } from '../../lib/workspace.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { notifyRefusal } from '../../ui/overlays/toast.tsx'
import { EmptyState } from '../../ui/page/empty-state.tsx'
import { TableSkeleton } from '../../ui/page/skeleton.tsx'

/** The audiences whose entries and exits this destination receives. Shows nothing if there are none. */
const Audiences = ({ destination }: { destination: Destination }) => {
  const { data: audiences = [] } = useQuery(destinationAudiencesQuery(destination.name))
  if (audiences.length === 0) return null
  return (
    <Card title="Audiences">
      <ul aria-label="Connected audiences" className="-my-3 divide-y divide-line">
        {audiences.map((audience) => (
          <li key={audience.name} className="flex flex-wrap items-center gap-3 py-3">
            <div className="min-w-0 flex-1 basis-48">
              <Link
                to={paths.audience(audience.name, 'destinations')}
                className="block truncate rounded-sm text-sm font-medium hover:underline"
              >
                {audience.title}
              </Link>
              <ConnectionFailure of={audience} to={paths.destination(destination.name, 'failures')} />
            </div>
            <ConnectionState of={audience} />
            <Link
              to={paths.deliveries(destination.name, '', { audience: audience.name })}
              aria-label={`Deliveries of ${audience.title}`}
              className="rounded-sm text-sm text-accent-ink hover:underline"
            >
              Deliveries
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** The sources, audiences and syncs that send to this destination. */
export const ConnectionsTab = ({ destination }: { destination: Destination }) => (
  <div className="space-y-5">
    <Sources destination={destination} />
    <Audiences destination={destination} />
    <SyncsCard syncs={useSyncsOf((sync) => sync.destination.name === destination.name)} />
  </div>
)

const Sources = ({ destination }: { destination: Destination }) => {
  const workspace = useWorkspace()
  const mayEdit = useMayEdit() === true
  const connections = useQuery(connectionsQuery(workspace.name))
  const sources = useQuery(sourcesQuery(workspace.name))
  const refused = (error: Error): void => notifyRefusal('Could not connect', error)
  const { connect, disconnect, enable } = useConnections(workspace.name, 'Source')
  const mine = (connections.data ?? []).filter((connection) => connection.destination === destination.name)
  const connected = new Set(mine.map(({ source }) => source))
  const free = (sources.data ?? []).filter(({ name }) => !connected.has(name))
  const addTo = paths.catalogSources(workspace.name, destination.name)
  const failed = { text: 'Could not load the sources', onRetry: () => void sources.refetch() }
  const menu = (
    <ConnectMenu
      label="Connect source"
      failed={sources.isError && sources.data === undefined ? failed : undefined}
      loading={connect.isPending}
      choices={free.map(({ name, title, app }) => ({ name, title, icon: app.extra.app_icon }))}
      onConnect={(source) => connect.mutate({ source, destination: destination.name }, { onError: refused })}
      addLabel="New source"
      addTo={addTo}
    />
  )
  const add =
    sources.data?.length === 0 ? (
      <ButtonLink to={addTo} variant="primary">
        Add a source
      </ButtonLink>
    ) : (
      menu
    )
  return (
    <QueryView query={connections} skeleton={<TableSkeleton rows={2} />} errorTitle="Failed to load the connections">
      {() =>
        mine.length === 0 ? (
          <EmptyState icon={<Radio />} title="Not connected yet" action={mayEdit && add}>
            Connect a source to start delivering its events here.
          </EmptyState>
        ) : (
          <div className="space-y-4">
            <div className="flex flex-wrap items-center justify-between gap-3">
              <p className="text-sm text-ink-2">Events from these sources are delivered here.</p>
              {mayEdit && menu}
            </div>
            <ConnectionList
              label="Connected sources"
              mayEdit={mayEdit}
              rows={mine.map(({ name, source, enabled, extra }) => ({
                name,
                enabled,
                title: extra.source.title,
                to: paths.source(source),
                icon: extra.source.app_icon,
                appTitle: extra.source.display_name,
                ...(extra.source.enabled ? {} : { otherOff: 'Disabled' }),
              }))}
              onEnable={(name, enabled) => enable.mutate({ name, enabled })}
              onDisconnect={(name) => disconnect.mutateAsync(name)}
              disconnectText={(row) =>
                `${destination.title} stops receiving events from ${row.title}. Neither is deleted.`
              }
            />
          </div>
        )
      }
    </QueryView>
  )
}
