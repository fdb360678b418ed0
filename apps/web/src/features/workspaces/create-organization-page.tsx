import { useQueryClient } from '@tanstack/react-query'
import { genericTitle, industries, methods } from '@tributary/contract'
import { useNavigate } from 'react-router'
import { z } from 'zod'
import { useApiForm } from '../../components/api-form.ts'
import { call } from '../../lib/api/client.ts'
import { industryTitle } from '../../lib/industries.ts'
import { paths } from '../../lib/paths.ts'
import { useSession, workspaceEntered } from '../../lib/people/session.ts'
import { membershipsQuery, workspacesQuery } from '../../lib/queries/account-queries.ts'
import { Card } from '../../ui/card.tsx'
import { Form, SelectField, SubmitButton, TextField } from '../../ui/forms/form.tsx'
import { useFirstField } from '../../ui/forms/form-state.ts'
import { Options } from '../../ui/forms/options.tsx'
import { PageHeader } from '../../ui/page/page-header.tsx'

/** The rules of a new organization. */
export const organizationForm = z.object({
  title: z
    .string()
    .trim()
    .min(4, 'Please provide a name that is 4 characters or more')
    .max(200, 'At most 200 characters'),
  industry: z.enum(industries),
  workspace_title: genericTitle,
})
type Values = z.infer<typeof organizationForm>

/** Creates an organization with its first workspace, and opens the workspace. */
export const CreateOrganizationPage = () => {
  const navigate = useNavigate()
  const cache = useQueryClient()
  const user = useSession((state) => state.currentUserResourceName) ?? ''
  const form = useApiForm<Values>(organizationForm, {
    title: '',
    industry: 'e-commerce',
    workspace_title: 'Production',
  })
  useFirstField(form, 'title')
  const submit = async (values: Values): Promise<void> => {
    const { workspace } = await call(methods.organizations.create, { body: values })
    await Promise.all([
      cache.invalidateQueries({ queryKey: membershipsQuery(user).queryKey }),
      cache.invalidateQueries({ queryKey: workspacesQuery(user).queryKey }),
    ])
    workspaceEntered(workspace)
    await navigate(paths.workspace(workspace.name), { replace: true })
  }
  return (
    <>
      <PageHeader
        title="Create an organization"
        description="An organization owns your workspaces. You become its administrator."
      />
      <Card>
        <Form form={form} onSubmit={submit} label="Create an organization" className="space-y-5">
          <TextField
            name="title"
            label="Organization name"
            required
            autoComplete="organization"
            placeholder="Acme Inc."
          />
          <SelectField name="industry" label="Industry" required>
            <Options of={industries} title={industryTitle} />
          </SelectField>
          <TextField
            name="workspace_title"
            label="First workspace"
            required
            hint="Most teams use one workspace per environment, such as Production and Staging."
          />
          <div className="flex justify-end">
            <SubmitButton>Create</SubmitButton>
          </div>
        </Form>
      </Card>
    </>
  )
}
