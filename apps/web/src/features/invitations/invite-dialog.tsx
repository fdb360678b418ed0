import { useMutation, useQueryClient } from '@tanstack/react-query'
import { methods, roles } from '@tributary/contract'
import { useApiForm } from '../../components/api-form.ts'
import { call } from '../../lib/api/client.ts'
import { organizationIds } from '../../lib/format/names.ts'
import { track } from '../../lib/integrations/analytics.ts'
import { roleHints, roleTitle } from '../../lib/people/roles.ts'
import { useMailEnabled } from '../../lib/people/use-mail-enabled.ts'
import { invitationsQuery, membersQuery } from '../../lib/queries/organization-queries.ts'
import { Button } from '../../ui/button.tsx'
import { Form, SelectField, SubmitButton, TextField } from '../../ui/forms/form.tsx'
import { useFirstField, useFormState } from '../../ui/forms/form-state.ts'
import { Options } from '../../ui/forms/options.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { notify } from '../../ui/overlays/toast.tsx'
import { NoMailNote } from '../../ui/page/no-mail-note.tsx'
import { type InviteValues, inviteBody, inviteForm } from './invite-form.ts'

/** Invites email addresses to an organization, all or none, and reloads the lists of members and invitations. */
export const useInviteMembers = (organization: string) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (values: InviteValues) =>
      call(methods.invitations.batchCreate, { params: organizationIds(organization), body: inviteBody(values) }),
    onSuccess: (_sent, { role }) => {
      track('Invitation Created', { organization, role })
      notify('success', 'Invitation Sent')
    },
    onSettled: () => {
      void cache.invalidateQueries({ queryKey: invitationsQuery(organization).queryKey })
      void cache.invalidateQueries({ queryKey: membersQuery(organization).queryKey })
    },
  })
}

const InviteForm = ({ organization, onClose }: { organization: string; onClose: () => void }) => {
  const invite = useInviteMembers(organization)
  const form = useApiForm<InviteValues>(inviteForm, { emails: '', role: 'ORG_COLLABORATOR' })
  useFirstField(form, 'emails')
  const role = useFormState(form, ({ values }) => values.role)
  const mailEnabled = useMailEnabled()
  const submit = async (values: InviteValues): Promise<void> => {
    await invite.mutateAsync(values)
    onClose()
  }
  return (
    <Form form={form} onSubmit={submit} label="Add team members" className="space-y-4">
      <TextField
        name="emails"
        label="Emails"
        required
        autoComplete="off"
        inputMode="email"
        placeholder="ana@example.com, ben@example.com"
        hint="Separate up to 10 emails with commas. Each link expires after 7 days."
      />
      <SelectField name="role" label="Role" required hint={roleHints[role]}>
        <Options of={roles} title={roleTitle} />
      </SelectField>
      {!mailEnabled && (
        <NoMailNote>
          Invitations stay in the server's outbox folder and are not sent. Create an invitation link on the Members page
          and share it yourself.
        </NoMailNote>
      )}
      <div className="flex justify-end gap-2 pt-1">
        <Button onClick={onClose}>Cancel</Button>
        <SubmitButton>Send invitations</SubmitButton>
      </div>
    </Form>
  )
}

/** The window in which administrators invite people to an organization (a resource name) by email. */
export const InviteDialog = ({
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
    title="Add team members"
    description="They join the organization and can see all of its workspaces."
  >
    <InviteForm organization={organization} onClose={onClose} />
  </Dialog>
)
