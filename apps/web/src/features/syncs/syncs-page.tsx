import { ArrowLeftRight } from 'lucide-react'
import { paths } from '../../lib/paths.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { PageHeader } from '../../ui/page-header.tsx'

/** The area of syncs. */
export const SyncsPage = () => {
  const workspace = useWorkspace()
  return (
    <>
      <PageHeader
        title="Syncs"
        documentTitle="Syncs"
        description="Copies of tables and audiences in your destinations, kept up to date on a schedule."
      />
      <EmptyState
        icon={<ArrowLeftRight />}
        title="Nothing to sync in this workspace"
        action={
          <>
            <ButtonLink to={paths.connections(workspace.name)} variant="primary">
              Show connections
            </ButtonLink>
            <ButtonLink to={paths.catalogSources(workspace.name)}>Browse sources</ButtonLink>
          </>
        }
      >
        A sync reads a table of a warehouse, and no source of this workspace has tables. Its events need no sync: they
        reach destinations through connections, as they happen.
      </EmptyState>
    </>
  )
}
