import { type Destination, destinationTitle, type Setting, type SettingValue } from '@tributary/contract'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { z } from 'zod'
import { destinationIds } from '../../lib/names.ts'
import { paths } from '../../lib/paths.ts'
import { useMayEdit } from '../../lib/workspace.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Form, SubmitButton, TextField, useApiForm } from '../../ui/form.tsx'
import { Switch } from '../../ui/switch.tsx'
import { useDeleteDestination, useUpdateDestination, useUpdateSetting } from './mutations.ts'
import { settingFailure } from './setting-failure.ts'
import { shownHint } from './setting-hint.tsx'
import { SettingInput } from './setting-input.tsx'
import { isEmptySetting, isShown, settingProblem } from './setting-values.ts'

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

const initialValue = (setting: Setting): SettingValue =>
  setting.value ?? (setting.is_secret ? '' : (setting.default ?? ''))

/** One setting that is saved by itself: switches and lists at once, the rest by its button. */
const SettingRow = ({
  destination,
  setting,
  mayEdit,
}: {
  destination: Destination
  setting: Setting
  mayEdit: boolean
}) => {
  const update = useUpdateSetting(destination)
  const saved = initialValue(setting)
  const [draft, setDraft] = useState<SettingValue>(saved)
  const [problem, setProblem] = useState<string | undefined>()
  // A secret is not shown again once it is saved: its input starts anew.
  const [saves, setSaves] = useState(0)
  const locked = !mayEdit || (!setting.editable && !isEmptySetting(setting.value))
  const immediate = setting.type === 'boolean' || setting.type === 'select'
  const changed = JSON.stringify(draft) !== JSON.stringify(saved)
  const save = (value: SettingValue): void => {
    const found = settingProblem(setting, value)
    setProblem(found)
    if (found !== undefined) return
    update.mutate(
      { name: setting.name, value: isEmptySetting(value) ? null : value },
      {
        onSuccess: () => {
          setSaves((count) => count + 1)
          if (setting.is_secret) setDraft('')
        },
        onError: (error) => {
          setProblem(settingFailure(error, setting.name))
          if (immediate) setDraft(saved)
        },
      },
    )
  }
  const change = (value: SettingValue): void => {
    setDraft(value)
    setProblem(undefined)
    if (immediate) save(value)
  }
  return (
    <form
      noValidate
      className="space-y-3 px-5 py-4"
      onSubmit={(event) => {
        event.preventDefault()
        save(draft)
      }}
    >
      <Field label={setting.display_name} required={setting.required} hint={shownHint(setting)} error={problem}>
        {(control) => (
          <SettingInput
            key={saves}
            option={setting}
            control={control}
            value={draft}
            onChange={change}
            disabled={locked || update.isPending}
            isSet={setting.is_set}
          />
        )}
      </Field>
      {setting.is_secret && setting.is_set && !setting.required && !changed && !locked && (
        <Button size="sm" loading={update.isPending} onClick={() => save(null)}>
          Remove
        </Button>
      )}
      {!immediate && changed && !locked && (
        <div className="flex justify-end gap-2">
          <Button
            onClick={() => {
              setDraft(saved)
              setProblem(undefined)
            }}
          >
            Discard
          </Button>
          <Button type="submit" variant="primary" loading={update.isPending}>
            Save
          </Button>
        </div>
      )}
    </form>
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
  const { settings } = destination.app
  const values = Object.fromEntries(settings.map((setting) => [setting.name, setting.value ?? setting.default]))
  return (
    <div className="max-w-2xl space-y-5">
      <TitleCard key={destination.title} destination={destination} mayEdit={mayEdit} />
      <section aria-label="Settings" className="rounded-lg border border-line bg-surface shadow-card">
        <header className="px-5 pt-4 pb-1">
          <h2 className="text-base font-semibold">Settings</h2>
          <p className="mt-0.5 text-sm text-ink-2">
            Each setting is saved by itself and holds from the next delivery on.
          </p>
        </header>
        <div className="divide-y divide-line">
          {settings
            .filter((setting) => isShown(setting, values))
            .map((setting) => (
              <SettingRow
                key={`${setting.name} ${JSON.stringify(setting.value)} ${setting.is_set}`}
                destination={destination}
                setting={setting}
                mayEdit={mayEdit}
              />
            ))}
        </div>
      </section>
      <EnabledCard destination={destination} mayEdit={mayEdit} />
      {mayEdit && <DangerCard destination={destination} />}
    </div>
  )
}
