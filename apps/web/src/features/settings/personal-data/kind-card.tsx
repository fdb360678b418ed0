import {
  defaultPersonDataPaths,
  maxPersonPaths,
  type PersonDataCounts,
  type PersonDataKind,
  profileFieldOf,
} from '@tributary/contract'
import { ArrowDown, ArrowUp, ChevronRight, Plus, X } from 'lucide-react'
import { type KeyboardEvent, useId, useState } from 'react'
import { useRowFocus } from '../../../components/use-row-focus.ts'
import { percent, rateOf } from '../../../lib/format/rates.ts'
import { count, pluralise } from '../../../lib/format/text.ts'
import { Button } from '../../../ui/button.tsx'
import { FieldError } from '../../../ui/forms/field.tsx'
import { SuggestInput, type Suggestion } from '../../../ui/forms/suggest-input.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { isDefault, pathProblems } from './places-draft.ts'

type Edit = (paths: string[], key?: string) => void

/** The share of the read events with a value at a path. */
const Share = ({
  path,
  counts,
  kind,
}: {
  path: string
  counts: PersonDataCounts | undefined
  kind: PersonDataKind
}) => {
  if (profileFieldOf(path.trim()) !== undefined)
    return <span title="The share is of events, and this path is in the profile">Profile</span>
  const events = counts?.kinds
    .find((each) => each.kind === kind)
    ?.paths.find((each) => each.path === path.trim())?.events
  const rate =
    counts === undefined || events === undefined || events === null ? undefined : rateOf(events, counts.counted)
  if (rate === undefined || counts === undefined) return <span aria-hidden>–</span>
  return <span title={`${count(events ?? 0)} of ${count(counts.counted)} events`}>{percent(rate)}</span>
}

const Row = ({
  at,
  paths,
  kind,
  label,
  suggestions,
  counts,
  problem,
  mayEdit,
  onEdit,
  onMove,
  onRemove,
}: {
  at: number
  paths: readonly string[]
  kind: PersonDataKind
  label: string
  suggestions: readonly Suggestion[]
  counts: PersonDataCounts | undefined
  problem: string | undefined
  mayEdit: boolean
  onEdit: Edit
  onMove: (to: number) => void
  onRemove: () => void
}) => {
  const id = useId()
  const path = paths[at] ?? ''
  const name = `Path ${at + 1} of ${label}`
  const moveByKey = (event: KeyboardEvent): void => {
    const to = event.key === 'ArrowUp' ? at - 1 : event.key === 'ArrowDown' ? at + 1 : at
    if (to === at) return
    event.preventDefault()
    if (to >= 0 && to < paths.length) onMove(to)
  }
  return (
    <li
      data-row={at}
      className="grid grid-cols-[1.25rem_minmax(0,1fr)_auto] items-start gap-x-2 gap-y-1 sm:grid-cols-[1.25rem_minmax(0,1fr)_4.5rem_auto]"
    >
      <span aria-hidden className="mt-1.5 text-right text-xs text-ink-3 tabular-nums">
        {at + 1}
      </span>
      <div className="min-w-0 space-y-1 max-sm:col-span-2">
        <SuggestInput
          mono
          aria-label={name}
          {...(problem === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': id })}
          placeholder="traits.email"
          maxLength={300}
          value={path}
          disabled={!mayEdit}
          suggestions={suggestions}
          onChange={(next) =>
            onEdit(
              paths.map((each, index) => (index === at ? next : each)),
              `${kind} ${at}`,
            )
          }
        />
        <FieldError id={id} message={problem} />
      </div>
      <p className="mt-1.5 text-right text-sm text-ink-2 tabular-nums max-sm:col-start-2 max-sm:mt-0.5 max-sm:text-left">
        <span className="sr-only">Share of events: </span>
        <Share path={path} counts={counts} kind={kind} />
      </p>
      {mayEdit && (
        <span className="flex">
          <IconButton
            data-move="up"
            label={`Move path ${at + 1} of ${label} up`}
            icon={ArrowUp}
            disabled={at === 0}
            onClick={() => onMove(at - 1)}
            onKeyDown={moveByKey}
          />
          <IconButton
            data-move="down"
            label={`Move path ${at + 1} of ${label} down`}
            icon={ArrowDown}
            disabled={at === paths.length - 1}
            onClick={() => onMove(at + 1)}
            onKeyDown={moveByKey}
          />
          <IconButton label={`Remove path ${at + 1} of ${label}`} icon={X} onClick={onRemove} />
        </span>
      )}
    </li>
  )
}

const foundWords = (kind: PersonDataKind, counts: PersonDataCounts | undefined): string => {
  const found = counts?.kinds.find((each) => each.kind === kind)?.found
  const rate = counts === undefined || found === undefined ? undefined : rateOf(found, counts.counted)
  return rate === undefined ? 'Not counted yet' : `In ${percent(rate)} of events`
}

/** The paths of one kind of data in their order, with the share of events that have a value at each. */
export const KindCard = ({
  kind,
  label,
  paths,
  suggestions,
  counts,
  checked,
  opens,
  mayEdit,
  onEdit,
}: {
  kind: PersonDataKind
  label: string
  paths: readonly string[]
  suggestions: readonly Suggestion[]
  counts: PersonDataCounts | undefined
  /** Whether problems are shown: after the first attempt to save. */
  checked: boolean
  /** Whether the paths are open at first. */
  opens: boolean
  mayEdit: boolean
  onEdit: Edit
}) => {
  const { list, focus } = useRowFocus(paths)
  const problems = pathProblems(paths)
  const [wasOpened, setIsOpen] = useState(opens)
  const isOpen = wasOpened || (checked && problems.size > 0)
  const move = (from: number, to: number): void => {
    const moved = [...paths]
    moved.splice(to, 0, ...moved.splice(from, 1))
    // The button at an end of the list cannot get the focus.
    const up = to < from ? to > 0 : to === paths.length - 1
    focus(to, up ? '[data-move=up]' : '[data-move=down]')
    onEdit(moved)
  }
  return (
    <details
      id={kind}
      open={isOpen}
      onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}
      className="group scroll-my-4 rounded-lg border border-line bg-surface shadow-card"
    >
      <summary className="flex cursor-default flex-wrap items-baseline gap-x-3 gap-y-0.5 rounded-lg px-5 py-3 hover:bg-hover">
        <ChevronRight aria-hidden className="size-4 shrink-0 self-center text-ink-3 group-open:rotate-90" />
        <h2 className="text-base font-semibold">{label}</h2>
        <span className="text-sm text-ink-2">{foundWords(kind, counts)}</span>
        <span className="ml-auto text-sm text-ink-3 tabular-nums">
          {`${paths.length} ${pluralise(paths.length, 'path')}${isDefault(kind, paths) ? '' : ', changed'}`}
        </span>
      </summary>
      {isOpen && (
        <div className="space-y-3 px-5 pt-1 pb-4">
          {paths.length === 0 ? (
            <p className="text-sm text-ink-2">No path. Presets and signals send no value of this kind.</p>
          ) : (
            <ol ref={list} aria-label={`Paths of ${label}, in order`} className="space-y-2">
              {paths.map((_, at) => (
                <Row
                  // The paths have no IDs, and a row has no state of its own.
                  // biome-ignore lint/suspicious/noArrayIndexKey: see above
                  key={at}
                  at={at}
                  paths={paths}
                  kind={kind}
                  label={label}
                  suggestions={suggestions}
                  counts={counts}
                  problem={checked ? problems.get(at) : undefined}
                  mayEdit={mayEdit}
                  onEdit={onEdit}
                  onMove={(to) => move(at, to)}
                  onRemove={() => {
                    focus(Math.max(at - 1, 0), 'input')
                    onEdit(paths.filter((_, index) => index !== at))
                  }}
                />
              ))}
            </ol>
          )}
          {mayEdit && (
            <div className="flex flex-wrap gap-2 pl-7">
              {paths.length < maxPersonPaths && (
                <Button
                  size="sm"
                  onClick={() => {
                    focus(paths.length, 'input')
                    onEdit([...paths, ''])
                  }}
                >
                  <Plus aria-hidden />
                  Add path
                </Button>
              )}
              {!isDefault(kind, paths) && (
                <Button size="sm" onClick={() => onEdit([...defaultPersonDataPaths[kind]])}>
                  Restore defaults
                </Button>
              )}
            </div>
          )}
        </div>
      )}
    </details>
  )
}
