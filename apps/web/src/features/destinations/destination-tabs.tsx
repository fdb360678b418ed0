import type { Destination } from '@tributary/contract'
import type { ReactNode } from 'react'
import { ConnectionsTab } from './connections-tab.tsx'
import { DeliveriesTab } from './deliveries-tab.tsx'
import { FailureCount, FailuresTab } from './failures-tab.tsx'
import { MappingsTab } from './mappings-tab.tsx'
import { OverviewTab } from './overview-tab.tsx'
import { ReplayTab } from './replay-tab.tsx'
import { SettingsTab } from './settings-tab.tsx'

/** The tabs of a destination's page, in their order. The first is shown without a hash, the others by their id. */
export const destinationTabs: readonly {
  id: string
  name: string
  Content: (props: { destination: Destination }) => ReactNode
  Count?: (props: { destination: Destination }) => ReactNode
}[] = [
  { id: 'overview', name: 'Overview', Content: OverviewTab },
  { id: 'failures', name: 'Failures', Content: FailuresTab, Count: FailureCount },
  { id: 'deliveries', name: 'Deliveries', Content: DeliveriesTab },
  { id: 'mappings', name: 'Mappings', Content: MappingsTab },
  { id: 'replay', name: 'Replay', Content: ReplayTab },
  { id: 'connections', name: 'Connections', Content: ConnectionsTab },
  { id: 'settings', name: 'Settings', Content: SettingsTab },
]
