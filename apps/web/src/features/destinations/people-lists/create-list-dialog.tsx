import { useQueryClient } from '@tanstack/react-query'
import { type Destination, methods } from '@tributary/contract'
import { z } from 'zod'
import { useApiForm } from '../../../components/api-form.ts'
import { atStart, type ListsOf } from '../../../components/people-lists/people-list.ts'
import { call } from '../../../lib/api/client.ts'
import { failureText } from '../../../lib/api/errors.ts'
import { destinationIds } from '../../../lib/format/names.ts'
import { sentence } from '../../../lib/format/text.ts'
import { refresh } from '../../../lib/queries/query.ts'
import { Button } from '../../../ui/button.tsx'
import { Form, SubmitButton, TextField } from '../../../ui/forms/form.tsx'
import { useFirstField } from '../../../ui/forms/form-state.ts'
import { Dialog } from '../../../ui/overlays/dialog.tsx'
import { notify } from '../../../ui/overlays/toast.tsx'
import { useUpdateSetting } from '../mutations.ts'

type Props = { destination: Destination; lists: ListsOf; onClose: () => void }

const CreateForm = ({ destination, lists: { setting, title, maxTitle }, onClose }: Props) => {
  const cache = useQueryClient()
  const update = useUpdateSetting(destination)
  const rule = z.object({ title: z.string().trim().min(1, 'Required').max(maxTitle, `At most ${maxTitle} characters`) })
  const form = useApiForm<{ title: string }>(rule, { title: '' })
  useFirstField(form, 'title')
  const submit = async (body: { title: string }): Promise<void> => {
    const params = destinationIds(destination.name)
    const made = await call(methods.peopleLists.create, { params, body })
    refresh(cache, ['peopleLists'], params)
    onClose()
    try {
      await update.mutateAsync({ name: setting, value: made.id })
    } catch (error) {
      notify('warning', `${atStart(title)} created, but not chosen`, {
        description: `${sentence(failureText(error))} Its ID is ${made.id}.`,
        timeout: false,
      })
    }
  }
  return (
    <Form form={form} onSubmit={submit} label={`Create a ${title}`} className="space-y-4">
      <TextField name="title" label="Name" required autoComplete="off" placeholder="Customers" />
      <div className="flex justify-end gap-2 pt-1">
        <Button onClick={onClose}>Cancel</Button>
        <SubmitButton>Create</SubmitButton>
      </div>
    </Form>
  )
}

/** Creates a list of people at the platform of a destination after a confirmation, and uses it for events. */
export const CreateListDialog = ({ open, ...props }: Props & { open: boolean }) => (
  <Dialog
    open={open}
    onClose={props.onClose}
    title={`Create a ${props.lists.title}`}
    description={`Creates an empty ${props.lists.title} in your account, and sends people of events to it. Only the platform can delete it.`}
  >
    <CreateForm {...props} />
  </Dialog>
)
