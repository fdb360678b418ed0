import {
  type PropertySchema,
  type PropertyType,
  propertyTypes,
  type Requirement,
  withProperty,
} from '@tributary/contract'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Select } from '../../../ui/forms/input.tsx'
import { Options } from '../../../ui/forms/options.tsx'
import type { SchemaEdit } from '../schema/use-edit-schema.ts'
import { PropertyName, RequirementSelect } from './property-cells.tsx'
import type { NewProperty } from './property-rows.ts'

const nameOf = ({ row: { name, parent } }: NewProperty): string => (parent === undefined ? name : `${parent}.${name}`)

const Item = ({
  property,
  onAdd,
}: {
  property: NewProperty
  /** Undefined for users who can only read the schema. */
  onAdd: ((field: PropertySchema, requirement: Requirement) => void) | undefined
}) => {
  const [requirement, setRequirement] = useState<Requirement>(property.row.requirement)
  const [type, setType] = useState<PropertyType>(property.row.type)
  const { row, field, problem } = property
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 px-3 py-2.5">
      <div className="min-w-0 flex-1 basis-40">
        <PropertyName row={row} />
        {row.parent !== undefined && (
          // Screen readers already get this text from `PropertyName`.
          <span aria-hidden className="pl-9 text-xs text-ink-3">
            in items of {row.parent}
          </span>
        )}
      </div>
      {field !== undefined || onAdd === undefined ? (
        <span className="w-24 text-sm text-ink-2">{field?.type ?? 'null'}</span>
      ) : (
        <Select
          aria-label={`Type of ${nameOf(property)}`}
          value={type}
          onChange={({ currentTarget }) =>
            setType(propertyTypes.find((each) => each === currentTarget.value) ?? 'string')
          }
          className="w-24"
        >
          <Options of={propertyTypes} />
        </Select>
      )}
      {problem !== undefined && <p className="basis-full text-xs text-danger-ink">{problem}.</p>}
      {problem === undefined && onAdd !== undefined && (
        <span className="flex items-center gap-2 max-sm:basis-full">
          <RequirementSelect
            property={nameOf(property)}
            value={requirement}
            onChange={setRequirement}
            className="w-36 max-sm:flex-1"
          />
          <Button
            size="sm"
            aria-label={`Add to schema: ${nameOf(property)}`}
            onClick={() => onAdd(field ?? { type }, requirement)}
          >
            <Plus aria-hidden />
            Add to schema
          </Button>
        </span>
      )}
    </li>
  )
}

/** The properties of an event that its schema lacks, each with a button that adds it; nothing if there are none. */
export const NewProperties = ({
  properties,
  onEdit,
}: {
  properties: readonly NewProperty[]
  /** Undefined for users who can only read the schema. */
  onEdit: ((edit: SchemaEdit) => void) | undefined
}) =>
  properties.length > 0 && (
    <section aria-label="New properties" className="overflow-hidden rounded-lg border border-warning/40">
      <header className="border-b border-warning/40 bg-warning-soft px-3 py-2 text-warning-ink">
        <h3 className="text-sm font-semibold">New properties</h3>
        <p className="text-xs">
          These are not in the schema yet.
          {onEdit === undefined && ' Administrators and collaborators can add them.'}
        </p>
      </header>
      <ul className="divide-y divide-line">
        {properties.map((property) => (
          <Item
            key={property.row.id}
            property={property}
            onAdd={
              onEdit &&
              ((field, requirement) =>
                onEdit({
                  change: (schema) => withProperty(schema, property.place, field, requirement),
                  place: property.place,
                  notice: `${property.row.name} property added to the schema`,
                }))
            }
          />
        ))}
      </ul>
    </section>
  )
