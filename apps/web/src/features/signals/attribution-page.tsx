import { paths } from '../../lib/paths.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { PageHeader } from '../../ui/page/page-header.tsx'
import { AttributionView } from './attribution-view.tsx'

/** The clicks to which conversions of all signals of the workspace are attributed. */
export const AttributionPage = () => (
  <>
    <PageHeader
      title="Attribution"
      description="The ads that were clicked before the conversions of all signals."
      crumbs={[{ label: 'Signals', to: paths.signals(useWorkspace().name) }]}
    />
    <AttributionView signal="" title="all signals" />
  </>
)
