import type { TargetProduct } from '@tributary/contract'
import { paths } from '../../lib/paths.ts'

/** Where the sources of a product are listed and made, in a workspace (a resource name). */
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
        make: (app: string) => paths.newSource(workspace, app),
      }
