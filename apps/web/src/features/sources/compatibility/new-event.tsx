import { nameProblem, type Requirement } from '@tributary/contract'
import { Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { cn } from '../../../ui/cn.ts'
import type { SchemaEdit } from '../schema/use-edit-schema.ts'
import { PropertyName, RequirementSelect } from './property-cells.tsx'
import { definitionOfValues, schemaRows, shownName, withDefinition } from './property-rows.ts'

/** An event that the schema does not define, with a button that adds it with all its received properties. */
export const NewEvent = ({
  owner,
  values,
  onEdit,
}: {
  /** The event's title; undefined for the user schema, which identify calls use. */
  owner: string | undefined
  values: { readonly [name: string]: unknown }
  /** Undefined for users who can only read the schema. */
  onEdit: ((edit: SchemaEdit) => void) | undefined
}) => {
  const [chosen, setChosen] = useState<ReadonlyMap<string, Requirement>>(new Map())
  const definition = useMemo(() => definitionOfValues(values), [values])
  const rows = useMemo(() => schemaRows(definition, owner), [definition, owner])
  const leftOut = Object.keys(values).filter((name) => !definition.properties.has(name))
  const problem = owner === undefined ? undefined : nameProblem(owner)
  const canAdd = onEdit !== undefined && problem === undefined
  return (
    <section aria-label="New event" className="overflow-hidden rounded-lg border border-line">
      {rows.length === 0 ? (
        <p className="px-3 py-4 text-sm text-ink-2">
          {owner === undefined ? 'It has no traits to add to the schema.' : 'It has no properties.'}
        </p>
      ) : (
        <ul aria-label="Properties" className="divide-y divide-line">
          {rows.map((row) => (
            <li key={row.id} className="flex items-center gap-3 px-3 py-2">
              <span className="min-w-0 flex-1">
                <PropertyName row={row} />
                <span className={cn('text-xs text-ink-3 sm:hidden', row.parent !== undefined && 'pl-9')}>
                  {row.type}
                </span>
              </span>
              <span className="w-16 text-sm text-ink-2 max-sm:hidden">{row.type}</span>
              {canAdd && (
                <RequirementSelect
                  property={row.parent === undefined ? row.name : `${row.parent}.${row.name}`}
                  value={chosen.get(row.id) ?? row.requirement}
                  onChange={(requirement) => setChosen(new Map(chosen).set(row.id, requirement))}
                  className="w-36"
                />
              )}
            </li>
          ))}
        </ul>
      )}
      <footer className="flex flex-wrap items-center gap-3 border-t border-line bg-canvas px-3 py-2.5">
        <p className="min-w-0 flex-1 basis-52 text-xs break-words text-ink-2 empty:basis-0">
          {onEdit === undefined && 'Administrators and collaborators can add it to the schema. '}
          {problem !== undefined && `It can't be added to a schema: ${problem.toLowerCase()}. `}
          {leftOut.length > 0 &&
            `Not added because the value is null or the name is not allowed in a schema: ${leftOut.map(shownName).join(', ')}.`}
        </p>
        {canAdd && (
          <Button
            variant="primary"
            size="sm"
            onClick={() =>
              onEdit({
                change: (schema) => withDefinition(schema, owner, definition, chosen),
                notice: 'Source schema updated',
              })
            }
          >
            <Plus aria-hidden />
            Add event to schema
          </Button>
        )}
      </footer>
    </section>
  )
}
