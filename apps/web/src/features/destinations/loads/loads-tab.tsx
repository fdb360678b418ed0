import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Destination, WarehouseLoad, WarehouseStatus } from '@tributary/contract'
import { useEffect, useMemo, useRef, useState } from 'react'
import { QueryView } from '../../../components/query-view.tsx'
import { useAddress } from '../../../lib/browser/use-address.ts'
import {
  isOpen,
  warehouseLoadsQuery,
  warehouseStatusQuery,
  warehouseTablesQuery,
} from '../../../lib/queries/warehouse-queries.ts'
import { useMayEdit } from '../../../lib/workspace.ts'
import { LoadMore } from '../../../ui/lists/load-more.tsx'
import { lazyPart } from '../../../ui/page/lazy-part.tsx'
import { CardSkeleton, TableSkeleton } from '../../../ui/page/skeleton.tsx'
import { type TabItem, Tabs } from '../../../ui/tabs.tsx'
import { Comparison, DifferenceCount } from './comparison.tsx'
import { LoadDialog } from './load-dialog.tsx'
import { LoadList, NoLoads } from './load-list.tsx'
import { StatusCard } from './status-card.tsx'

const TablesView = lazyPart(async () => (await import('./tables/tables-view.tsx')).TablesView)

/** Reads the status and the tables again when a load or a change has ended. */
const useReadAfterLoads = (destination: string, loads: readonly WarehouseLoad[]): void => {
  const cache = useQueryClient()
  const open = loads
    .filter(isOpen)
    .map(({ name }) => name)
    .join(' ')
  const before = useRef(open)
  useEffect(() => {
    if (before.current !== '' && before.current !== open) {
      void cache.invalidateQueries({ queryKey: warehouseStatusQuery(destination).queryKey })
      void cache.invalidateQueries({ queryKey: warehouseTablesQuery(destination).queryKey })
    }
    before.current = open
  }, [cache, destination, open])
}

const useLoads = (destination: string) => {
  const query = useInfiniteQuery(warehouseLoadsQuery(destination))
  const loads = useMemo(() => query.data?.pages.flatMap((page) => page.warehouse_loads) ?? [], [query.data])
  useReadAfterLoads(destination, loads)
  return { query, loads }
}

const History = ({
  destination,
  status,
  loads: { query, loads },
}: {
  destination: Destination
  status: WarehouseStatus
  loads: ReturnType<typeof useLoads>
}) => {
  const [opened, setOpened] = useState<WarehouseLoad>()
  return (
    <div className="space-y-4">
      <QueryView query={query} skeleton={<TableSkeleton rows={4} columns={5} />} errorTitle="Failed to load the loads">
        {() =>
          loads.length === 0 ? (
            <NoLoads destination={destination} everyMinutes={status.every_minutes} />
          ) : (
            <LoadList loads={loads} onOpen={setOpened} />
          )
        }
      </QueryView>
      <LoadMore query={query} />
      {opened !== undefined && (
        <LoadDialog
          load={loads.find(({ name }) => name === opened.name) ?? opened}
          onClosed={() => setOpened(undefined)}
        />
      )}
    </div>
  )
}

const names = ['view', 'table'] as const

const LoadsView = ({ destination, status }: { destination: Destination; status: WarehouseStatus }) => {
  const mayEdit = useMayEdit() === true
  const [{ view, table }, change] = useAddress(names)
  const loads = useLoads(destination.name)
  const history: TabItem = {
    id: 'history',
    name: 'History',
    content: <History destination={destination} status={status} loads={loads} />,
  }
  const tables: TabItem = {
    id: 'tables',
    name: 'Tables',
    content: (
      <TablesView
        destination={destination}
        chosen={table}
        onChoose={(name) => change({ table: name })}
        onChanging={() => change({ view: '', table: '' })}
      />
    ),
  }
  const comparison: TabItem = {
    id: 'comparison',
    name: 'Comparison',
    badge: <DifferenceCount comparison={status.comparison} />,
    content: <Comparison destination={destination} comparison={status.comparison} />,
  }
  const tabs = [history, ...(mayEdit ? [tables] : []), comparison]
  const chosen = tabs.find(({ id }) => id === view) ?? history
  return (
    <div className="space-y-5">
      <StatusCard destination={destination} status={status} loads={loads.loads} />
      <Tabs
        label="Warehouse"
        tabs={tabs}
        chosen={[chosen.id, (id) => change({ view: id === history.id ? '' : id, table: '' })]}
      />
    </div>
  )
}

/** The loads of a warehouse, how far its tables are complete, the tables with their columns, and a comparison of rows. */
export const LoadsTab = ({ destination }: { destination: Destination }) => (
  <QueryView
    query={useQuery(warehouseStatusQuery(destination.name))}
    skeleton={<CardSkeleton />}
    errorTitle="Failed to load the status"
  >
    {(status) => <LoadsView destination={destination} status={status} />}
  </QueryView>
)
