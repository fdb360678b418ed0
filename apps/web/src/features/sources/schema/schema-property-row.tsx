import {
  emptyObject,
  type PropertyPlace,
  type PropertySchema,
  propertyIdOf,
  propertyTypes,
  type Requirement,
  requirementOf,
  requirements,
  type SourceSchema,
  schemaLimits,
  withoutProperty,
  withProperty,
  withRequirement,
} from '@tributary/contract'
import { ListPlus, Pencil, Trash2 } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Badge } from '../../../ui/badge.tsx'
import { cn } from '../../../ui/cn.ts'
import { Input, Select } from '../../../ui/forms/input.tsx'
import { Options } from '../../../ui/forms/options.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { propertyTitle } from './changes/schema-diff.ts'

/** The functions with which the rows of a schema are edited. If they are absent, the rows are read-only. */
export type SchemaEditing = {
  edit: (change: (schema: SourceSchema) => SourceSchema, key?: string) => void
  /** Opens the dialog that asks for a name. */
  ask: (question: NameQuestion) => void
}

export type NameQuestion =
  | { kind: 'addEvent'; initial?: string }
  | { kind: 'renameEvent'; event: string }
  | { kind: 'addProperty'; event: string | undefined; parent: string | undefined; initial?: string }
  | { kind: 'renameProperty'; place: PropertyPlace }

/** Moves the focus to the row next to `element`, or to their container, before that row is removed. */
export const focusBeside = (element: HTMLElement): void => {
  const row = element.closest('li')
  const beside = row?.nextElementSibling ?? row?.previousElementSibling ?? row?.parentElement?.closest('li')
  beside?.querySelector('button')?.focus()
}

const requirementTone = { required: 'accent', recommended: 'warning', optional: 'neutral' } as const

const layout =
  'grid grid-cols-[minmax(0,1fr)_minmax(0,1.3fr)] items-center gap-x-3 gap-y-1.5 md:grid-cols-[minmax(6rem,1.1fr)_7.5rem_9.5rem_minmax(5rem,1.6fr)_6rem]'

/**
 * The column headers of the property rows. They are hidden from screen readers, because each control has its own name.
 */
export const PropertyHead = () => (
  <div aria-hidden className={cn(layout, 'px-4 py-1.5 text-xs font-medium text-ink-3 max-md:hidden')}>
    <span>Property</span>
    <span>Type</span>
    <span>Requirement</span>
    <span>Description</span>
  </div>
)

const ReadCells = ({ field, requirement }: { field: PropertySchema; requirement: Requirement }) => (
  <>
    <span className="font-mono text-xs text-ink-2">{field.type}</span>
    <span className="max-md:text-right">
      <Badge tone={requirementTone[requirement]}>{requirement}</Badge>
    </span>
    <span className="col-span-2 min-w-0 text-xs break-words text-ink-2 max-md:order-last">{field.description}</span>
  </>
)

const EditCells = ({
  place,
  field,
  requirement,
  edit,
}: {
  place: PropertyPlace
  field: PropertySchema
  requirement: Requirement
  edit: SchemaEditing['edit']
}) => {
  const title = propertyTitle(place)
  const id = propertyIdOf(place)
  const change = (next: Partial<PropertySchema>, key?: string): void =>
    edit((schema) => withProperty(schema, place, { ...field, ...next }), key)
  return (
    <>
      <Select
        aria-label={`Type of ${title}`}
        value={field.type}
        className="max-md:order-1"
        onChange={(event) => {
          const type = propertyTypes.find((each) => each === event.currentTarget.value) ?? 'string'
          const { items: _items, ...rest } = field
          edit((schema) => withProperty(schema, place, { ...(type === 'array' ? field : rest), type }))
        }}
      >
        <Options of={propertyTypes} />
      </Select>
      <Select
        aria-label={`Requirement of ${title}`}
        value={requirement}
        className="max-md:order-2"
        onChange={(event) => {
          const next = requirements.find((each) => each === event.currentTarget.value) ?? 'optional'
          edit((schema) => withRequirement(schema, place, next))
        }}
      >
        <Options of={requirements} />
      </Select>
      <Input
        aria-label={`Description of ${title}`}
        placeholder="Description"
        value={field.description ?? ''}
        maxLength={schemaLimits.descriptionLength}
        className="max-md:order-4 max-md:col-span-2"
        onChange={(event) => change({ description: event.currentTarget.value }, `description ${id}`)}
      />
    </>
  )
}

const RowActions = ({
  place,
  field,
  editing: { edit, ask },
}: {
  place: PropertyPlace
  field: PropertySchema
  editing: SchemaEditing
}) => {
  const title = propertyTitle(place)
  return (
    <span className="flex justify-end max-md:order-first max-md:col-start-2 max-md:row-start-1">
      {field.type === 'array' && place.parent === undefined && (
        <IconButton
          size="sm"
          label={`Add a field to the items of ${title}`}
          icon={ListPlus}
          title="Add item field"
          onClick={() => {
            ask({ kind: 'addProperty', event: place.event, parent: place.property })
          }}
        />
      )}
      <IconButton
        size="sm"
        label={`Rename ${title}`}
        icon={Pencil}
        title="Rename"
        onClick={() => ask({ kind: 'renameProperty', place })}
      />
      <IconButton
        size="sm"
        label={`Remove ${title}`}
        icon={Trash2}
        title="Remove"
        onClick={(event) => {
          focusBeside(event.currentTarget)
          edit((schema) => withoutProperty(schema, place))
        }}
      />
    </span>
  )
}

/** Returns a ref for an element. If the element is the target, scrolls to it and focuses it. */
export const useTarget = <Element extends HTMLElement>(isTarget: boolean) => {
  const element = useRef<Element>(null)
  useEffect(() => {
    if (!isTarget) return
    element.current?.scrollIntoView({ block: 'center' })
    element.current?.focus({ preventScroll: true })
  }, [isTarget])
  return element
}

/** One property with its type, requirement and description; below an array, the fields of its items. */
export const PropertyRow = ({
  place,
  field,
  requirement,
  editing,
  target,
}: {
  place: PropertyPlace
  field: PropertySchema
  requirement: Requirement
  editing: SchemaEditing | undefined
  /** ID of the property to scroll to. */
  target: string | undefined
}) => {
  const isTarget = target === propertyIdOf(place)
  const element = useTarget<HTMLLIElement>(isTarget)
  const items = field.items ?? emptyObject
  return (
    <li
      ref={element}
      tabIndex={isTarget ? -1 : undefined}
      aria-label={propertyTitle(place)}
      data-target={isTarget || undefined}
      className="data-target:bg-accent-soft data-target:focus-visible:-outline-offset-2"
    >
      <div className={cn(layout, 'px-4 py-2')}>
        <span
          className={cn(
            'min-w-0 font-mono text-xs break-words',
            place.parent !== undefined && 'md:pl-5',
            editing === undefined ? 'max-md:col-span-2' : 'max-md:order-first max-md:row-start-1',
          )}
        >
          {place.parent !== undefined && <span className="text-ink-3">{place.parent} › </span>}
          {place.property}
        </span>
        {editing === undefined ? (
          <ReadCells field={field} requirement={requirement} />
        ) : (
          <>
            <EditCells place={place} field={field} requirement={requirement} edit={editing.edit} />
            <RowActions place={place} field={field} editing={editing} />
          </>
        )}
      </div>
      {items.properties.size > 0 && (
        <ul aria-label={`Fields of ${place.property} items`} className="divide-y divide-line border-t border-line">
          {[...items.properties].map(([name, inner]) => (
            <PropertyRow
              key={name}
              place={{ event: place.event, parent: place.property, property: name }}
              field={inner}
              requirement={requirementOf(items, name)}
              editing={editing}
              target={target}
            />
          ))}
        </ul>
      )}
    </li>
  )
}
