import type { Catalog } from '@tributary/configuration'
import type { WorkShare } from '@tributary/kernel'

/** What this package needs of the process that it runs in. */
export type SignalServices = {
  catalog: Catalog
  /** What workspaces have used of this thread for their templates, mappings and conditions; shared with collection. */
  workShare: WorkShare
}
