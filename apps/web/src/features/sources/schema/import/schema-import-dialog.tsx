import { type SourceSchema, schemaLimits } from '@tributary/contract'
import { Upload } from 'lucide-react'
import { useDeferredValue, useMemo, useRef, useState } from 'react'
import { useAttempt } from '../../../../components/use-attempt.ts'
import { readTextFile } from '../../../../lib/read-text-file.ts'
import { Alert } from '../../../../ui/alert.tsx'
import { Button } from '../../../../ui/button.tsx'
import { Dialog } from '../../../../ui/overlays/dialog.tsx'
import { useOpened } from '../../../../ui/overlays/use-opened.ts'
import { diffSchemas, diffWords } from '../changes/schema-diff.ts'
import { SchemaDiff } from '../changes/schema-diff-view.tsx'
import { SchemaJsonEditor } from './schema-json-editor.tsx'
import { readSchemaText } from './schema-text.ts'

const Failure = ({ message }: { message: string | undefined }) => message !== undefined && <Alert>{message}</Alert>

/** A button that selects a file and reports its text. Rejects a file that is too large for a schema. */
const FileButton = ({ onText, onFailure }: { onText: (text: string) => void; onFailure: (why: string) => void }) => {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button onClick={() => input.current?.click()}>
        <Upload aria-hidden />
        Choose a file
      </Button>
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        aria-label="Schema file"
        tabIndex={-1}
        className="sr-only"
        onChange={(event) => {
          const file = event.currentTarget.files?.[0]
          event.currentTarget.value = ''
          if (file === undefined) return
          if (file.size > schemaLimits.bytes)
            return onFailure(`A schema can be at most ${schemaLimits.bytes / 1024} KiB`)
          readTextFile(file).then(onText, () => onFailure('The file could not be read. Save it as UTF-8'))
        }}
      />
    </>
  )
}

/**
 * Replaces the schema by one from a file or pasted text. The new schema is saved only after it was validated and its
 * changes were shown.
 */
export const ImportDialog = ({
  current,
  onSave,
  onClosed,
}: {
  current: SourceSchema
  onSave: (schema: SourceSchema) => Promise<unknown>
  onClosed: () => void
}) => {
  const { close, dialog } = useOpened(onClosed)
  const [text, setText] = useState('')
  const [previews, setPreviews] = useState(false)
  const { pending, failure, setFailure, attempt } = useAttempt()
  const deferred = useDeferredValue(text)
  const read = useMemo(() => (deferred.trim() === '' ? undefined : readSchemaText(deferred)), [deferred])
  const next = read !== undefined && 'schema' in read ? read.schema : undefined
  const changes = useMemo(() => (next === undefined ? [] : diffSchemas(current, next)), [current, next])
  const write = (value: string): void => {
    setFailure(undefined)
    setText(value)
  }
  const save = async (): Promise<void> => {
    if (next === undefined) return
    await onSave(next)
    close()
  }
  return (
    <Dialog
      {...dialog}
      size="lg"
      title="Import schema"
      description="Replaces the whole schema. The current version stays in the history."
      footer={
        previews ? (
          <>
            <Button onClick={() => setPreviews(false)}>Back</Button>
            <Button
              variant="primary"
              loading={pending}
              disabled={changes.length === 0}
              onClick={() => void attempt(save)}
            >
              Save imported schema
            </Button>
          </>
        ) : (
          <>
            <Button onClick={close}>Cancel</Button>
            <Button variant="primary" disabled={next === undefined} onClick={() => setPreviews(true)}>
              Review changes
            </Button>
          </>
        )
      }
    >
      {previews ? (
        <div className="space-y-3">
          <p className="text-sm">{changes.length === 0 ? 'Identical to the current schema.' : diffWords(changes)}</p>
          {changes.length > 0 && <SchemaDiff label="What changes" changes={changes} />}
          <Failure message={failure} />
        </div>
      ) : (
        <div className="space-y-3">
          <div className="flex flex-wrap items-center gap-3">
            <FileButton onText={write} onFailure={setFailure} />
            <span className="text-sm text-ink-2">or paste JSON below</span>
          </div>
          <Failure message={failure} />
          <SchemaJsonEditor label="Schema to import" text={text} onText={write} read={read}>
            {next !== undefined && diffWords(changes)}
          </SchemaJsonEditor>
        </div>
      )}
    </Dialog>
  )
}
