import { type ItemField, type ListSource, mappingLimits, type TargetType, targetTypes } from '@tributary/contract'
import { ChevronRight, Plus, X } from 'lucide-react'
import { useMemo } from 'react'
import type { EventField } from '../../lib/events/event-fields.ts'
import { pluralise } from '../../lib/format/text.ts'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { Field } from '../../ui/forms/field.tsx'
import { Input, Select } from '../../ui/forms/input.tsx'
import { Options } from '../../ui/forms/options.tsx'
import { SuggestInput } from '../../ui/forms/suggest-input.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../ui/overlays/menu.tsx'
import { fieldSuggestions } from '../condition-builder.tsx'
import { FirstSources } from './first-sources.tsx'
import { emptyListed, firstOf, isItemSource, itemSourceTypes } from './listed-sources.ts'
import type { ActionTarget } from './mapping-draft.ts'
import { SourceInput, type SourceNames } from './source-input.tsx'
import { sourceTypeWords, targetTypeWords } from './target-words.ts'

type Known = ActionTarget['fields'][number]

/** Returns the fields below a path, with their paths from there. */
const fieldsBelow = (fields: readonly EventField[], path: string): EventField[] =>
  path === ''
    ? []
    : fields.flatMap((field) => {
        const name = field.name.startsWith(`${path}.`) ? field.name.slice(path.length + 1) : ''
        return name === '' ? [] : [{ ...field, name, display_name: name }]
      })

/** Returns the fields of the items: those of the first item of the list, and those of the object at the root. */
const itemFieldsOf = (fields: readonly EventField[], { list, root }: ListSource): EventField[] => {
  const own = [
    ...fieldsBelow(fields, `${list}.0`),
    ...fieldsBelow(fields, root).filter(({ name }) => !name.includes('.')),
  ]
  return [...new Map(own.toReversed().map((field) => [field.name, field])).values()].toReversed()
}

const ItemTarget = ({
  field,
  known,
  disabled,
  onChange,
}: {
  field: ItemField
  known: Known | undefined
  disabled: boolean
  onChange: (part: Partial<ItemField>) => void
}) =>
  known === undefined ? (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)_7rem] gap-2">
      <Input
        aria-label="Name of the field in the item"
        placeholder="Field name"
        autoComplete="off"
        spellCheck={false}
        value={field.name}
        disabled={disabled}
        onChange={(event) => onChange({ name: event.target.value })}
      />
      <Select
        aria-label={`Type of ${field.name === '' ? 'the field' : field.name} in the item`}
        value={field.type}
        disabled={disabled}
        onChange={(event) => {
          const type: TargetType = targetTypes.find((each) => each === event.target.value) ?? 'any'
          onChange({ type })
        }}
      >
        <Options of={targetTypes} title={(type) => targetTypeWords[type]} />
      </Select>
    </div>
  ) : (
    <div className="min-w-0">
      <p className="text-sm font-medium break-words">{known.display_name}</p>
      <p className="text-xs break-words text-ink-3">
        <code className="font-mono">{known.name}</code>
        {known.help_text === '' ? '' : ` · ${known.help_text}`}
      </p>
    </div>
  )

const ItemLine = ({
  field,
  known,
  fields,
  variables,
  disabled,
  onChange,
  onRemove,
}: SourceNames & {
  field: ItemField
  known: Known | undefined
  disabled: boolean
  onChange: (part: Partial<ItemField>) => void
  onRemove: (() => void) | undefined
}) => {
  const name = known?.display_name ?? (field.name === '' ? 'the new field' : field.name)
  const label = `Source of ${name} of each item`
  const target = { type: known?.type ?? field.type, choices: known?.choices ?? [] }
  const props = { target, label, invalid: {}, disabled, fields, variables }
  const { source } = field
  return (
    <li
      aria-label={`${name} of each item`}
      className="grid grid-cols-[minmax(0,1fr)_2rem] items-start gap-x-3 gap-y-2 py-2.5 sm:grid-cols-[minmax(0,6fr)_minmax(0,5fr)_2rem]"
    >
      <div
        className={cn(
          'grid min-w-0 gap-2 max-sm:order-1 max-sm:col-span-full',
          source.type !== 'FIRST' && 'sm:grid-cols-[6.75rem_minmax(0,1fr)]',
        )}
      >
        <Select
          aria-label={`Source type for ${name} of each item`}
          value={source.type}
          disabled={disabled}
          onChange={(event) => {
            const type = itemSourceTypes.find((each) => each === event.target.value) ?? 'FIELD'
            onChange({ source: type === 'FIRST' ? firstOf(source) : emptyListed(type) })
          }}
        >
          <Options of={itemSourceTypes} title={(type) => sourceTypeWords[type]} />
        </Select>
        {source.type !== 'FIRST' && (
          <SourceInput
            {...props}
            source={source}
            onSource={(next) => {
              if (isItemSource(next)) onChange({ source: next })
            }}
          />
        )}
      </div>
      <ItemTarget field={field} known={known} disabled={disabled} onChange={onChange} />
      {onRemove === undefined ? (
        <span />
      ) : (
        <IconButton label={`Remove ${name} of each item`} icon={X} onClick={onRemove} />
      )}
      {source.type === 'FIRST' && (
        <div className="col-span-full min-w-0 max-sm:order-2">
          <FirstSources {...props} source={source} onSource={(next) => onChange({ source: next })} />
        </div>
      )}
    </li>
  )
}

const AddItemField = ({ free, onAdd }: { free: readonly Known[]; onAdd: (field: ItemField) => void }) => {
  const custom = (): void => onAdd({ name: '', type: 'any', source: emptyListed('FIELD') })
  const label = (
    <>
      <Plus aria-hidden />
      Add field of the items
    </>
  )
  if (free.length === 0)
    return (
      <Button size="sm" onClick={custom}>
        {label}
      </Button>
    )
  return (
    <Menu trigger={<Button size="sm">{label}</Button>}>
      {free.map(({ name, display_name, type }) => (
        <MenuItem key={name} onSelect={() => onAdd({ name, type, source: emptyListed('FIELD') })}>
          <span className="min-w-0">
            <span className="block">{display_name}</span>
            <span className="block font-mono text-xs text-ink-3">{name}</span>
          </span>
        </MenuItem>
      ))}
      <MenuSeparator />
      <MenuItem icon={<Plus />} onSelect={custom}>
        Custom field
      </MenuItem>
    </Menu>
  )
}

/** The places of a list of objects: its list, and the object that stands in for an absent list. */
const Places = ({
  source,
  fields,
  label,
  disabled,
  onSource,
}: {
  source: ListSource
  fields: readonly EventField[]
  label: string
  disabled: boolean
  onSource: (source: ListSource) => void
}) => {
  const lists = useMemo(() => fieldSuggestions(fields.filter(({ type }) => type === 'array')), [fields])
  const roots = useMemo(() => fieldSuggestions(fields.filter(({ type }) => type === 'object')), [fields])
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Field label="List">
        {(control) => (
          <SuggestInput
            mono
            {...control}
            aria-label={`List of ${label}`}
            placeholder="properties.products"
            value={source.list}
            disabled={disabled}
            suggestions={lists}
            onChange={(list) => onSource({ ...source, list })}
          />
        )}
      </Field>
      <Field label="Without a list, the object at">
        {(control) => (
          <SuggestInput
            mono
            {...control}
            aria-label={`Object of ${label} without a list`}
            placeholder="Nothing is sent"
            value={source.root}
            disabled={disabled}
            suggestions={roots}
            onChange={(root) => onSource({ ...source, root })}
          />
        )}
      </Field>
    </div>
  )
}

/** A list of objects: where its items are, and a group with the fields of each item. */
export const ListSourceEditor = ({
  source,
  target,
  label,
  disabled,
  fields,
  variables,
  onSource,
}: SourceNames & {
  source: ListSource
  target: { fields?: readonly Known[] }
  label: string
  disabled: boolean
  onSource: (source: ListSource) => void
}) => {
  const known = target.fields ?? []
  const inItem = useMemo(() => itemFieldsOf(fields, source), [fields, source])
  const free = known.filter(({ name }) => source.fields.every((field) => field.name !== name))
  const set = (next: ItemField[]): void => onSource({ ...source, fields: next })
  const count = source.fields.length
  return (
    <div className="space-y-3 rounded-md border border-line bg-canvas p-3">
      <Places source={source} fields={fields} label={label} disabled={disabled} onSource={onSource} />
      <details open className="group">
        <summary className="flex cursor-pointer list-none items-center gap-1.5 rounded-sm text-sm font-medium">
          <ChevronRight aria-hidden className="size-4 text-ink-3 transition-transform group-open:rotate-90" />
          {count === 0 ? 'Fields of each item' : `${count} ${pluralise(count, 'field')} of each item`}
        </summary>
        <ul aria-label={`Fields of each item of ${label}`} className="divide-y divide-line">
          {source.fields.map((field, at) => {
            const described = known.find(({ name }) => name === field.name)
            return (
              <ItemLine
                // The fields have no IDs, and a line has no state of its own.
                // biome-ignore lint/suspicious/noArrayIndexKey: see above
                key={at}
                field={field}
                known={described}
                fields={inItem}
                variables={variables}
                disabled={disabled}
                onChange={(part) =>
                  set(source.fields.map((other, index) => (index === at ? { ...other, ...part } : other)))
                }
                onRemove={
                  disabled || described?.is_required === true
                    ? undefined
                    : () => set(source.fields.filter((_, index) => index !== at))
                }
              />
            )
          })}
        </ul>
        {!disabled && count < mappingLimits.itemFields && (
          <div className="pt-2">
            <AddItemField free={free} onAdd={(field) => set([...source.fields, field])} />
          </div>
        )}
      </details>
    </div>
  )
}
