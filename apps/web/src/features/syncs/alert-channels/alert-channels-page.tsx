import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import {
  type AlertChannel,
  alertChannelKinds,
  alertChannelUrl,
  methods,
  type NewAlertChannel,
  title,
} from '@tributary/contract'
import { BellRing, Plus } from 'lucide-react'
import { useState } from 'react'
import { z } from 'zod'
import { useApiForm } from '../../../components/api-form.ts'
import { QueryView } from '../../../components/query-view.tsx'
import { ReadOnlyNote } from '../../../components/settings/read-only-note.tsx'
import { call } from '../../../lib/api/client.ts'
import { failureText } from '../../../lib/api/errors.ts'
import { alertChannelIds, workspaceIds } from '../../../lib/format/names.ts'
import { paths } from '../../../lib/paths.ts'
import { refresh } from '../../../lib/queries/query.ts'
import { alertChannelsQuery, syncsQuery } from '../../../lib/queries/sync-queries.ts'
import { useMayEdit, useWorkspace } from '../../../lib/workspace.ts'
import { Alert } from '../../../ui/alert.tsx'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { CopyButton } from '../../../ui/code/copy-button.tsx'
import { Form, SelectField, SubmitButton, TextField } from '../../../ui/forms/form.tsx'
import { Options } from '../../../ui/forms/options.tsx'
import { CardList, CardRow } from '../../../ui/lists/card-list.tsx'
import { DangerDialog } from '../../../ui/overlays/danger-dialog.tsx'
import { Dialog } from '../../../ui/overlays/dialog.tsx'
import { PageHeader } from '../../../ui/page/page-header.tsx'
import { CardSkeleton } from '../../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../../ui/relative-time.tsx'
import { channelKindTitles, syncsText } from './channel-words.ts'

/** Returns a mutation that changes the channels and then reloads their list. */
const useChannelChange = <Given, Answer>(change: (given: Given) => Promise<Answer>) => {
  const cache = useQueryClient()
  const workspace = useWorkspace().name
  return useMutation({
    mutationFn: change,
    onSettled: () => refresh(cache, ['alertChannels'], workspaceIds(workspace)),
  })
}

const channelForm = z.object({ title, kind: z.enum(alertChannelKinds), url: alertChannelUrl })

const CreateDialog = ({ onMade, onClosed }: { onMade: (made: NewAlertChannel) => void; onClosed: () => void }) => {
  const [open, setOpen] = useState(true)
  const workspace = useWorkspace().name
  const create = useChannelChange((body: z.infer<typeof channelForm>) =>
    call(methods.alertChannels.create, { params: workspaceIds(workspace), body: { ...body, syncs: null } }),
  )
  const form = useApiForm<z.infer<typeof channelForm>>(channelForm, { title: '', kind: 'slack', url: '' })
  const close = (): void => setOpen(false)
  return (
    <Dialog open={open} onClose={close} onClosed={onClosed} title="Create alert channel">
      <Form
        form={form}
        label="Create alert channel"
        className="space-y-5"
        onSubmit={async (values) => {
          const made = await create.mutateAsync(values)
          if (made.signing_secret !== '') onMade(made)
          close()
        }}
      >
        <TextField name="title" label="Title" required placeholder="#data-alerts" autoComplete="off" />
        <SelectField
          name="kind"
          label="Kind"
          required
          hint="Slack takes the URL of an incoming webhook. A webhook receives signed JSON at your own URL."
        >
          <Options of={alertChannelKinds} title={(kind) => channelKindTitles[kind]} />
        </SelectField>
        <TextField
          name="url"
          label="URL"
          required
          hint="Stored encrypted, and not shown again."
          placeholder="https://hooks.slack.com/services/…"
          autoComplete="off"
        />
        <div className="flex justify-end gap-2">
          <Button onClick={close}>Cancel</Button>
          <SubmitButton>Create channel</SubmitButton>
        </div>
      </Form>
    </Dialog>
  )
}

/** Shows the signing secret of a new webhook. The secret cannot be shown again later. */
const MadeDialog = ({ made, onClosed }: { made: NewAlertChannel; onClosed: () => void }) => {
  const [open, setOpen] = useState(true)
  return (
    <Dialog open={open} onClose={() => setOpen(false)} onClosed={onClosed} title="Save your signing secret">
      <div className="space-y-4">
        <p className="text-sm text-ink-2">
          It signs each message to {made.title}. It isn't shown again after you close this window.
        </p>
        <p className="flex items-center gap-2 rounded-lg border border-line bg-code px-3 py-2">
          <code className="min-w-0 flex-1 font-mono text-sm break-all">{made.signing_secret}</code>
          <CopyButton text={made.signing_secret} name="Copy signing secret" notice="Signing secret copied" />
        </p>
        <div className="flex justify-end">
          <Button variant="primary" onClick={() => setOpen(false)}>
            Done
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

/** Selects the syncs about which a channel is notified. */
const SyncsDialog = ({ item, onClosed }: { item: AlertChannel; onClosed: () => void }) => {
  const [open, setOpen] = useState(true)
  const [chosen, setChosen] = useState(item.syncs)
  const { data: syncs } = useQuery(syncsQuery(useWorkspace().name))
  const update = useChannelChange((names: string[] | null) =>
    call(methods.alertChannels.update, {
      params: alertChannelIds(item.name),
      query: { update_mask: 'syncs' },
      body: { syncs: names },
    }),
  )
  const toggle = (name: string, checked: boolean): void =>
    setChosen((before) => (before ?? []).filter((each) => each !== name).concat(checked ? [name] : []))
  return (
    <Dialog open={open} onClose={() => setOpen(false)} onClosed={onClosed} title={`Syncs of ${item.title}`}>
      <div className="space-y-4 text-sm">
        <label className="flex items-center gap-2">
          <input
            type="checkbox"
            className="size-4 shrink-0 accent-accent"
            checked={chosen === null}
            onChange={({ target }) => setChosen(target.checked ? null : [])}
          />
          All syncs, including later ones
        </label>
        {chosen !== null && (
          <fieldset className="max-h-72 space-y-3 overflow-y-auto rounded-lg border border-line p-3">
            <legend className="sr-only">Syncs</legend>
            {(syncs ?? []).map(({ name, title: syncTitle }) => (
              <label key={name} className="flex items-center gap-2">
                <input
                  type="checkbox"
                  className="size-4 shrink-0 accent-accent"
                  checked={chosen.includes(name)}
                  onChange={({ target }) => toggle(name, target.checked)}
                />
                <span className="min-w-0 break-words">{syncTitle}</span>
              </label>
            ))}
          </fieldset>
        )}
        {update.isError && <Alert className="text-xs">{failureText(update.error)}</Alert>}
        <div className="flex justify-end gap-2">
          <Button onClick={() => setOpen(false)}>Cancel</Button>
          <Button
            variant="primary"
            loading={update.isPending}
            onClick={() => update.mutate(chosen, { onSuccess: () => setOpen(false) })}
          >
            Save
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

const DeleteDialog = ({ item, onClosed }: { item: AlertChannel; onClosed: () => void }) => {
  const remove = useChannelChange((name: string) =>
    call(methods.alertChannels.delete, { params: alertChannelIds(name) }),
  )
  return (
    <DangerDialog
      title="Delete alert channel"
      confirmLabel="Delete channel"
      mutation={remove}
      variables={item.name}
      onClosed={onClosed}
    >
      No more alerts are sent to {item.title}. The inbox and email are not affected. This can't be undone.
    </DangerDialog>
  )
}

const Row = ({ item, mayEdit }: { item: AlertChannel; mayEdit: boolean }) => {
  const [asked, setAsked] = useState<'syncs' | 'delete' | undefined>()
  const test = useChannelChange(() =>
    call(methods.alertChannels.test, { params: alertChannelIds(item.name), body: {} }),
  )
  const result = test.error === null ? test.data?.message : failureText(test.error)
  return (
    <CardRow>
      <BellRing aria-hidden className="size-4 shrink-0 text-ink-3 max-sm:hidden" />
      <div className="min-w-0 flex-1 basis-56">
        <p className="truncate text-sm font-medium" title={item.title}>
          {item.title}
        </p>
        <p className="text-xs break-words text-ink-3">
          {channelKindTitles[item.kind]} · {item.host} · {syncsText(item.syncs)} ·{' '}
          {item.last_sent_time === null ? (
            'Nothing sent yet'
          ) : (
            <>
              Last sent <RelativeTime time={item.last_sent_time} />
            </>
          )}
        </p>
        {item.failure_time !== null && (
          <p className="mt-1 text-xs break-words text-danger-ink">
            <Badge tone="danger">Failing</Badge> {item.failure} · <RelativeTime time={item.failure_time} />
          </p>
        )}
        {result !== undefined && !test.isPending && (
          <output className="mt-1 block text-xs break-words text-ink-2">Test: {result}</output>
        )}
      </div>
      {mayEdit && (
        <div className="flex flex-wrap gap-1">
          <Button variant="none" size="sm" loading={test.isPending} onClick={() => test.mutate(undefined)}>
            Send test
          </Button>
          <Button variant="none" size="sm" onClick={() => setAsked('syncs')}>
            Syncs
          </Button>
          <Button variant="none" size="sm" onClick={() => setAsked('delete')}>
            Delete
          </Button>
        </div>
      )}
      {asked === 'syncs' && <SyncsDialog item={item} onClosed={() => setAsked(undefined)} />}
      {asked === 'delete' && <DeleteDialog item={item} onClosed={() => setAsked(undefined)} />}
    </CardRow>
  )
}

/** The channels for alerts of syncs, in addition to inbox and email. */
export const AlertChannelsPage = () => {
  const workspace = useWorkspace().name
  const query = useQuery(alertChannelsQuery(workspace))
  const mayEdit = useMayEdit() === true
  const [creating, setCreating] = useState(false)
  const [made, setMade] = useState<NewAlertChannel | undefined>()
  return (
    <>
      <PageHeader
        title="Alert channels"
        description="Where alerts of syncs are sent, in addition to the inbox and email."
        crumbs={[{ label: 'Syncs', to: paths.syncs(workspace) }]}
      />
      <div className="max-w-2xl space-y-5">
        <ReadOnlyNote />
        <QueryView query={query} skeleton={<CardSkeleton lines={3} />} errorTitle="Failed to load the alert channels">
          {(channels) => (
            <Card
              title="Channels"
              description="A message is sent when a sync needs attention, has recovered, or isn't running on schedule."
              action={
                mayEdit && (
                  <Button size="sm" onClick={() => setCreating(true)}>
                    <Plus aria-hidden />
                    Create channel
                  </Button>
                )
              }
            >
              {channels.length === 0 ? (
                <p className="text-sm text-ink-2">No channel yet. Create one to send alerts to Slack or a webhook.</p>
              ) : (
                <CardList>
                  {channels.map((item) => (
                    <Row key={item.name} item={item} mayEdit={mayEdit} />
                  ))}
                </CardList>
              )}
            </Card>
          )}
        </QueryView>
        {creating && <CreateDialog onMade={setMade} onClosed={() => setCreating(false)} />}
        {made !== undefined && !creating && <MadeDialog made={made} onClosed={() => setMade(undefined)} />}
      </div>
    </>
  )
}
