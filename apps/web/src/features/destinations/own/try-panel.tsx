import { useQuery } from '@tanstack/react-query'
import type { CatalogDestination, OwnConnector, SettingValue, TriedOwnConnector } from '@tributary/contract'
import { useMemo, useState } from 'react'
import { z } from 'zod'
import { useApiForm } from '../../../components/api-form.ts'
import { SettingFields } from '../../../components/settings/setting-fields.tsx'
import { failureText } from '../../../lib/api/errors.ts'
import { workspaceEventsQuery } from '../../../lib/queries/event-queries.ts'
import { destinationsQuery } from '../../../lib/queries/workspace-queries.ts'
import { defaultSettings, filledSettings } from '../../../lib/settings/setting-values.ts'
import { checkSettings, formSettings } from '../../../lib/settings/settings-rule.ts'
import { useWorkspace } from '../../../lib/workspace.ts'
import { Button } from '../../../ui/button.tsx'
import { CodeEditor } from '../../../ui/code/code-editor.tsx'
import { Field } from '../../../ui/forms/field.tsx'
import { Form, SubmitButton } from '../../../ui/forms/form.tsx'
import { Select } from '../../../ui/forms/input.tsx'
import { notify } from '../../../ui/overlays/toast.tsx'
import { vectorSettings, withRequests, withVector } from './keep-vector.ts'
import type { OwnDraft, Texts } from './own-draft.ts'
import { checkOwn, type OwnTrial, useTryOwn } from './own-mutations.ts'
import { TriedResult } from './tried-result.tsx'

const sample = `${JSON.stringify(
  {
    type: 'track',
    event: 'Order Completed',
    userId: 'user-1',
    properties: { order_id: 'order-1', total: 49.9, currency: 'USD' },
    context: { traits: { email: 'ada@example.com' } },
  },
  null,
  2,
)}\n`

/** The event that a trial sends: a typed one, the latest one that fits, a stored one, or none for the connection test. */
type Choice = 'sample' | 'latest' | 'connection' | `workspaces/${string}`

const EventChoice = ({
  choice,
  payload,
  onChoice,
  onPayload,
}: {
  choice: Choice
  payload: string
  onChoice: (choice: Choice) => void
  onPayload: (payload: string) => void
}) => {
  const workspace = useWorkspace()
  const events = useQuery(workspaceEventsQuery(workspace.name))
  return (
    <>
      <Field label="What is sent">
        {(control) => (
          <Select {...control} value={choice} onChange={({ target }) => onChoice(target.value as Choice)}>
            <option value="sample">The event below</option>
            <option value="latest">The latest event that a preset fits</option>
            {(events.data ?? []).map(({ name, title }) => (
              <option key={name} value={name}>
                Stored: {title}
              </option>
            ))}
            <option value="connection">Only the connection test</option>
          </Select>
        )}
      </Field>
      {choice === 'sample' && (
        <CodeEditor language="json" label="Event" value={payload} onChange={onPayload} className="h-56" />
      )}
    </>
  )
}

type TryForm = { settings: Record<string, SettingValue> }

const useKeep = (own: OwnConnector, draft: OwnDraft, app: CatalogDestination) => {
  const [busy, setBusy] = useState(false)
  const keep = async (tried: TriedOwnConnector, settings: Record<string, SettingValue>): Promise<void> => {
    const { description, guide } = draft.texts
    const kept = withVector(description, {
      name: `Tried ${tried.action}`,
      event: tried.event,
      settings: vectorSettings(app.settings, settings),
    })
    if (kept === undefined) return notify('error', 'Could not keep it', { description: 'The description is no JSON.' })
    setBusy(true)
    try {
      // The check runs the vector with made-up secrets, and says what is sent.
      const { vectors } = await checkOwn(own.name, { description: kept.text, guide })
      const found = vectors.find(({ path }) => path === `vectors.requests.${kept.index}`)
      const text = found === undefined ? undefined : withRequests(kept, found.actual)
      if (text === undefined)
        return notify('error', 'Could not keep it', { description: found?.message ?? 'The description has problems.' })
      draft.change({ description: text })
      notify('success', 'Kept as Vector', { description: 'Save the draft to keep it.' })
    } catch (error) {
      notify('error', 'Could not keep it', { description: failureText(error) })
    } finally {
      setBusy(false)
    }
  }
  return { keep, busy }
}

/** Returns the settings that a trial sends: with a destination, only those that were entered. */
const settingsFor = (
  app: CatalogDestination,
  settings: Record<string, SettingValue>,
  destination: string,
): Record<string, SettingValue> => {
  const filled = filledSettings(app.settings, settings)
  if (destination === '') return filled
  return Object.fromEntries(Object.entries(filled).filter(([, value]) => value !== null && value !== ''))
}

/** Sends one event with the texts of the editor, saved or not, and shows the exact requests and answers. */
export const TryPanel = ({ own, draft, app }: { own: OwnConnector; draft: OwnDraft; app: CatalogDestination }) => {
  const workspace = useWorkspace()
  const destinations = useQuery(destinationsQuery(workspace.name))
  const users = (destinations.data ?? []).filter(({ app: { catalog_app: used } }) => own.app !== '' && used === own.app)
  const [destination, setDestination] = useState('')
  const [choice, setChoice] = useState<Choice>('sample')
  const [payload, setPayload] = useState(sample)
  const attempt = useTryOwn(own.name)
  const { keep, busy } = useKeep(own, draft, app)
  const isOfDestination = destination !== ''
  const schema = useMemo(() => {
    const form = z.object({ settings: formSettings })
    // Settings that are not entered are those of the destination.
    return isOfDestination ? form : form.superRefine(checkSettings(app.settings))
  }, [app.settings, isOfDestination])
  const form = useApiForm<TryForm>(schema, { settings: isOfDestination ? {} : defaultSettings(app.settings) })
  const send = async ({ settings }: TryForm): Promise<void> => {
    const texts: Texts = draft.texts
    const trial: OwnTrial = {
      ...texts,
      kind: choice === 'connection' ? 'connection' : 'event',
      settings: settingsFor(app, settings, destination),
      ...(isOfDestination ? { destination } : {}),
      ...(choice === 'sample' ? { payload } : choice.startsWith('workspaces/') ? { event: choice } : {}),
    }
    await attempt.mutateAsync(trial)
  }
  return (
    <Form form={form} onSubmit={send} label="Try it" className="space-y-4">
      {users.length > 0 && (
        <Field
          label="Settings of"
          hint="Secrets of a destination are sent only to the hosts for which they were entered."
        >
          {(control) => (
            <Select {...control} value={destination} onChange={({ target }) => setDestination(target.value)}>
              <option value="">The fields below</option>
              {users.map(({ name, title }) => (
                <option key={name} value={name}>
                  {title}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      <SettingFields
        options={isOfDestination ? app.settings.map((each) => ({ ...each, required: false })) : app.settings}
      />
      <EventChoice choice={choice} payload={payload} onChoice={setChoice} onPayload={setPayload} />
      <div className="flex flex-wrap items-center gap-2">
        <SubmitButton>Send</SubmitButton>
        {attempt.data !== undefined && attempt.data.event !== '' && attempt.data.calls.length > 0 && (
          <Button loading={busy} onClick={() => attempt.data && void keep(attempt.data, form.read().values.settings)}>
            Keep as vector
          </Button>
        )}
        <span className="text-xs text-ink-3">A real request. It is not retried, and no delivery is logged.</span>
      </div>
      {attempt.data !== undefined && <TriedResult tried={attempt.data} />}
    </Form>
  )
}
