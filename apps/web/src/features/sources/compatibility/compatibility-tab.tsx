import {
  type Compatibility,
  type EventDetail,
  type ObjectSchema,
  pointerOf,
  problemsOf,
  type SourceSchema,
  type SourceWithSchema,
  validateEvent,
} from '@tributary/contract'
import { type ReactNode, useMemo, useRef } from 'react'
import { Link } from 'react-router'
import { compatibilityWords } from '../../../lib/events/compatibility-words.ts'
import { paths } from '../../../lib/paths.ts'
import { useMayEdit } from '../../../lib/workspace.ts'
import { type SchemaEdit, useEditSchema } from '../schema/use-edit-schema.ts'
import { CompatibilityIcon } from './compatibility-icon.tsx'
import { NewEvent } from './new-event.tsx'
import { NewProperties } from './new-properties.tsx'
import {
  isValidatedType,
  newProperties,
  ownerTitleOf,
  schemaRows,
  validatingDefinition,
  valuesOf,
} from './property-rows.ts'
import { StandardProperties } from './standard-properties.tsx'

/** The schema version that validated the event on arrival, and the one used here. */
const Versions = ({ event, current }: { event: EventDetail; current: number }) => (
  <p className="text-xs text-ink-3">
    {event.compatibility === '' || event.schema_version === 0
      ? `Checked against the current schema (version ${current}).`
      : event.schema_version === current
        ? `Checked against version ${current}, the current schema.`
        : `Checked against the current schema (version ${current}). When it was received, version ${event.schema_version} found it: ${compatibilityWords[event.compatibility].title.toLowerCase()}.`}
  </p>
)

/** A link to the schema of an event. If `owner` is undefined, a link to the schema of the user. */
const SchemaLink = ({ source, owner }: { source: string; owner: string | undefined }) => (
  <Link
    to={paths.sourceSchema(source, pointerOf(owner === undefined ? ['user'] : ['events', owner]))}
    className="rounded-sm font-medium text-accent-ink hover:underline"
  >
    Open in schema
  </Link>
)

const ResultRow = ({ compatibility, children }: { compatibility: Compatibility; children?: ReactNode }) => (
  <div className="space-y-1">
    <p className="flex items-start gap-2 text-sm font-medium">
      <CompatibilityIcon compatibility={compatibility} className="mt-0.5" />
      {compatibilityWords[compatibility].text}
    </p>
    {children}
  </div>
)

type PartProps = {
  owner: string | undefined
  values: { readonly [name: string]: unknown }
  onEdit: ((edit: SchemaEdit) => void) | undefined
}

const Defined = ({ owner, values, onEdit, definition }: PartProps & { definition: ObjectSchema }) => {
  const rows = useMemo(() => schemaRows(definition, owner), [definition, owner])
  const problems = useMemo(() => problemsOf(values, definition, Number.POSITIVE_INFINITY), [values, definition])
  const unknown = useMemo(() => newProperties(definition, values, owner), [definition, values, owner])
  return (
    <>
      <NewProperties properties={unknown} onEdit={onEdit} />
      <StandardProperties rows={rows} problems={problems} />
    </>
  )
}

/**
 * The comparison of an event with the current schema of its source: each property of the schema, and the event's other
 * properties. Missing ones can be added here.
 */
export const CompatibilityTab = ({
  event,
  source,
  schema,
}: {
  event: EventDetail
  source: SourceWithSchema
  schema: SourceSchema
}) => {
  const mayEdit = useMayEdit() === true
  const { mutate } = useEditSchema(source.name)
  const area = useRef<HTMLDivElement>(null)
  const { type, title, payload } = event
  const values = useMemo(() => valuesOf(type, payload), [type, payload])
  const owner = ownerTitleOf(type, title)
  const definition = validatingDefinition(schema, type, title)
  const note = 'rounded-lg border border-line bg-canvas p-4 text-sm text-ink-2'
  if (event.status === 'rejected') return <p className={note}>Rejected events are not checked against the schema.</p>
  if (!isValidatedType(type))
    return (
      <div className="space-y-4">
        <ResultRow compatibility="compatible" />
        <p className={note}>A schema covers track events and identify traits. A {type} event is always compatible.</p>
      </div>
    )
  const { compatibility } = validateEvent(schema, { type, title, data: values })
  const onEdit = mayEdit
    ? (edit: SchemaEdit): void => {
        // The pressed button disappears when the property is added, so the focus moves to the area around it.
        area.current?.focus()
        mutate(edit)
      }
    : undefined
  return (
    <div ref={area} tabIndex={-1} className="space-y-4 outline-none">
      <ResultRow compatibility={compatibility}>
        <Versions event={event} current={source.schema.version} />
      </ResultRow>
      {definition === undefined ? (
        <>
          <p className="text-sm text-ink-2">
            This event was not found in the source schema. It appears to be a new event.
          </p>
          <NewEvent owner={owner} values={values} onEdit={onEdit} />
        </>
      ) : (
        <>
          <Defined owner={owner} values={values} onEdit={onEdit} definition={definition} />
          <p className="text-sm">
            <SchemaLink source={source.name} owner={owner} />
          </p>
        </>
      )}
    </div>
  )
}
