import { ownerOf, type SourceSchema } from '@tributary/contract'
import { Info } from 'lucide-react'
import { Button } from '../../../ui/button.tsx'
import { propertyTitle } from './changes/schema-diff.ts'
import type { SchemaPlace } from './schema-place.ts'
import type { NameQuestion } from './schema-property-row.tsx'
import { unsavedNote } from './schema-toolbar.tsx'

/**
 * Returns the question for a name that adds the missing event or property of a link to the schema. Returns undefined
 * for user traits, which have no name.
 */
export const missingName = (schema: SourceSchema, { event, place, isKnown }: SchemaPlace): NameQuestion | undefined => {
  if (isKnown) return undefined
  if (place !== undefined && ownerOf(schema, event) !== undefined)
    return { kind: 'addProperty', event, parent: place.parent, initial: place.property }
  return event === undefined ? undefined : { kind: 'addEvent', initial: event }
}

/** Shows that the schema lacks the event or property of a link, with buttons that add it. */
export const SchemaMissing = ({
  schema,
  wanted,
  ask,
  onAddUser,
  onPropose,
}: {
  schema: SourceSchema
  wanted: SchemaPlace
  /** Absent for readers. */
  ask: ((question: NameQuestion) => void) | undefined
  onAddUser: () => void
  /** Undefined while there are unsaved changes. */
  onPropose: (() => void) | undefined
}) => {
  const { event, place } = wanted
  const name = missingName(schema, wanted)
  const hasOwner = ownerOf(schema, event) !== undefined
  const what = place !== undefined && hasOwner ? propertyTitle(place) : event === undefined ? 'User traits' : event
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border border-line bg-accent-soft px-4 py-3 text-sm text-accent-ink">
      <p className="mr-auto flex min-w-0 items-start gap-2">
        <Info aria-hidden className="mt-0.5 size-4 shrink-0" />
        <span className="min-w-0 break-words">
          <strong className="font-semibold">{what}</strong> {event === undefined && !hasOwner ? 'are' : 'is'} not in the
          schema{place !== undefined && hasOwner && event !== undefined ? ` of ${event}` : ''}.
        </span>
      </p>
      {ask !== undefined && (
        <span className="flex flex-wrap gap-2">
          <Button
            size="sm"
            disabled={onPropose === undefined}
            title={onPropose === undefined ? unsavedNote : undefined}
            onClick={onPropose}
          >
            Suggest from your events
          </Button>
          {name === undefined ? (
            <Button size="sm" variant="primary" onClick={onAddUser}>
              Add user traits
            </Button>
          ) : (
            <Button size="sm" variant="primary" onClick={() => ask(name)}>
              {name.kind === 'addProperty' ? 'Add property' : 'Add event'}
            </Button>
          )}
        </span>
      )}
    </div>
  )
}
