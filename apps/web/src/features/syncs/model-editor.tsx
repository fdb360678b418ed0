// One file, because the parts of the editor share one draft of a query and its preview.
import { useMutation } from '@tanstack/react-query'
import { type DataQuery, type DataSource, methods } from '@tributary/contract'
import { CheckCheck, Eye } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../lib/api/client.ts'
import { ApiError } from '../../lib/api/errors.ts'
import { dataSourceIds } from '../../lib/format/names.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Field, FieldError } from '../../ui/forms/field.tsx'
import { Input } from '../../ui/forms/input.tsx'
import { QueryEditor } from '../../ui/forms/query-editor.tsx'
import { DatabaseError } from './database-error.tsx'
import { KeyCheck } from './key-check.tsx'
import type { ModelInput } from './model-draft.ts'
import { type DraftProblems, type ModelDraft, refusalOf } from './model-draft.ts'
import { PreviewTable } from './preview-table.tsx'
import { TableBrowser, type TableName, tableTitle } from './table-browser.tsx'
import { useModelDraft } from './use-model-draft.ts'

/** Reads the first rows of a query. */
const usePreview = (dataSource: string) =>
  useMutation({
    mutationFn: (query: DataQuery) =>
      call(methods.dataSources.preview, { params: dataSourceIds(dataSource), body: { query } }),
  })

/** Lets the database parse and plan a query, and returns its columns. */
const useValidate = (dataSource: string) =>
  useMutation({
    mutationFn: (query: DataQuery) =>
      call(methods.dataSources.validate, { params: dataSourceIds(dataSource), body: { query } }),
  })

const kinds = [
  { kind: 'table', title: 'Table' },
  { kind: 'sql', title: 'SQL query' },
] as const

type Problem = DraftProblems['query']

const KindChoice = ({ kind, onChange }: { kind: ModelDraft['kind']; onChange: (kind: ModelDraft['kind']) => void }) => (
  <fieldset className="flex flex-wrap gap-x-5 gap-y-2">
    <legend className="mb-1.5 text-sm font-medium">Rows of</legend>
    {kinds.map((each) => (
      <label key={each.kind} className="flex items-center gap-2 text-sm">
        <input
          type="radio"
          name="kind"
          checked={kind === each.kind}
          onChange={() => onChange(each.kind)}
          className="size-4 accent-accent"
        />
        {each.title}
      </label>
    ))}
  </fieldset>
)

const QueryField = ({
  sql,
  open,
  locked,
  problem,
  disabled,
  onOpen,
  onChange,
}: {
  sql: string
  open: boolean
  locked: boolean
  problem: Problem
  disabled: boolean
  onOpen: () => void
  onChange: (sql: string) => void
}) => (
  <Field
    label="SQL query"
    required
    hint="One statement that only reads. Each column needs a name of its own."
    error={problem?.message}
    errorDetail={problem?.detail}
  >
    {(control) => (
      <QueryEditor
        control={control}
        label="SQL query"
        value={sql}
        onChange={onChange}
        open={open}
        onOpen={onOpen}
        locked={locked}
        disabled={disabled}
      />
    )}
  </Field>
)

const TableField = ({
  dataSource,
  table,
  open,
  locked,
  problem,
  onOpen,
  onChoose,
}: {
  dataSource: string
  table: TableName | undefined
  open: boolean
  locked: boolean
  problem: Problem
  onOpen: () => void
  onChoose: (table: TableName) => void
}) => (
  <div className="space-y-2">
    <div className="flex flex-wrap items-center gap-3">
      <p className="min-w-0 flex-1 truncate text-sm">
        <span className="font-medium">Table</span>{' '}
        {table === undefined ? (
          <span className="text-ink-3">None chosen</span>
        ) : (
          <span className="font-mono text-xs">{tableTitle(table)}</span>
        )}
      </p>
      {!open && !locked && (
        <Button size="sm" aria-label="Edit table" onClick={onOpen}>
          Edit
        </Button>
      )}
    </div>
    {open && <TableBrowser dataSource={dataSource} chosen={table} onChoose={onChoose} />}
    <FieldError id="table-error" message={problem?.message} detail={problem?.detail} live />
  </div>
)

const KeyField = ({
  columns,
  ofFile,
  chosen,
  locked,
  problem,
  onChange,
}: {
  columns: readonly string[]
  ofFile: boolean
  chosen: readonly string[]
  locked: boolean
  problem: Problem
  onChange: (key: readonly string[]) => void
}) => (
  <fieldset className="min-w-0 space-y-2">
    <legend className="mb-1.5 text-sm font-medium">Primary key</legend>
    <p className="text-xs text-ink-3">Columns that together tell each row from all others.</p>
    {columns.length === 0 ? (
      <p className="text-sm text-ink-2">
        {ofFile
          ? 'The columns are shown once the file can be read.'
          : 'Validate or preview the query to see its columns.'}
      </p>
    ) : (
      <div className="max-h-48 divide-y divide-line overflow-y-auto scroll-thin rounded-md border border-line">
        {columns.map((name) => (
          <label key={name} className="flex min-h-9 items-center gap-3 px-3 py-1 font-mono text-xs">
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              disabled={locked}
              onChange={({ target }) =>
                onChange(target.checked ? [...chosen, name] : chosen.filter((each) => each !== name))
              }
              className="size-4 shrink-0 accent-accent"
            />
            <span className="min-w-0 truncate">{name}</span>
          </label>
        ))}
      </div>
    )}
    <FieldError id="key-error" message={problem?.message} live />
  </fieldset>
)

/** Buttons that check the query in the database or show its first rows, and the result. */
const Asking = ({
  dataSource,
  ofFile,
  query,
  onColumns,
  onRefused,
}: {
  dataSource: string
  ofFile: boolean
  query: DataQuery | undefined
  onColumns: (names: string[]) => void
  onRefused: (problems: DraftProblems) => void
}) => {
  const preview = usePreview(dataSource)
  const validate = useValidate(dataSource)
  const answered = {
    onSuccess: ({ columns }: { columns: readonly { name: string }[] }) => onColumns(columns.map(({ name }) => name)),
    onError: (error: unknown) => onRefused(refusalOf(error)),
  }
  const ask = (asked: typeof preview | typeof validate): void => {
    preview.reset()
    validate.reset()
    if (query !== undefined) asked.mutate(query, answered)
  }
  const failed = [preview, validate].find(
    ({ error }) => error instanceof ApiError && refusalOf(error).query === undefined,
  )
  return (
    <div className="space-y-3">
      <div className="flex flex-wrap items-center gap-2">
        {!ofFile && (
          <Button size="sm" loading={validate.isPending} disabled={query === undefined} onClick={() => ask(validate)}>
            <CheckCheck aria-hidden />
            Validate
          </Button>
        )}
        <Button size="sm" loading={preview.isPending} disabled={query === undefined} onClick={() => ask(preview)}>
          <Eye aria-hidden />
          Preview rows
        </Button>
        <output className="text-xs text-ink-2">
          {validate.isSuccess && `The query is valid and has ${validate.data.columns.length} columns.`}
        </output>
      </div>
      {failed !== undefined && (
        <DatabaseError
          dataSource={dataSource}
          error={failed.error}
          onRetry={() => ask(failed)}
          title="Could not query the database"
        />
      )}
      {preview.data !== undefined && <PreviewTable preview={preview.data} />}
    </div>
  )
}

const Buttons = ({
  saveLabel,
  saving,
  onCancel,
}: {
  saveLabel: string
  saving: boolean
  onCancel: (() => void) | undefined
}) => (
  <div className="flex justify-end gap-2">
    {onCancel !== undefined && (
      <Button disabled={saving} onClick={onCancel}>
        Cancel
      </Button>
    )}
    <Button type="submit" variant="primary" loading={saving}>
      {saveLabel}
    </Button>
  </div>
)

/** The rows of a model: the file of its data source, a query, or a table. */
const QueryPart = ({
  dataSource,
  model: { draft, problems, change, chooseTable },
  ofFile,
  open,
  locked,
  disabled,
  onOpen,
}: {
  dataSource: string
  model: ReturnType<typeof useModelDraft>
  ofFile: boolean
  open: boolean
  locked: boolean
  disabled: boolean
  onOpen: () => void
}) => {
  if (ofFile) return <FieldError id="file-error" message={problems.query?.message} live />
  return draft.kind === 'sql' ? (
    <QueryField
      sql={draft.sql}
      open={open}
      locked={locked}
      problem={problems.query}
      disabled={disabled}
      onOpen={onOpen}
      onChange={(sql) => change({ sql })}
    />
  ) : (
    <TableField
      dataSource={dataSource}
      table={draft.table}
      open={open}
      locked={locked}
      problem={problems.query}
      onOpen={onOpen}
      onChoose={chooseTable}
    />
  )
}

type ModelEditorProps = {
  dataSource: Pick<DataSource, 'name'>
  /** The initial model, which Cancel restores. */
  initial: ModelDraft
  /** Column names that are known before the query is checked. */
  known: readonly string[]
  /** Whether the data source has only one table and no SQL, so that there is nothing to choose. */
  ofFile: boolean
  saveLabel: string
  isNew: boolean
  /** Whether the rows can come from an SQL query. */
  takesSql: boolean
  mayEdit: boolean
  saving: boolean
  /** Rejects with the server's errors. */
  onSave: (input: ModelInput) => Promise<unknown>
}

/**
 * The editor of a model: its title, a table or a query, and its key. A saved model shows its query collapsed until the
 * user edits it; Cancel restores the saved one.
 */
export const ModelEditor = ({
  dataSource,
  initial,
  known,
  ofFile,
  saveLabel,
  isNew,
  takesSql,
  mayEdit,
  saving,
  onSave,
}: ModelEditorProps) => {
  const [open, setOpen] = useState(isNew)
  const model = useModelDraft({ dataSource: dataSource.name, initial, known, isNew, open: open && mayEdit })
  const { draft, problems, failure, query } = model
  const save = (): void => void model.save(onSave)
  const cancel = (): void => {
    model.reset()
    setOpen(false)
  }
  return (
    <Card>
      <form
        noValidate
        aria-label="Model"
        className="space-y-5"
        onSubmit={(event) => {
          event.preventDefault()
          save()
        }}
      >
        <Field label="Title" required error={problems.title?.message}>
          {(control) => (
            <Input
              {...control}
              value={draft.title}
              disabled={!mayEdit}
              autoComplete="off"
              onChange={({ target }) => model.change({ title: target.value })}
            />
          )}
        </Field>
        {open && !ofFile && takesSql && <KindChoice kind={draft.kind} onChange={model.chooseKind} />}
        <QueryPart
          dataSource={dataSource.name}
          model={model}
          ofFile={ofFile}
          open={open}
          locked={!mayEdit}
          disabled={saving}
          onOpen={() => setOpen(true)}
        />
        {mayEdit && (
          <Asking
            key={JSON.stringify(query)}
            dataSource={dataSource.name}
            ofFile={ofFile}
            query={query}
            onColumns={model.setFoundColumns}
            onRefused={model.setFoundProblems}
          />
        )}
        <KeyField
          columns={model.columns}
          ofFile={ofFile}
          chosen={draft.key}
          locked={!mayEdit}
          problem={problems.key}
          onChange={(key) => model.change({ key })}
        />
        {mayEdit && query !== undefined && (
          <KeyCheck
            key={JSON.stringify([query, draft.key])}
            dataSource={dataSource.name}
            query={query}
            columns={draft.key}
          />
        )}
        {failure !== undefined && (
          <DatabaseError dataSource={dataSource.name} error={failure} onRetry={save} title="Could not save the model" />
        )}
        {mayEdit && (isNew || open || model.changed) && (
          <Buttons saveLabel={saveLabel} saving={saving} onCancel={isNew ? undefined : cancel} />
        )}
      </form>
    </Card>
  )
}
