import type { Destination } from '@tributary/contract'
import type { DestinationTab } from '../../lib/paths.ts'

/**
 * The tab on which a new destination opens: where something is missing until it can deliver, its settings or permission
 * first, then a source; else the mappings, which decide what it delivers.
 */
export const nextStep = ({ state, grant }: Pick<Destination, 'state' | 'grant'>, sources: number): DestinationTab => {
  if (state !== 'ready' || (grant !== null && grant.status !== 'connected')) return 'settings'
  return sources === 0 ? 'connections' : 'mappings'
}
