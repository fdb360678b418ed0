import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { methods, type NewSyncToken, type SyncToken, title } from '@tributary/contract'
import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import { z } from 'zod'
import { useApiForm } from '../../components/api-form.ts'
import { CreatedKeyDialog } from '../../components/keys/created-key-dialog.tsx'
import { KeyFormDialog } from '../../components/keys/key-form-dialog.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { ReadOnlyNote } from '../../components/settings/read-only-note.tsx'
import { call } from '../../lib/api/client.ts'
import { syncTokenIds, workspaceIds } from '../../lib/format/names.ts'
import { paths } from '../../lib/paths.ts'
import { refresh } from '../../lib/queries/query.ts'
import { syncTokensQuery } from '../../lib/queries/sync-queries.ts'
import { useMayEdit, useWorkspace } from '../../lib/workspace.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/code/code-block.tsx'
import { TextField } from '../../ui/forms/form.tsx'
import { CardList, CardRow } from '../../ui/lists/card-list.tsx'
import { DangerDialog } from '../../ui/overlays/danger-dialog.tsx'
import { PageHeader } from '../../ui/page/page-header.tsx'
import { CardSkeleton } from '../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { apiExample } from './api-example.ts'

/** Returns a mutation that changes the tokens and then reloads their list. */
const useTokenChange = <Answer,>(change: (text: string) => Promise<Answer>) => {
  const cache = useQueryClient()
  const workspace = useWorkspace().name
  return useMutation({
    mutationFn: change,
    onSettled: () => refresh(cache, ['syncTokens'], workspaceIds(workspace)),
  })
}

const tokenForm = z.object({ title })

const CreateDialog = ({ onMade, onClosed }: { onMade: (token: NewSyncToken) => void; onClosed: () => void }) => {
  const workspace = useWorkspace().name
  const create = useTokenChange((text) =>
    call(methods.syncTokens.create, { params: workspaceIds(workspace), body: { title: text } }),
  )
  const form = useApiForm<z.infer<typeof tokenForm>>(tokenForm, { title: '' })
  return (
    <KeyFormDialog
      title="Create API token"
      form={form}
      submit="Create token"
      onSubmit={async (values) => onMade(await create.mutateAsync(values.title))}
      onClosed={onClosed}
    >
      <TextField
        name="title"
        label="Title"
        required
        hint="Where the token is used, so you know which one to revoke."
        placeholder="Airflow"
        autoComplete="off"
      />
    </KeyFormDialog>
  )
}

const RevokeDialog = ({ item, onClosed }: { item: SyncToken; onClosed: () => void }) => {
  const revoke = useTokenChange((name) => call(methods.syncTokens.delete, { params: syncTokenIds(name) }))
  return (
    <DangerDialog
      title="Revoke API token"
      confirmLabel="Revoke token"
      mutation={revoke}
      variables={item.name}
      onClosed={onClosed}
    >
      Requests that use {item.title} are refused within two seconds. Runs that it started go on. This can't be undone.
    </DangerDialog>
  )
}

const Row = ({ item, mayEdit, onRevoke }: { item: SyncToken; mayEdit: boolean; onRevoke: () => void }) => (
  <CardRow>
    <KeyRound aria-hidden className="size-4 shrink-0 text-ink-3 max-sm:hidden" />
    <span className="min-w-0 flex-1 basis-56">
      <span className="block truncate text-sm font-medium" title={item.title}>
        {item.title}
      </span>
      <span className="block text-xs break-words text-ink-3">
        Ends with <code className="font-mono">{item.hint}</code> · Created <RelativeTime time={item.create_time} /> ·{' '}
        {item.last_used_time === null ? (
          'Never used'
        ) : (
          <>
            Last used <RelativeTime time={item.last_used_time} />
          </>
        )}
      </span>
    </span>
    {mayEdit && (
      <Button variant="none" size="sm" onClick={onRevoke}>
        Revoke
      </Button>
    )}
  </CardRow>
)

/** The tokens with which orchestrators start syncs: created, shown once, revoked. */
export const SyncTokensPage = () => {
  const workspace = useWorkspace().name
  const query = useQuery(syncTokensQuery(workspace))
  const mayEdit = useMayEdit() === true
  const [creating, setCreating] = useState(false)
  const [revoked, setRevoked] = useState<SyncToken | undefined>()
  const [made, setMade] = useState<NewSyncToken | undefined>()
  return (
    <>
      <PageHeader
        title="API tokens"
        description="For orchestrators such as Airflow, Dagster, or cron, which start syncs and read their runs."
        crumbs={[{ label: 'Syncs', to: paths.syncs(workspace) }]}
      />
      <div className="max-w-2xl space-y-5">
        <ReadOnlyNote />
        <QueryView query={query} skeleton={<CardSkeleton lines={3} />} errorTitle="Failed to load the API tokens">
          {(tokens) => (
            <Card
              title="Tokens"
              description="A token starts every sync of this workspace, and changes nothing else."
              action={
                mayEdit && (
                  <Button size="sm" onClick={() => setCreating(true)}>
                    <Plus aria-hidden />
                    Create token
                  </Button>
                )
              }
            >
              {tokens.length === 0 ? (
                <p className="text-sm text-ink-2">No token yet. Create one to start syncs from your orchestrator.</p>
              ) : (
                <CardList>
                  {tokens.map((item) => (
                    <Row key={item.name} item={item} mayEdit={mayEdit} onRevoke={() => setRevoked(item)} />
                  ))}
                </CardList>
              )}
            </Card>
          )}
        </QueryView>
        <CodeBlock
          codes={[
            {
              title: 'Start a sync, and read its run',
              language: 'text',
              text: apiExample(window.location.origin, 'YOUR_TOKEN', 'SYNC_ID'),
            },
          ]}
          label="Example"
          notice="Example copied"
        />
        {creating && <CreateDialog onMade={setMade} onClosed={() => setCreating(false)} />}
        {revoked !== undefined && <RevokeDialog item={revoked} onClosed={() => setRevoked(undefined)} />}
        {made !== undefined && !creating && (
          <CreatedKeyDialog
            noun="token"
            text={made.token}
            example={{
              title: 'Start a sync, and read its run',
              language: 'text',
              text: apiExample(window.location.origin, made.token, 'SYNC_ID'),
            }}
            onClosed={() => setMade(undefined)}
          />
        )}
      </div>
    </>
  )
}
