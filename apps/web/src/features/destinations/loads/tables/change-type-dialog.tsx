import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { errorScreen, failureText } from '../../../../lib/api/errors.ts'
import { sentence } from '../../../../lib/format/text.ts'
import { conversionQuery } from '../../../../lib/queries/warehouse-queries.ts'
import { Alert } from '../../../../ui/alert.tsx'
import { Button } from '../../../../ui/button.tsx'
import { Field } from '../../../../ui/forms/field.tsx'
import { Select } from '../../../../ui/forms/input.tsx'
import { Options } from '../../../../ui/forms/options.tsx'
import { Dialog } from '../../../../ui/overlays/dialog.tsx'
import { useOpened } from '../../../../ui/overlays/use-opened.ts'
import { Spinner } from '../../../../ui/page/spinner.tsx'
import { useChangeColumn } from '../load-mutations.ts'
import { conversionTexts } from '../load-words.ts'

/** The column that a dialog changes. */
export type ChangedColumn = {
  /** A resource name. */
  destination: string
  table: string
  column: string
  /** Called when the change has been started. */
  onChanging: () => void
  onClosed: () => void
}

/** What the warehouse answered to the question how many values convert. */
const Counted = ({ query }: { query: ReturnType<typeof useConversion> }) => {
  if (query.isFetching)
    return (
      <output className="flex items-center gap-2 text-sm text-ink-2">
        <Spinner size="sm" />
        The warehouse counts the values that convert.
      </output>
    )
  if (query.isError) {
    const { message, detail } = errorScreen(query.error)
    return (
      <div className="space-y-2">
        <Alert>{sentence(detail ?? message)}</Alert>
        <Button size="sm" onClick={() => void query.refetch()}>
          Count again
        </Button>
      </div>
    )
  }
  if (query.data === undefined) return null
  return (
    <div className="space-y-2 text-sm">
      <output className="block">{conversionTexts(query.data).join(' ')}</output>
      {query.data.examples.length > 0 && (
        <>
          <p className="text-ink-2">Values that don't convert, such as:</p>
          <ul className="space-y-1">
            {query.data.examples.map((example) => (
              <li key={example} className="rounded-sm bg-sunken px-2 py-1 font-mono text-xs wrap-anywhere">
                {example}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}

const useConversion = (destination: string, change: { table: string; column: string; type: string }) =>
  useQuery({ ...conversionQuery(destination, change), enabled: change.type !== '' })

/** Changes the type of a column, after the warehouse has counted the values that convert. */
export const ChangeTypeDialog = ({
  destination,
  table,
  column,
  type: current,
  types,
  onChanging,
  onClosed,
}: ChangedColumn & { type: string; types: readonly string[] }) => {
  const { close, dialog } = useOpened(onClosed)
  const [type, setType] = useState('')
  const query = useConversion(destination, { table, column, type })
  const change = useChangeColumn(destination)
  const confirm = (): void =>
    change.mutate(
      { kind: 'change_type', table, column, type },
      {
        onSuccess: () => {
          close()
          onChanging()
        },
      },
    )
  return (
    <Dialog
      {...dialog}
      title="Change type"
      description={
        <>
          <code className="font-mono text-xs wrap-anywhere">
            {table}.{column}
          </code>
          , now {current}
        </>
      }
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button
            variant="primary"
            loading={change.isPending}
            disabled={query.data === undefined || query.isFetching}
            onClick={confirm}
          >
            Change type
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        <Field
          label="New type"
          hint="Values that don’t convert move to extra_properties. Nothing is lost, and a later change brings them back."
        >
          {(control) => (
            <Select {...control} value={type} onChange={({ target }) => setType(target.value)}>
              <option value="" disabled>
                Choose a type
              </option>
              <Options of={types.filter((each) => each !== current)} />
            </Select>
          )}
        </Field>
        <Counted query={query} />
        {change.error !== null && <Alert>{sentence(failureText(change.error))}</Alert>}
      </div>
    </Dialog>
  )
}
