import type { Problem } from '@tributary/contract'
import { CircleAlert, CircleCheck } from 'lucide-react'
import { cn } from '../../../ui/cn.ts'
import { PropertyName } from './property-cells.tsx'
import { type PropertyRow, rowMessage } from './property-rows.ts'

const head = 'h-9 px-3 text-left text-xs font-medium whitespace-nowrap text-ink-3'

const Row = ({ row, message }: { row: PropertyRow; message: string }) => {
  const fits = message === 'Compatible'
  const Icon = fits ? CircleCheck : CircleAlert
  return (
    <tr className="border-b border-line last:border-0">
      <td className="w-full max-w-0 px-3 py-2">
        <PropertyName row={row} />
      </td>
      <td className="px-3 py-2 whitespace-nowrap text-ink-2">
        {row.type}
        <span className="block text-xs text-ink-3 @md:hidden">{row.requirement}</span>
      </td>
      <td className="px-3 py-2 whitespace-nowrap text-ink-2 @max-md:hidden">{row.requirement}</td>
      <td className={cn('px-3 py-2 whitespace-nowrap', fits ? 'text-success-ink' : 'text-danger-ink')}>
        <span className="flex items-center gap-1.5">
          <Icon aria-hidden className="size-3.5 shrink-0" />
          {message}
        </span>
      </td>
    </tr>
  )
}

/** Every property of the schema, with the event's validation result for each. */
export const StandardProperties = ({
  rows,
  problems,
}: {
  rows: readonly PropertyRow[]
  problems: readonly Problem[]
}) => (
  <div className="@container overflow-hidden rounded-lg border border-line">
    <table aria-label="Standard properties" className="w-full border-collapse text-sm">
      <thead>
        <tr className="border-b border-line bg-canvas">
          <th scope="col" className={head}>
            Property
          </th>
          <th scope="col" className={head}>
            Type
          </th>
          <th scope="col" className={cn(head, '@max-md:hidden')}>
            Requirement
          </th>
          <th scope="col" className={head}>
            Result
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.length === 0 && (
          <tr>
            <td colSpan={4} className="h-16 px-4 text-center text-ink-3">
              The schema has no properties for this event yet.
            </td>
          </tr>
        )}
        {rows.map((row) => (
          <Row key={row.id} row={row} message={rowMessage(problems, row)} />
        ))}
      </tbody>
    </table>
  </div>
)
