import type { Destination, DestinationAbility } from '@tributary/contract'
import type { ComponentType, ReactNode } from 'react'
import { lazyPart } from '../../ui/page/lazy-part.tsx'
import { FailureCount } from './deliveries/failure-count.tsx'

const ConnectionsTab = lazyPart(async () => (await import('./connections-tab.tsx')).ConnectionsTab)
const DeliveriesTab = lazyPart(async () => (await import('./deliveries/deliveries-tab.tsx')).DeliveriesTab)
const FailuresTab = lazyPart(async () => (await import('./deliveries/failures-tab.tsx')).FailuresTab)
const LoadsTab = lazyPart(async () => (await import('./loads/loads-tab.tsx')).LoadsTab)
const MappingsTab = lazyPart(async () => (await import('./mappings/mappings-tab.tsx')).MappingsTab)
const OverviewTab = lazyPart(async () => (await import('./overview-tab.tsx')).OverviewTab)
const ReplayTab = lazyPart(async () => (await import('./replays/replay-tab.tsx')).ReplayTab)
const SettingsTab = lazyPart(async () => (await import('./settings-tab.tsx')).SettingsTab)

/**
 * The tabs of a destination's page, in their order. The first tab has no hash in the URL; each further tab has its ID
 * as the hash.
 */
const destinationTabs: readonly {
  id: string
  name: string
  Content: ComponentType<{ destination: Destination }>
  Count?: (props: { destination: Destination }) => ReactNode
  /** The ability without which a destination does not have the tab. */
  needs?: DestinationAbility
}[] = [
  { id: 'overview', name: 'Overview', Content: OverviewTab },
  { id: 'failures', name: 'Failures', Content: FailuresTab, Count: FailureCount },
  { id: 'deliveries', name: 'Deliveries', Content: DeliveriesTab },
  { id: 'loads', name: 'Loads', Content: LoadsTab, needs: 'Tables for analysts' },
  { id: 'mappings', name: 'Mappings', Content: MappingsTab },
  { id: 'replay', name: 'Replay', Content: ReplayTab },
  { id: 'connections', name: 'Connections', Content: ConnectionsTab },
  { id: 'settings', name: 'Settings', Content: SettingsTab },
]

/** The tabs that a destination has, in their order. */
export const tabsOf = ({ app: { abilities } }: Pick<Destination, 'app'>) =>
  destinationTabs.filter(({ needs }) => needs === undefined || abilities.includes(needs))
