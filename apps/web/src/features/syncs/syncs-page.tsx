import { ArrowLeftRight } from 'lucide-react'
import { EmptyState } from '../../ui/page/empty-state.tsx'
import { PageHeader } from '../../ui/page/page-header.tsx'

/** The area of syncs, for an installation that has switched it on. */
export const SyncsPage = () => (
  <>
    <PageHeader title="Syncs" documentTitle="Syncs" />
    <EmptyState icon={<ArrowLeftRight />} title="Syncs are not available in this version">
      Events don't need syncs. They reach destinations through connections, as they happen.
    </EmptyState>
  </>
)
