import { useMutation, useQuery } from '@tanstack/react-query'
import { methods, type Organization } from '@tributary/contract'
import { useState } from 'react'
import { call } from '../../lib/api/client.ts'
import { failureText } from '../../lib/api/errors.ts'
import { organizationIds } from '../../lib/format/names.ts'
import { count, pluralise } from '../../lib/format/text.ts'
import { usageQuery } from '../../lib/queries/organization-queries.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Field } from '../../ui/forms/field.tsx'
import { Input } from '../../ui/forms/input.tsx'
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx'
import { useOrganizationGone } from './use-organization-gone.ts'

/** What goes, with how much of it where that is known. */
const DeleteDialog = ({
  open,
  onOpenChange,
  organization,
}: {
  open: boolean
  onOpenChange: (open: boolean) => void
  organization: Pick<Organization, 'name' | 'display_name'>
}) => {
  const { name, display_name: title } = organization
  const [typed, setTyped] = useState('')
  const [wrong, setWrong] = useState(false)
  const { data: usage } = useQuery({ ...usageQuery(name), enabled: open })
  const gone = useOrganizationGone()
  const deletion = useMutation({
    mutationFn: () =>
      call(methods.organizations.delete, { params: organizationIds(name), body: { title: typed.trim() } }),
  })
  const many = (number: number | undefined, noun: string): string =>
    number === undefined ? `${noun}s` : `${count(number)} ${pluralise(number, noun)}`
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={onOpenChange}
      kind="danger"
      title="Delete organization"
      confirmLabel="Delete organization"
      loading={deletion.isPending}
      error={deletion.isError ? failureText(deletion.error) : undefined}
      onConfirm={() => {
        if (typed.trim() !== title) setWrong(true)
        else deletion.mutate(undefined, { onSuccess: () => void gone('Organization deleted') })
      }}
    >
      <p>
        <strong className="font-medium text-ink">{title}</strong> is deleted for all of its members. This can&apos;t be
        undone.
      </p>
      <ul className="mt-3 list-disc space-y-1 pl-5">
        <li>
          {many(usage?.workspaces, 'workspace')}, with {many(usage?.sources, 'source')},{' '}
          {many(usage?.destinations, 'destination')}, {many(usage?.syncs, 'sync')}, and{' '}
          {many(usage?.audiences, 'audience')}
        </li>
        <li>All events, deliveries, and profiles</li>
        <li>Access of all members, invitations, API keys, and custom domains</li>
        <li>The subscription: it is canceled immediately, and nothing is refunded</li>
      </ul>
      <div className="mt-4">
        <Field label={`Type "${title}" to confirm`} error={wrong ? `Type ${title}` : undefined}>
          {(control) => (
            <Input
              {...control}
              value={typed}
              autoComplete="off"
              spellCheck={false}
              disabled={deletion.isPending}
              onChange={(event) => {
                setTyped(event.target.value)
                setWrong(false)
              }}
            />
          )}
        </Field>
      </div>
    </ConfirmDialog>
  )
}

/** Deletes the organisation, once its name is typed. */
export const DeleteOrganizationCard = ({
  organization,
}: {
  organization: Pick<Organization, 'name' | 'display_name'>
}) => {
  const [open, setOpen] = useState(false)
  return (
    <Card
      tone="danger"
      title="Delete organization"
      description="Deletes this organization with its workspaces and all their data, and cancels its subscription."
      className="pb-4"
      action={
        <Button size="sm" variant="danger" onClick={() => setOpen(true)}>
          Delete organization
        </Button>
      }
    >
      {open ? <DeleteDialog open={open} onOpenChange={setOpen} organization={organization} /> : undefined}
    </Card>
  )
}
