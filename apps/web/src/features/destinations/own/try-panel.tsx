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
import { type DescribedRows, describedParts } from './described-parts.ts'
import { vectorSettings, withRequests, withVector } from './keep-vector.ts'
import type { OwnDraft, Texts } from './own-draft.ts'
import { checkOwn, type OwnTrial, useTryOwn } from './own-mutations.ts'
import { RowChoice, sampleRow, type TriedRow } from './row-choice.tsx'
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

/**
 * What a trial sends: a typed event, the latest one that fits, a stored one, a row, or nothing for the connection test.
 */
type Choice = 'sample' | 'latest' | 'row' | 'connection' | `workspaces/${string}`

const EventChoice = ({
  choice,
  payload,
  takesRows,
  onChoice,
  onPayload,
}: {
  choice: Choice
  payload: string
  takesRows: boolean
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
            {takesRows && <option value="row">The row below</option>}
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
  const keep = async (
    tried: TriedOwnConnector,
    row: TriedRow | undefined,
    settings: Record<string, SettingValue>,
  ): Promise<void> => {
    const { description, guide } = draft.texts
    const kept = withVector(description, {
      name: `Tried ${tried.action}`,
      settings: vectorSettings(app.settings, settings),
      ...(row === undefined ? { event: tried.event } : { row }),
    })
    if (kept === undefined) return notify('error', 'Could not keep it', { description: 'The description is no JSON.' })
    setBusy(true)
    try {
      // The check runs the vector with made-up secrets, and says what is sent.
      const { vectors } = await checkOwn(own.name, { description: kept.text, guide })
      const found = vectors.find(({ path }) => path === `vectors.${kept.member}.${kept.index}`)
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

/** Returns what a trial sends besides texts and settings. */
const contentOf = (choice: Choice, payload: string, row: TriedRow | undefined): Partial<OwnTrial> => {
  if (choice === 'connection') return { kind: 'connection' }
  if (choice === 'row') return { kind: 'row', ...(row === undefined ? {} : { row }) }
  if (choice === 'sample') return { payload }
  return choice === 'latest' ? {} : { event: choice }
}

/** The row that a trial sends: the one that a user entered, as long as the description has its object and operation. */
const useRow = (objects: readonly DescribedRows[]) => {
  const [entered, setRow] = useState<TriedRow>()
  const fits = objects.some(
    ({ object, operations }) => object === entered?.object && operations.some(({ name }) => name === entered.operation),
  )
  const [sample] = objects.flatMap((each) => sampleRow(each) ?? [])
  return { row: fits ? entered : sample, setRow }
}

/** Sends one event or row with the texts of the editor, saved or not, and shows the exact requests and answers. */
export const TryPanel = ({ own, draft, app }: { own: OwnConnector; draft: OwnDraft; app: CatalogDestination }) => {
  const workspace = useWorkspace()
  const destinations = useQuery(destinationsQuery(workspace.name))
  const users = (destinations.data ?? []).filter(({ app: { catalog_app: used } }) => own.app !== '' && used === own.app)
  const [destination, setDestination] = useState('')
  const [chosen, setChoice] = useState<Choice>('sample')
  const [payload, setPayload] = useState(sample)
  const { description } = draft.texts
  const objects = useMemo(() => describedParts(description).rows, [description])
  const { row, setRow } = useRow(objects)
  // The description may no longer take rows.
  const choice = chosen === 'row' && row === undefined ? 'sample' : chosen
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
      settings: settingsFor(app, settings, destination),
      ...(isOfDestination ? { destination } : {}),
      ...contentOf(choice, payload, row),
    }
    await attempt.mutateAsync(trial)
  }
  const { data: tried, variables: sent } = attempt
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
      <EventChoice
        choice={choice}
        payload={payload}
        takesRows={row !== undefined}
        onChoice={setChoice}
        onPayload={setPayload}
      />
      {choice === 'row' && row !== undefined && <RowChoice objects={objects} row={row} onChange={setRow} />}
      <div className="flex flex-wrap items-center gap-2">
        <SubmitButton>Send</SubmitButton>
        {tried !== undefined && (tried.event !== '' || sent?.row !== undefined) && tried.calls.length > 0 && (
          <Button loading={busy} onClick={() => void keep(tried, sent?.row, form.read().values.settings)}>
            Keep as vector
          </Button>
        )}
        <span className="text-xs text-ink-3">A real request. It is not retried, and no delivery is logged.</span>
      </div>
      {tried !== undefined && <TriedResult tried={tried} />}
    </Form>
  )
}
