import { useMutation } from '@tanstack/react-query'
import { methods } from '@tributary/contract'
import { useMemo } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { useApiForm } from '../../components/api-form.ts'
import { call } from '../../lib/api/client.ts'
import { paths } from '../../lib/paths.ts'
import { actOnBehalf, useSession } from '../../lib/people/session.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { Card } from '../../ui/card.tsx'
import { Form, SubmitButton, TextField } from '../../ui/forms/form.tsx'
import { useFormState } from '../../ui/forms/form-state.ts'
import { notify } from '../../ui/overlays/toast.tsx'
import { PageHeader } from '../../ui/page/page-header.tsx'
import { type ActOnBehalfForm, actingNotice, actOnBehalfForm } from './act-on-behalf.ts'
import { WorkspaceFinder } from './workspace-finder.tsx'

/** Platform admins select the workspace in which they act. */
export const ActOnBehalfPage = () => {
  const workspace = useWorkspace()
  const navigate = useNavigate()
  // The list of organizations links to this page with a workspace in the URL.
  const [asked] = useSearchParams()
  const own = useSession((state) => state.availableWorkspaces)
  const schema = useMemo(() => actOnBehalfForm([workspace.name, ...own.map(({ name }) => name)]), [workspace.name, own])
  const form = useApiForm<ActOnBehalfForm>(schema, { workspaceId: asked.get('workspace') ?? '' })
  const chosen = useFormState(form, ({ values }) => values.workspaceId)
  const switching = useMutation({
    mutationFn: (body: ActOnBehalfForm) => call(methods.workspaces.actOnBehalf, { body }),
  })
  const submit = async (values: ActOnBehalfForm): Promise<void> => {
    const { workspace: target } = await switching.mutateAsync(values)
    await navigate(paths.root())
    actOnBehalf(target)
    notify('success', actingNotice(target))
  }
  return (
    <>
      <PageHeader
        title="Act on behalf"
        description="See a workspace as its administrators do, for support and debugging. Every switch is logged."
      />
      <Card className="max-w-2xl">
        <Form form={form} onSubmit={submit} label="Act on behalf" className="space-y-4">
          <WorkspaceFinder chosen={chosen} onChoose={(id) => form.change('workspaceId', id)} />
          <TextField
            name="workspaceId"
            label="Workspace ID"
            required
            hint={
              <>
                The last part of the workspace's URL, or <code className="font-mono">workspaces/</code> followed by it.
              </>
            }
            autoComplete="off"
            spellCheck={false}
          />
          <div className="flex justify-end">
            <SubmitButton>Switch</SubmitButton>
          </div>
        </Form>
      </Card>
    </>
  )
}
