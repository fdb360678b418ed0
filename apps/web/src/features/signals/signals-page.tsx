import { Sparkles } from 'lucide-react'
import { EmptyState } from '../../ui/page/empty-state.tsx'
import { PageHeader } from '../../ui/page/page-header.tsx'

/** The area of signals, for an installation that has switched it on. */
export const SignalsPage = () => (
  <>
    <PageHeader title="Signals" documentTitle="Signals" />
    <EmptyState icon={<Sparkles />} title="Signals are not available in this version">
      Destinations receive every event from connected sources.
    </EmptyState>
  </>
)
