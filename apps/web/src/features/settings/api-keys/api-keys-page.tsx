import { useQuery } from '@tanstack/react-query'
import { type ApiKey, methods, type NewApiKey } from '@tributary/contract'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { ErrorScreen } from '../../../components/error-screen.tsx'
import { QueryView } from '../../../components/query-view.tsx'
import { organizationIds } from '../../../lib/format/names.ts'
import { rowsQuery } from '../../../lib/queries/query.ts'
import { useWorkspace } from '../../../lib/workspace.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { CardList } from '../../../ui/lists/card-list.tsx'
import { PageHeader } from '../../../ui/page/page-header.tsx'
import { CardSkeleton } from '../../../ui/page/skeleton.tsx'
import { ApiKeyRow } from './api-key-row.tsx'
import { CreateKeyDialog } from './create-key-dialog.tsx'
import { CreatedApiKeyDialog, RevokeKeyDialog, RotateKeyDialog } from './key-dialogs.tsx'

/** The API keys of an organization that are not revoked, newest first. */
const apiKeysQuery = (organization: string) =>
  rowsQuery(methods.apiKeys.list, { params: organizationIds(organization) }, ({ api_keys }) => api_keys, {
    // A user who returns to the page expects the latest use of each key.
    staleTime: 0,
  })

/** The open dialog: an action, and its key. */
type Doing = { what: 'create' } | { what: 'rotate' | 'revoke'; key: ApiKey }

const Content = ({ organization }: { organization: string }) => {
  const query = useQuery(apiKeysQuery(organization))
  const [doing, setDoing] = useState<Doing | undefined>()
  const [made, setMade] = useState<NewApiKey | undefined>()
  const end = (): void => setDoing(undefined)
  return (
    <>
      <PageHeader
        title="API keys"
        description="For scripts and services that call the API."
        action={
          <Button variant="primary" onClick={() => setDoing({ what: 'create' })}>
            <Plus aria-hidden />
            Create API key
          </Button>
        }
      />
      <div className="max-w-3xl space-y-5">
        <QueryView query={query} skeleton={<CardSkeleton lines={4} />} errorTitle="Failed to load the API keys">
          {(keys) => (
            <Card title="Keys" description="A key has one role, and calls only the areas of the API that you select.">
              {keys.length === 0 ? (
                <p className="text-sm text-ink-2">No API key yet. Create one to call the API from your own code.</p>
              ) : (
                <CardList>
                  {keys.map((key) => (
                    <ApiKeyRow
                      key={key.name}
                      item={key}
                      onRotate={() => setDoing({ what: 'rotate', key })}
                      onRevoke={() => setDoing({ what: 'revoke', key })}
                    />
                  ))}
                </CardList>
              )}
            </Card>
          )}
        </QueryView>
      </div>
      {doing?.what === 'create' && <CreateKeyDialog organization={organization} onMade={setMade} onClosed={end} />}
      {doing?.what === 'rotate' && <RotateKeyDialog item={doing.key} onMade={setMade} onClosed={end} />}
      {doing?.what === 'revoke' && <RevokeKeyDialog item={doing.key} onClosed={end} />}
      {made !== undefined && doing === undefined && (
        <CreatedApiKeyDialog made={made} onClosed={() => setMade(undefined)} />
      )}
    </>
  )
}

/** The keys with which programs call the API: created, shown once, rotated, revoked. */
export const ApiKeysPage = () => {
  const { organization } = useWorkspace()
  if (organization === null) return <ErrorScreen page error={new Error('No organization found')} />
  return <Content organization={organization.name} />
}
