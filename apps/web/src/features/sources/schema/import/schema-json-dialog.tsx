import { formatSourceSchema, type SourceSchema } from '@tributary/contract'
import { useDeferredValue, useMemo, useState } from 'react'
import { formatJson } from '../../../../lib/format/json-text.ts'
import { Button } from '../../../../ui/button.tsx'
import { CodeEditor } from '../../../../ui/code/code-editor.tsx'
import { CopyButton } from '../../../../ui/code/copy-button.tsx'
import { Dialog } from '../../../../ui/overlays/dialog.tsx'
import { diffSchemas, diffWords } from '../changes/schema-diff.ts'
import { SchemaJsonEditor } from './schema-json-editor.tsx'
import { readSchemaText } from './schema-text.ts'

const Editor = ({
  schema,
  onSchema,
  onChanged,
  asksToLeave,
  onStay,
  onClose,
}: {
  schema: SourceSchema
  onSchema: (schema: SourceSchema) => void
  onChanged: (changed: boolean) => void
  asksToLeave: boolean
  onStay: () => void
  onClose: () => void
}) => {
  const [start] = useState(() => formatSourceSchema(schema, 2))
  const [text, setText] = useState(start)
  const deferred = useDeferredValue(text)
  const read = useMemo(() => readSchemaText(deferred), [deferred])
  const changes = useMemo(() => ('schema' in read ? diffSchemas(schema, read.schema) : []), [read, schema])
  const write = (next: string): void => {
    setText(next)
    onChanged(next !== start)
  }
  const use = (): void => {
    const now = readSchemaText(text)
    if (!('schema' in now)) return
    onSchema(now.schema)
    onClose()
  }
  return (
    <>
      <SchemaJsonEditor label="Schema as JSON" text={text} onText={write} read={read}>
        {text === start ? 'Tab indents. Press Escape, then Tab to leave the editor.' : diffWords(changes)}
      </SchemaJsonEditor>
      {asksToLeave ? (
        <div role="alert" className="mt-3 flex flex-wrap items-center justify-end gap-2">
          <p className="mr-auto text-sm">Discard your changes to the text?</p>
          <Button onClick={onStay}>Keep editing</Button>
          <Button variant="danger" onClick={onClose}>
            Discard
          </Button>
        </div>
      ) : (
        <div className="mt-3 flex flex-wrap justify-end gap-2">
          <span className="mr-auto flex gap-2">
            <CopyButton text={text} name="Copy schema" label="Copy" size="md" notice="Schema copied" />
            <Button onClick={() => write(formatJson(text))} disabled={!('schema' in read)}>
              Format
            </Button>
          </span>
          <Button variant="primary" disabled={changes.length === 0} onClick={use}>
            Apply changes
          </Button>
        </div>
      )}
    </>
  )
}

/**
 * Shows the schema as JSON text. Changes of the text join the other unsaved changes. Users without edit permission can
 * only read it.
 */
export const JsonDialog = ({
  schema,
  onSchema,
  onClosed,
}: {
  schema: SourceSchema
  /** Absent for readers. */
  onSchema: ((schema: SourceSchema) => void) | undefined
  onClosed: () => void
}) => {
  const [open, setOpen] = useState(true)
  const [changed, setChanged] = useState(false)
  const [asks, setAsks] = useState(false)
  const readOnly = onSchema === undefined
  const text = useMemo(() => (readOnly ? formatSourceSchema(schema, 2) : ''), [schema, readOnly])
  return (
    <Dialog
      open={open}
      onClose={() => (changed ? setAsks(true) : setOpen(false))}
      onClosed={onClosed}
      size="lg"
      title={readOnly ? 'Schema as JSON' : 'Edit schema as JSON'}
      description={readOnly ? undefined : 'Changes here are not saved until you choose Save schema.'}
    >
      {readOnly ? (
        <div className="space-y-3">
          <CodeEditor language="json" label="Schema as JSON" value={text} readOnly />
          <CopyButton text={text} name="Copy schema" label="Copy" size="md" notice="Schema copied" />
        </div>
      ) : (
        <Editor
          schema={schema}
          onSchema={onSchema}
          onChanged={setChanged}
          asksToLeave={asks}
          onStay={() => setAsks(false)}
          onClose={() => setOpen(false)}
        />
      )}
    </Dialog>
  )
}
