import { bucketTitle } from '../../lib/format/date-range.ts'
import { count } from '../../lib/format/text.ts'
import { cn } from '../cn.ts'
import { scrollable } from '../scrollable.ts'
import { type BarChartProps, hiddenValue, sumAt } from './chart-parts.ts'

/** The numbers of a `BarChart` as a table, oldest first. */
export const BarTable = ({ label, buckets, parts, previous, masked = false }: BarChartProps) => {
  const show = (value: number): string => (masked ? hiddenValue : count(value))
  const cell = 'px-4 py-1.5 text-right tabular'
  return (
    <section {...scrollable} aria-label={`${label}, as a table`} className="max-h-72 overflow-auto scroll-thin">
      <table aria-label={label} className="w-full text-sm">
        <thead className="sticky top-0 bg-surface text-xs text-ink-3">
          <tr className="border-b border-line">
            <th scope="col" className="py-1.5 pr-4 text-left font-medium">
              Time (UTC)
            </th>
            {parts.map(({ title }) => (
              <th key={title} scope="col" className={cn(cell, 'font-medium')}>
                {title}
              </th>
            ))}
            {parts.length > 1 && (
              <th scope="col" className={cn(cell, 'font-medium')}>
                Total
              </th>
            )}
            {previous !== undefined && (
              <th scope="col" className={cn(cell, 'pr-0 font-medium')}>
                {previous.title}
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {buckets.map((bucket, index) => (
            <tr key={bucket} className="border-b border-line last:border-0">
              <th scope="row" className="py-1.5 pr-4 text-left font-normal whitespace-nowrap">
                {bucketTitle(bucket)}
              </th>
              {parts.map(({ title, values }) => (
                <td key={title} className={cell}>
                  {show(values[index] ?? 0)}
                </td>
              ))}
              {parts.length > 1 && <td className={cell}>{show(sumAt(parts, index))}</td>}
              {previous !== undefined && (
                <td className={cn(cell, 'pr-0 text-ink-2')}>{show(previous.values[index] ?? 0)}</td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
