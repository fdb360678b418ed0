import { useMutation } from '@tanstack/react-query'
import { type ListKind, type ListReport, listKinds } from '@tributary/contract'
import { Download } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { failureText } from '../../../lib/api/errors.ts'
import { saveFile } from '../../../lib/browser/save-file.ts'
import { count, pluralise } from '../../../lib/format/text.ts'
import { readTextFile } from '../../../lib/read-text-file.ts'
import { Alert } from '../../../ui/alert.tsx'
import { Button } from '../../../ui/button.tsx'
import { Field, type FieldControl } from '../../../ui/forms/field.tsx'
import { FileInput } from '../../../ui/forms/file-input.tsx'
import { Select, Textarea } from '../../../ui/forms/input.tsx'
import { Options } from '../../../ui/forms/options.tsx'
import { kindTitles } from '../audience-words.ts'
import { columnValues, leftOutCsv, likelyColumn, maxFileBytes, readTable } from './list-values.ts'

/** Values of one kind. */
export type ListSource = { kind: ListKind; values: string[] }

/** A list that was looked up. */
export type CheckedList = ListSource & { report: ListReport }

/** The result of looking up a list, with a file of the values that were not found. */
const Report = ({ list: { values, report } }: { list: CheckedList }) => {
  const { found_count, profile_count, not_found, invalid, duplicates } = report
  const numbers = [
    ['Found', found_count],
    ['Not found', not_found.length],
    ['Invalid', invalid.length],
    ['Duplicates', duplicates.length],
  ] as const
  return (
    <section aria-label="Result" className="space-y-3 rounded-md border border-line bg-canvas p-4">
      <output aria-live="polite" className="block text-sm">
        {found_count === 0
          ? 'No profile has one of these identifiers.'
          : `${count(found_count)} of ${count(values.length)} identifiers belong to ${count(profile_count)} ${pluralise(profile_count, 'profile')}.`}
      </output>
      <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        {numbers.map(([name, number]) => (
          <div key={name}>
            <dt className="text-xs text-ink-3">{name}</dt>
            <dd className="text-sm font-medium tabular">{count(number)}</dd>
          </div>
        ))}
      </dl>
      {not_found.length + invalid.length + duplicates.length > 0 && (
        <Button size="sm" onClick={() => saveFile('identifiers-left-out.csv', leftOutCsv(values, report), 'text/csv')}>
          <Download aria-hidden />
          Download the others as CSV
        </Button>
      )}
    </section>
  )
}

/** The state of the pasted text or file, its selected column, and the kind of its values. */
const useSource = () => {
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string>()
  const [kind, setKind] = useState<ListKind>('user_id')
  const [column, setColumn] = useState(0)
  /** Whether the first row contains titles; a guess until the user decides. */
  const [titled, setTitled] = useState<boolean>()
  const table = useMemo(() => readTable(text, titled), [text, titled])
  const read = useMemo(() => columnValues(table, column), [table, column])
  const choose = (next: number, of = table): void => {
    setColumn(next)
    setKind((now) => of.columns[next]?.kind ?? now)
  }
  return {
    text,
    table,
    column,
    choose,
    kind,
    setKind,
    read: problem === undefined ? read : { problem },
    say(next: boolean): void {
      setTitled(next)
      const found = readTable(text, next)
      choose(likelyColumn(found), found)
    },
    take(next: string, wrong?: string): void {
      setText(next)
      setProblem(wrong)
      setTitled(undefined)
      const found = readTable(next)
      choose(likelyColumn(found), found)
    },
  }
}

/** The identifiers: pasted text, or the name of a file with its number of rows. */
const SourceInput = ({
  source,
  control,
  onChange,
  onProblem,
}: {
  source: ReturnType<typeof useSource>
  control: FieldControl
  onChange: () => void
  onProblem: (some: boolean) => void
}) => {
  const [file, setFile] = useState<string>()
  const { length } = source.table.rows
  const takeFile = async (chosen: File | undefined): Promise<void> => {
    const tooLarge = chosen !== undefined && chosen.size > maxFileBytes
    let problem = tooLarge ? `Choose a file of up to ${maxFileBytes / 1024 / 1024} MB` : undefined
    let text = ''
    try {
      if (chosen !== undefined && !tooLarge) text = await readTextFile(chosen)
    } catch (error) {
      problem = error instanceof Error ? error.message : 'The file could not be read'
    }
    source.take(text, problem)
    setFile(chosen?.name)
    onProblem(problem !== undefined)
    onChange()
  }
  return (
    <>
      {file === undefined ? (
        <Textarea
          {...control}
          rows={8}
          spellCheck={false}
          className="font-mono text-xs"
          value={source.text}
          onChange={({ target }) => {
            source.take(target.value)
            onChange()
          }}
        />
      ) : (
        <p {...control} className="rounded-md border border-line bg-canvas px-3 py-2 text-sm break-words">
          {file}: {count(length)} {pluralise(length, 'row')}
        </p>
      )}
      <FileInput label="Choose a file with identifiers" onFile={(chosen) => void takeFile(chosen)} />
    </>
  )
}

/** Fields for the column (if there are several) and the kind of its values. */
const SourceFields = ({ source, onChange }: { source: ReturnType<typeof useSource>; onChange: () => void }) => {
  const { table, column, kind } = source
  return (
    <div className="grid gap-5 sm:grid-cols-2">
      {(table.titled || table.columns.length > 1) && (
        <label className="flex items-center gap-2 text-sm sm:col-span-2">
          <input
            type="checkbox"
            className="size-4 shrink-0 accent-accent"
            checked={table.titled}
            onChange={({ target }) => {
              source.say(target.checked)
              onChange()
            }}
          />
          The first row has titles
        </label>
      )}
      {table.columns.length > 1 && (
        <Field label="Column" required>
          {(control) => (
            <Select
              {...control}
              value={column}
              onChange={({ target }) => {
                source.choose(Number(target.value))
                onChange()
              }}
            >
              {table.columns.map(({ title }, index) => (
                // The order of the columns never changes, so the index is a stable key.
                <option key={`${index} ${title}`} value={index}>
                  {title === '' ? `Column ${index + 1}` : title}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      <Field label="Kind of identifier" required>
        {(control) => (
          <Select
            {...control}
            value={kind}
            onChange={({ target }) => {
              const next = listKinds.find((each) => each === target.value)
              if (next !== undefined) source.setKind(next)
              onChange()
            }}
          >
            <Options of={listKinds} title={(each) => kindTitles[each]} />
          </Select>
        )}
      </Field>
    </div>
  )
}

/**
 * A form for identifiers, pasted or from a file, which looks them up with `onCheck` before any change. `children`
 * receives the list after the lookup, undefined before.
 */
export const ListForm = ({
  label,
  onCheck,
  onChange,
  children,
}: {
  label: string
  onCheck: (source: ListSource) => Promise<ListReport>
  /** Called whenever the input changes. */
  onChange: () => void
  children: (list: CheckedList | undefined) => ReactNode
}) => {
  const source = useSource()
  const [asked, setAsked] = useState(false)
  const check = useMutation({
    mutationFn: async (list: ListSource): Promise<CheckedList> => ({ ...list, report: await onCheck(list) }),
  })
  const { kind, read } = source
  const changed = (): void => {
    check.reset()
    onChange()
  }
  const checked = check.data
  const usable = checked !== undefined && checked.report.found_count > 0 ? checked : undefined
  return (
    <form
      noValidate
      aria-label={label}
      className="space-y-5"
      onSubmit={(event) => {
        event.preventDefault()
        setAsked(true)
        if ('values' in read) check.mutate({ kind, values: read.values })
      }}
    >
      <Field
        label="Identifiers"
        required
        hint="One on each line, or a CSV file. Up to 50,000."
        error={asked && 'problem' in read ? read.problem : undefined}
      >
        {(control) => <SourceInput source={source} control={control} onChange={changed} onProblem={setAsked} />}
      </Field>
      <SourceFields source={source} onChange={changed} />
      <p className="text-sm text-ink-2">
        Only users who are known now join. Users who become known later do not join until you import their identifiers
        again. Identifiers without a profile are not stored.
      </p>
      {check.isError && <Alert>Could not look up the identifiers: {failureText(check.error)}</Alert>}
      {checked !== undefined && <Report list={checked} />}
      <div className="flex flex-wrap justify-end gap-2">
        <Button type="submit" variant={usable === undefined ? 'primary' : 'secondary'} loading={check.isPending}>
          Check identifiers
        </Button>
        {children(usable)}
      </div>
    </form>
  )
}
