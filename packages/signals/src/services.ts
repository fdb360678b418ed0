import type { Catalog } from '@tributary/configuration'
import type { WorkShare } from '@tributary/kernel'

/** The services that this package needs from its process. */
export type SignalServices = {
  catalog: Catalog
  /** The share of this thread that workspaces use for templates, mappings and conditions; shared with collection. */
  workShare: WorkShare
}
