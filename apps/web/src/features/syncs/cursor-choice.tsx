import { useQuery } from '@tanstack/react-query'
import type { Model, SyncMode } from '@tributary/contract'
import { dataSourceQuery } from '../../lib/queries/data-source-queries.ts'
import { Field } from '../../ui/forms/field.tsx'
import { Input } from '../../ui/forms/input.tsx'
import { SearchSelect } from '../../ui/forms/search-select.tsx'
import { type CursorDraft, cursorBy, cursorColumns, cursorInput, modeTakesCursor, suggestedCursor } from './cursor.ts'
import { ExplainedCheckbox } from './explained-checkbox.tsx'

/** Whether the rows of a model can be read by a cursor: it must come from a database, with a suitable column. */
export const useTakesCursor = (model: Model | undefined): boolean => {
  const { data } = useQuery({ ...dataSourceQuery(model?.data_source.name ?? ''), enabled: model !== undefined })
  return model !== undefined && data?.app.file === false && !data.app.people && cursorColumns(model).length > 0
}

/**
 * Selects which rows each run reads: all rows, or only rows from the highest value of a column that was read before.
 */
export const CursorChoice = ({
  model,
  mode,
  value,
  disabled = false,
  onChange,
}: {
  model: Model
  mode: SyncMode | undefined
  value: CursorDraft | undefined
  disabled?: boolean
  onChange: (value: CursorDraft | undefined) => void
}) => {
  if (!modeTakesCursor(mode))
    return (
      <p className="text-sm text-ink-2">
        In the mode Full each run reads all rows, so that it can remove rows that are no longer in the model.
      </p>
    )
  const columns = cursorColumns(model)
  const kind = columns.find(({ name }) => name === value?.column)?.kind
  return (
    <div className="space-y-4">
      <ExplainedCheckbox
        title="Read only new and changed rows"
        checked={value !== undefined}
        disabled={disabled}
        onChange={(checked) => onChange(checked ? suggestedCursor(model) : undefined)}
      >
        Each run reads the rows whose cursor is at least as high as in the run before. The cursor must grow with each
        change of a row. The first run reads all rows, and so does the next one after a changed mapping.
      </ExplainedCheckbox>
      {value !== undefined && (
        <div className="grid gap-4 pl-7 sm:grid-cols-2">
          <Field
            label="Cursor"
            required
            error={kind === undefined ? 'The model has no such number, date, or time' : undefined}
          >
            {(control) => (
              <SearchSelect
                label="Cursor"
                control={control}
                placeholder="Choose a column"
                options={columns.map(({ name, type }) => ({ value: name, title: name, note: type }))}
                value={value.column}
                disabled={disabled}
                onChange={(name) => {
                  const column = columns.find((each) => each.name === name)
                  if (column !== undefined) onChange(cursorBy(column))
                }}
              />
            )}
          </Field>
          <Field
            label={kind === 'number' ? 'Overlap' : 'Overlap in minutes'}
            required
            hint="Rows below the highest value that are read again, for those committed late."
            error={cursorInput(value) === undefined ? 'Enter a whole number' : undefined}
          >
            {(control) => (
              <Input
                {...control}
                inputMode="numeric"
                className="tabular"
                maxLength={10}
                value={value.overlap}
                disabled={disabled}
                onChange={({ target }) => onChange({ ...value, overlap: target.value })}
              />
            )}
          </Field>
        </div>
      )}
    </div>
  )
}
