import { type ReactNode, useEffect, useRef, useState } from 'react'
import { type BulkFailure, runBulk } from '../../lib/api/bulk.ts'
import { failureText } from '../../lib/api/errors.ts'
import { count, pluralise } from '../../lib/format/text.ts'
import { Button } from '../button.tsx'
import { Field } from '../forms/field.tsx'
import { Input } from '../forms/input.tsx'
import type { SearchOption } from '../forms/search-select.tsx'
import { ConfirmDialog } from '../overlays/confirm-dialog.tsx'
import { notify } from '../overlays/toast.tsx'
import { lazyPart } from '../page/lazy-part.tsx'
import { Skeleton } from '../page/skeleton.tsx'

// Most actions need no choice, so this code is loaded on first use.
const SearchSelect = lazyPart(
  async () => (await import('../forms/search-select.tsx')).SearchSelect,
  <Skeleton className="h-9 w-full" />,
)

/** An action on all selected rows. */
export type BulkAction<Row> = {
  /** The text of the button, such as "Delete"; `done` is the text for finished actions, such as "deleted". */
  label: string
  done: string
  /** The consequence, shown before the action. */
  text: ReactNode
  /** Whether the action cannot be undone: the user must then type its label. */
  danger?: boolean
  /** A choice that the user makes once for all rows. */
  ask?: { label: string; options: readonly SearchOption[] }
  /** Runs the action for a row. `chosen` is the value of the choice, or '' if there is none. */
  run: (row: Row, chosen: string) => Promise<unknown>
}

type Choice<Row> = { action: BulkAction<Row>; rows: readonly Row[] }

const Failures = <Row,>({
  failures,
  noun,
  titleOf,
}: {
  failures: readonly BulkFailure<Row>[]
  noun: string
  titleOf: (row: Row) => string
}) => (
  <div role="alert" className="mt-3 space-y-2">
    <p className="font-medium text-danger-ink">
      {count(failures.length)} {pluralise(failures.length, noun)} failed:
    </p>
    <ul aria-label="Failed" className="max-h-48 space-y-1.5 overflow-y-auto scroll-thin">
      {failures.map(({ item, error }, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- the list is never reordered
        <li key={index} className="break-words">
          <span className="font-medium text-ink">{titleOf(item)}</span>: {failureText(error)}
        </li>
      ))}
    </ul>
  </div>
)

type FieldProps = { value: string; wrong: boolean; disabled: boolean; onChange: (value: string) => void }

/** The field into which the user types the label of an action that cannot be undone. */
const WordField = ({ word, value, wrong, disabled, onChange }: FieldProps & { word: string }) => (
  <div className="mt-3">
    <Field label={`Type "${word}" to confirm`} error={wrong ? `Type ${word}` : undefined}>
      {(control) => (
        <Input
          {...control}
          value={value}
          autoComplete="off"
          spellCheck={false}
          disabled={disabled}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  </div>
)

const AskField = ({
  label,
  options,
  wrong,
  ...select
}: FieldProps & { label: string; options: readonly SearchOption[] }) => (
  <div className="mt-3">
    <Field label={label} error={wrong ? `Choose a ${label.toLowerCase()}` : undefined}>
      {(control) => (
        <SearchSelect {...select} label={label} control={control} options={options} placeholder="Choose…" />
      )}
    </Field>
  </div>
)

/** A signal that aborts when the component is removed. */
const useAborted = () => {
  const stop = useRef(new AbortController())
  useEffect(() => {
    const controller = new AbortController()
    stop.current = controller
    return () => controller.abort()
  }, [])
  return stop
}

/** Asks for confirmation, runs the action for each row, and shows each failure. Failed rows can be retried. */
const BulkDialog = <Row,>({
  choice: { action, rows },
  noun,
  titleOf,
  onSettled,
  onClosed,
}: {
  choice: Choice<Row>
  noun: string
  titleOf: (row: Row) => string
  onSettled: (failed: readonly Row[]) => void
  onClosed: () => void
}) => {
  const [open, setOpen] = useState(true)
  const [typed, setTyped] = useState('')
  const [wrong, setWrong] = useState(false)
  const [chosen, setChosen] = useState('')
  const [settled, setSettled] = useState<number>()
  const [failures, setFailures] = useState<BulkFailure<Row>[]>([])
  const stop = useAborted()
  const word = action.label.toLowerCase()
  const again = failures.length > 0
  const todo = again ? failures.map(({ item }) => item) : rows
  const words = `${count(todo.length)} ${pluralise(todo.length, noun)}`
  const confirm = async (): Promise<void> => {
    const isTyped = action.danger !== true || typed.trim().toLowerCase() === word
    if (!isTyped || (action.ask !== undefined && chosen === '')) return setWrong(true)
    setSettled(0)
    const failed = await runBulk(todo, (row) => action.run(row, chosen), {
      onProgress: setSettled,
      signal: stop.current.signal,
    })
    setSettled(undefined)
    setFailures(failed)
    onSettled(failed.map(({ item }) => item))
    const succeeded = todo.length - failed.length
    if (succeeded > 0) notify('success', `${count(succeeded)} ${pluralise(succeeded, noun)} ${action.done}`)
    if (failed.length === 0) setOpen(false)
  }
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={(next) => {
        // While an action is running, the dialog stays open until it is complete, and then shows the failures.
        if (settled === undefined) setOpen(next)
      }}
      onClosed={onClosed}
      kind={action.danger === true ? 'danger' : 'neutral'}
      title={`${action.label} ${words}`}
      confirmLabel={again ? 'Try again' : `${action.label} ${words}`}
      cancelLabel={again ? 'Close' : 'Cancel'}
      loading={settled !== undefined}
      onConfirm={() => void confirm()}
    >
      {!again && <p>{action.text}</p>}
      {!again && action.danger === true && (
        <WordField
          word={word}
          value={typed}
          wrong={wrong}
          disabled={settled !== undefined}
          onChange={(value) => {
            setTyped(value)
            setWrong(false)
          }}
        />
      )}
      {!again && action.ask !== undefined && (
        <AskField
          {...action.ask}
          value={chosen}
          wrong={wrong}
          disabled={settled !== undefined}
          onChange={(value) => {
            setChosen(value)
            setWrong(false)
          }}
        />
      )}
      {settled !== undefined && (
        <output className="mt-3 block tabular">
          {count(settled)} of {count(todo.length)}
        </output>
      )}
      {again && settled === undefined && <Failures failures={failures} noun={noun} titleOf={titleOf} />}
    </ConfirmDialog>
  )
}

/** The actions on the selected rows, at the bottom of the page while there are any. */
export const BulkBar = <Row,>({
  noun,
  rows,
  actions,
  idOf,
  titleOf,
  onSelect,
  onSettled,
}: {
  /** The kind of a row, such as "source". */
  noun: string
  /** The selected rows. */
  rows: readonly Row[]
  actions: readonly BulkAction<Row>[]
  idOf: (row: Row) => string
  titleOf: (row: Row) => string
  onSelect: (selected: ReadonlySet<string>) => void
  /** Called when the action has ended for all rows. */
  onSettled: () => void
}) => {
  const [choice, setChoice] = useState<Choice<Row>>()
  return (
    <>
      {rows.length > 0 && (
        <section
          aria-label="Selection"
          className="sticky bottom-4 z-10 mx-auto flex w-fit max-w-full flex-wrap items-center gap-2 rounded-lg border border-line-strong bg-raised px-3 py-2 text-sm shadow-pop"
        >
          <output className="mr-2 font-medium tabular">{count(rows.length)} selected</output>
          {actions.map((action) => (
            <Button
              key={action.label}
              size="sm"
              variant={action.danger === true ? 'danger' : 'secondary'}
              onClick={() => setChoice({ action, rows })}
            >
              {action.label}
            </Button>
          ))}
          <Button size="sm" variant="none" onClick={() => onSelect(new Set())}>
            Clear
          </Button>
        </section>
      )}
      {choice !== undefined && (
        <BulkDialog
          choice={choice}
          noun={noun}
          titleOf={titleOf}
          onSettled={(failed) => {
            onSelect(new Set(failed.map(idOf)))
            onSettled()
          }}
          onClosed={() => setChoice(undefined)}
        />
      )}
    </>
  )
}
