import { type ObjectSchema, pointerOf, propertyIdOf, requirementOf, withoutOwner } from '@tributary/contract'
import { ChevronRight, Pencil, Plus, Trash2, UserRound } from 'lucide-react'
import { memo, useId } from 'react'
import { count } from '../../../lib/format/text.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { cn } from '../../../ui/cn.ts'
import { ownerTitle } from './changes/schema-diff.ts'
import { focusBeside, PropertyHead, PropertyRow, type SchemaEditing, useTarget } from './schema-property-row.tsx'

/** Returns the JSON Pointer of the definition of an event or, if `event` is undefined, of the user. */
export const ownerIdOf = (event: string | undefined): string =>
  event === undefined ? '/user' : pointerOf(['events', event])

const propertyCount = (size: number): string => `${count(size)} ${size === 1 ? 'property' : 'properties'}`

const Properties = ({
  event,
  object,
  editing,
  target,
}: {
  event: string | undefined
  object: ObjectSchema
  editing: SchemaEditing | undefined
  target: string | undefined
}) => (
  <>
    {object.properties.size === 0 ? (
      <p className="px-4 py-3 text-sm text-ink-2">
        {event === undefined
          ? 'No traits yet. Every trait sent counts as unknown.'
          : 'No properties yet. Every property sent counts as unknown.'}
      </p>
    ) : (
      <>
        <PropertyHead />
        <ul aria-label={`Properties of ${ownerTitle(event)}`} className="divide-y divide-line border-t border-line">
          {[...object.properties].map(([name, field]) => {
            const place = { event, parent: undefined, property: name }
            return (
              <PropertyRow
                key={propertyIdOf(place)}
                place={place}
                field={field}
                requirement={requirementOf(object, name)}
                editing={editing}
                target={target}
              />
            )
          })}
        </ul>
      </>
    )}
    {editing !== undefined && (
      <div className="flex flex-wrap gap-1 border-t border-line px-2 py-1.5">
        <Button variant="none" size="sm" onClick={() => editing.ask({ kind: 'addProperty', event, parent: undefined })}>
          <Plus aria-hidden />
          {event === undefined ? 'Add trait' : 'Add property'}
        </Button>
        {event !== undefined && (
          <Button variant="none" size="sm" onClick={() => editing.ask({ kind: 'renameEvent', event })}>
            <Pencil aria-hidden />
            Rename event
          </Button>
        )}
        <Button
          variant="none"
          size="sm"
          onClick={({ currentTarget }) => {
            focusBeside(currentTarget)
            editing.edit((schema) => withoutOwner(schema, event))
          }}
        >
          <Trash2 aria-hidden />
          {event === undefined ? 'Remove user traits' : 'Remove event'}
        </Button>
      </div>
    )}
  </>
)

export type OwnerProps = {
  /** The event's title; undefined for the user's traits. */
  event: string | undefined
  object: ObjectSchema
  open: boolean
  onToggle: (id: string) => void
  editing: SchemaEditing | undefined
  /** JSON Pointer of the event or property to scroll to, if it belongs to this owner. */
  target: string | undefined
  /** Whether the unsaved changes add this owner or change it. */
  change: 'added' | 'changed' | undefined
}

/** An event, or the traits of the user. It expands to show its properties. */
export const SchemaOwner = memo(({ event, object, open, onToggle, editing, target, change }: OwnerProps) => {
  const panel = useId()
  const id = ownerIdOf(event)
  const isTarget = target === id
  const button = useTarget<HTMLButtonElement>(isTarget)
  return (
    <li className="border-b border-line last:border-0 [contain-intrinsic-size:auto_45px] [content-visibility:auto]">
      <h3>
        <button
          ref={button}
          type="button"
          aria-expanded={open}
          aria-controls={open ? panel : undefined}
          data-target={isTarget || undefined}
          onClick={() => onToggle(id)}
          className="flex min-h-11 w-full items-center gap-2 px-3 py-2 text-left text-sm hover:bg-hover focus-visible:-outline-offset-2 data-target:bg-accent-soft"
        >
          <ChevronRight
            aria-hidden
            className={cn('size-4 shrink-0 text-ink-3 transition-transform', open && 'rotate-90')}
          />
          {event === undefined && <UserRound aria-hidden className="size-4 shrink-0 text-ink-3" />}
          <span className="min-w-0 font-medium break-words">{ownerTitle(event)}</span>
          {change !== undefined && <Badge tone="accent">{change === 'added' ? 'New' : 'Changed'}</Badge>}
          <span className="ml-auto shrink-0 text-xs text-ink-3 tabular">{propertyCount(object.properties.size)}</span>
        </button>
      </h3>
      {open && (
        <div id={panel} className="border-t border-line bg-canvas">
          <Properties event={event} object={object} editing={editing} target={target} />
        </div>
      )}
    </li>
  )
})
SchemaOwner.displayName = 'SchemaOwner'
