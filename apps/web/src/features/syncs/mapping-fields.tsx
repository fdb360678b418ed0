import type { ObjectField } from '@tributary/contract'
import { KeyRound } from 'lucide-react'
import { useId } from 'react'
import { Badge } from '../../ui/badge.tsx'
import { FieldError } from '../../ui/forms/field.tsx'
import { Input } from '../../ui/forms/input.tsx'
import { fieldNote, unmappedRequired } from './known-fields.ts'
import type { MappingProblems, MappingRow } from './mapping-rows.ts'

const identifierBadge = (
  <Badge tone="accent">
    <KeyRound aria-hidden className="size-3" />
    Identifier
  </Badge>
)

type LineProps = {
  row: MappingRow
  at: number
  isIdentifier: boolean
  locked: boolean
  disabled: boolean
  problem: string | undefined
  /** The description of the field at the destination. */
  note: string
  /** The ID of the list of known fields. */
  list: string | undefined
  onChange: (row: MappingRow) => void
  onIdentifier: () => void
}

const Line = ({ row, at, isIdentifier, locked, disabled, problem, note, list, onChange, onIdentifier }: LineProps) => {
  const error = `mapping-${at}-error`
  const shown = row.title ?? row.column
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 gap-y-2 px-4 py-3 sm:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_8rem]">
      <label className="flex min-w-0 items-center gap-2.5 text-sm">
        <input
          type="checkbox"
          className="size-4 shrink-0 accent-accent"
          checked={row.included}
          disabled={disabled || (isIdentifier && locked)}
          aria-label={`Include ${shown}`}
          onChange={({ target }) => onChange({ ...row, included: target.checked })}
        />
        <span className="min-w-0">
          <span className="block truncate font-mono text-xs" title={row.column}>
            {shown}
          </span>
          <span className="block truncate text-xs text-ink-3">{row.type === '' ? 'not in the model' : row.type}</span>
        </span>
      </label>
      <div className="min-w-0 space-y-1 max-sm:order-last max-sm:col-span-2">
        <Input
          aria-label={`Field for ${shown}`}
          value={row.target}
          maxLength={300}
          disabled={disabled || !row.included || (isIdentifier && locked)}
          aria-invalid={problem === undefined ? undefined : true}
          aria-describedby={problem === undefined ? undefined : error}
          autoComplete="off"
          spellCheck={false}
          list={list}
          onChange={({ target }) => onChange({ ...row, target: target.value })}
        />
        {note !== '' && row.included && (
          <p className="truncate text-xs text-ink-3" title={note}>
            {note}
          </p>
        )}
        <FieldError id={error} message={problem} live />
      </div>
      <span className="justify-self-end">
        {locked ? (
          isIdentifier && identifierBadge
        ) : (
          <label className="flex items-center gap-1.5 text-xs text-ink-2">
            <input
              type="radio"
              name="identifier"
              className="size-4 accent-accent"
              checked={isIdentifier}
              disabled={disabled || !row.included}
              aria-label={`${shown} is the identifier`}
              onChange={onIdentifier}
            />
            Identifier
          </label>
        )}
      </span>
    </li>
  )
}

/**
 * Lists the columns of a model, each with the field of the destination to which it is mapped. The column with the index
 * `identifier` identifies records. With `locked`, this choice is fixed.
 */
export const MappingFields = ({
  rows,
  identifier,
  locked,
  disabled,
  problems,
  known = [],
  onChange,
  onIdentifier,
}: {
  rows: readonly MappingRow[]
  identifier: number
  locked: boolean
  disabled: boolean
  problems: MappingProblems | undefined
  /** Fields that the destination lists, in its order. */
  known?: readonly ObjectField[]
  onChange: (rows: readonly MappingRow[]) => void
  onIdentifier: (at: number) => void
}) => {
  const list = useId()
  const missing = unmappedRequired(known, rows)
  return (
    <div className="space-y-2">
      {known.length > 0 && (
        <datalist id={list}>
          {known.map(({ name, label }) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </datalist>
      )}
      <ul aria-label="Mapping" className="divide-y divide-line rounded-lg border border-line bg-surface">
        {rows.map((row, at) => (
          <Line
            // oxlint-disable-next-line react/no-array-index-key -- a row is its place: a column may be there twice
            key={at}
            row={row}
            at={at}
            isIdentifier={at === identifier}
            locked={locked}
            disabled={disabled}
            problem={problems?.rows.get(at)}
            note={fieldNote(known, row.target)}
            list={known.length > 0 ? list : undefined}
            onChange={(changed) => onChange(rows.with(at, changed))}
            onIdentifier={() => onIdentifier(at)}
          />
        ))}
      </ul>
      {missing.length > 0 && (
        <p className="text-xs break-words text-ink-2">Required there, but not mapped: {missing.join(', ')}</p>
      )}
      <FieldError id="mapping-error" message={problems?.all} live />
    </div>
  )
}
