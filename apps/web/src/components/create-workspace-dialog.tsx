import { useQueryClient } from '@tanstack/react-query'
import { genericTitle, methods } from '@tributary/contract'
import { useNavigate } from 'react-router'
import { z } from 'zod'
import { call } from '../lib/api/client.ts'
import { paths } from '../lib/paths.ts'
import { useSession, workspaceEntered } from '../lib/people/session.ts'
import { workspacesQuery } from '../lib/queries/account-queries.ts'
import { workspaceQuery } from '../lib/queries/workspace-queries.ts'
import { Button } from '../ui/button.tsx'
import { Form, SubmitButton, TextField } from '../ui/forms/form.tsx'
import { useFirstField } from '../ui/forms/form-state.ts'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { notify } from '../ui/overlays/toast.tsx'
import { useApiForm } from './api-form.ts'

const workspaceForm = z.object({ title: genericTitle })
type Values = z.infer<typeof workspaceForm>

const WorkspaceForm = ({ organization, onClose }: { organization: string; onClose: () => void }) => {
  const navigate = useNavigate()
  const cache = useQueryClient()
  const user = useSession((state) => state.currentUserResourceName) ?? ''
  const form = useApiForm<Values>(workspaceForm, { title: '' })
  useFirstField(form, 'title')
  const submit = async ({ title }: Values): Promise<void> => {
    const workspace = await call(methods.workspaces.create, { body: { title, organization } })
    cache.setQueryData(workspaceQuery(workspace.name).queryKey, workspace)
    await cache.invalidateQueries({ queryKey: workspacesQuery(user).queryKey })
    onClose()
    workspaceEntered(workspace)
    notify('success', 'Workspace created')
    await navigate(paths.workspace(workspace.name))
  }
  return (
    <Form form={form} onSubmit={submit} label="Create a workspace" className="space-y-4">
      <TextField name="title" label="Workspace name" required autoComplete="off" placeholder="Staging" />
      <div className="flex justify-end gap-2 pt-1">
        <Button onClick={onClose}>Cancel</Button>
        <SubmitButton>Create</SubmitButton>
      </div>
    </Form>
  )
}

/** Creates another workspace in an organization (a resource name) and opens it. */
export const CreateWorkspaceDialog = ({
  open,
  onClose,
  organization,
}: {
  open: boolean
  onClose: () => void
  organization: string
}) => (
  <Dialog
    open={open}
    onClose={onClose}
    title="Create a workspace"
    description="It has its own sources, destinations, and events. Members of the organization can see it."
  >
    <WorkspaceForm organization={organization} onClose={onClose} />
  </Dialog>
)
