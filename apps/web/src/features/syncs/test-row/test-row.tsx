import { useMutation } from '@tanstack/react-query'
import { type MethodRequest, methods, type SyncRowPreview } from '@tributary/contract'
import { Eye, Send } from 'lucide-react'
import { useId, useState } from 'react'
import { call } from '../../../lib/api/client.ts'
import { failureText } from '../../../lib/api/errors.ts'
import { formatJson } from '../../../lib/format/json-text.ts'
import { workspaceIds } from '../../../lib/format/names.ts'
import { sentence } from '../../../lib/format/text.ts'
import { useWorkspace } from '../../../lib/workspace.ts'
import { Alert } from '../../../ui/alert.tsx'
import { Button } from '../../../ui/button.tsx'
import { CodeBlock } from '../../../ui/code/code-block.tsx'
import { Fact } from '../../../ui/code/exchange.tsx'
import { Field } from '../../../ui/forms/field.tsx'
import { Input, Select } from '../../../ui/forms/input.tsx'
import { SendRowDialog } from './send-row-dialog.tsx'
import { operationTitles, type TestedSync, trialOf } from './test-row-words.ts'

/** Shows what a run of a saved or unsaved sync would send for one row. Sends nothing to the destination. */
const usePreviewRow = (workspace: string) =>
  useMutation({
    mutationFn: (body: MethodRequest<typeof methods.syncTestRows.preview>) =>
      call(methods.syncTestRows.preview, { params: workspaceIds(workspace), body }),
  })

const Row = ({ preview, ofEvents }: { preview: SyncRowPreview; ofEvents: boolean }) => (
  <div className="space-y-3">
    {preview.reason !== '' && (
      <p className="rounded-md bg-warning-soft px-3 py-2 text-sm break-words text-warning-ink">
        {preview.found && 'This row is invalid and would not be sent: '}
        {preview.found ? preview.reason : sentence(preview.reason)}
      </p>
    )}
    {preview.found && (
      <dl className="grid grid-cols-2 gap-3 sm:grid-cols-3">
        <Fact name="Primary key">{preview.source_key}</Fact>
        {!ofEvents && <Fact name="Key at the destination">{preview.key === '' ? 'None' : preview.key}</Fact>}
        <Fact name="Operation">{operationTitles[preview.operation]}</Fact>
      </dl>
    )}
    {preview.payload !== '' && (
      <CodeBlock
        codes={[{ title: 'Payload', language: 'json', text: formatJson(preview.payload) }]}
        notice="Payload copied"
        className="max-h-96"
      />
    )}
    {preview.payload !== '' && ofEvents && (
      <p className="text-xs text-ink-3">A message ID that no column gives is made when the sync runs.</p>
    )}
  </div>
)

/** The choice of the first row, or of a row by its primary key. */
const RowChoice = ({
  primaryKey,
  byKey,
  values,
  onByKey,
  onValues,
}: {
  primaryKey: readonly string[]
  byKey: boolean
  values: readonly string[]
  onByKey: (byKey: boolean) => void
  onValues: (values: readonly string[]) => void
}) => {
  const chooses = useId()
  return (
    <>
      <div className="min-w-40 flex-1 space-y-1.5">
        <label htmlFor={chooses} className="text-sm font-medium">
          Row
        </label>
        <Select id={chooses} value={byKey ? 'key' : 'first'} onChange={({ target }) => onByKey(target.value === 'key')}>
          <option value="first">First row</option>
          <option value="key">By primary key</option>
        </Select>
      </div>
      {byKey &&
        primaryKey.map((column, at) => (
          <div key={column} className="min-w-40 flex-1">
            <Field label={column}>
              {(control) => (
                <Input
                  {...control}
                  value={values[at] ?? ''}
                  autoComplete="off"
                  spellCheck={false}
                  onChange={({ target }) => onValues(values.map((each, i) => (i === at ? target.value : each)))}
                />
              )}
            </Field>
          </div>
        ))}
    </>
  )
}

/**
 * Chooses a row of a model, shows the payload that a run of the sync would send, and sends it as a test. The sync may
 * be unsaved. With `ofEvents`, rows become events, which are shown but not sent.
 */
export const TestRow = ({
  of,
  primaryKey,
  destination,
  ofEvents,
}: {
  of: TestedSync
  primaryKey: readonly string[]
  /** The title of the destination. */
  destination: string
  ofEvents: boolean
}) => {
  const workspace = useWorkspace().name
  const [byKey, setByKey] = useState(false)
  const [values, setValues] = useState<readonly string[]>(primaryKey.map(() => ''))
  const [sends, setSends] = useState(false)
  const look = usePreviewRow(workspace)
  const trial = trialOf(of, byKey ? values : undefined)
  // A result for another mapping or key is outdated, so its row cannot be sent.
  const isCurrent = JSON.stringify(look.variables) === JSON.stringify(trial)
  const preview = isCurrent ? look.data : undefined
  const error = isCurrent ? look.error : null
  return (
    <section aria-label="Test row" className="space-y-4">
      <p className="text-sm text-ink-2">
        See what one row of the model becomes{ofEvents ? '.' : ', and send that row to the destination.'}
      </p>
      <div className="flex flex-wrap items-end gap-3">
        <RowChoice primaryKey={primaryKey} byKey={byKey} values={values} onByKey={setByKey} onValues={setValues} />
        <Button loading={look.isPending} onClick={() => look.mutate(trial)}>
          <Eye aria-hidden />
          Preview row
        </Button>
        {!ofEvents && (
          <Button disabled={preview === undefined || preview.payload === ''} onClick={() => setSends(true)}>
            <Send aria-hidden />
            Send test row
          </Button>
        )}
      </div>
      <div aria-live="polite">
        {error !== null && <Alert>{failureText(error)}</Alert>}
        {preview !== undefined && <Row preview={preview} ofEvents={ofEvents} />}
      </div>
      {sends && preview !== undefined && (
        <SendRowDialog
          workspace={workspace}
          trial={trial}
          preview={preview}
          destination={destination}
          onClosed={() => setSends(false)}
        />
      )}
    </section>
  )
}
