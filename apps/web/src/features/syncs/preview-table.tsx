import type { DataPreview } from '@tributary/contract'
import { count, pluralise } from '../../lib/format/text.ts'
import { scrollable } from '../../ui/scrollable.ts'

/** Maximum number of columns that are rendered. */
const maxColumns = 100

/** Rows of a query as the database wrote them; a null looks different from an empty text. */
export const PreviewTable = ({ preview }: { preview: DataPreview }) => {
  const columns = preview.columns.slice(0, maxColumns)
  return (
    <div className="space-y-2">
      <div {...scrollable} className="max-h-96 overflow-auto scroll-thin rounded-lg border border-line bg-surface">
        <table aria-label="Preview" className="min-w-full text-left text-xs">
          <thead>
            <tr>
              {columns.map(({ name, type, title }) => (
                <th
                  key={name}
                  scope="col"
                  className="sticky top-0 bg-canvas px-3 py-2 font-medium whitespace-nowrap shadow-[inset_0_-1px_0_var(--color-line)]"
                >
                  {title ?? name} <span className="font-normal text-ink-3">{type}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {preview.rows.map((row, index) => (
              // oxlint-disable-next-line react/no-array-index-key -- rows have no key before they are a model
              <tr key={index}>
                {columns.map(({ name }, at) => (
                  <td key={name} className="max-w-64 truncate px-3 py-1.5 font-mono" title={row[at] ?? 'null'}>
                    {row[at] ?? <span className="text-ink-3 italic">null</span>}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="text-xs text-ink-3">
        {preview.rows.length === 0
          ? 'The query has no rows.'
          : `${preview.more ? 'The first ' : ''}${count(preview.rows.length)} ${pluralise(preview.rows.length, 'row')}.`}
        {preview.columns.length > maxColumns &&
          ` ${count(maxColumns)} of ${count(preview.columns.length)} columns are shown.`}
      </p>
    </div>
  )
}
