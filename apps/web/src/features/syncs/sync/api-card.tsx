import type { Sync } from '@tributary/contract'
import { Link } from 'react-router'
import { syncIds } from '../../../lib/format/names.ts'
import { paths } from '../../../lib/paths.ts'
import { useWorkspace } from '../../../lib/workspace.ts'
import { Card } from '../../../ui/card.tsx'
import { CodeBlock } from '../../../ui/code/code-block.tsx'
import { apiExample } from '../api-example.ts'

/** Shows how an orchestrator starts this sync. */
export const ApiCard = ({ sync }: { sync: Sync }) => {
  const workspace = useWorkspace().name
  return (
    <Card
      title="Start by API"
      description={
        <>
          Orchestrators start this sync with an{' '}
          <Link to={paths.syncTokens(workspace)} className="rounded-sm text-accent-ink underline underline-offset-3">
            API token
          </Link>{' '}
          of the workspace.
        </>
      }
    >
      <CodeBlock
        codes={[
          {
            title: 'Start this sync, and read its run',
            language: 'text',
            text: apiExample(window.location.origin, 'YOUR_TOKEN', syncIds(sync.name).sync),
          },
        ]}
        label="Start by API"
        notice="Example copied"
      />
    </Card>
  )
}
