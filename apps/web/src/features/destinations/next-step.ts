import type { Destination } from '@tributary/contract'
import type { DestinationTab } from '../../lib/paths.ts'

/**
 * The tab on which a new destination opens. It is the first missing thing that delivery needs: settings or permission,
 * then a source. Otherwise it is the mappings, which decide what is delivered.
 */
export const nextStep = ({ state, grant }: Pick<Destination, 'state' | 'grant'>, sources: number): DestinationTab => {
  if (state !== 'ready' || (grant !== null && grant.status !== 'connected')) return 'settings'
  return sources === 0 ? 'connections' : 'mappings'
}
