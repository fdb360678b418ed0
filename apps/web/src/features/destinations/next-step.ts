import type { Destination } from '@tributary/contract'
import type { DestinationTab } from '../../lib/paths.ts'

/**
 * The tab on which a new destination opens: the settings while settings or a permission are missing, then the
 * connections while there is no source. Otherwise the mappings, which decide what is delivered.
 */
export const nextStep = ({ state, grant }: Pick<Destination, 'state' | 'grant'>, sources: number): DestinationTab => {
  if (state !== 'ready' || (grant !== null && grant.status !== 'connected')) return 'settings'
  return sources === 0 ? 'connections' : 'mappings'
}
