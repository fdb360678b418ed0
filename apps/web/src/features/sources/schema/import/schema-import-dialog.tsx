import { type SourceSchema, schemaLimits } from '@tributary/contract'
import { Upload } from 'lucide-react'
import { useDeferredValue, useMemo, useRef, useState } from 'react'
import { failureText } from '../../../../lib/api/errors.ts'
import { readTextFile } from '../../../../lib/read-text-file.ts'
import { Button } from '../../../../ui/button.tsx'
import { Dialog } from '../../../../ui/overlays/dialog.tsx'
import { diffSchemas, diffWords } from '../changes/schema-diff.ts'
import { SchemaDiff } from '../changes/schema-diff-view.tsx'
import { SchemaJsonEditor } from './schema-json-editor.tsx'
import { readSchemaText } from './schema-text.ts'

const Failure = ({ message }: { message: string | undefined }) =>
  message !== undefined && (
    <p role="alert" className="text-sm break-words text-danger-ink">
      {message}
    </p>
  )

/** Selects a file and passes its text on; a file that is too large for a schema is rejected. */
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
 * Replaces the schema by one from a file or pasted text. It is validated, the changes are shown, and only then it is
 * saved.
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
  const [open, setOpen] = useState(true)
  const [text, setText] = useState('')
  const [previews, setPreviews] = useState(false)
  const [failure, setFailure] = useState<string | undefined>()
  const [saving, setSaving] = useState(false)
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
    setSaving(true)
    try {
      await onSave(next)
      setOpen(false)
    } catch (error) {
      setFailure(failureText(error))
    } finally {
      setSaving(false)
    }
  }
  return (
    <Dialog
      open={open}
      onClose={() => setOpen(false)}
      onClosed={onClosed}
      size="lg"
      title="Import schema"
      description="Replaces the whole schema. The current version stays in the history."
      footer={
        previews ? (
          <>
            <Button onClick={() => setPreviews(false)}>Back</Button>
            <Button variant="primary" loading={saving} disabled={changes.length === 0} onClick={() => void save()}>
              Save imported schema
            </Button>
          </>
        ) : (
          <>
            <Button onClick={() => setOpen(false)}>Cancel</Button>
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
