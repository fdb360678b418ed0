import { emptyObject, ownerOf, type SourceSchema, withOwner, withProperty } from '@tributary/contract'
import { ownerTitle } from './changes/schema-diff.ts'
import { renameEvent, renameProperty } from './changes/schema-rename.ts'
import { NameDialog } from './schema-name-dialog.tsx'
import { ownerIdOf } from './schema-owner.tsx'
import type { NameQuestion, SchemaEditing } from './schema-property-row.tsx'

const renameNote = 'Events sent with the old name will no longer match. Change the name in your code, too.'

/**
 * Returns the object whose properties include a place: an event, the user schema, or the items of an array property.
 */
const holderOf = (schema: SourceSchema, event: string | undefined, parent: string | undefined) => {
  const owner = ownerOf(schema, event) ?? emptyObject
  return parent === undefined ? owner : (owner.properties.get(parent)?.items ?? emptyObject)
}

/** The dialog that asks for the name of an added or renamed object, and applies it. */
export const SchemaNames = ({
  schema,
  question,
  edit,
  onOwner,
  onClosed,
}: {
  schema: SourceSchema
  question: NameQuestion
  edit: SchemaEditing['edit']
  /** Called with the owner of an added object, which should then be opened. */
  onOwner: (id: string) => void
  onClosed: () => void
}) => {
  const ofEvent = { kind: 'event', taken: schema.events, onClosed } as const
  switch (question.kind) {
    case 'addEvent':
      return (
        <NameDialog
          {...ofEvent}
          title="Add event"
          description="The name that your track call sends."
          confirm="Add event"
          {...(question.initial === undefined ? {} : { initial: question.initial })}
          onName={({ name }) => {
            edit((before) => withOwner(before, name, emptyObject))
            onOwner(ownerIdOf(name))
          }}
        />
      )
    case 'renameEvent':
      return (
        <NameDialog
          {...ofEvent}
          title="Rename event"
          description={renameNote}
          initial={question.event}
          confirm="Rename"
          onName={({ name }) => {
            edit((before) => renameEvent(before, question.event, name))
            onOwner(ownerIdOf(name))
          }}
        />
      )
    case 'addProperty': {
      const { event, parent } = question
      return (
        <NameDialog
          title={parent === undefined ? (event === undefined ? 'Add trait' : 'Add property') : 'Add item field'}
          description={parent === undefined ? ownerTitle(event) : `${ownerTitle(event)}, each item of ${parent}`}
          kind="property"
          taken={holderOf(schema, event, parent).properties}
          typed
          confirm="Add"
          {...(question.initial === undefined ? {} : { initial: question.initial })}
          onName={({ name, type, requirement }) => {
            edit((before) => withProperty(before, { event, parent, property: name }, { type }, requirement))
            onOwner(ownerIdOf(event))
          }}
          onClosed={onClosed}
        />
      )
    }
    case 'renameProperty': {
      const { place } = question
      return (
        <NameDialog
          title="Rename property"
          description={renameNote}
          kind="property"
          taken={holderOf(schema, place.event, place.parent).properties}
          initial={place.property}
          confirm="Rename"
          onName={({ name }) => edit((before) => renameProperty(before, place, name))}
          onClosed={onClosed}
        />
      )
    }
  }
}
