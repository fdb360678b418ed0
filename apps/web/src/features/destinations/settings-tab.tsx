import { type Destination, destinationTitle } from '@tributary/contract'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { z } from 'zod'
import { destinationIds } from '../../lib/names.ts'
import { paths } from '../../lib/paths.ts'
import { useMayEdit } from '../../lib/workspace.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Form, SubmitButton, TextField, useApiForm } from '../../ui/form.tsx'
import { SettingsCard } from '../../ui/settings-card.tsx'
import { Switch } from '../../ui/switch.tsx'
import { useDeleteDestination, useUpdateDestination, useUpdateSetting } from './mutations.ts'

const titleForm = z.object({ title: destinationTitle })

const TitleCard = ({ destination, mayEdit }: { destination: Destination; mayEdit: boolean }) => {
  const update = useUpdateDestination(destination)
  const form = useApiForm<z.infer<typeof titleForm>>(titleForm, { title: destination.title })
  return (
    <Card title="General">
      <Form form={form} onSubmit={({ title }) => update.mutateAsync({ title })} label="General" className="space-y-4">
        <TextField name="title" label="Title" required disabled={!mayEdit} autoComplete="off" />
        {mayEdit && (
          <div className="flex justify-end">
            <SubmitButton>Save Changes</SubmitButton>
          </div>
        )}
      </Form>
    </Card>
  )
}

const EnabledCard = ({ destination, mayEdit }: { destination: Destination; mayEdit: boolean }) => {
  const update = useUpdateDestination(destination)
  return (
    <Card
      title="Deliver events"
      description={
        destination.enabled
          ? 'Events of connected sources are delivered as they arrive. Switched off, they are held until it is resumed.'
          : 'This destination is paused: its events are held, and delivered when it is resumed. What waits for more than 24 hours becomes a dead letter.'
      }
      action={
        <Switch
          checked={destination.enabled}
          disabled={!mayEdit || update.isPending}
          label="Deliver events"
          onChange={(enabled) => update.mutate({ enabled })}
        />
      }
      className="pb-4"
    />
  )
}

const DangerCard = ({ destination }: { destination: Destination }) => {
  const navigate = useNavigate()
  const remove = useDeleteDestination(destination)
  const [open, setOpen] = useState(false)
  const list = paths.destinations(`workspaces/${destinationIds(destination.name).workspace}`)
  return (
    <>
      <Card
        tone="danger"
        title="Delete destination"
        description="Deleting it prevents any future synchronisation to this destination. What is held for it is not delivered."
        action={
          <Button
            variant="danger"
            onClick={() => {
              remove.reset()
              setOpen(true)
            }}
          >
            Delete destination
          </Button>
        }
        className="pb-4"
      />
      <ConfirmDialog
        open={open}
        onOpenChange={setOpen}
        kind="danger"
        title="Delete destination"
        confirmLabel="Delete destination"
        loading={remove.isPending}
        error={remove.error?.message}
        onConfirm={() => remove.mutate(undefined, { onSuccess: () => void navigate(list, { replace: true }) })}
      >
        Are you sure you want to delete the {destination.title} destination? This prevents any future synchronisation to
        it.
      </ConfirmDialog>
    </>
  )
}

/** Title, settings, on and off, and deletion of a destination. */
export const SettingsTab = ({ destination }: { destination: Destination }) => {
  const mayEdit = useMayEdit() === true
  const update = useUpdateSetting(destination)
  return (
    <div className="max-w-2xl space-y-5">
      <TitleCard key={destination.title} destination={destination} mayEdit={mayEdit} />
      <SettingsCard
        description="Each setting is saved by itself and holds from the next delivery on."
        settings={destination.app.settings}
        mayEdit={mayEdit}
        onSave={update.mutateAsync}
      />
      <EnabledCard destination={destination} mayEdit={mayEdit} />
      {mayEdit && <DangerCard destination={destination} />}
    </div>
  )
}
