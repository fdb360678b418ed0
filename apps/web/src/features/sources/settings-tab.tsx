import type { Source } from '@tributary/contract'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import type { z } from 'zod'
import { sourceIds } from '../../lib/names.ts'
import { paths } from '../../lib/paths.ts'
import { useMayEdit } from '../../lib/workspace.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Form, SubmitButton, TextField, useApiForm } from '../../ui/form.tsx'
import { SettingsCard } from '../../ui/settings-card.tsx'
import { Switch } from '../../ui/switch.tsx'
import { useDeleteSource, useUpdateSource, useUpdateSourceSetting } from './mutations.ts'
import { sourceForm } from './source-form.ts'
import { sampleBody, TemplatePreview } from './template-preview.tsx'

const TitleCard = ({ source, mayEdit }: { source: Source; mayEdit: boolean }) => {
  const update = useUpdateSource(source)
  const form = useApiForm<z.infer<typeof sourceForm>>(sourceForm, { title: source.title })
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

const EnabledCard = ({ source, mayEdit }: { source: Source; mayEdit: boolean }) => {
  const update = useUpdateSource(source)
  return (
    <Card
      title="Receive events"
      description={
        source.enabled
          ? 'Requests with a key of this source are accepted.'
          : 'This source is disabled: requests with its keys are refused with status 404.'
      }
      action={
        <Switch
          checked={source.enabled}
          disabled={!mayEdit || update.isPending}
          label="Receive events"
          onChange={(enabled) => update.mutate({ enabled })}
        />
      }
      className="pb-4"
    />
  )
}

const DangerCard = ({ source }: { source: Source }) => {
  const navigate = useNavigate()
  const remove = useDeleteSource(source)
  const [open, setOpen] = useState(false)
  const list = paths.sources(`workspaces/${sourceIds(source.name).workspace}`)
  return (
    <>
      <Card
        tone="danger"
        title="Delete source"
        description="Its write keys stop working at once and its connections are removed."
        action={
          <Button
            variant="danger"
            onClick={() => {
              remove.reset()
              setOpen(true)
            }}
          >
            Delete source
          </Button>
        }
        className="pb-4"
      />
      <ConfirmDialog
        open={open}
        onOpenChange={setOpen}
        kind="danger"
        title="Delete source"
        confirmLabel="Delete source"
        loading={remove.isPending}
        error={remove.error?.message}
        onConfirm={() => remove.mutate(undefined, { onSuccess: () => void navigate(list, { replace: true }) })}
      >
        Are you sure you want to delete the {source.title} source along with all its associated syncs?
      </ConfirmDialog>
    </>
  )
}

const AppSettings = ({ source, mayEdit }: { source: Source; mayEdit: boolean }) => {
  const update = useUpdateSourceSetting(source)
  // Kept here, since saving a setting makes its row anew.
  const [body, setBody] = useState(sampleBody)
  return (
    <SettingsCard
      description="Each setting is saved by itself and holds for what comes in from then on."
      settings={source.app.settings}
      mayEdit={mayEdit}
      onSave={update.mutateAsync}
      below={(setting, draft, change) =>
        setting.type === 'template' &&
        mayEdit && (
          <TemplatePreview
            source={source}
            template={typeof draft === 'string' ? draft : ''}
            body={body}
            onBody={setBody}
            onTemplate={change}
          />
        )
      }
    />
  )
}

/** Title, settings, on and off, and deletion of a source. */
export const SettingsTab = ({ source }: { source: Source }) => {
  const mayEdit = useMayEdit() === true
  return (
    <div className="max-w-2xl space-y-5">
      <TitleCard key={source.title} source={source} mayEdit={mayEdit} />
      {source.app.settings.length > 0 && <AppSettings source={source} mayEdit={mayEdit} />}
      <EnabledCard source={source} mayEdit={mayEdit} />
      {mayEdit && <DangerCard source={source} />}
    </div>
  )
}
