import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { firstName, lastName, type Membership, methods, type User } from '@tributary/contract'
import { useState } from 'react'
import { z } from 'zod'
import { useApiForm } from '../../components/api-form.ts'
import { ImageInput } from '../../components/image-input.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { call } from '../../lib/api/client.ts'
import { base64Of } from '../../lib/browser/image-file.ts'
import { userIds } from '../../lib/format/names.ts'
import { paths } from '../../lib/paths.ts'
import { personName } from '../../lib/people/person.ts'
import { hasOneAdministrator, isAdministrator, roleTitle } from '../../lib/people/roles.ts'
import { userQuery } from '../../lib/queries/account-queries.ts'
import { membersQuery } from '../../lib/queries/organization-queries.ts'
import { refresh } from '../../lib/queries/query.ts'
import { useCurrentUser, useWorkspace } from '../../lib/workspace.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Field } from '../../ui/forms/field.tsx'
import { Form, SubmitButton, TextField } from '../../ui/forms/form.tsx'
import { Input } from '../../ui/forms/input.tsx'
import { notify } from '../../ui/overlays/toast.tsx'
import { PageHeader } from '../../ui/page/page-header.tsx'
import { CardSkeleton } from '../../ui/page/skeleton.tsx'
import { LeaveDialog } from './leave-dialog.tsx'
import { SessionsCard } from './sessions-card.tsx'

/** Changes first and last name, then reloads the user. */
const useUpdateUser = (user: string) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (body: { first_name: string; last_name: string }) =>
      call(methods.users.update, {
        params: userIds(user),
        query: { update_mask: 'first_name,last_name' },
        body,
      }),
    onSuccess: (updated: User) => {
      cache.setQueryData(userQuery(user).queryKey, updated)
      notify('success', 'Profile updated')
    },
    onSettled: () => cache.invalidateQueries({ queryKey: userQuery(user).queryKey }),
  })
}

/** Replaces the photo by an image (base64). With null, removes the photo. */
const useChangePhoto = (user: string) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (content: string | null) => {
      const params = userIds(user)
      return content === null
        ? call(methods.users.removePhoto, { params, body: {} })
        : call(methods.users.uploadPhoto, { params, body: { content } })
    },
    onSuccess: (updated: User) => {
      cache.setQueryData(userQuery(user).queryKey, updated)
      refresh(cache, ['memberships'])
      notify('success', 'Profile updated')
    },
  })
}

const profileForm = z.object({ first_name: firstName, last_name: lastName })
type Profile = z.infer<typeof profileForm>

const ProfileCard = ({ user }: { user: User }) => {
  const update = useUpdateUser(user.name)
  const photo = useChangePhoto(user.name)
  const { first_name, last_name } = user
  const form = useApiForm<Profile>(profileForm, { first_name, last_name })
  return (
    <Card title="Profile" description="How others in your organization see you.">
      <Form form={form} onSubmit={(values) => update.mutateAsync(values)} label="Profile" className="space-y-4">
        <ImageInput
          label="Photo"
          image={user.photo_url}
          title={personName(user)}
          round="full"
          onPick={async (file) => photo.mutateAsync(await base64Of(file))}
          onRemove={() => photo.mutateAsync(null)}
        />
        <Field label="Email" hint="You sign in with this email. It can't be changed here.">
          {(control) => <Input {...control} type="email" value={user.email} readOnly autoComplete="off" />}
        </Field>
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField name="first_name" label="First name" required autoComplete="given-name" />
          <TextField name="last_name" label="Last name" required autoComplete="family-name" />
        </div>
        <div className="flex justify-end">
          <SubmitButton>Save Changes</SubmitButton>
        </div>
      </Form>
    </Card>
  )
}

const LeaveCard = ({ membership, members }: { membership: Membership; members: string }) => {
  const [open, setOpen] = useState(false)
  const { organization, role } = membership
  const administrator = isAdministrator(membership)
  const others = useQuery({ ...membersQuery(organization.name), enabled: administrator })
  if (administrator && others.data !== undefined && hasOneAdministrator(others.data))
    return (
      <Card
        title="Leave organization"
        description={`You are the only administrator of ${organization.display_name}. Make someone else an administrator before you leave.`}
        action={<ButtonLink to={members}>See members</ButtonLink>}
        className="pb-4"
      />
    )
  return (
    <>
      <Card
        tone="danger"
        title="Leave organization"
        description={`You are ${administrator ? 'an' : 'a'} ${roleTitle(role.value).toLowerCase()} of ${organization.display_name}. Leaving ends your access immediately.`}
        action={
          <Button variant="danger" disabled={administrator && others.isPending} onClick={() => setOpen(true)}>
            Leave organization
          </Button>
        }
        className="pb-4"
      />
      {open && <LeaveDialog open onOpenChange={setOpen} organization={organization} membership={membership.name} />}
    </>
  )
}

/** The user's own profile and sessions, and leaving the organization. */
export const AccountPage = () => {
  const { name, organization } = useWorkspace()
  const { user, memberships } = useCurrentUser()
  const membership = memberships.data?.find((each) => each.organization.name === organization?.name)
  return (
    <>
      <PageHeader title="Account" description="Your profile and where you are signed in." />
      <QueryView
        query={user}
        skeleton={
          <div className="max-w-2xl space-y-5">
            <CardSkeleton lines={4} />
            <CardSkeleton lines={3} />
          </div>
        }
        errorTitle="Failed to load your account"
      >
        {(data) => (
          <div className="max-w-2xl space-y-5">
            <ProfileCard key={`${data.first_name} ${data.last_name}`} user={data} />
            <SessionsCard user={data.name} />
            {membership !== undefined && <LeaveCard membership={membership} members={paths.members(name)} />}
          </div>
        )}
      </QueryView>
    </>
  )
}
