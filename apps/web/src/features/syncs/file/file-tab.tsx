import { useQuery } from '@tanstack/react-query'
import { type DataColumn, type DataSource, fileTable, methods, type Upload } from '@tributary/contract'
import { FileUp, Plus } from 'lucide-react'
import { useRef } from 'react'
import { QueryView } from '../../../components/query-view.tsx'
import { bytesText } from '../../../lib/format/bytes.ts'
import { dataSourceIds } from '../../../lib/format/names.ts'
import { count, pluralise } from '../../../lib/format/text.ts'
import { paths } from '../../../lib/paths.ts'
import { query } from '../../../lib/queries/query.ts'
import { useMayEdit } from '../../../lib/workspace.ts'
import { Button, ButtonLink } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { type Column, DataTable } from '../../../ui/lists/data-table.tsx'
import { EmptyState } from '../../../ui/page/empty-state.tsx'
import { TableSkeleton } from '../../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../../ui/relative-time.tsx'
import { type UploadState, useUpload } from './use-upload.ts'

/** The last uploads of a data source, newest first. */
const uploadsQuery = (dataSource: string) =>
  query(methods.uploads.get, { params: dataSourceIds(dataSource) }, { read: ({ uploads }) => uploads })

const ChooseFile = ({
  label,
  disabled,
  onFile,
}: {
  label: string
  disabled: boolean
  onFile: (file: File) => void
}) => {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button variant="primary" disabled={disabled} onClick={() => input.current?.click()}>
        <FileUp aria-hidden />
        {label}
      </Button>
      <input
        ref={input}
        type="file"
        aria-label="File to upload"
        tabIndex={-1}
        className="sr-only"
        onChange={(event) => {
          const file = event.currentTarget.files?.[0]
          event.currentTarget.value = ''
          if (file !== undefined) onFile(file)
        }}
      />
    </>
  )
}

const Progress = ({ state, onCancel }: { state: Extract<UploadState, { kind: 'sending' }>; onCancel: () => void }) => {
  const { file, offset } = state
  const reading = offset >= file.size
  const share = file.size === 0 ? 1 : offset / file.size
  const words = reading ? 'Reading the file…' : `${bytesText(offset)} of ${bytesText(file.size)}`
  return (
    <div className="space-y-2">
      <div className="flex items-center gap-3 text-sm">
        <span className="min-w-0 flex-1 truncate font-medium">{file.name}</span>
        <span className="shrink-0 text-ink-2">{words}</span>
        <Button size="sm" onClick={onCancel}>
          Cancel
        </Button>
      </div>
      <progress aria-label="Uploaded" className="sr-only" max={file.size} value={offset} aria-valuetext={words} />
      <div aria-hidden className="h-1.5 overflow-hidden rounded-full bg-sunken">
        <div
          className="h-full rounded-full bg-accent transition-[width] duration-500"
          style={{ width: `${share * 100}%` }}
        />
      </div>
    </div>
  )
}

const Uploading = ({
  state,
  onCancel,
  onGoOn,
}: {
  state: UploadState | undefined
  onCancel: () => void
  onGoOn: (file: File) => void
}) => {
  if (state === undefined) return null
  if (state.kind === 'sending')
    return (
      <Card>
        <Progress state={state} onCancel={onCancel} />
      </Card>
    )
  return (
    <Card>
      <div role="alert" className="flex flex-wrap items-center gap-3 text-sm">
        <p className="min-w-0 flex-1 break-words text-danger-ink">
          {state.file.name} was not uploaded: {state.message}
        </p>
        {state.canGoOn && (
          <Button size="sm" onClick={() => onGoOn(state.file)}>
            Try again
          </Button>
        )}
      </div>
    </Card>
  )
}

const columnColumns: readonly Column<DataColumn>[] = [
  {
    id: 'name',
    header: 'Column',
    cell: ({ name }) => (
      <span className="block truncate font-mono text-xs" title={name}>
        {name}
      </span>
    ),
  },
  {
    id: 'type',
    header: 'Type',
    cell: ({ type }) => <span className="text-xs text-ink-2">{type}</span>,
    width: 'sm:w-44',
  },
]
const columnId = ({ name }: DataColumn): string => name

const uploadColumns: readonly Column<Upload>[] = [
  { id: 'file', header: 'File', cell: ({ file_name }) => <span className="block truncate">{file_name}</span> },
  {
    id: 'by',
    header: 'Uploaded by',
    cell: ({ uploaded_by }) => <span className="block truncate text-ink-2">{uploaded_by}</span>,
    width: 'sm:w-56',
    wide: true,
  },
  { id: 'rows', header: 'Rows', cell: ({ rows }) => count(rows), align: 'right', width: 'sm:w-28' },
  {
    id: 'size',
    header: 'Size',
    cell: ({ size_bytes }) => bytesText(size_bytes),
    align: 'right',
    width: 'sm:w-28',
    wide: true,
  },
  {
    id: 'time',
    header: 'Uploaded',
    cell: ({ upload_time }) => <RelativeTime time={upload_time} className="text-ink-2" />,
    align: 'right',
    width: 'sm:w-36',
    className: 'whitespace-nowrap',
  },
]
const uploadId = ({ upload_time, file_name }: Upload): string => `${upload_time} ${file_name}`

const CurrentFile = ({ dataSource, upload, mayEdit }: { dataSource: string; upload: Upload; mayEdit: boolean }) => (
  <section aria-label={upload.file_name} className="min-w-0 space-y-3">
    <div className="flex flex-wrap items-center justify-between gap-2">
      <div className="min-w-0">
        <h2 className="truncate text-base font-semibold">{upload.file_name}</h2>
        <p className="text-xs text-ink-2">
          {count(upload.rows)} {pluralise(upload.rows, 'row')}, {bytesText(upload.size_bytes)}
        </p>
      </div>
      {mayEdit && (
        <ButtonLink size="sm" to={paths.newModel(dataSource, fileTable)}>
          <Plus aria-hidden />
          Create model
        </ButtonLink>
      )}
    </div>
    <DataTable
      label={`Columns of ${upload.file_name}`}
      columns={columnColumns}
      rows={upload.columns}
      rowId={columnId}
    />
  </section>
)

/**
 * The current file of a data source, its content, and the earlier uploads, each with the user who uploaded the file.
 */
export const FileTab = ({ dataSource }: { dataSource: DataSource }) => {
  const query = useQuery(uploadsQuery(dataSource.name))
  const mayEdit = useMayEdit() === true
  const { state, start, goOn, cancel } = useUpload(dataSource.name)
  const sending = state?.kind === 'sending'
  return (
    <QueryView query={query} skeleton={<TableSkeleton />} errorTitle="Failed to load the uploads">
      {(uploads) => {
        const current = uploads.find((upload) => upload.current)
        const choose = mayEdit && (
          <ChooseFile
            label={current === undefined ? 'Upload file' : 'Replace file'}
            disabled={sending}
            onFile={start}
          />
        )
        return (
          <div className="space-y-5">
            {current !== undefined && mayEdit && <div className="flex justify-end">{choose}</div>}
            <Uploading state={state} onCancel={cancel} onGoOn={goOn} />
            {current === undefined ? (
              !sending && (
                <EmptyState icon={<FileUp />} title="Upload a file" action={choose}>
                  A CSV, NDJSON, or Parquet file. Its columns are shown here, and models read its rows.
                </EmptyState>
              )
            ) : (
              <CurrentFile dataSource={dataSource.name} upload={current} mayEdit={mayEdit} />
            )}
            {uploads.length > 0 && (
              <section aria-label="Uploads" className="min-w-0 space-y-3">
                <h2 className="text-base font-semibold">Uploads</h2>
                <DataTable label="Uploads" columns={uploadColumns} rows={uploads} rowId={uploadId} />
              </section>
            )}
          </div>
        )
      }}
    </QueryView>
  )
}
