import { ArrowLeftRight, Database } from 'lucide-react'
import { paths } from '../../lib/paths.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/page/empty-state.tsx'
import { PageHeader } from '../../ui/page/page-header.tsx'

/** The area of syncs, for an installation that has switched it on. */
export const SyncsPage = () => (
  <>
    <PageHeader title="Syncs" documentTitle="Syncs" />
    <EmptyState
      icon={<ArrowLeftRight />}
      title="Syncs are not available in this version"
      action={
        <ButtonLink to={paths.dataSources(useWorkspace().name)}>
          <Database aria-hidden />
          Data sources
        </ButtonLink>
      }
    >
      You can set up the data sources and models that syncs will read. Events don't need syncs. They reach destinations
      through connections, as they happen.
    </EmptyState>
  </>
)
