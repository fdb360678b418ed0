import { ArrowLeftRight } from 'lucide-react'
import { EmptyState } from '../../ui/empty-state.tsx'
import { PageHeader } from '../../ui/page-header.tsx'

/** The area of syncs, for an installation that has switched it on. */
export const SyncsPage = () => (
  <>
    <PageHeader title="Syncs" documentTitle="Syncs" />
    <EmptyState icon={<ArrowLeftRight />} title="Syncs are not part of this version">
      Events need none: they reach destinations through connections, as they happen.
    </EmptyState>
  </>
)
