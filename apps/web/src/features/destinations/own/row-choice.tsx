import type { MethodRequest, methods } from '@tributary/contract'
import { CodeEditor } from '../../../ui/code/code-editor.tsx'
import { Field } from '../../../ui/forms/field.tsx'
import { Input, Select } from '../../../ui/forms/input.tsx'
import type { DescribedRows } from './described-parts.ts'

/** A row that a trial sends. */
export type TriedRow = NonNullable<MethodRequest<typeof methods.ownConnectors.try>['row']>

const operationTitles: Readonly<Record<TriedRow['operation'], string>> = {
  upsert: 'Create or update',
  insert: 'Create',
  update: 'Update',
  delete: 'Delete',
}

/** Returns a row that has only the value that identifies it. Undefined without a field that does. */
export const sampleRow = ({ object, operations, identifiers }: DescribedRows): TriedRow | undefined => {
  const [operation] = operations
  const [identifier] = identifiers
  if (operation === undefined || identifier === undefined) return undefined
  const value = identifier.includes('email') ? 'ada@example.com' : 'id-1'
  return {
    object,
    operation: operation.name,
    identifier,
    list: '',
    values: `${JSON.stringify({ [identifier]: value }, null, 2)}\n`,
  }
}

const Choice = ({
  label,
  value,
  options,
  onChange,
}: {
  label: string
  value: string
  options: readonly { value: string; title: string }[]
  onChange: (value: string) => void
}) => (
  <Field label={label}>
    {(control) => (
      <Select {...control} value={value} onChange={({ target }) => onChange(target.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.title}
          </option>
        ))}
      </Select>
    )}
  </Field>
)

/** The fields of a row that a trial sends: its object, what happens to it, and its values. */
export const RowChoice = ({
  objects,
  row,
  onChange,
}: {
  objects: readonly DescribedRows[]
  row: TriedRow
  onChange: (row: TriedRow) => void
}) => {
  const chosen = objects.find(({ object }) => object === row.object)
  const fields = chosen?.operations.find(({ name }) => name === row.operation)?.fields ?? []
  const choose = (object: string): void => {
    const found = objects.find((each) => each.object === object)
    const next = found === undefined ? undefined : sampleRow(found)
    if (next !== undefined) onChange(next)
  }
  return (
    <div className="space-y-4">
      <Choice
        label="Object"
        value={row.object}
        options={objects.map(({ object, title }) => ({ value: object, title }))}
        onChange={choose}
      />
      <Choice
        label="Operation"
        value={row.operation}
        options={(chosen?.operations ?? []).map(({ name }) => ({ value: name, title: operationTitles[name] }))}
        onChange={(operation) => onChange({ ...row, operation: operation as TriedRow['operation'] })}
      />
      <Choice
        label="Identifier"
        value={row.identifier}
        options={(chosen?.identifiers ?? []).map((name) => ({ value: name, title: name }))}
        onChange={(identifier) => onChange({ ...row, identifier })}
      />
      {chosen?.named === true && (
        <Field label="Name of the object">
          {(control) => (
            <Input {...control} value={row.list} onChange={({ target }) => onChange({ ...row, list: target.value })} />
          )}
        </Field>
      )}
      <CodeEditor
        language="json"
        label="Row"
        value={row.values}
        onChange={(values) => onChange({ ...row, values })}
        className="h-40"
      />
      {fields.length > 0 && <p className="text-xs break-words text-ink-3">Fields: {fields.join(', ')}</p>}
    </div>
  )
}
