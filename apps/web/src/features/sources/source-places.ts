import type { TargetProduct } from '@tributary/contract'
import { paths } from '../../lib/paths.ts'

/** The pages that list and create the sources of a product, in a workspace (a resource name). */
export const sourcePlaces = (workspace: string, product: TargetProduct) =>
  product === 'SIGNALS'
    ? {
        list: { label: 'Signal sources', to: paths.signalSources(workspace) },
        catalog: paths.catalogSignalSources(workspace),
        make: (app: string) => paths.newSignalSource(workspace, app),
      }
    : {
        list: { label: 'Sources', to: paths.sources(workspace) },
        catalog: paths.catalogSources(workspace),
        make: (app: string, destination?: string) => paths.newSource(workspace, app, destination),
      }
