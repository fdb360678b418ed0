import { Sparkles } from 'lucide-react'
import { paths } from '../../lib/paths.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { PageHeader } from '../../ui/page-header.tsx'

/** The area of signals. */
export const SignalsPage = () => {
  const workspace = useWorkspace()
  return (
    <>
      <PageHeader
        title="Signals"
        documentTitle="Signals"
        description="Conversions modelled from your events and forwarded to advertising destinations."
      />
      <EmptyState
        icon={<Sparkles />}
        title="No signals in this workspace"
        action={
          <>
            <ButtonLink to={paths.catalogDestinations(workspace.name)} variant="primary">
              Browse destinations
            </ButtonLink>
            <ButtonLink to={paths.connections(workspace.name)}>Show connections</ButtonLink>
          </>
        }
      >
        A signal needs an advertising destination, and none is in this workspace. Other destinations get every event of
        a connected source unchanged.
      </EmptyState>
    </>
  )
}
