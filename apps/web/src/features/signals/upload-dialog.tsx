import { type OfflineUpload, type Signal, signalLimits } from '@tributary/contract'
import { useState } from 'react'
import { failureText } from '../../lib/api/errors.ts'
import { saveFile } from '../../lib/browser/save-file.ts'
import { csvOf } from '../../lib/format/csv.ts'
import { count, pluralise, sentence } from '../../lib/format/text.ts'
import { readTextFile } from '../../lib/read-text-file.ts'
import { Alert } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { FileInput } from '../../ui/forms/file-input.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { useOpened } from '../../ui/overlays/use-opened.ts'
import { scrollable } from '../../ui/scrollable.ts'
import { useUploadConversions } from './mutations.ts'
import { sampleFile } from './upload-file.ts'

const Report = ({ report, done }: { report: OfflineUpload; done: boolean }) => {
  const { row_count, accepted_count, repeated_count, refused_count, refused } = report
  return (
    <section aria-label="Report" className="space-y-3">
      <p className="text-sm">
        {count(row_count)} {pluralise(row_count, 'row')}:{' '}
        <span className="font-medium">
          {count(accepted_count)} {done ? 'sent' : 'can be sent'}
        </span>
        , {count(repeated_count)} already known, {count(refused_count)} refused.
      </p>
      {refused.length > 0 && (
        <ul
          {...scrollable}
          aria-label="Refused rows"
          className="max-h-60 divide-y divide-line overflow-y-auto scroll-thin rounded-lg border border-line text-sm"
        >
          {refused.map(({ line, column, reason }) => (
            <li key={`${line} ${column}`} className="grid grid-cols-[5rem_minmax(0,1fr)] gap-3 px-3 py-2">
              <span className="text-ink-3 tabular">Line {count(line)}</span>
              <span className="min-w-0 break-words">
                {column !== '' && <code className="font-mono text-xs">{column}</code>} {sentence(reason)}
              </span>
            </li>
          ))}
        </ul>
      )}
      {refused_count > refused.length && (
        <p className="text-xs text-ink-3">The first {count(refused.length)} refused rows.</p>
      )}
    </section>
  )
}

type Chosen = { file_name: string; content: string }

/** Reads a file; undefined if it is too large. */
const read = async (file: File): Promise<Chosen | undefined> => {
  if (file.size > 4 * signalLimits.uploadCharacters) return undefined
  const content = await readTextFile(file)
  return content.length > signalLimits.uploadCharacters ? undefined : { file_name: file.name.slice(-255), content }
}

const fileRules = (
  <p className="text-sm text-ink-2">
    The first line names the columns. A row needs an <code className="font-mono text-xs">event_id</code>, an{' '}
    <code className="font-mono text-xs">event_time</code>, and something that a person is matched by. Personal data is
    hashed before it is sent.{' '}
    <Button
      variant="link"
      size="xs"
      onClick={() => saveFile('conversions.csv', csvOf(sampleFile.header, sampleFile.rows), 'text/csv')}
    >
      Download an example
    </Button>
  </p>
)

/**
 * Uploads offline conversions from a CSV file. The file is checked first, and rows that would be rejected are shown.
 */
export const UploadDialog = ({ signal, onClosed }: { signal: Signal; onClosed: () => void }) => {
  const { close, dialog } = useOpened(onClosed)
  const [file, setFile] = useState<Chosen | undefined>()
  const [problem, setProblem] = useState('')
  const check = useUploadConversions(signal)
  const send = useUploadConversions(signal)
  const choose = async (chosen: File | undefined): Promise<void> => {
    check.reset()
    send.reset()
    setFile(undefined)
    setProblem('')
    if (chosen === undefined) return
    const taken = await read(chosen).catch((error: unknown) => (error instanceof Error ? error.message : undefined))
    if (taken === undefined || typeof taken === 'string')
      return setProblem(
        taken ?? `The file is too large or cannot be read. A file can have ${count(signalLimits.uploadRows)} rows.`,
      )
    setFile(taken)
    check.mutate({ ...taken, validate_only: true })
  }
  const failure = send.error ?? check.error
  const report = send.data ?? check.data
  const done = send.isSuccess
  return (
    <Dialog
      {...dialog}
      size="lg"
      title="Upload offline conversions"
      description={`Conversions of a shop, a call center, or a CRM, from a CSV file with at most ${count(signalLimits.uploadRows)} rows.`}
      footer={
        done ? (
          <Button variant="primary" onClick={close}>
            Done
          </Button>
        ) : (
          <>
            <Button onClick={close}>Cancel</Button>
            <Button
              variant="primary"
              disabled={file === undefined || (check.data?.accepted_count ?? 0) === 0}
              loading={send.isPending || check.isPending}
              onClick={() => file !== undefined && send.mutate({ ...file, validate_only: false })}
            >
              {check.data === undefined
                ? 'Send conversions'
                : `Send ${count(check.data.accepted_count)} ${pluralise(check.data.accepted_count, 'conversion')}`}
            </Button>
          </>
        )
      }
    >
      <div className="space-y-4">
        {!done && (
          <>
            {fileRules}
            <FileInput label="CSV file" onFile={(chosen) => void choose(chosen)} />
          </>
        )}
        {problem !== '' && <Alert className="text-sm">{problem}</Alert>}
        {failure !== null && <Alert>{sentence(failureText(failure))}</Alert>}
        {report !== undefined && <Report report={report} done={done} />}
      </div>
    </Dialog>
  )
}
