import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import {
  genericTitle,
  type Industry,
  industries,
  methods,
  type Organization,
  organizationTitle,
  type User,
  type Workspace,
} from '@tributary/contract'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { z } from 'zod'
import { useApiForm } from '../../components/api-form.ts'
import { CreateWorkspaceDialog } from '../../components/create-workspace-dialog.tsx'
import { ImageInput } from '../../components/image-input.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { call } from '../../lib/api/client.ts'
import { failureText } from '../../lib/api/errors.ts'
import { base64Of } from '../../lib/browser/image-file.ts'
import { organizationIds, slugOf, workspaceIds } from '../../lib/format/names.ts'
import { industryTitle } from '../../lib/industries.ts'
import { useSession } from '../../lib/people/session.ts'
import { workspacesQuery } from '../../lib/queries/account-queries.ts'
import { organizationQuery } from '../../lib/queries/organization-queries.ts'
import { refresh } from '../../lib/queries/query.ts'
import { workspaceQuery } from '../../lib/queries/workspace-queries.ts'
import { useCurrentUser, useWorkspace } from '../../lib/workspace.ts'
import { Alert } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CopyButton } from '../../ui/code/copy-button.tsx'
import { Form, SelectField, SubmitButton, TextField } from '../../ui/forms/form.tsx'
import { Options } from '../../ui/forms/options.tsx'
import { Switch } from '../../ui/forms/switch.tsx'
import { notify } from '../../ui/overlays/toast.tsx'
import { PageHeader } from '../../ui/page/page-header.tsx'
import { CardSkeleton } from '../../ui/page/skeleton.tsx'
import { DeleteOrganizationCard } from './delete-organization-card.tsx'
import { DeleteWorkspaceCard } from './delete-workspace-card.tsx'

const useUserName = (): string => useSession((state) => state.currentUserResourceName) ?? ''

/** Updates a changed organization everywhere: in the cache, the session, and the lists that contain it. */
const useOrganizationChanged = () => {
  const cache = useQueryClient()
  return (organization: Organization): void => {
    cache.setQueryData(organizationQuery(organization.name).queryKey, organization)
    if (useSession.getState().session.organization?.name === organization.name)
      useSession.setState({ session: { organization } })
    refresh(cache, ['workspaces', 'memberships'])
  }
}

/** Changes title and industry, or the domain whose users can join. */
const useUpdateOrganization = (organization: string) => {
  const changed = useOrganizationChanged()
  return useMutation({
    mutationFn: (change: { title: string; industry: Industry } | { auto_join_domain: string }) =>
      call(methods.organizations.update, {
        params: organizationIds(organization),
        query: { update_mask: Object.keys(change).join(',') },
        body: change,
      }),
    onSuccess: (updated) => {
      changed(updated)
      notify('success', 'Organization updated')
    },
  })
}

/** Replaces the logo by an image (base64), or removes it with null. */
const useChangeLogo = (organization: string) => {
  const changed = useOrganizationChanged()
  return useMutation({
    mutationFn: (content: string | null) => {
      const params = organizationIds(organization)
      return content === null
        ? call(methods.organizations.removeLogo, { params, body: {} })
        : call(methods.organizations.uploadLogo, { params, body: { content } })
    },
    onSuccess: (updated) => {
      changed(updated)
      notify('success', 'Organization updated')
    },
  })
}

const useWorkspaceChanged = () => {
  const cache = useQueryClient()
  const user = useUserName()
  return (workspace: Workspace): void => {
    cache.setQueryData(workspaceQuery(workspace.name).queryKey, workspace)
    void cache.invalidateQueries({ queryKey: workspacesQuery(user).queryKey })
  }
}

/** Changes the title of a workspace. */
const useUpdateWorkspace = (workspace: string) => {
  const changed = useWorkspaceChanged()
  return useMutation({
    mutationFn: (change: { title: string }) =>
      call(methods.workspaces.update, {
        params: workspaceIds(workspace),
        query: { update_mask: 'title' },
        body: change,
      }),
    onSuccess: (updated) => {
      changed(updated)
      notify('success', 'Workspace updated')
    },
  })
}

const organizationForm = z.object({ title: organizationTitle, industry: z.enum(industries, 'Choose an industry') })
type OrganizationValues = z.infer<typeof organizationForm>

const OrganizationCard = ({ organization }: { organization: Organization }) => {
  const update = useUpdateOrganization(organization.name)
  const logo = useChangeLogo(organization.name)
  const { title, industry } = organization
  const form = useApiForm<OrganizationValues>(organizationForm, { title, industry })
  return (
    <Card title="Organization">
      <Form form={form} onSubmit={(values) => update.mutateAsync(values)} label="Organization" className="space-y-4">
        <ImageInput
          label="Logo"
          image={organization.extra.logo}
          title={organization.display_name}
          onPick={async (file) => logo.mutateAsync(await base64Of(file))}
          onRemove={() => logo.mutateAsync(null)}
        />
        <TextField name="title" label="Organization name" required autoComplete="organization" />
        <SelectField name="industry" label="Industry" required>
          <Options of={industries} title={industryTitle} />
        </SelectField>
        <div className="flex justify-end">
          <SubmitButton>Save Changes</SubmitButton>
        </div>
      </Form>
    </Card>
  )
}

/** The domain of an email address, in lower case. */
const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1).toLowerCase()

const JoinCard = ({ organization, user }: { organization: Organization; user: User }) => {
  const update = useUpdateOrganization(organization.name)
  const open = organization.auto_join_domain !== ''
  const domain = open ? organization.auto_join_domain : domainOf(user.email)
  return (
    <Card
      title="Auto-join"
      description={
        <>
          Allow people with an address at <strong className="font-medium text-ink">{domain}</strong> to join{' '}
          {organization.display_name} automatically. They join as collaborators.
        </>
      }
      action={
        <Switch
          checked={open}
          disabled={update.isPending}
          label={`Allow people with my email domain to join ${organization.display_name} automatically`}
          onChange={(checked) => update.mutate({ auto_join_domain: checked ? domain : '' })}
        />
      }
      {...(update.isError
        ? {
            children: <Alert className="text-xs">{failureText(update.error)}</Alert>,
          }
        : { className: 'pb-4' })}
    />
  )
}

const workspaceForm = z.object({ title: genericTitle })

const WorkspaceCard = ({ workspace, organization }: { workspace: Workspace; organization: string }) => {
  const update = useUpdateWorkspace(workspace.name)
  const [creating, setCreating] = useState(false)
  const form = useApiForm<z.infer<typeof workspaceForm>>(workspaceForm, { title: workspace.title })
  return (
    <Card
      title="Workspace"
      description="A workspace holds sources, destinations, and events."
      action={
        <Button size="sm" onClick={() => setCreating(true)}>
          <Plus aria-hidden />
          Create workspace
        </Button>
      }
    >
      <Form form={form} onSubmit={(values) => update.mutateAsync(values)} label="Workspace" className="space-y-4">
        <TextField name="title" label="Workspace name" required autoComplete="off" />
        <div className="flex justify-end">
          <SubmitButton>Save Changes</SubmitButton>
        </div>
      </Form>
      <CreateWorkspaceDialog open={creating} onClose={() => setCreating(false)} organization={organization} />
    </Card>
  )
}

const Identifier = ({ label, id }: { label: string; id: string }) => (
  <div className="flex flex-wrap items-center gap-x-4 gap-y-0.5 py-2">
    <dt className="w-32 shrink-0 text-sm text-ink-2">{label}</dt>
    <dd className="flex min-w-0 flex-1 basis-56 items-center gap-1">
      <code className="min-w-0 font-mono text-sm break-all">{id}</code>
      <CopyButton text={id} name={`Copy ${label}`} notice={`${label} copied`} />
    </dd>
  </div>
)

const Content = ({ organization, workspace }: { organization: Organization; workspace: Workspace }) => {
  const { user } = useCurrentUser()
  return (
    <div className="max-w-2xl space-y-5">
      <OrganizationCard key={`${organization.title} ${organization.industry}`} organization={organization} />
      {user.data !== undefined && <JoinCard organization={organization} user={user.data} />}
      <WorkspaceCard key={workspace.title} workspace={workspace} organization={organization.name} />
      <Card title="Identifiers" description="Used by support and the API.">
        <dl className="-my-2 divide-y divide-line">
          <Identifier label="Organization ID" id={slugOf(organization.name)} />
          <Identifier label="Workspace ID" id={slugOf(workspace.name)} />
        </dl>
      </Card>
      <DeleteWorkspaceCard workspace={workspace} />
      <DeleteOrganizationCard organization={organization} />
    </div>
  )
}

/** Settings of the organization, and of the workspace in which the page is opened. */
export const GeneralPage = () => {
  const workspace = useWorkspace()
  const name = workspace.organization?.name ?? ''
  const query = useQuery(organizationQuery(name))
  return (
    <>
      <PageHeader
        title="General"
        documentTitle="General settings"
        description="Your organization and this workspace."
      />
      <QueryView
        query={query}
        skeleton={
          <div className="max-w-2xl space-y-5">
            <CardSkeleton lines={4} />
            <CardSkeleton lines={2} />
          </div>
        }
        errorTitle="Failed to load the organization"
      >
        {(organization) => <Content organization={organization} workspace={workspace} />}
      </QueryView>
    </>
  )
}
