import { type Requirement, requirements } from '@tributary/contract'
import { CornerDownRight } from 'lucide-react'
import { cn } from '../../../ui/cn.ts'
import { Select } from '../../../ui/forms/input.tsx'
import { Options } from '../../../ui/forms/options.tsx'
import { type PropertyRow, shownName } from './property-rows.ts'

/** The name of a property; a field of an array's items is indented below the array and names the array. */
export const PropertyName = ({ row: { name, parent } }: { row: Pick<PropertyRow, 'name' | 'parent'> }) => (
  <span className={cn('flex min-w-0 items-center gap-1.5', parent !== undefined && 'pl-4')}>
    {parent !== undefined && <CornerDownRight aria-hidden className="size-3.5 shrink-0 text-ink-3" />}
    <span className="min-w-0 font-mono text-xs font-medium break-words text-ink [overflow-wrap:anywhere]">
      {shownName(name)}
    </span>
    {parent !== undefined && <span className="sr-only">in items of {parent}</span>}
  </span>
)

/** Chooses the requirement of a property. */
export const RequirementSelect = ({
  property,
  value,
  onChange,
  className,
}: {
  property: string
  value: Requirement
  onChange: (requirement: Requirement) => void
  className?: string
}) => (
  <Select
    aria-label={`Requirement of ${property}`}
    value={value}
    onChange={({ currentTarget }) => onChange(requirements.find((each) => each === currentTarget.value) ?? 'optional')}
    {...(className === undefined ? {} : { className })}
  >
    <Options of={requirements} />
  </Select>
)
