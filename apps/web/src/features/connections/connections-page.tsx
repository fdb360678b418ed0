import { useQuery } from '@tanstack/react-query'
import type { Connection } from '@tributary/contract'
import { ArrowRightLeft, Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { paths } from '../../lib/paths.ts'
import { useMayEdit, useWorkspace } from '../../lib/workspace.ts'
import { connectionsQuery } from '../../lib/workspace-queries.ts'
import { Button } from '../../ui/button.tsx'
import { ConnectionList } from '../../ui/connection-list.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { SearchInput } from '../../ui/input.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { useConnections } from '../../ui/use-connections.ts'
import { ConnectDialog } from './connect-dialog.tsx'

const matching = (connections: readonly Connection[], search: string): Connection[] => {
  const wanted = search.trim().toLowerCase()
  return connections.filter(({ extra }) =>
    `${extra.source.title} ${extra.destination.title}`.toLowerCase().includes(wanted),
  )
}

const List = ({
  workspace,
  connections,
  mayEdit,
}: {
  workspace: string
  connections: Connection[]
  mayEdit: boolean
}) => {
  const [search, setSearch] = useState('')
  const { disconnect, enable } = useConnections(workspace, 'Destination')
  const shown = useMemo(() => matching(connections, search), [connections, search])
  return (
    <div className="space-y-4">
      <SearchInput label="Search connections" value={search} onChange={(event) => setSearch(event.target.value)} />
      {shown.length === 0 ? (
        <p className="py-8 text-center text-ink-3">No source or destination is called like this.</p>
      ) : (
        <ConnectionList
          label="Connections"
          mayEdit={mayEdit}
          rows={shown.map(({ name, source, destination, enabled, extra }) => ({
            name,
            enabled,
            from: { title: extra.source.title, to: paths.source(source), icon: extra.source.app_icon },
            title: extra.destination.title,
            to: paths.destination(destination),
            icon: extra.destination.app_icon,
            appTitle: extra.destination.display_name,
            ...(extra.source.enabled
              ? extra.destination.enabled
                ? {}
                : { otherOff: 'Destination paused' }
              : { otherOff: 'Source disabled' }),
          }))}
          onEnable={(name, enabled) => enable.mutate({ name, enabled })}
          onDisconnect={(name) => disconnect.mutateAsync(name)}
          disconnectText={(row) =>
            `Events of ${row.from?.title ?? 'the source'} are no longer delivered to ${row.title}. Neither of them is deleted.`
          }
        />
      )}
    </div>
  )
}

/** Which sources feed which destinations. */
export const ConnectionsPage = () => {
  const workspace = useWorkspace()
  const mayEdit = useMayEdit() === true
  const query = useQuery(connectionsQuery(workspace.name))
  const [connecting, setConnecting] = useState(false)
  const add = mayEdit && (
    <Button variant="primary" onClick={() => setConnecting(true)}>
      <Plus aria-hidden />
      Connect
    </Button>
  )
  return (
    <>
      <PageHeader
        title="Connections"
        documentTitle="Connections"
        description="Which sources feed which destinations."
        action={(query.data?.length ?? 0) > 0 && add}
      />
      <QueryView query={query} skeleton={<TableSkeleton />} errorTitle="Failed to load the connections">
        {(connections) =>
          connections.length === 0 ? (
            <EmptyState icon={<ArrowRightLeft />} title="Nothing is connected yet" action={add}>
              A connection delivers every accepted event of a source to a destination, from the moment it is made.
            </EmptyState>
          ) : (
            <List workspace={workspace.name} connections={connections} mayEdit={mayEdit} />
          )
        }
      </QueryView>
      {connecting && <ConnectDialog workspace={workspace.name} onClose={() => setConnecting(false)} />}
    </>
  )
}
