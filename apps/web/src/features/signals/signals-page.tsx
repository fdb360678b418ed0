import { Sparkles } from 'lucide-react'
import { paths } from '../../lib/paths.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/page/empty-state.tsx'
import { PageHeader } from '../../ui/page/page-header.tsx'

/** The area of signals, for an installation that has switched it on. */
export const SignalsPage = () => (
  <>
    <PageHeader
      title="Signals"
      documentTitle="Signals"
      action={<ButtonLink to={paths.signalSources(useWorkspace().name)}>Signal sources</ButtonLink>}
    />
    <EmptyState icon={<Sparkles />} title="Signals are not available in this version">
      Destinations receive every event from connected sources.
    </EmptyState>
  </>
)
