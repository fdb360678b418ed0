import { useMutation, useQueryClient } from '@tanstack/react-query'
import { genericTitle, type ListReport, methods, stockMessage } from '@tributary/contract'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { LeaveGuard } from '../../../components/leave-guard.tsx'
import { call } from '../../../lib/api/client.ts'
import { failureText } from '../../../lib/api/errors.ts'
import { workspaceIds } from '../../../lib/format/names.ts'
import { count, pluralise } from '../../../lib/format/text.ts'
import { track } from '../../../lib/integrations/analytics.ts'
import { paths } from '../../../lib/paths.ts'
import { refresh } from '../../../lib/queries/query.ts'
import { useWorkspace } from '../../../lib/workspace.ts'
import { Alert } from '../../../ui/alert.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Field } from '../../../ui/forms/field.tsx'
import { Input } from '../../../ui/forms/input.tsx'
import { notify } from '../../../ui/overlays/toast.tsx'
import { ListForm, type ListSource } from './list-form.tsx'

/** Looks up a new list of a workspace (a resource name). */
const checkNewList = async (workspace: string, list: ListSource): Promise<ListReport> => {
  const body = { title: 'List', ...list, validate_only: true }
  return (await call(methods.audiences.importList, { params: workspaceIds(workspace), body })).report
}

/** Creates an audience from a list. */
const useImportList = (workspace: string) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (body: ListSource & { title: string }) =>
      call(methods.audiences.importList, { params: workspaceIds(workspace), body }),
    onSuccess: ({ name }) => {
      track('Audience Created', { audience: name })
      notify('success', 'Audience Created')
    },
    onSettled: () => refresh(cache, ['audiences'], workspaceIds(workspace)),
  })
}

/** Makes an audience from a list of identifiers. */
export const NewList = () => {
  const workspace = useWorkspace().name
  const navigate = useNavigate()
  const [title, setTitle] = useState('')
  const [asked, setAsked] = useState(false)
  const [dirty, setDirty] = useState(false)
  const create = useImportList(workspace)
  const wrongTitle = genericTitle.safeParse(title, { error: stockMessage }).error?.issues[0]?.message
  return (
    <Card className="max-w-2xl">
      <LeaveGuard dirty={dirty && !create.isPending && !create.isSuccess}>Your list is not saved.</LeaveGuard>
      <div className="space-y-5">
        <Field label="Title" required error={asked ? wrongTitle : undefined}>
          {(control) => (
            <Input
              {...control}
              value={title}
              autoComplete="off"
              placeholder="Enter your audience name"
              onChange={({ target }) => {
                setTitle(target.value)
                setDirty(true)
              }}
            />
          )}
        </Field>
        <ListForm
          label="List"
          onCheck={(list) => checkNewList(workspace, list)}
          onChange={() => {
            setDirty(true)
            create.reset()
          }}
        >
          {(list) =>
            list !== undefined && (
              <Button
                variant="primary"
                loading={create.isPending || create.isSuccess}
                onClick={() => {
                  setAsked(true)
                  const { kind, values } = list
                  if (wrongTitle === undefined)
                    create.mutate(
                      { title: title.trim(), kind, values },
                      { onSuccess: ({ name }) => void navigate(paths.audience(name)) },
                    )
                }}
              >
                Create with {count(list.report.profile_count)} {pluralise(list.report.profile_count, 'profile')}
              </Button>
            )
          }
        </ListForm>
        {create.isError && <Alert>The audience was not saved: {failureText(create.error)}</Alert>}
      </div>
    </Card>
  )
}
