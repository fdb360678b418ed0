import { type ListedSource, type MappingSource, mappingLimits } from '@tributary/contract'
import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react'
import type { KeyboardEvent } from 'react'
import { Button } from '../../ui/button.tsx'
import { Select } from '../../ui/forms/input.tsx'
import { Options } from '../../ui/forms/options.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { useRowFocus } from '../use-row-focus.ts'
import { emptyListed, isListed, listedTypes, withItemMoved } from './listed-sources.ts'
import { SourceInput, type SourceInputProps, type SourceNames } from './source-input.tsx'
import { sourceTypeWords } from './target-words.ts'

type First = Extract<MappingSource, { type: 'FIRST' }>

type Props = Omit<SourceInputProps, 'source' | 'onSource'> &
  SourceNames & { source: First; onSource: (source: First) => void }

/** Returns the example of a source's value, as a phrase; '' if none is known. */
const exampleOf = (source: ListedSource, fields: SourceNames['fields']): string => {
  const example = source.type === 'FIELD' ? fields.find(({ name }) => name === source.name)?.example : undefined
  return example === undefined || example === '' ? '' : `Such as ${example}`
}

const Row = ({
  source,
  at,
  count,
  onMove,
  onRemove,
  onSource,
  ...props
}: Omit<Props, 'source' | 'onSource'> & {
  source: ListedSource
  at: number
  count: number
  onMove: (to: number) => void
  onRemove: () => void
  onSource: (source: ListedSource) => void
}) => {
  const { label, disabled, fields } = props
  const name = `Source ${at + 1} of ${label}`
  const example = exampleOf(source, fields)
  const moveByKey = (event: KeyboardEvent): void => {
    const to = event.key === 'ArrowUp' ? at - 1 : event.key === 'ArrowDown' ? at + 1 : at
    if (to === at) return
    event.preventDefault()
    if (to >= 0 && to < count) onMove(to)
  }
  return (
    <li
      data-row={at}
      className="grid grid-cols-[1rem_minmax(0,1fr)_auto] items-start gap-x-2 gap-y-1.5 @2xl:grid-cols-[1rem_6.75rem_minmax(0,1fr)_auto]"
    >
      <span aria-hidden className="mt-1.5 text-right text-xs text-ink-3 tabular-nums">
        {at + 1}
      </span>
      <Select
        aria-label={`Type of source ${at + 1} of ${label}`}
        value={source.type}
        disabled={disabled}
        onChange={(event) => {
          const type = listedTypes.find((each) => each === event.target.value) ?? 'FIELD'
          onSource(emptyListed(type))
        }}
      >
        <Options of={listedTypes} title={(type) => sourceTypeWords[type]} />
      </Select>
      <div className="min-w-0 space-y-1 @max-2xl:order-last @max-2xl:col-span-2 @max-2xl:col-start-2">
        <SourceInput
          {...props}
          label={name}
          source={source}
          onSource={(next) => {
            if (isListed(next)) onSource(next)
          }}
        />
        {example !== '' && (
          <p className="truncate text-xs text-ink-3" title={example}>
            {example}
          </p>
        )}
      </div>
      {!disabled && (
        <span className="flex">
          <IconButton
            data-move="up"
            label={`Move source ${at + 1} up`}
            icon={ArrowUp}
            disabled={at === 0}
            onClick={() => onMove(at - 1)}
            onKeyDown={moveByKey}
          />
          <IconButton
            data-move="down"
            label={`Move source ${at + 1} down`}
            icon={ArrowDown}
            disabled={at === count - 1}
            onClick={() => onMove(at + 1)}
            onKeyDown={moveByKey}
          />
          <IconButton label={`Remove source ${at + 1}`} icon={X} disabled={count === 1} onClick={onRemove} />
        </span>
      )}
    </li>
  )
}

/**
 * The list of sources of a field, of which the first one with a value counts. A source is moved by its buttons, and by
 * the arrow keys while one of these buttons has the focus.
 */
export const FirstSources = ({ source, onSource, ...props }: Props) => {
  const { sources } = source
  const { list, focus } = useRowFocus(sources)
  const set = (next: ListedSource[]): void => onSource({ ...source, sources: next })
  const move = (from: number, to: number): void => {
    // The button at an end of the list cannot get the focus.
    const up = to < from ? to > 0 : to === sources.length - 1
    focus(to, up ? '[data-move=up]' : '[data-move=down]')
    set(withItemMoved(sources, from, to))
  }
  return (
    <div className="space-y-2">
      <ol ref={list} aria-label={`${props.label}, in order`} className="space-y-2">
        {sources.map((each, at) => (
          <Row
            // The sources have no IDs, and a row has no state of its own.
            // biome-ignore lint/suspicious/noArrayIndexKey: see above
            key={at}
            {...props}
            source={each}
            at={at}
            count={sources.length}
            onMove={(to) => move(at, to)}
            onRemove={() => {
              focus(Math.max(at - 1, 0), 'select')
              set(sources.filter((_, index) => index !== at))
            }}
            onSource={(next) => set(sources.map((other, index) => (index === at ? next : other)))}
          />
        ))}
      </ol>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 pl-6">
        {!props.disabled && sources.length < mappingLimits.firstSources && (
          <Button
            size="sm"
            onClick={() => {
              focus(sources.length, 'input')
              set([...sources, emptyListed('FIELD')])
            }}
          >
            <Plus aria-hidden />
            Add source
          </Button>
        )}
        <p className="text-xs text-ink-3">The first one with a value is sent.</p>
      </div>
    </div>
  )
}
